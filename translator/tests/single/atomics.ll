; What changes little looks first: not a sum, but for one of nothing, nor what orders other accesses. On local memory all are loads and stores.
define void @kernel(ptr addrspace(1) %shared, ptr addrspace(3) %own, ptr addrspace(1) %out) {
entry:
  %least = atomicrmw umin ptr addrspace(1) %shared, i32 7 monotonic
  %sum = atomicrmw add ptr addrspace(1) %shared, i32 %least monotonic
  %seen = atomicrmw add ptr addrspace(1) %shared, i32 0 monotonic
  store volatile i32 %seen, ptr addrspace(1) %out
  %ordered = atomicrmw or ptr addrspace(1) %shared, i32 1 seq_cst
  %key = cmpxchg ptr addrspace(1) %shared, i32 -1, i32 %sum monotonic monotonic
  %found = extractvalue { i32, i1 } %key, 0
  %count = atomicrmw add ptr addrspace(3) %own, i32 1 monotonic
  %most = atomicrmw fmax ptr addrspace(3) %own, float 1.0 monotonic
  %mine = cmpxchg ptr addrspace(3) %own, i32 %count, i32 %found acq_rel monotonic
  %done = extractvalue { i32, i1 } %mine, 1
  %number = zext i1 %done to i32
  store i32 %number, ptr addrspace(1) %out
  ret void
}

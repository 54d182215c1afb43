; Four items a time: a histogram in local memory, for the lanes that are there; a counter for all of them, added to once; a least
; number, of which lanes look first whether it changes; a table of keys in local memory.
@own = internal addrspace(3) global [256 x i32] poison
@keys = internal addrspace(3) global [64 x i32] poison
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %count, ptr addrspace(1) %least) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %number = load i32, ptr addrspace(1) %from
  %positive = icmp sgt i32 %number, 0
  br i1 %positive, label %work, label %done
work:
  %bin = and i32 %number, 255
  %wide = zext i32 %bin to i64
  %place = getelementptr [256 x i32], ptr addrspace(3) @own, i64 0, i64 %wide
  %old = atomicrmw add ptr addrspace(3) %place, i32 1 monotonic
  %slot = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic
  %far = sext i32 %slot to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %far
  store i32 %number, ptr addrspace(1) %to
  %best = getelementptr i32, ptr addrspace(1) %least, i64 %wide
  %was = atomicrmw umin ptr addrspace(1) %best, i32 %number monotonic
  %six = and i64 %wide, 63
  %key = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %six
  %found = cmpxchg ptr addrspace(3) %key, i32 0, i32 %number monotonic monotonic
  %there = extractvalue { i32, i1 } %found, 0
  store i32 %there, ptr addrspace(1) %from
  br label %done
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

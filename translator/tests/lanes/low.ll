; Indices of an `int` id, as LLVM computes them in the upper half: i - 1, 2 * i + 1, and 3 * i. Neighbours' are loaded at once while none wraps around.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %up = shl i64 %item, 32
  %before = add i64 %up, -4294967296
  %at.before = ashr exact i64 %before, 32
  %double = shl i64 %item, 33
  %odd = or disjoint i64 %double, 4294967296
  %at.odd = ashr exact i64 %odd, 32
  %triple = mul i64 %item, 12884901888
  %at.triple = ashr exact i64 %triple, 32
  %p.before = getelementptr float, ptr addrspace(1) %in, i64 %at.before
  %p.odd = getelementptr float, ptr addrspace(1) %in, i64 %at.odd
  %p.triple = getelementptr float, ptr addrspace(1) %in, i64 %at.triple
  %v.before = load float, ptr addrspace(1) %p.before
  %v.odd = load float, ptr addrspace(1) %p.odd
  %v.triple = load float, ptr addrspace(1) %p.triple
  %sum = fadd float %v.before, %v.odd
  %all = fadd float %sum, %v.triple
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %all, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)

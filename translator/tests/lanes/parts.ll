; Vectors of the program: one vector of items for each component; what all items load is loaded once.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %factors, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %from = getelementptr <2 x float>, ptr addrspace(1) %in, i64 %item
  %value = load <2 x float>, ptr addrspace(1) %from
  %uniform = load <2 x float>, ptr addrspace(1) %factors
  %product = fmul <2 x float> %value, %uniform
  %x = extractelement <2 x float> %product, i64 0
  %y = extractelement <2 x float> %product, i64 1
  %sum = fadd float %x, %y
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %sum, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)

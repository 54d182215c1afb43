; Components of a vector with a store between that may change one of them.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %x, ptr addrspace(1) %out, i64 %c) {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %whole = getelementptr <4 x float>, ptr addrspace(1) %x, i64 %g
  %first = load <4 x float>, ptr addrspace(1) %whole
  %four = shl i64 %g, 2
  %place = add i64 %four, %c
  %part = getelementptr float, ptr addrspace(1) %x, i64 %place
  store float 7.0, ptr addrspace(1) %part
  %second = load <4 x float>, ptr addrspace(1) %whole
  %a = extractelement <4 x float> %first, i32 0
  %b = extractelement <4 x float> %second, i32 1
  %sum = fadd float %a, %b
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %sum, ptr addrspace(1) %to
  ret void
}

; Four numbers in a row from a place that is a multiple of 16 bytes, of memory that is aligned so; one that is not.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) align 16 %in, ptr addrspace(1) align 4 %out) {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %place = shl i64 %g, 2
  %from = getelementptr float, ptr addrspace(1) %in, i64 %place
  %value = load <4 x float>, ptr addrspace(1) %from, align 4
  %next = getelementptr float, ptr addrspace(1) %from, i64 1
  %one = load float, ptr addrspace(1) %next, align 1
  %vector = insertelement <4 x float> %value, float %one, i32 0
  %to = getelementptr float, ptr addrspace(1) %out, i64 %place
  store <4 x float> %vector, ptr addrspace(1) %to, align 4
  ret void
}

; The four numbers of a structure, from where data tells: 16 bytes of each item at once, transposed.
define void @kernel(ptr addrspace(1) %index, ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %which = getelementptr i64, ptr addrspace(1) %index, i64 %item
  %at = load i64, ptr addrspace(1) %which
  %one = getelementptr {float, float, float, float}, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %one
  %second = getelementptr i8, ptr addrspace(1) %one, i64 4
  %y = load float, ptr addrspace(1) %second
  %third = getelementptr i8, ptr addrspace(1) %one, i64 8
  %z = load float, ptr addrspace(1) %third
  %fourth = getelementptr i8, ptr addrspace(1) %one, i64 12
  %w = load float, ptr addrspace(1) %fourth
  %xy = fmul float %x, %y
  %zw = fmul float %z, %w
  %sum = fadd float %xy, %zw
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %sum, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

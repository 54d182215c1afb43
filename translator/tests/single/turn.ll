; Rows along x, so that neighbours along y lie together.
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z15get_global_sizej(i32)

define void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %z = call i64 @_Z12get_local_idj(i32 2)
  %height = call i64 @_Z15get_global_sizej(i32 1)
  %row = mul i64 %x, %height
  %place = add i64 %row, %y
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %place
  %value = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %place
  store i32 %value, ptr addrspace(1) %to
  ret void
}

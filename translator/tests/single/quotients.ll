; Divisions by what differs from item to item, by what is the same for all, and by a constant.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %g
  %value = load i32, ptr addrspace(1) %from
  %quotient = sdiv i32 %n, %value
  %rest = urem i32 %quotient, %value
  %uniform = sdiv i32 %n, 7
  %tenth = udiv i32 %rest, 10
  %sum = add i32 %tenth, %uniform
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %g
  store i32 %sum, ptr addrspace(1) %to
  ret void
}

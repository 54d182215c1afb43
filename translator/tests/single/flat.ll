; Items that are in one row compute where they are from their linear numbers.
define void @kernel(ptr addrspace(1) %out) {
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %z = call i64 @_Z12get_local_idj(i32 2)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %none = call i64 @_Z13get_global_idj(i32 3)
  %some = add i64 %x, %z
  %sum = add i64 %some, %y
  %all = add i64 %sum, %none
  store i64 %all, ptr addrspace(1) %out
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z13get_global_idj(i32) memory(none)

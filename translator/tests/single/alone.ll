; Items that are sub-groups of their own.
define void @kernel(ptr addrspace(1) %out, i32 %x) {
entry:
  %bits = call i32 @vicinity_ballot(i32 %x)
  %other = call i32 @vicinity_shuffle(i32 %bits, i32 3)
  call void @_Z17sub_group_barrierj(i32 1)
  store i32 %other, ptr addrspace(1) %out
  ret void
}
declare i32 @vicinity_ballot(i32) convergent memory(none)
declare i32 @vicinity_shuffle(i32, i32) convergent memory(none)
declare void @_Z17sub_group_barrierj(i32) convergent

; Items write to one buffer and read others' places of another one, which is different memory.
; disjoint
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %own = getelementptr float, ptr addrspace(1) %a, i64 %l
  store float 1.0, ptr addrspace(1) %own
  call void @_Z7barrierj(i32 2)
  %last = sub i64 15, %l
  %other = getelementptr float, ptr addrspace(1) %b, i64 %last
  %theirs = load float, ptr addrspace(1) %other
  %next = getelementptr float, ptr addrspace(1) %own, i64 16
  store float %theirs, ptr addrspace(1) %next
  ret void
}

; The same of memory that a launch may write to elsewhere, where it says that its buffers are different memory.
; disjoint
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(3) %t, ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %g = call i64 @_Z13get_global_idj(i32 0)
  %at = add i64 %g, %n
  %from = getelementptr float, ptr addrspace(1) %in, i64 %at
  %value = load float, ptr addrspace(1) %from
  %own = getelementptr float, ptr addrspace(3) %t, i64 %l
  store float %value, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %last = sub i64 15, %l
  %other = getelementptr float, ptr addrspace(3) %t, i64 %last
  %theirs = load float, ptr addrspace(3) %other
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %theirs, ptr addrspace(1) %to
  ret void
}

; A row of sixteen and one element at each end, by three stores: what is read of it is one load by one rule.
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(3) %t, ptr addrspace(2) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %g = call i64 @_Z13get_global_idj(i32 0)
  %row = getelementptr i8, ptr addrspace(2) %in, i64 %n
  %from = getelementptr float, ptr addrspace(2) %row, i64 %g
  %own = getelementptr float, ptr addrspace(3) %t, i64 %l
  %value = load float, ptr addrspace(2) %from
  %middle = getelementptr i8, ptr addrspace(3) %own, i64 4
  store float %value, ptr addrspace(3) %middle
  switch i64 %l, label %all [
    i64 0, label %left
    i64 15, label %right
  ]
left:
  %before = getelementptr i8, ptr addrspace(2) %from, i64 -4
  %first = load float, ptr addrspace(2) %before
  store float %first, ptr addrspace(3) %t
  br label %all
right:
  %behind = getelementptr i8, ptr addrspace(2) %from, i64 4
  %last = load float, ptr addrspace(2) %behind
  %end = getelementptr i8, ptr addrspace(3) %t, i64 68
  store float %last, ptr addrspace(3) %end
  br label %all
all:
  call void @_Z7barrierj(i32 1)
  %one = load float, ptr addrspace(3) %own
  %other.at = getelementptr i8, ptr addrspace(3) %own, i64 8
  %other = load float, ptr addrspace(3) %other.at
  %sum = fadd float %one, %other
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %sum, ptr addrspace(1) %to
  ret void
}

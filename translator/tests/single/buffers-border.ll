; Sixteen items copy what is in front of `%n`, and zeros from there on: an item loads what its neighbour would have copied.
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(3) %t, ptr addrspace(2) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %g = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp slt i64 %g, %n
  br i1 %inside, label %copy, label %all
copy:
  %from = getelementptr float, ptr addrspace(2) %in, i64 %g
  %value = load float, ptr addrspace(2) %from
  br label %all
all:
  %stored = phi float [ %value, %copy ], [ 0.0, %entry ]
  %own = getelementptr float, ptr addrspace(3) %t, i64 %l
  store float %stored, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %other = sub i64 15, %l
  %place = getelementptr float, ptr addrspace(3) %t, i64 %other
  %read = load float, ptr addrspace(3) %place
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %read, ptr addrspace(1) %to
  ret void
}

; Sixteen items copy forty elements in a loop, of which an item reads those behind its own.
; disjoint
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(3) %t, ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %g = call i64 @_Z13get_global_idj(i32 0)
  %first = sub i64 %g, %l
  %row = getelementptr float, ptr addrspace(1) %in, i64 %first
  br label %copy
copy:
  %i = phi i64 [ %l, %entry ], [ %next, %copy ]
  %from = getelementptr float, ptr addrspace(1) %row, i64 %i
  %value = load float, ptr addrspace(1) %from
  %own = getelementptr float, ptr addrspace(3) %t, i64 %i
  store float %value, ptr addrspace(3) %own
  %next = add nuw nsw i64 %i, 16
  %more = icmp slt i64 %next, 40
  br i1 %more, label %copy, label %all
all:
  call void @_Z7barrierj(i32 1)
  %place = getelementptr float, ptr addrspace(3) %t, i64 %l
  %last.at = getelementptr i8, ptr addrspace(3) %place, i64 96
  %last = load float, ptr addrspace(3) %last.at
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %last, ptr addrspace(1) %to
  ret void
}

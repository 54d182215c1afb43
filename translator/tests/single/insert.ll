; A loop that all items leave together: a barrier where it is decided whether it goes on.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %goes = icmp slt i64 %k, %n
  br i1 %goes, label %body, label %done
body:
  %row = mul i64 %k, %n
  %place = add i64 %row, %g
  %from = getelementptr float, ptr addrspace(1) %in, i64 %place
  %value = load float, ptr addrspace(1) %from
  %more = fadd float %sum, %value
  %next = add nuw nsw i64 %k, 1
  br label %header
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %sum, ptr addrspace(1) %to
  ret void
}

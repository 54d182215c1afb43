; A loop behind a guard that cuts off the end of the range; two labels go around it with one value.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n, i32 %kind) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr float, ptr addrspace(1) %in, i64 %g
  %start = load float, ptr addrspace(1) %at
  %which = fptosi float %start to i32
  switch i32 %which, label %loop [ i32 0, label %done
                                   i32 1, label %done ]
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %start, %entry ], [ %more, %loop ]
  %row = mul i64 %k, %n
  %place = add i64 %row, %g
  %from = getelementptr float, ptr addrspace(1) %in, i64 %place
  %value = load float, ptr addrspace(1) %from
  %more = fadd float %sum, %value
  %next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  %result = phi float [ %start, %entry ], [ %start, %entry ], [ %more, %loop ]
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %result, ptr addrspace(1) %to
  ret void
}

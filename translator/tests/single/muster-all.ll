; Two loops behind one guard: the way to the second leads through the first.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp ult i64 %g, %n
  br i1 %inside, label %first, label %done
first:
  %k = phi i64 [ 0, %entry ], [ %k.next, %first ]
  %sum = phi float [ 0.0, %entry ], [ %more, %first ]
  %from = getelementptr float, ptr addrspace(1) %in, i64 %k
  %value = load float, ptr addrspace(1) %from
  %more = fadd float %sum, %value
  %k.next = add nuw nsw i64 %k, 1
  %k.again = icmp ult i64 %k.next, %n
  br i1 %k.again, label %first, label %between
between:
  %start = fmul float %more, 2.0
  br label %second
second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %row = mul i64 %j, %n
  %place = add i64 %row, %g
  %to = getelementptr float, ptr addrspace(1) %out, i64 %place
  store float %start, ptr addrspace(1) %to
  %j.next = add nuw nsw i64 %j, 1
  %j.again = icmp ult i64 %j.next, %n
  br i1 %j.again, label %second, label %done
done:
  %result = phi float [ 0.0, %entry ], [ %start, %second ]
  %last = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %result, ptr addrspace(1) %last
  ret void
}

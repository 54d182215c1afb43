; Two labels lead to the barrier, which comes only if %n is 1; what one of them does is done before that is decided.
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %from = getelementptr i64, ptr addrspace(1) %in, i64 %l
  %label = load i64, ptr addrspace(1) %from
  switch i64 %label, label %done [ i64 0, label %first
                                   i64 1, label %second ]
first:
  %square = mul i64 %l, %l
  br label %second
second:
  %sum = phi i64 [ %l, %entry ], [ %square, %first ]
  %comes = icmp eq i64 %n, 1
  br i1 %comes, label %wait, label %done
wait:
  call void @_Z7barrierj(i32 1)
  br label %done
done:
  %all = phi i64 [ 0, %entry ], [ %sum, %second ], [ 1, %wait ]
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %l
  store i64 %all, ptr addrspace(1) %to
  ret void
}

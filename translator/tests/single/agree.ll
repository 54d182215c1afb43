; Items leave the outer loop in different iterations; the barrier in the inner one comes only if that runs at all.
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %from = getelementptr i64, ptr addrspace(1) %in, i64 %l
  %limit = load i64, ptr addrspace(1) %from
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ %l, %entry ], [ %total, %latch ]
  %more = icmp slt i64 %i, %limit
  br i1 %more, label %test, label %done
test:
  %k = phi i64 [ 0, %head ], [ %after, %wait ]
  %part = phi i64 [ 0, %head ], [ %k, %wait ]
  %again = icmp slt i64 %k, %n
  br i1 %again, label %wait, label %latch
wait:
  call void @_Z7barrierj(i32 1)
  %after = add i64 %k, 1
  br label %test
latch:
  %total = add i64 %sum, %part
  %next = add i64 %i, 1
  br label %head
done:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %l
  store i64 %sum, ptr addrspace(1) %to
  ret void
}

; A loop begins at 0 or behind the item, as all items of a group choose alike, and what it sums up is chosen so, too. The loop
; behind goes by what all share either way.
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z12get_group_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %w = call i64 @_Z12get_group_idj(i32 0)
  %first = icmp eq i64 %w, 0
  %behind = add nsw i64 %l, 1
  %begin = select i1 %first, i64 %behind, i64 0
  %weight = select i1 %first, i64 2, i64 1
  %some = icmp slt i64 %begin, %n
  br i1 %some, label %loop, label %then
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %from = getelementptr i64, ptr addrspace(1) %in, i64 %i
  %value = load i64, ptr addrspace(1) %from
  %times = mul i64 %value, %weight
  %more = add i64 %sum, %times
  %next = add nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %then
then:
  %total = phi i64 [ 0, %entry ], [ %more, %loop ]
  %few = select i1 %first, i64 3, i64 5
  br label %last
last:
  %k = phi i64 [ 0, %then ], [ %k.next, %last ]
  %part = phi i64 [ %total, %then ], [ %shifted, %last ]
  %shifted = shl i64 %part, %k
  %k.next = add nuw nsw i64 %k, 1
  %on = icmp slt i64 %k.next, %few
  br i1 %on, label %last, label %done
done:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %l
  store i64 %shifted, ptr addrspace(1) %to
  ret void
}

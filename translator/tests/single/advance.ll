; Addresses and an index that each item advances by the same, in a nest whose inner walk begins where the outer one is; a walk
; whose step items do not share, and what is the same for all, stay.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n, i32 %m) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %g to i32
  %begin = getelementptr float, ptr addrspace(1) %in, i64 %g
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %from = phi ptr addrspace(1) [ %begin, %entry ], [ %from.next, %latch ]
  %at = phi i32 [ %i, %entry ], [ %at.next, %latch ]
  %own = phi i32 [ 0, %entry ], [ %own.next, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k.next, %inner ]
  %walk = phi ptr addrspace(1) [ %from, %outer ], [ %walk.next, %inner ]
  %value = load float, ptr addrspace(1) %walk
  %to = getelementptr float, ptr addrspace(1) %out, i32 %at
  store float %value, ptr addrspace(1) %to
  %walk.next = getelementptr inbounds float, ptr addrspace(1) %walk, i64 %n
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp slt i64 %k.next, %n
  br i1 %again, label %inner, label %latch
latch:
  %to.own = getelementptr i32, ptr addrspace(1) %out, i32 %own
  store i32 %own, ptr addrspace(1) %to.own
  %from.next = getelementptr inbounds float, ptr addrspace(1) %from, i64 4
  %at.next = add nsw i32 %m, %at
  %own.next = add nsw i32 %own, %i
  %j.next = add nuw nsw i64 %j, 1
  %on = icmp slt i64 %j.next, %n
  br i1 %on, label %outer, label %done
done:
  ret void
}

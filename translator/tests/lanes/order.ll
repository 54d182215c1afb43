; Items below a number, that one of them is, and those whose numbers may wrap around: where the order holds, the first and the last
; item tell whether all go one way.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %item to i32
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  %below = icmp slt i32 %x, %n
  br i1 %below, label %reads, label %next
reads:
  %value = load i32, ptr addrspace(1) %from
  br label %next
next:
  %first = phi i32 [ %value, %reads ], [ 7, %entry ]
  %is = icmp eq i32 %x, 9
  br i1 %is, label %one, label %last
one:
  store i32 %first, ptr addrspace(1) %out
  br label %last
last:
  %wide = add i32 %x, %n
  %above = icmp ugt i32 %wide, 100
  br i1 %above, label %writes, label %done
writes:
  store i32 %first, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)

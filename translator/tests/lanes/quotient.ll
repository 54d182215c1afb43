; A place in a row, whose stride is guessed, as a number in a loop that items leave one by one: its vector is kept, not divided for again.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %x = trunc i64 %item to i32
  %column = urem i32 %x, %n
  %at = zext i32 %column to i64
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %most = load i32, ptr addrspace(1) %from
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %apart = sub i32 %i, %column
  %square = mul i32 %apart, %apart
  %more = add i32 %sum, %square
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %most
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %more, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)

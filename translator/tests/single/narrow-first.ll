; The first instruction behind the phis takes the low half of a counter, and goes before those that stand in a block further up.
define void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %begin, i32 %end, i64 %step) {
entry:
  br label %loop
body:
  %low = and i64 %i, 4294967295
  %up = shl i64 %i, 32
  %down = ashr i64 %up, 32
  %four = ashr i64 %up, 30
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %low
  %value = load i32, ptr addrspace(1) %from, align 4
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %four
  store i32 %value, ptr addrspace(1) %to, align 4
  %next = add i64 %down, %step
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %small = trunc i64 %i to i32
  %more = icmp slt i32 %small, %end
  br i1 %more, label %body, label %done
done:
  ret void
}

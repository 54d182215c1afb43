; A loop that goes on, or is left, by a number that its body has made: the counter stays one.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %count, i32 %step) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %on ]
  %sum = phi i32 [ 0, %entry ], [ %total, %on ]
  %more = icmp ult i32 %k, %count
  br i1 %more, label %body, label %end
body:
  %row = mul i32 %k, %step
  %far = zext i32 %row to i64
  %at = add i64 %far, %id
  %place = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %value = load i32, ptr addrspace(1) %place
  %is_it = icmp eq i32 %value, 7
  br i1 %is_it, label %found, label %other
found:
  %after = add i32 %k, 1
  br label %cleanup
other:
  store i32 1, ptr addrspace(1) %place
  br label %cleanup
cleanup:
  %how = phi i32 [ 2, %found ], [ 0, %other ]
  %now = phi i32 [ %after, %found ], [ %k, %other ]
  %part = phi i32 [ 5, %found ], [ %value, %other ]
  %total = add i32 %sum, %part
  switch i32 %how, label %never [ i32 0, label %on
                                  i32 2, label %end ]
on:
  %next = add i32 %now, 1
  br label %loop
end:
  %last = phi i32 [ %k, %loop ], [ %now, %cleanup ]
  %whole = phi i32 [ %sum, %loop ], [ %total, %cleanup ]
  %both = mul i32 %last, %whole
  %result = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %both, ptr addrspace(1) %result
  ret void
never:
  unreachable
}

; A helper with a variable in memory, a loop of three iterations, a dimension that is computed, two returns.
declare i64 @_Z13get_global_idj(i32)

define internal i32 @twice(i32 %x) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %read = load i32, ptr %slot
  %sum = add i32 %read, %read
  ret i32 %sum
}

define internal i32 @unused(i32 %x) {
  ret i32 %x
}

define void @kernel(ptr addrspace(1) %out, i32 %dimension) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 %dimension)
  %array = alloca [3 x i32]
  %odd = trunc i64 %id to i1
  br i1 %odd, label %early, label %loop
early:
  ret void
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %element = getelementptr [3 x i32], ptr %array, i32 0, i32 %k
  %value = call i32 @twice(i32 %k)
  store i32 %value, ptr %element
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %done
done:
  %last = getelementptr [3 x i32], ptr %array, i32 0, i32 2
  %result = load i32, ptr %last
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %result, ptr addrspace(1) %to
  ret void
}

; A private array that lives across a barrier, and one that does not; a branch around a barrier.
define void @kernel(ptr addrspace(1) %out, i32 %flag) {
entry:
  %kept = alloca [2 x i32], align 4
  %passing = alloca [2 x i32], align 4
  %item = call i64 @_Z13get_global_idj(i32 0)
  %small = trunc i64 %item to i32
  store i32 %small, ptr %kept
  %uniform = icmp eq i32 %flag, 0
  br i1 %uniform, label %with, label %join
with:
  call void @_Z7barrierj(i32 1)
  br label %join
join:
  %index = and i64 %item, 1
  %element = getelementptr [2 x i32], ptr %passing, i64 0, i64 %index
  store i32 7, ptr %element
  %seven = load i32, ptr %passing
  %old = load i32, ptr %kept
  %both = add i32 %seven, %old
  %target = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %both, ptr addrspace(1) %target
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; A loop that items leave one by one: without masks while all are in it, by a mask of those that are left then.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %start = load i32, ptr addrspace(1) %from
  br label %head
head:
  %value = phi i32 [ %start, %entry ], [ %half, %head ]
  %count = phi i32 [ 0, %entry ], [ %counted, %head ]
  %half = lshr i32 %value, 1
  %counted = add i32 %count, 1
  %more = icmp ugt i32 %half, 0
  br i1 %more, label %head, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %counted, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

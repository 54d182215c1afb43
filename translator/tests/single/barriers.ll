; Each item has its own element between the first two barriers, the one before it behind the third.
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(3) %t, ptr addrspace(1) %out) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %own = getelementptr i64, ptr addrspace(3) %t, i64 %l
  store i64 %l, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %mine = load i64, ptr addrspace(3) %own
  %more = mul i64 %mine, 3
  call void @_Z7barrierj(i32 1)
  store i64 %more, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %before = getelementptr i8, ptr addrspace(3) %own, i64 -8
  %first = icmp eq i64 %l, 0
  br i1 %first, label %done, label %others
others:
  %theirs = load i64, ptr addrspace(3) %before
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %l
  store i64 %theirs, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

; Items beyond the range write a number and return where the others go on to a barrier.
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

define void @kernel(ptr addrspace(1) %out, ptr addrspace(3) %t, i64 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %l = call i64 @_Z12get_local_idj(i32 0)
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %g
  %inside = icmp ult i64 %g, %n
  br i1 %inside, label %work, label %beyond
beyond:
  store i64 5, ptr addrspace(1) %to
  br label %done
work:
  %mine = getelementptr i64, ptr addrspace(3) %t, i64 %l
  store i64 %g, ptr addrspace(3) %mine
  call void @_Z7barrierj(i32 1)
  %half = lshr i64 %l, 1
  %theirs = getelementptr i64, ptr addrspace(3) %t, i64 %half
  %value = load i64, ptr addrspace(3) %theirs
  store i64 %value, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

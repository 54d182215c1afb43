; An array that outlives a barrier: vectors that are whole have it interleaved, and change their numbers without stores under
; masks; where lanes are missing, each item has its own. A quotient goes by way of floating point.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %mine = alloca [4 x i32]
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %number = load i32, ptr addrspace(1) %from
  %first = getelementptr [4 x i32], ptr %mine, i64 0, i64 2
  store i32 %number, ptr %first
  call void @_Z7barrierj(i32 1)
  %some = icmp ugt i32 %number, 5
  br i1 %some, label %change, label %done
change:
  %place = getelementptr [4 x i32], ptr %mine, i64 0, i64 2
  %old = load i32, ptr %place
  %quotient = udiv i32 %old, %n
  store i32 %quotient, ptr %place
  br label %done
done:
  %last = getelementptr [4 x i32], ptr %mine, i64 0, i64 2
  %end = load i32, ptr %last
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %end, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; Four items a time. Items walk along rows of their own, `row * n + k`: what each has for itself of its place, `row * n`, stays as it is in
; all iterations, and `k` is added for all. The same by words, which are too long for an index of 32 bits, and by sums that may wrap
; around, which are added as what they are.
define void @kernel(i32 %n, i64 %wide, ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %row = trunc i64 %item to i32
  %first = mul nsw i32 %row, %n
  %begin = mul i64 %item, %wide
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %after, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add nsw i32 %first, %k
  %long = sext i32 %at to i64
  %place = getelementptr float, ptr addrspace(1) %in, i64 %long
  %one = load float, ptr addrspace(1) %place
  %along = zext nneg i32 %k to i64
  %there = add i64 %begin, %along
  %elsewhere = getelementptr i8, ptr addrspace(1) %in, i64 %there
  %two = load i8, ptr addrspace(1) %elsewhere
  %number = uitofp i8 %two to float
  %may_wrap = add i32 %first, %k
  %unsigned = zext i32 %may_wrap to i64
  %three_at = getelementptr i16, ptr addrspace(1) %in, i64 %unsigned
  %three = load i16, ptr addrspace(1) %three_at
  %float = uitofp i16 %three to float
  %other = fmul float %one, %number
  %product = fmul float %other, %float
  %more = fadd float %sum, %product
  %after = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %after, %n
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %more, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

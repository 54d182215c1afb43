; An array of numbers that is also stored as three at a time, 24 bytes further for each of `%uniform`, and read number by number, wherever an item
; wants: the three become numbers. So do those of an array of vectors alone. Vectors that each item stores at an index of its own stay, and so do
; numbers of two sizes, and what is volatile.
define void @kernel(ptr addrspace(1) %out, i32 %uniform, i32 %item, <3 x float> %three, <4 x float> %four) {
entry:
  %numbers = alloca [32 x float], align 4
  %fours = alloca [8 x <4 x float>], align 16
  %anywhere = alloca [8 x <4 x float>], align 16
  %mixed = alloca [8 x <4 x float>], align 16
  %kept = alloca [8 x <4 x float>], align 16
  %six = mul i32 %uniform, 24
  %next = zext i32 %six to i64
  %at = getelementptr i8, ptr %numbers, i64 %next
  %behind = getelementptr i8, ptr %at, i64 12
  store <3 x float> %three, ptr %behind, align 4
  %place = getelementptr [32 x float], ptr %numbers, i64 0, i32 %item
  %number = load float, ptr %place, align 4
  store float %number, ptr addrspace(1) %out
  %fourth = getelementptr [8 x <4 x float>], ptr %fours, i64 0, i32 %uniform
  store <4 x float> %four, ptr %fourth, align 16
  %back = load <4 x float>, ptr %fours, align 16
  store <4 x float> %back, ptr addrspace(1) %out
  %own = getelementptr [8 x <4 x float>], ptr %anywhere, i64 0, i32 %item
  store <4 x float> %four, ptr %own, align 16
  store <4 x float> %four, ptr %mixed, align 16
  %small = load i16, ptr %mixed, align 2
  store i16 %small, ptr addrspace(1) %out
  store volatile <4 x float> %four, ptr %kept, align 16
  ret void
}

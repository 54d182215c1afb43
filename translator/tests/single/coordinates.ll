; A coordinate of two numbers, of which each use takes one: both are computed by themselves. The sum that is stored whole stays.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %y) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %item to i32
  %a = insertelement <2 x i32> poison, i32 %x, i64 0
  %at = insertelement <2 x i32> %a, i32 %y, i64 1
  %next = add nsw <2 x i32> %at, <i32 1, i32 -1>
  %turned = shufflevector <2 x i32> %next, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %column = extractelement <2 x i32> %turned, i64 1
  %row = extractelement <2 x i32> %next, i64 1
  %again = insertelement <2 x i32> %at, i32 %row, i64 0
  %real = sitofp <2 x i32> %again to <2 x float>
  %half = fadd contract <2 x float> %real, <float 0.5, float 0.5>
  %high = extractelement <2 x float> %half, i64 0
  %from = getelementptr float, ptr addrspace(1) %in, i32 %column
  store float %high, ptr addrspace(1) %from
  %pair = load <2 x i32>, ptr addrspace(1) %out
  %sum = add <2 x i32> %pair, %at
  store <2 x i32> %sum, ptr addrspace(1) %out
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

; Functions that stay functions: a version of each, of all lanes and of some; what is one for all and what is strided comes as
; one value. The second has a mask and no result.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr <2 x float>, ptr addrspace(1) %in, i64 %item
  %pair = load <2 x float>, ptr addrspace(1) %from
  %mixed = call <2 x float> @mix(<2 x float> %pair, i32 %n, ptr addrspace(1) %from)
  %value = extractelement <2 x float> %mixed, i32 1
  %low = fcmp olt float %value, 1.0
  br i1 %low, label %note, label %done
note:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  call void @keep(ptr addrspace(1) %to, float %value)
  br label %done
done:
  ret void
}
define internal <2 x float> @mix(<2 x float> %v, i32 %n, ptr addrspace(1) %at) {
entry:
  %many = icmp sgt i32 %n, 3
  br i1 %many, label %more, label %done
more:
  %next = load float, ptr addrspace(1) %at
  %first = extractelement <2 x float> %v, i32 0
  %sum = fadd float %next, %first
  %new = insertelement <2 x float> %v, float %sum, i32 1
  br label %done
done:
  %made = phi <2 x float> [ %v, %entry ], [ %new, %more ]
  ret <2 x float> %made
}
define internal void @keep(ptr addrspace(1) %to, float %value) {
entry:
  %twice = fadd float %value, %value
  store float %twice, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

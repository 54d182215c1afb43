; Vectors that live across a barrier, as after `prepare`: each component is kept by itself, and those that nobody reads are not.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(3) %shared, i32 %rounds) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %place = getelementptr <4 x float>, ptr addrspace(1) %in, i64 %item
  %here = load <4 x float>, ptr addrspace(1) %place
  br label %head
head:
  %round = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %body ]
  %go = icmp slt i32 %round, %rounds
  br i1 %go, label %body, label %done
body:
  call void @_Z7barrierj(i32 1)
  %heard = load <2 x float>, ptr addrspace(3) %shared
  %z = extractelement <4 x float> %here, i64 2
  %moved = insertelement <2 x float> %heard, float %z, i64 0
  %more = fadd <2 x float> %sum, %moved
  %next = add i32 %round, 1
  br label %head
done:
  %target = getelementptr <2 x float>, ptr addrspace(1) %in, i64 %item
  store <2 x float> %sum, ptr addrspace(1) %target
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

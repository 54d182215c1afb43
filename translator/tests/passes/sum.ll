; A sum that is read behind a barrier, of a loop that is all in the region before it: it is written where the loop is left. What the next region
; reads of the loop around the barrier is written in each iteration.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  br label %round

round:
  %next = phi i32 [ 0, %entry ], [ %after, %behind ]
  %all = phi float [ 0.0, %entry ], [ %more, %behind ]
  br label %loop

loop:
  %step = phi i64 [ 0, %round ], [ %further, %loop ]
  %sum = phi float [ %all, %round ], [ %larger, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i64 %step
  %number = load float, ptr addrspace(1) %at
  %larger = fadd float %sum, %number
  %further = add i64 %step, %item
  %go = icmp ult i64 %further, 1000
  br i1 %go, label %loop, label %left

left:
  call void @_Z7barrierj(i32 1) convergent
  br label %behind

behind:
  %more = fmul float %larger, 0.5
  %after = add i32 %next, 1
  %uniform = icmp ult i32 %after, %n
  br i1 %uniform, label %round, label %end

end:
  %place = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %more, ptr addrspace(1) %place
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

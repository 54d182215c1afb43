; A loop with a barrier, as after `prepare`: what a thread adds up lives across it, the counter is the same for all.
define void @kernel(ptr addrspace(1) %out, ptr addrspace(3) %shared, i32 %rounds) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %place = getelementptr float, ptr addrspace(3) %shared, i64 %item
  %first = load float, ptr addrspace(1) %out
  br label %head
head:
  %round = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ %first, %entry ], [ %more, %body ]
  %go = icmp slt i32 %round, %rounds
  br i1 %go, label %body, label %done
body:
  store float %sum, ptr addrspace(3) %place
  call void @_Z7barrierj(i32 1)
  %heard = load float, ptr addrspace(3) %shared
  %more = fadd float %sum, %heard
  %next = add i32 %round, 1
  br label %head
done:
  %target = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %sum, ptr addrspace(1) %target
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

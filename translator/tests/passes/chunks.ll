; A loop that runs breadth-first, as after `prepare`: groups are cut into chunks.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %rounds) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  br label %head
head:
  %round = phi i32 [ 0, %entry ], [ %next, %head ]
  %sum = phi float [ 0.0, %entry ], [ %more, %head ]
  %line = zext i32 %round to i64
  %at = add i64 %item, %line
  %place = getelementptr float, ptr addrspace(1) %in, i64 %at
  %value = load float, ptr addrspace(1) %place
  %more = fadd float %sum, %value
  %next = add i32 %round, 1
  %go = icmp slt i32 %next, %rounds
  call void @vicinity_step()
  br i1 %go, label %head, label %done
done:
  %target = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %sum, ptr addrspace(1) %target
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)
declare void @vicinity_step()

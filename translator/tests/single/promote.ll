; A sum in memory: read before the loop and written behind it, if the loop is entered; beside it, a copy for buffers that overlap.
define void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %place = getelementptr float, ptr addrspace(1) %out, i64 %id
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i32 %k, %n
  br i1 %go, label %body, label %done
body:
  %wide = sext i32 %k to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %from
  %before = load float, ptr addrspace(1) %place
  %sum = fadd float %before, %x
  store float %sum, ptr addrspace(1) %place
  %next = add i32 %k, 1
  br label %head
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32)

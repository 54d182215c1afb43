; Each item adds up a row of its own, by a counter that hands two numbers on.
declare i64 @_Z13get_global_idj(i32) memory(none)

define void @kernel(i32 %n, ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %item = trunc i64 %id to i32
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %last = phi float [ 1.0, %entry ], [ %number, %body ]
  %goes = icmp slt i32 %k, %n
  br i1 %goes, label %body, label %done
body:
  %row = mul nsw i32 %item, %n
  %index = add nsw i32 %row, %k
  %far = sext i32 %index to i64
  %at = getelementptr float, ptr addrspace(1) %in, i64 %far
  %number = load float, ptr addrspace(1) %at
  %product = fmul float %number, %last
  %more = fadd float %sum, %product
  %next = add nsw i32 %k, 1
  br label %head
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum, ptr addrspace(1) %to
  ret void
}

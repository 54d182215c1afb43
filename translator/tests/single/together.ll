; A sum by which items stride through a range, with a comparison of signed numbers; the step is asked for in the loop. Another
; loop begins at a place that data tells, and gets no copy.
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z15get_global_sizej(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %begin = trunc i64 %g to i32
  br label %head
head:
  %i = phi i32 [ %begin, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %go = icmp slt i32 %i, %n
  br i1 %go, label %body, label %then
body:
  %index = sext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %in, i64 %index
  %value = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %value
  %all = call i64 @_Z15get_global_sizej(i32 0)
  %step = trunc i64 %all to i32
  %next = add i32 %i, %step
  br label %head
then:
  %first = fptosi float %sum to i32
  br label %other
other:
  %k = phi i32 [ %first, %then ], [ %k.next, %again ]
  %left = icmp slt i32 %k, %n
  br i1 %left, label %again, label %done
again:
  %k.next = add i32 %k, 64
  br label %other
done:
  %to = getelementptr float, ptr addrspace(1) %out, i32 %k
  store float %sum, ptr addrspace(1) %to
  ret void
}

; A word that an item advances by the size of the range, of which the low half alone counts: shifted up and down again, as the
; index of an `int`, and times the size of an element. The other word counts as a whole.
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z15get_global_sizej(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %all = call i64 @_Z15get_global_sizej(i32 0)
  br label %head
head:
  %i = phi i64 [ %g, %entry ], [ %i.next, %body ]
  %whole = phi i64 [ %g, %entry ], [ %whole.next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %low = trunc i64 %i to i32
  %go = icmp slt i32 %low, %n
  br i1 %go, label %body, label %done
body:
  %up = shl i64 %i, 32
  %index = ashr exact i64 %up, 32
  %at = getelementptr float, ptr addrspace(1) %in, i64 %index
  %value = load float, ptr addrspace(1) %at
  %offset = lshr exact i64 %up, 30
  %there = getelementptr i8, ptr addrspace(1) %in, i64 %offset
  %other = load float, ptr addrspace(1) %there
  %both = fadd float %value, %other
  %more = fadd float %sum, %both
  %i.next = add i64 %index, %all
  %whole.up = shl i64 %whole, 32
  %whole.next = add i64 %whole.up, %whole
  br label %head
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %whole
  store float %sum, ptr addrspace(1) %to
  ret void
}

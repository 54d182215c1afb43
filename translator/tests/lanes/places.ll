; Four items a time. Corners around a place that data tells share what each item has for itself, which leaves its vector once: in
; pairs, where it is an index of 32 bits. Under a mask, items that are not there read what another one does.
define void @kernel(ptr addrspace(1) %index, ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %row) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %which = getelementptr i32, ptr addrspace(1) %index, i64 %item
  %at = load i32, ptr addrspace(1) %which
  %wide = sext i32 %at to i64
  %from = getelementptr i16, ptr addrspace(1) %in, i64 %wide
  %low = load i16, ptr addrspace(1) %from
  %below = getelementptr i16, ptr addrspace(1) %from, i64 %row
  %high = load i16, ptr addrspace(1) %below
  %sum = add i16 %low, %high
  %more = icmp sgt i16 %sum, 0
  br i1 %more, label %work, label %done
work:
  %beside = getelementptr i16, ptr addrspace(1) %in, i64 %wide
  %beyond = getelementptr i8, ptr addrspace(1) %beside, i64 2
  %third = load i16, ptr addrspace(1) %beyond
  br label %done
done:
  %found = phi i16 [ %sum, %entry ], [ %third, %work ]
  %to = getelementptr i16, ptr addrspace(1) %out, i64 %item
  store i16 %found, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

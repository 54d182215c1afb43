; Items that would be four lanes go one after another, and tell what their values are: a counter in a loop that they leave apart, a load, a
; guard, an address, a vector.
define void @kernel(ptr addrspace(1) %bounds, ptr addrspace(1) %out, <2 x float> %pair) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %bounds, i64 %item
  %bound = load i32, ptr addrspace(1) %from
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %count, 1
  %more = icmp ult i32 %next, %bound
  br i1 %more, label %loop, label %done
done:
  %to = getelementptr <2 x float>, ptr addrspace(1) %out, i64 %item
  %sum = fadd <2 x float> %pair, %pair
  store <2 x float> %sum, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

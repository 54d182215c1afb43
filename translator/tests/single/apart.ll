; A program that computes in vectors as wide as the machine's: its items run one after the other.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %row = mul i64 %g, %n
  %place = add i64 %row, %k
  %from = getelementptr <16 x float>, ptr addrspace(1) %in, i64 %place
  %value = load <16 x float>, ptr addrspace(1) %from
  %more = fadd <16 x float> %sum, %value
  %next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr <16 x float>, ptr addrspace(1) %out, i64 %g
  store <16 x float> %more, ptr addrspace(1) %to
  ret void
}

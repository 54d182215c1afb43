; Indices of 32 bits that are sums: what may not wrap around is made of extended parts, those behind a branch too; what may is not.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %row, i32 %n, i1 %inside) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %item to i32
  %begin = mul nsw i32 %row, %n
  %at = add nsw i32 %begin, %x
  %wide = sext i32 %at to i64
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %value = load i32, ptr addrspace(1) %from
  br i1 %inside, label %reads, label %done
reads:
  %above = sub nsw i32 %at, %n
  %right = add nsw i32 %above, 1
  %index = sext i32 %right to i64
  %there = getelementptr i32, ptr addrspace(1) %in, i64 %index
  %other = load i32, ptr addrspace(1) %there
  %wraps = add i32 %x, %n
  %maybe = sext i32 %wraps to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %maybe
  %sum = add i32 %value, %other
  store i32 %sum, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

; An index that is kept below a bound: neighbours are loaded as one vector while the last of them is, else one by one.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %last) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %at = call i64 @llvm.smin.i64(i64 %item, i64 %last)
  %from = getelementptr float, ptr addrspace(1) %in, i64 %at
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %value, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @llvm.smin.i64(i64, i64)

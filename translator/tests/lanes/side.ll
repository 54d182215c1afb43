; Vectors of the program of 16 bytes that lie side by side: whole rows are loaded, transposed, and stored.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %from = getelementptr <4 x float>, ptr addrspace(1) %in, i64 %item
  %value = load <4 x float>, ptr addrspace(1) %from
  %square = fmul <4 x float> %value, %value
  %to = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %item
  store <4 x float> %square, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)

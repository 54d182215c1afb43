; Small vectors that data leads anywhere are numbers of 32 and 64 bits, taken apart in registers: four bytes by shifts, a complex
; number by a shuffle. What is stored is put together likewise.
define void @kernel(ptr addrspace(1) %index, ptr addrspace(1) %pixels, ptr addrspace(1) %values) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %which = getelementptr i32, ptr addrspace(1) %index, i64 %item
  %at = load i32, ptr addrspace(1) %which
  %wide = sext i32 %at to i64
  %pixel.at = getelementptr <4 x i8>, ptr addrspace(1) %pixels, i64 %wide
  %pixel = load <4 x i8>, ptr addrspace(1) %pixel.at
  %value.at = getelementptr <2 x float>, ptr addrspace(1) %values, i64 %wide
  %value = load <2 x float>, ptr addrspace(1) %value.at
  %more = add <4 x i8> %pixel, <i8 1, i8 2, i8 3, i8 4>
  %twice = fadd <2 x float> %value, %value
  store <4 x i8> %more, ptr addrspace(1) %pixel.at
  store <2 x float> %twice, ptr addrspace(1) %value.at
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

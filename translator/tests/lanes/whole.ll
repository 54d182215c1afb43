; Under a mask: the four bytes of an item are a word together, and single bytes are loaded whole where all lie in one page.
define void @kernel(ptr addrspace(1) %colours, ptr addrspace(1) %bytes, i64 %n) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp ult i64 %item, %n
  br i1 %inside, label %work, label %done
work:
  %at = getelementptr <4 x i8>, ptr addrspace(1) %colours, i64 %item
  %colour = load <4 x i8>, ptr addrspace(1) %at, align 1
  %from = getelementptr i8, ptr addrspace(1) %bytes, i64 %item
  %byte = load i8, ptr addrspace(1) %from
  %new = insertelement <4 x i8> %colour, i8 %byte, i64 3
  store <4 x i8> %new, ptr addrspace(1) %at, align 1
  br label %done
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

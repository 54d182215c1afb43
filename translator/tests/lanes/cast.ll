; An array of an item's own, of which an access goes by another address space, as those do that must stay where they are: it lies
; interleaved all the same.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %mine = alloca [4 x i32]
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %number = load i32, ptr addrspace(1) %from
  %first = getelementptr [4 x i32], ptr %mine, i64 0, i64 2
  store i32 %number, ptr %first
  %place = getelementptr [4 x i32], ptr %mine, i64 0, i64 %n
  %elsewhere = addrspacecast ptr %place to ptr addrspace(4)
  %last = load i32, ptr addrspace(4) %elsewhere
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %last, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

; Bytes that data leads anywhere: a gather of the words in which they are, each shifted until its byte is the lowest.
define void @kernel(ptr addrspace(1) %index, ptr addrspace(1) %table, ptr addrspace(1) %out) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %which = getelementptr i32, ptr addrspace(1) %index, i64 %item
  %at = load i32, ptr addrspace(1) %which
  %wide = sext i32 %at to i64
  %from = getelementptr i8, ptr addrspace(1) %table, i64 %wide
  %found = load i8, ptr addrspace(1) %from
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %item
  store i8 %found, ptr addrspace(1) %to
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

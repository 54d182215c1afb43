; Bytes that are 16 apart, for the items that are there: a gather of the words in which they are. Then an operation of each of these
; items on a number that data leads anywhere: their indices lie in memory.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %text, ptr addrspace(1) %counts) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %number = load i32, ptr addrspace(1) %from
  %positive = icmp sgt i32 %number, 0
  br i1 %positive, label %work, label %done
work:
  %first = mul i64 %item, 16
  %at = getelementptr i8, ptr addrspace(1) %text, i64 %first
  %letter = load i8, ptr addrspace(1) %at
  %which = zext i8 %letter to i64
  %count = getelementptr i32, ptr addrspace(1) %counts, i64 %which
  %old = atomicrmw add ptr addrspace(1) %count, i32 %number monotonic
  br label %done
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

; What lanes bring to each other: a ballot, which is a number; a shuffle by what is known, by one lane for all, and by anything; a
; barrier, of which nothing remains; and a ballot of those lanes alone that come to it.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %one) {
entry:
  %item = call i64 @_Z12get_local_idj(i32 0)
  %lane = call i32 @_Z22get_sub_group_local_idv()
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %item
  %x = load i32, ptr addrspace(1) %from
  %beside = xor i32 %lane, 1
  %neighbour = call i32 @vicinity_shuffle(i32 %x, i32 %beside)
  %same = call i32 @vicinity_shuffle(i32 %x, i32 %one)
  %any = call i32 @vicinity_shuffle(i32 %x, i32 %x)
  %some = add i32 %neighbour, %same
  %sum = add i32 %some, %any
  %odd = and i32 %x, 1
  %bits = call i32 @vicinity_ballot(i32 %odd)
  call void @_Z17sub_group_barrierj(i32 1)
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %sum, ptr addrspace(1) %to
  %is = icmp ne i32 %odd, 0
  br i1 %is, label %only, label %done
only:
  %here = call i32 @vicinity_ballot(i32 1)
  %both = add i32 %here, %bits
  store i32 %both, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i32 @_Z22get_sub_group_local_idv() memory(none)
declare i32 @vicinity_ballot(i32) convergent memory(none)
declare i32 @vicinity_shuffle(i32, i32) convergent memory(none)
declare void @_Z17sub_group_barrierj(i32) convergent

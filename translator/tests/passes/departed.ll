; An item beyond the range departs in the first region; behind the barrier it is passed over.
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)
declare void @vicinity_depart(ptr)

define void @kernel(ptr addrspace(1) %out, i64 %n) {
entry:
  %departed = alloca i8
  store i8 0, ptr %departed
  %g = call i64 @_Z13get_global_idj(i32 0)
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %g
  %beyond = icmp uge i64 %g, %n
  br i1 %beyond, label %leave, label %work
leave:
  store i64 5, ptr addrspace(1) %to
  call void @vicinity_depart(ptr %departed)
  unreachable
work:
  store i64 1, ptr addrspace(1) %to
  call void @_Z7barrierj(i32 1)
  store i64 2, ptr addrspace(1) %to
  ret void
}

; A loop behind a guard. Its bound is divided and loaded in front of it, alike for all: the quotient moves to the fork, the load
; is done again where all have come.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %sizes, ptr addrspace(1) %out, i64 %n, i64 %parts) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %there = icmp ult i64 %g, %n
  br i1 %there, label %begin, label %done
begin:
  %part = udiv i64 %n, %parts
  %first = getelementptr float, ptr addrspace(1) %in, i64 %part
  %size = getelementptr i64, ptr addrspace(1) %sizes, i64 %part
  %count = load i64, ptr addrspace(1) %size
  %last = getelementptr float, ptr addrspace(1) %first, i64 %count
  %own = getelementptr float, ptr addrspace(1) %in, i64 %g
  %start = load float, ptr addrspace(1) %own
  br label %loop
loop:
  %row = phi ptr addrspace(1) [ %first, %begin ], [ %below, %loop ]
  %sum = phi float [ %start, %begin ], [ %more, %loop ]
  %from = getelementptr float, ptr addrspace(1) %row, i64 %g
  %value = load float, ptr addrspace(1) %from
  %more = fadd float %sum, %value
  %below = getelementptr float, ptr addrspace(1) %row, i64 %n
  %again = icmp ult ptr addrspace(1) %below, %last
  br i1 %again, label %loop, label %leave
leave:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %more, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

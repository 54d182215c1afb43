; A loop with a counter that is the same for all, left from its middle and at its end.
declare i64 @_Z13get_global_idj(i32)

define spir_kernel void @kernel(ptr addrspace(1) %list, ptr addrspace(1) %wanted, ptr addrspace(1) %place, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %mine = getelementptr inbounds float, ptr addrspace(1) %wanted, i64 %id
  %value = load float, ptr addrspace(1) %mine
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %out
body:
  %at = getelementptr inbounds float, ptr addrspace(1) %list, i64 %k
  %listed = load float, ptr addrspace(1) %at
  %found = fcmp oge float %listed, %value
  br i1 %found, label %out, label %latch
latch:
  %next = add nsw i64 %k, 1
  br label %header
out:
  %where = phi i64 [ %k, %body ], [ -1, %header ]
  %to = getelementptr inbounds i64, ptr addrspace(1) %place, i64 %id
  store i64 %where, ptr addrspace(1) %to
  ret void
}

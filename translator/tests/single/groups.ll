; Items that ask nothing of their group: groups along x are joined.
declare i64 @_Z13get_global_idj(i32)

define void @kernel(ptr addrspace(1) %out) {
  %g = call i64 @_Z13get_global_idj(i32 0)
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %g
  store i64 %g, ptr addrspace(1) %to
  ret void
}

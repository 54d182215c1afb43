; Four items a time: all of a vector within the guard need no mask, some need one, none are passed over.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %item = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp ult i64 %item, %n
  br i1 %inside, label %work, label %done
work:
  %from = getelementptr float, ptr addrspace(1) %in, i64 %item
  %value = load float, ptr addrspace(1) %from
  %more = fadd float %value, 1.0
  %to = getelementptr float, ptr addrspace(1) %out, i64 %item
  store float %more, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
declare i64 @_Z13get_global_idj(i32) memory(none)

; A structure that is passed by value, a function that must not be inlined, conventions of the virtual processor.
target triple = "spir64-unknown-unknown"

%pair = type { i32, float }

declare spir_func i64 @_Z13get_global_idj(i32) convergent

define internal spir_func i32 @first(ptr %pair) noinline optnone {
  %value = load i32, ptr %pair
  ret i32 %value
}

define spir_kernel void @kernel(ptr byval(%pair) align 4 %given, ptr addrspace(1) %out) convergent {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0) convergent
  store i32 7, ptr %given
  %value = call spir_func i32 @first(ptr %given)
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %value, ptr addrspace(1) %to
  ret void
}

/* Fences, and what address space a generic pointer points to.
 *
 * One thread runs a work-group, so a fence orders memory only between work-groups: for those it is the machine's, as
 * strong as its order says. Sources: OpenCL C 3.0, sections 6.15.9, 6.15.10 and 6.15.12. */
#include "../library.h"

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
    switch (order) {
    case memory_order_relaxed: break;
    case memory_order_acquire: __atomic_thread_fence(__ATOMIC_ACQUIRE); break;
    case memory_order_release: __atomic_thread_fence(__ATOMIC_RELEASE); break;
    case memory_order_acq_rel: __atomic_thread_fence(__ATOMIC_ACQ_REL); break;
    case memory_order_seq_cst: __atomic_thread_fence(__ATOMIC_SEQ_CST); break;
    }
}
OVERLOAD void mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_RELEASE); }

/* Edges of the group's own memory: __local variables and arguments, then what private variables need across barriers. */
ulong vicinity_local_begin(void) __attribute__((const));
ulong vicinity_local_end(void) __attribute__((const));
ulong vicinity_context_end(void) __attribute__((const));
/* The end of the stack. */
ulong vicinity_frame_begin(void) __attribute__((const));

static inline bool is_local(ulong address) { return address >= vicinity_local_begin() && address < vicinity_local_end(); }

/* Other private variables are in the frame of the function that runs the group: one that asks where memory is does not stay a
 * function of its own (src/calls.rs). What lies beyond the frame's ends may be any memory, the program's own stack among it. */
static inline bool is_private(ulong address) {
    bool in_context = address >= vicinity_local_end() && address < vicinity_context_end();
    return in_context || (address >= vicinity_frame_begin() && address < (ulong)__builtin_frame_address(0));
}

/* What clang makes of to_global, to_local and to_private: null where the pointer is to something else. */
__global void *__to_global(__generic void *pointer) {
    ulong address = (ulong)pointer;
    return is_local(address) || is_private(address) ? 0 : (__global void *)pointer;
}
__local void *__to_local(__generic void *pointer) { return is_local((ulong)pointer) ? (__local void *)pointer : 0; }
__private void *__to_private(__generic void *pointer) {
    return is_private((ulong)pointer) ? (__private void *)pointer : 0;
}
OVERLOAD cl_mem_fence_flags get_fence(const __generic void *pointer) {
    return is_local((ulong)pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOAD cl_mem_fence_flags get_fence(__generic void *pointer) { return get_fence((const __generic void *)pointer); }

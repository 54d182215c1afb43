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

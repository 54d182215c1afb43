/* What functions of a whole work-group need: the barrier, and which work-item this is.
 *
 * A region between barriers runs its work-items one after the other on one thread, the first of them first. Volatile
 * accesses keep their order: loops with them are not vectorized.
 */
#ifndef VICINITY_GROUP_H
#define VICINITY_GROUP_H

#include "../library.h"

OVERLOAD void barrier(cl_mem_fence_flags flags) __attribute__((convergent));
OVERLOAD size_t get_local_id(uint dimension) __attribute__((const));

static inline bool is_first_item(void) { return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0; }

#endif

/* async_work_group_copy and its kin: copies by a whole work-group, between two barriers. To __local memory each work-item copies its
 * share: such an array may then go like any other that holds a copy (src/buffers.rs). From there the first work-item copies, so that
 * the code around stays a loop that vectorizes. Events carry nothing: a copy is done when its function returns. Vectors of three
 * are copied as if they were of four.
 * Sources: OpenCL C 3.0, section 6.15.11. */
#include "group.h"

OVERLOAD size_t get_local_size(uint dimension) __attribute__((const));

/* The elements that are an item's own. */
#define OWN(i, count)                                                                           \
    for (size_t x = get_local_size(0), y = get_local_size(1), step = x * y * get_local_size(2), \
                i = get_local_id(0) + x * (get_local_id(1) + y * get_local_id(2)); i < count; i += step)
/* COPIED is what is copied for a V. What is far apart is in __global memory. */
#define TO_LOCAL(V, COPIED)                                                                     \
    OVERLOAD event_t async_work_group_copy(__local V *to, const __global V *from, size_t count, event_t event) { \
        barrier(0);                                                                             \
        OWN(i, count) ((__local COPIED *)to)[i] = ((const __global COPIED *)from)[i];           \
        barrier(0);                                                                             \
        return event;                                                                           \
    }                                                                                           \
    OVERLOAD event_t async_work_group_strided_copy(__local V *to, const __global V *from, size_t count, size_t stride, event_t event) { \
        barrier(0);                                                                             \
        OWN(i, count) ((__local COPIED *)to)[i] = ((const __global COPIED *)from)[i * stride];  \
        barrier(0);                                                                             \
        return event;                                                                           \
    }
#define FROM_LOCAL(V)                                                                           \
    OVERLOAD event_t async_work_group_copy(__global V *to, const __local V *from, size_t count, event_t event) { \
        barrier(0);                                                                             \
        if (is_first_item()) __builtin_memcpy(to, from, count * sizeof(V));                     \
        barrier(0);                                                                             \
        return event;                                                                           \
    }                                                                                           \
    OVERLOAD event_t async_work_group_strided_copy(__global V *to, const __local V *from, size_t count, size_t stride, event_t event) { \
        barrier(0);                                                                             \
        if (is_first_item())                                                                    \
            for (size_t i = 0; i < count; i++) to[i * stride] = from[i];                        \
        barrier(0);                                                                             \
        return event;                                                                           \
    }
#define COPIES(V, COPIED)                                                                       \
    TO_LOCAL(V, COPIED)                                                                         \
    FROM_LOCAL(V)                                                                               \
    OVERLOAD void prefetch(const __global V *from, size_t count) {}
#define COPIES_OF(T, ...)                                                                       \
    COPIES(T, T) COPIES(T##2, T##2) COPIES(T##3, T##4) COPIES(T##4, T##4) COPIES(T##8, T##8) COPIES(T##16, T##16)
FOR_NUMBERS(COPIES_OF)
COPIES_OF(half)

OVERLOAD void wait_group_events(int count, __private event_t *events) {}
OVERLOAD void wait_group_events(int count, __local event_t *events) {}
OVERLOAD void wait_group_events(int count, __global event_t *events) {}
OVERLOAD void wait_group_events(int count, __generic event_t *events) {}

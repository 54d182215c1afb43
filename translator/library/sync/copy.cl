/* async_work_group_copy and its kin: copies by a whole work-group. The first work-item copies, between two barriers, so
 * that the code around stays a loop that vectorizes. Events carry nothing: a copy is done when its function returns.
 * Sources: OpenCL C 3.0, section 6.15.11. */
#include "group.h"

#define COPY(V, TO, FROM)                                                                       \
    OVERLOAD event_t async_work_group_copy(TO V *to, const FROM V *from, size_t count, event_t event) { \
        barrier(0);                                                                             \
        if (is_first_item()) __builtin_memcpy(to, from, count * sizeof(V));                     \
        barrier(0);                                                                             \
        return event;                                                                           \
    }
/* What is far apart is in __global memory. */
#define STRIDED(V)                                                                              \
    OVERLOAD event_t async_work_group_strided_copy(__local V *to, const __global V *from, size_t count, size_t stride, event_t event) { \
        barrier(0);                                                                             \
        if (is_first_item())                                                                    \
            for (size_t i = 0; i < count; i++) to[i] = from[i * stride];                        \
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
#define COPIES(V)                                                                               \
    COPY(V, __local, __global)                                                                  \
    COPY(V, __global, __local)                                                                  \
    STRIDED(V)                                                                                  \
    OVERLOAD void prefetch(const __global V *from, size_t count) {}
#define COPIES_OF(T, ...) COPIES(T) COPIES(T##2) COPIES(T##3) COPIES(T##4) COPIES(T##8) COPIES(T##16)
FOR_NUMBERS(COPIES_OF)
COPIES_OF(half)

OVERLOAD void wait_group_events(int count, __private event_t *events) {}
OVERLOAD void wait_group_events(int count, __local event_t *events) {}
OVERLOAD void wait_group_events(int count, __global event_t *events) {}
OVERLOAD void wait_group_events(int count, __generic event_t *events) {}

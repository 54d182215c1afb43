/* vload and vstore: vectors from and to memory that is aligned as an element is.
 * Sources: OpenCL C 3.0, section 6.15.7. */
#include "../library.h"

/* A vector of n elements without its alignment; three elements are copied one by one, for a vector of three has four. */
#define LOAD(SPACE, n, T)                                                                       \
    OVERLOAD T##n vload##n(size_t offset, const SPACE T *from) {                                \
        typedef T##n __attribute__((aligned(sizeof(T)))) unaligned;                             \
        return *(const SPACE unaligned *)(from + offset * n);                                   \
    }
#define STORE(SPACE, n, T)                                                                      \
    OVERLOAD void vstore##n(T##n x, size_t offset, SPACE T *to) {                               \
        typedef T##n __attribute__((aligned(sizeof(T)))) unaligned;                             \
        *(SPACE unaligned *)(to + offset * n) = x;                                              \
    }
#define LOADS(SPACE, T)                                                                         \
    LOAD(SPACE, 2, T) LOAD(SPACE, 4, T) LOAD(SPACE, 8, T) LOAD(SPACE, 16, T)                    \
    OVERLOAD T##3 vload3(size_t offset, const SPACE T *from) {                                  \
        from += offset * 3;                                                                     \
        return (T##3)(from[0], from[1], from[2]);                                               \
    }
#define STORES(SPACE, T)                                                                        \
    STORE(SPACE, 2, T) STORE(SPACE, 4, T) STORE(SPACE, 8, T) STORE(SPACE, 16, T)                \
    OVERLOAD void vstore3(T##3 x, size_t offset, SPACE T *to) {                                 \
        to += offset * 3;                                                                       \
        to[0] = x.x, to[1] = x.y, to[2] = x.z;                                                  \
    }
#define MEMORY(T, ...) FOR_READABLE_SPACES(LOADS, T) FOR_SPACES(STORES, T)
FOR_NUMBERS(MEMORY)
MEMORY(half)

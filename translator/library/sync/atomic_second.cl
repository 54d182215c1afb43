/* The atomic functions of OpenCL 2.0 and later, on __global, __local and __generic memory.
 *
 * Orders: as the program says; those without one are sequentially consistent. Scopes: all are the widest, since memory is
 * one. What order an argument names is known after inlining, and the choice disappears.
 * Sources: OpenCL C 3.0, section 6.15.12; cl_ext_float_atomics. */
#include "../library.h"

#define SCOPE memory_scope_all_svm_devices
#define SHARED_SPACES(M, ...) M(__global, __VA_ARGS__) M(__generic, __VA_ARGS__)

/* The forms with order and scope, with order, and with neither, of F(at, arguments), from a static one with an order. */
#define THREE_FORMS(R, F, SPACE, A, PARAMETERS, ARGUMENTS)                                             \
    OVERLOAD R F##_explicit(volatile SPACE A *at PARAMETERS, memory_order order, memory_scope scope) { \
        return with_order_##F(at ARGUMENTS, order);                                                    \
    }                                                                                                  \
    OVERLOAD R F##_explicit(volatile SPACE A *at PARAMETERS, memory_order order) {                     \
        return with_order_##F(at ARGUMENTS, order);                                                    \
    }                                                                                                  \
    OVERLOAD R F(volatile SPACE A *at PARAMETERS) { return with_order_##F(at ARGUMENTS, memory_order_seq_cst); }
#define COMMA ,

#define UPDATE_IN(SPACE, name, T, V)                                                                   \
    static inline OVERLOAD T with_order_atomic_fetch_##name(volatile SPACE atomic_##T *at, V value, memory_order order) { \
        return __opencl_atomic_fetch_##name(at, (T)value, order, SCOPE);                               \
    }                                                                                                  \
    THREE_FORMS(T, atomic_fetch_##name, SPACE, atomic_##T, COMMA V value, COMMA value)
#define UPDATE_LOCAL(name, T, V)                                                                       \
    static inline OVERLOAD T with_order_atomic_fetch_##name(volatile __local atomic_##T *at, V value, memory_order order) { \
        return __opencl_atomic_fetch_##name((__local atomic_##T *)at, (T)value, memory_order_relaxed, SCOPE); \
    }                                                                                                  \
    THREE_FORMS(T, atomic_fetch_##name, __local, atomic_##T, COMMA V value, COMMA value)
#define UPDATE(name, T, V) SHARED_SPACES(UPDATE_IN, name, T, V) UPDATE_LOCAL(name, T, V)
#define BITWISE(T, V) UPDATE(and, T, V) UPDATE(or, T, V) UPDATE(xor, T, V)
#define ARITHMETIC(T, V) UPDATE(add, T, V) UPDATE(sub, T, V) UPDATE(min, T, V) UPDATE(max, T, V)
#define UPDATES(T, V) ARITHMETIC(T, V) BITWISE(T, V)
UPDATES(int, int)
UPDATES(uint, uint)
UPDATES(long, long)
UPDATES(ulong, ulong)
/* atomic_intptr_t and its like are atomic_long and atomic_ulong, with operands of either sign. */
UPDATES(long, ulong)
UPDATES(ulong, long)
ARITHMETIC(float, float)
ARITHMETIC(double, double)

#define STORE_IN(SPACE, T)                                                                             \
    static inline OVERLOAD void with_order_atomic_store(volatile SPACE atomic_##T *at, T value, memory_order order) { \
        __opencl_atomic_store(at, value, order, SCOPE);                                                \
    }                                                                                                  \
    THREE_FORMS(void, atomic_store, SPACE, atomic_##T, COMMA T value, COMMA value)                     \
    OVERLOAD void atomic_init(volatile SPACE atomic_##T *at, T value) { __opencl_atomic_init(at, value); }
#define LOAD_IN(SPACE, QUALIFIED, T)                                                                   \
    static inline OVERLOAD T with_order_atomic_load(volatile SPACE QUALIFIED *at, memory_order order) { \
        return __opencl_atomic_load(at, order, SCOPE);                                                 \
    }                                                                                                  \
    THREE_FORMS(T, atomic_load, SPACE, QUALIFIED, , )
#define EXCHANGE_IN(SPACE, T)                                                                          \
    static inline OVERLOAD T with_order_atomic_exchange(volatile SPACE atomic_##T *at, T value, memory_order order) { \
        return __opencl_atomic_exchange(at, value, order, SCOPE);                                      \
    }                                                                                                  \
    THREE_FORMS(T, atomic_exchange, SPACE, atomic_##T, COMMA T value, COMMA value)
#define EXCHANGE_LOCAL(T)                                                                              \
    static inline OVERLOAD T with_order_atomic_exchange(volatile __local atomic_##T *at, T value, memory_order order) { \
        return __opencl_atomic_exchange((__local atomic_##T *)at, value, memory_order_relaxed, SCOPE); \
    }                                                                                                  \
    THREE_FORMS(T, atomic_exchange, __local, atomic_##T, COMMA T value, COMMA value)

/* compare_exchange, strong and weak alike, with the expected value in any space; on failure that is what is there. */
#define COMPARE_IN(SPACE, EXPECTED_SPACE, T)                                                           \
    COMPARE_FORMS(SPACE, EXPECTED_SPACE, T, strong)                                                    \
    COMPARE_FORMS(SPACE, EXPECTED_SPACE, T, weak)
#define COMPARE_FORMS(SPACE, EXPECTED_SPACE, T, kind)                                                  \
    OVERLOAD bool atomic_compare_exchange_##kind##_explicit(volatile SPACE atomic_##T *at, EXPECTED_SPACE T *expected, \
            T desired, memory_order success, memory_order failure, memory_scope scope) {               \
        return __opencl_atomic_compare_exchange_strong(at, expected, desired, success, failure, SCOPE); \
    }                                                                                                  \
    OVERLOAD bool atomic_compare_exchange_##kind##_explicit(volatile SPACE atomic_##T *at, EXPECTED_SPACE T *expected, \
            T desired, memory_order success, memory_order failure) {                                   \
        return __opencl_atomic_compare_exchange_strong(at, expected, desired, success, failure, SCOPE); \
    }                                                                                                  \
    OVERLOAD bool atomic_compare_exchange_##kind(volatile SPACE atomic_##T *at, EXPECTED_SPACE T *expected, T desired) { \
        return __opencl_atomic_compare_exchange_strong(at, expected, desired, memory_order_seq_cst,    \
                                                       memory_order_seq_cst, SCOPE);                   \
    }

#define COMPARE_EXPECTED(SPACE, T) \
    COMPARE_IN(SPACE, __private, T) COMPARE_IN(SPACE, __global, T) COMPARE_IN(SPACE, __local, T) COMPARE_IN(SPACE, __generic, T)
#define MEMORY_SPACE(SPACE, T)                  \
    STORE_IN(SPACE, T)                          \
    LOAD_IN(SPACE, atomic_##T, T)               \
    LOAD_IN(SPACE, const atomic_##T, T)         \
    COMPARE_EXPECTED(SPACE, T)
#define MEMORY(T)                               \
    MEMORY_SPACE(__global, T)                   \
    MEMORY_SPACE(__local, T)                    \
    MEMORY_SPACE(__generic, T)                  \
    SHARED_SPACES(EXCHANGE_IN, T)               \
    EXCHANGE_LOCAL(T)
MEMORY(int)
MEMORY(uint)
MEMORY(long)
MEMORY(ulong)
MEMORY(float)
MEMORY(double)

#define FLAG_IN(SPACE, ...)                                                                            \
    static inline OVERLOAD bool with_order_atomic_flag_test_and_set(volatile SPACE atomic_flag *at, memory_order order) { \
        return __opencl_atomic_exchange((volatile SPACE atomic_int *)at, 1, order, SCOPE);             \
    }                                                                                                  \
    static inline OVERLOAD void with_order_atomic_flag_clear(volatile SPACE atomic_flag *at, memory_order order) { \
        __opencl_atomic_store((volatile SPACE atomic_int *)at, 0, order, SCOPE);                       \
    }                                                                                                  \
    THREE_FORMS(bool, atomic_flag_test_and_set, SPACE, atomic_flag, , )                                \
    THREE_FORMS(void, atomic_flag_clear, SPACE, atomic_flag, , )
FLAG_IN(__global)
FLAG_IN(__local)
FLAG_IN(__generic)

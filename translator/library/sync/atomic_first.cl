/* The atomic functions of OpenCL 1.x: atomic_ on 32 bits, atom_ on 32 and 64. All are relaxed.
 * Sources: OpenCL C 1.2, section 6.12.11; cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics. */
#include "../library.h"

#define GLOBAL_UPDATE(prefix, name, T)                              \
    OVERLOAD T prefix##name(volatile __global T *at, T value) {     \
        return __atomic_fetch_##name(at, value, __ATOMIC_RELAXED);  \
    }
#define LOCAL_UPDATE(prefix, name, T)                               \
    OVERLOAD T prefix##name(volatile __local T *at, T value) {      \
        return __atomic_fetch_##name((__local T *)at, value, __ATOMIC_RELAXED); \
    }
#define UPDATE(prefix, name, T) GLOBAL_UPDATE(prefix, name, T) LOCAL_UPDATE(prefix, name, T)

#define EXCHANGE(prefix, T, I)                                                          \
    OVERLOAD T prefix##xchg(volatile __global T *at, T value) {                         \
        return __builtin_astype(__atomic_exchange_n((volatile __global I *)at, __builtin_astype(value, I), __ATOMIC_RELAXED), T); \
    }                                                                                   \
    OVERLOAD T prefix##xchg(volatile __local T *at, T value) {                          \
        return __builtin_astype(__atomic_exchange_n((__local I *)at, __builtin_astype(value, I), __ATOMIC_RELAXED), T); \
    }

#define FUNCTIONS(prefix, T)                                                            \
    UPDATE(prefix, add, T)                                                              \
    UPDATE(prefix, sub, T)                                                              \
    UPDATE(prefix, and, T)                                                              \
    UPDATE(prefix, or, T)                                                               \
    UPDATE(prefix, xor, T)                                                              \
    UPDATE(prefix, min, T)                                                              \
    UPDATE(prefix, max, T)                                                              \
    EXCHANGE(prefix, T, T)                                                              \
    OVERLOAD T prefix##inc(volatile __global T *at) { return prefix##add(at, (T)1); }   \
    OVERLOAD T prefix##inc(volatile __local T *at) { return prefix##add(at, (T)1); }    \
    OVERLOAD T prefix##dec(volatile __global T *at) { return prefix##sub(at, (T)1); }   \
    OVERLOAD T prefix##dec(volatile __local T *at) { return prefix##sub(at, (T)1); }    \
    OVERLOAD T prefix##cmpxchg(volatile __global T *at, T expected, T desired) {        \
        __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                \
    }                                                                                   \
    OVERLOAD T prefix##cmpxchg(volatile __local T *at, T expected, T desired) {         \
        __atomic_compare_exchange_n((__local T *)at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                \
    }

FUNCTIONS(atomic_, int)
FUNCTIONS(atomic_, uint)
FUNCTIONS(atom_, int)
FUNCTIONS(atom_, uint)
FUNCTIONS(atom_, long)
FUNCTIONS(atom_, ulong)
EXCHANGE(atomic_, float, uint)

// Atomic updates with quadruple precision, which Intel's compilers alone emit: of its own types ("float16", and its complex
// numbers "cmplx16") under the lock of big atomics, as in atomics.c, and of smaller numbers ("_fp"), where the new value is
// computed in quadruple precision. An integer or a float of the latter is changed by a compare-and-swap of its own size, as
// all other code changes it; a long double under the lock.

#include "atomics.h"

typedef __float128 quad;
typedef _Complex float __attribute__((mode(TC))) quad_complex;

#pragma GCC visibility push(default)

ARITHMETIC(quad, float16, CAPTURE)
BOTH(quad, float16_max, float16_max_cpt, r > x ? r : x, CAPTURE)
BOTH(quad, float16_min, float16_min_cpt, r < x ? r : x, CAPTURE)
SWAP(quad, float16)

ARITHMETIC(quad_complex, cmplx16, CAPTURE)
SWAP(quad_complex, cmplx16)

// Sequentially consistent, as all updates of src/atomics.rs. Relaxed loads: the compare-and-swap looks again.
#define SWAP_IN(VALUE)                                                                            \
    __atomic_load(at, &x, __ATOMIC_RELAXED);                                                      \
    do                                                                                            \
        new = (VALUE);                                                                            \
    while (!__atomic_compare_exchange(at, &x, &new, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));

#define UNDER_THE_LOCK(VALUE)                                                                     \
    GOMP_atomic_start();                                                                          \
    x = *at;                                                                                      \
    *at = new = (VALUE);                                                                          \
    GOMP_atomic_end();

// An operation and its capturing form, for a variable of type T.
#define MIXED(T, NAME, CPT_NAME, VALUE, CHANGE)                                                   \
    void __kmpc_atomic_##NAME(const void *location, int thread, T *at, quad r)                    \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        T x, new;                                                                                 \
        CHANGE((T) (VALUE))                                                                       \
    }                                                                                             \
    T __kmpc_atomic_##CPT_NAME(const void *location, int thread, T *at, quad r, int after)        \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        T x, new;                                                                                 \
        CHANGE((T) (VALUE))                                                                       \
        return after ? new : x;                                                                   \
    }

#define MIXED_ARITHMETIC(T, TYPE, CHANGE)                                                         \
    MIXED(T, TYPE##_add_fp, TYPE##_add_cpt_fp, x + r, CHANGE)                                     \
    MIXED(T, TYPE##_sub_fp, TYPE##_sub_cpt_fp, x - r, CHANGE)                                     \
    MIXED(T, TYPE##_mul_fp, TYPE##_mul_cpt_fp, x * r, CHANGE)                                     \
    MIXED(T, TYPE##_div_fp, TYPE##_div_cpt_fp, x / r, CHANGE)                                     \
    MIXED(T, TYPE##_sub_rev_fp, TYPE##_sub_cpt_rev_fp, r - x, CHANGE)                             \
    MIXED(T, TYPE##_div_rev_fp, TYPE##_div_cpt_rev_fp, r / x, CHANGE)

MIXED_ARITHMETIC(signed char, fixed1, SWAP_IN)
MIXED_ARITHMETIC(unsigned char, fixed1u, SWAP_IN)
MIXED_ARITHMETIC(short, fixed2, SWAP_IN)
MIXED_ARITHMETIC(unsigned short, fixed2u, SWAP_IN)
MIXED_ARITHMETIC(int, fixed4, SWAP_IN)
MIXED_ARITHMETIC(unsigned int, fixed4u, SWAP_IN)
MIXED_ARITHMETIC(long long, fixed8, SWAP_IN)
MIXED_ARITHMETIC(unsigned long long, fixed8u, SWAP_IN)
MIXED_ARITHMETIC(float, float4, SWAP_IN)
MIXED_ARITHMETIC(double, float8, SWAP_IN)
MIXED_ARITHMETIC(long double, float10, UNDER_THE_LOCK)

#pragma GCC visibility pop

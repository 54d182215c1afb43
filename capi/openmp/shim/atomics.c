// Atomic updates of the types that Rust has no names for: long double ("float10"), and complex
// numbers of float ("cmplx4"), double ("cmplx8") and long double ("cmplx10"). src/atomics.rs says
// how the names are built and what the suffixes mean.
//
// All of them work under the one lock of big atomics (src/locks/critical.rs), so that code of gcc
// and of clang agree about a variable; the 8 bytes of a cmplx4 as well, so that one rule holds.
//
// ABI: the capturing forms of cmplx4, and its exchange, return through a pointer, which stands
// ahead of the flag; libomp's kmp_atomic.h has it so.

#include <complex.h>

// Written in Rust, linked into the same object.
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

#pragma GCC visibility push(default)

// Replaces *at by VALUE, an expression of x (the variable) and r (the operand).
#define UPDATE(T, R, NAME, VALUE)                                                                 \
    void __kmpc_atomic_##NAME(const void *location, int thread, T *at, R r)                       \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = (T) (VALUE);                                                                        \
        GOMP_atomic_end();                                                                        \
    }

// The same, and gives back the value after (flag) or before.
#define CAPTURE(T, NAME, VALUE)                                                                   \
    T __kmpc_atomic_##NAME(const void *location, int thread, T *at, T r, int after)               \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at, new = (VALUE);                                                                 \
        *at = new;                                                                                \
        GOMP_atomic_end();                                                                        \
        return after ? new : x;                                                                   \
    }

#define CAPTURE_OUT(T, NAME, VALUE)                                                               \
    void __kmpc_atomic_##NAME(const void *location, int thread, T *at, T r, T *out, int after)    \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at, new = (VALUE);                                                                 \
        *at = new;                                                                                \
        GOMP_atomic_end();                                                                        \
        *out = after ? new : x;                                                                   \
    }

#define READ_WRITE(T, TYPE)                                                                       \
    T __kmpc_atomic_##TYPE##_rd(const void *location, int thread, T *at)                          \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        GOMP_atomic_end();                                                                        \
        return x;                                                                                 \
    }                                                                                             \
    UPDATE(T, T, TYPE##_wr, ((void) x, r))

#define SWAP(T, TYPE)                                                                             \
    T __kmpc_atomic_##TYPE##_swp(const void *location, int thread, T *at, T r)                    \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = r;                                                                                  \
        GOMP_atomic_end();                                                                        \
        return x;                                                                                 \
    }

#define SWAP_OUT(T, TYPE)                                                                         \
    void __kmpc_atomic_##TYPE##_swp(const void *location, int thread, T *at, T r, T *out)         \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = r;                                                                                  \
        GOMP_atomic_end();                                                                        \
        *out = x;                                                                                 \
    }

// An operation and its capturing form.
#define BOTH(T, NAME, CPT_NAME, VALUE, CPT) UPDATE(T, T, NAME, VALUE) CPT(T, CPT_NAME, VALUE)

#define ARITHMETIC(T, TYPE, CPT)                                                                  \
    BOTH(T, TYPE##_add, TYPE##_add_cpt, x + r, CPT)                                               \
    BOTH(T, TYPE##_sub, TYPE##_sub_cpt, x - r, CPT)                                               \
    BOTH(T, TYPE##_mul, TYPE##_mul_cpt, x * r, CPT)                                               \
    BOTH(T, TYPE##_div, TYPE##_div_cpt, x / r, CPT)                                               \
    BOTH(T, TYPE##_sub_rev, TYPE##_sub_cpt_rev, r - x, CPT)                                       \
    BOTH(T, TYPE##_div_rev, TYPE##_div_cpt_rev, r / x, CPT)                                       \
    READ_WRITE(T, TYPE)

ARITHMETIC(long double, float10, CAPTURE)
BOTH(long double, float10_max, float10_max_cpt, r > x ? r : x, CAPTURE)
BOTH(long double, float10_min, float10_min_cpt, r < x ? r : x, CAPTURE)
SWAP(long double, float10)

ARITHMETIC(float complex, cmplx4, CAPTURE_OUT)
SWAP_OUT(float complex, cmplx4)
UPDATE(float complex, double complex, cmplx4_add_cmplx8, x + r)
UPDATE(float complex, double complex, cmplx4_sub_cmplx8, x - r)
UPDATE(float complex, double complex, cmplx4_mul_cmplx8, x * r)
UPDATE(float complex, double complex, cmplx4_div_cmplx8, x / r)

ARITHMETIC(double complex, cmplx8, CAPTURE)
SWAP(double complex, cmplx8)

ARITHMETIC(long double complex, cmplx10, CAPTURE)
SWAP(long double complex, cmplx10)

#pragma GCC visibility pop

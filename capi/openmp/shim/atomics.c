// Atomic updates of the types that Rust has no names for: long double ("float10"), and complex
// numbers of float ("cmplx4"), double ("cmplx8") and long double ("cmplx10"). src/atomics.rs says
// how the names are built and what the suffixes mean.
//
// All of them work under the one lock of big atomics (src/locks/critical.rs), so that code of gcc
// and of clang agree about a variable; the 8 bytes of a cmplx4 as well, so that one rule holds.
//
// ABI: the capturing forms of cmplx4, and its exchange, return through a pointer, which stands
// ahead of the flag; libomp's kmp_atomic.h has it so.

#include "atomics.h"
#include <complex.h>

#pragma GCC visibility push(default)

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

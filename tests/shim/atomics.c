// Calls the long double and complex updates of shim/atomics.c, with a lock that only counts.

#include <complex.h>
#include <math.h>
#include "lock.h"

typedef float complex c4;
typedef double complex c8;
typedef long double complex c10;
typedef long double f10;

#define IN const void *, int
void __kmpc_atomic_float10_add(IN, f10 *, f10);
void __kmpc_atomic_float10_max(IN, f10 *, f10);
f10 __kmpc_atomic_float10_min_cpt(IN, f10 *, f10, int);
f10 __kmpc_atomic_float10_div_cpt_rev(IN, f10 *, f10, int);
f10 __kmpc_atomic_float10_rd(IN, f10 *);
void __kmpc_atomic_float10_wr(IN, f10 *, f10);
f10 __kmpc_atomic_float10_swp(IN, f10 *, f10);
c4 __kmpc_atomic_cmplx4_rd(IN, c4 *);
void __kmpc_atomic_cmplx4_wr(IN, c4 *, c4);
void __kmpc_atomic_cmplx4_swp(IN, c4 *, c4, c4 *);
void __kmpc_atomic_cmplx4_sub_cpt_rev(IN, c4 *, c4, c4 *, int);
void __kmpc_atomic_cmplx4_mul_cmplx8(IN, c4 *, c8);
c8 __kmpc_atomic_cmplx8_div_cpt(IN, c8 *, c8, int);
void __kmpc_atomic_cmplx8_sub_rev(IN, c8 *, c8);
c10 __kmpc_atomic_cmplx10_mul_cpt(IN, c10 *, c10, int);
c10 __kmpc_atomic_cmplx10_swp(IN, c10 *, c10);

static void long_doubles(void)
{
    f10 x = 1;
    __kmpc_atomic_float10_add(0, 0, &x, 0x1p-63L);
    CHECK(x == 1 + 0x1p-63L);
    CHECK(__kmpc_atomic_float10_rd(0, 0, &x) == x);
    __kmpc_atomic_float10_max(0, 0, &x, NAN);
    CHECK(x == 1 + 0x1p-63L);
    __kmpc_atomic_float10_max(0, 0, &x, 4);
    CHECK(x == 4);
    CHECK(__kmpc_atomic_float10_div_cpt_rev(0, 0, &x, 2, 1) == 0.5L && x == 0.5L);
    CHECK(__kmpc_atomic_float10_min_cpt(0, 0, &x, 0.25L, 0) == 0.5L && x == 0.25L);
    CHECK(__kmpc_atomic_float10_swp(0, 0, &x, 7) == 0.25L);
    __kmpc_atomic_float10_wr(0, 0, &x, x + 1);
    CHECK(x == 8);
}

static void complex_numbers(void)
{
    c4 x = 1 + 2 * I, old;
    CHECK(__kmpc_atomic_cmplx4_rd(0, 0, &x) == 1 + 2 * I);
    __kmpc_atomic_cmplx4_wr(0, 0, &x, 3 + I);
    __kmpc_atomic_cmplx4_swp(0, 0, &x, 5, &old);
    CHECK(old == 3 + I && x == 5);
    __kmpc_atomic_cmplx4_sub_cpt_rev(0, 0, &x, 7 + I, &old, 1);
    CHECK(old == 2 + I && x == 2 + I);
    __kmpc_atomic_cmplx4_mul_cmplx8(0, 0, &x, 2 * I);
    CHECK(x == -2 + 4 * I);
    c8 y = 4 + 2 * I;
    CHECK(__kmpc_atomic_cmplx8_div_cpt(0, 0, &y, 2, 0) == 4 + 2 * I && y == 2 + I);
    __kmpc_atomic_cmplx8_sub_rev(0, 0, &y, 5);
    CHECK(y == 3 - I);
    c10 z = 1 + I;
    CHECK(__kmpc_atomic_cmplx10_mul_cpt(0, 0, &z, 2 * I, 1) == -2 + 2 * I);
    CHECK(__kmpc_atomic_cmplx10_swp(0, 0, &z, 3) == -2 + 2 * I && z == 3);
}

int main(void)
{
    long_doubles();
    complex_numbers();
    CHECK(taken == 17);
    return failures != 0;
}

// Calls updates with quadruple precision of shim/quad.c, with a lock that only counts.

#include <complex.h>
#include "lock.h"

typedef __float128 quad;
typedef _Complex float __attribute__((mode(TC))) quad_complex;

#define IN const void *, int
void __kmpc_atomic_float16_add(IN, quad *, quad);
quad __kmpc_atomic_float16_div_cpt_rev(IN, quad *, quad, int);
void __kmpc_atomic_float16_max(IN, quad *, quad);
quad __kmpc_atomic_float16_min_cpt(IN, quad *, quad, int);
quad __kmpc_atomic_float16_rd(IN, quad *);
void __kmpc_atomic_float16_wr(IN, quad *, quad);
quad __kmpc_atomic_float16_swp(IN, quad *, quad);
quad_complex __kmpc_atomic_cmplx16_mul_cpt(IN, quad_complex *, quad_complex, int);
void __kmpc_atomic_cmplx16_sub_rev(IN, quad_complex *, quad_complex);
void __kmpc_atomic_fixed1_mul_fp(IN, signed char *, quad);
unsigned char __kmpc_atomic_fixed1u_sub_cpt_fp(IN, unsigned char *, quad, int);
void __kmpc_atomic_fixed8_add_fp(IN, long long *, quad);
unsigned long long __kmpc_atomic_fixed8u_div_cpt_rev_fp(IN, unsigned long long *, quad, int);
void __kmpc_atomic_float4_sub_rev_fp(IN, float *, quad);
double __kmpc_atomic_float8_div_cpt_fp(IN, double *, quad, int);
void __kmpc_atomic_float10_mul_fp(IN, long double *, quad);

int main(void)
{
    quad q = 1, third = (quad) 1 / 3;
    __kmpc_atomic_float16_add(0, 0, &q, third);
    CHECK(q == 1 + third && q != (quad) (long double) q);
    CHECK(__kmpc_atomic_float16_div_cpt_rev(0, 0, &q, 4, 0) == 1 + third && q == 4 / (1 + third));
    __kmpc_atomic_float16_wr(0, 0, &q, 5);
    __kmpc_atomic_float16_max(0, 0, &q, 7);
    CHECK(__kmpc_atomic_float16_rd(0, 0, &q) == 7);
    CHECK(__kmpc_atomic_float16_min_cpt(0, 0, &q, -2, 1) == -2);
    CHECK(__kmpc_atomic_float16_swp(0, 0, &q, 9) == -2 && q == 9);
    CHECK(taken == 7);

    quad_complex c = 1 + 2 * (quad_complex) I;
    quad_complex product = __kmpc_atomic_cmplx16_mul_cpt(0, 0, &c, I, 1);
    CHECK(product == -2 + (quad_complex) I && c == product);
    __kmpc_atomic_cmplx16_sub_rev(0, 0, &c, 10);
    CHECK(c == 12 - (quad_complex) I && taken == 9);

    // The sum is exact before it is rounded: a double would lose the last bit.
    signed char byte = -6;
    __kmpc_atomic_fixed1_mul_fp(0, 0, &byte, (quad) 2.5);
    CHECK(byte == -15);
    unsigned char small = 200;
    CHECK(__kmpc_atomic_fixed1u_sub_cpt_fp(0, 0, &small, 100, 0) == 200 && small == 100);
    long long large = (1LL << 62) + 1;
    __kmpc_atomic_fixed8_add_fp(0, 0, &large, (quad) 0.75);
    CHECK(large == (1LL << 62) + 1);
    unsigned long long divisor = 3;
    CHECK(__kmpc_atomic_fixed8u_div_cpt_rev_fp(0, 0, &divisor, (quad) 3 * (1ULL << 63), 1) == 1ULL << 63);
    float f = 1.5f;
    __kmpc_atomic_float4_sub_rev_fp(0, 0, &f, 4);
    CHECK(f == 2.5f);
    double d = 1;
    CHECK(__kmpc_atomic_float8_div_cpt_fp(0, 0, &d, 3, 1) == (double) third);
    CHECK(taken == 9);
    long double wide = 2;
    __kmpc_atomic_float10_mul_fp(0, 0, &wide, third);
    CHECK(wide == (long double) (2 * third) && taken == 10);
    return failures != 0;
}

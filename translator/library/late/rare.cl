/* What functions give for numbers that are rare, in place of what was computed as if there were none. */
#include "late.h"
#include "../math/angles.h"
#include "../math/quarters.h"

/* Far angles (`math/angles.h`), up to `FARTHEST` in double: x = k pi / 2 + r, where k is exact but for the last quarter turn, and r has an
 * error of 2^-53. Several numbers are computed together. The C library computes others, and all where there are no fused operations. By way of
 * memory, as in `late.h`. */
#define IS_FAR(x, near) (__builtin_elementwise_abs(x) > FAR_ANGLE)
#define FARTHEST 0x1p48f
#define IS_FARTHER(x) (!(__builtin_elementwise_abs(x) <= FARTHEST))
#define SINE(r, quarters) in_quarter(r, quarters)
#define COSINE(r, quarters) in_quarter(r, quarters + 1)
#define FAR(name, FUNCTION)                                                      \
    float libm_##name(float) __asm__(#name "f") __attribute__((const, nothrow)); \
    static __attribute__((noinline)) void far_##name(__private float *x) {       \
        uint quarters;                                                           \
        float r = less_quarter_turns(*x, &quarters);                             \
        bool farther = !vicinity_has_fma() || IS_FARTHER(*x);                    \
        *x = farther ? libm_##name(*x) : FUNCTION(r, quarters);                  \
    }                                                                            \
    float vicinity_rare_##name(float x, float usual) {                           \
        if (__builtin_expect(!IS_FAR(x, usual), 1)) return usual;                \
        far_##name(&x);                                                          \
        return x;                                                                \
    }                                                                            \
    FOR_LANES(FAR_FORM, name, FUNCTION)
#define FAR_FORM(n, letter, name, FUNCTION)                                                                        \
    static __attribute__((noinline)) void slowly_##name##n(__private const float##n *x, __private float##n *y) {   \
        int##n far = IS_FAR(*x, *y), farther = vicinity_has_fma() ? IS_FARTHER(*x) : far;                          \
        uint##n quarters;                                                                                          \
        float##n r = less_quarter_turns(*x, &quarters);                                                            \
        *y = far ? FUNCTION(r, quarters) : *y;                                                                     \
        if (__builtin_expect(__builtin_reduce_or(farther) == 0, 1)) return;                                        \
        _Pragma("clang loop unroll(disable)")                                                                      \
        for (int i = 0; i < n; i++)                                                                                \
            if (farther[i]) (*y)[i] = libm_##name((*x)[i]);                                                        \
    }                                                                                                              \
    RARE_TESTED(n, name, IS_FAR)                                                                                   \
    RARE_NAME(n, letter, name)                                                                                     \
    float##n name##n(float##n x, float##n usual) { return tested_##name##n(x, usual); }
#define CAST(x, T) ((T)(x))
#define LESS_QUARTER_TURNS(F, D, L, U, CONVERT)                                              \
    static inline OVERLOAD F less_quarter_turns(F x, __private U *quarters) {                \
        D wide = CONVERT(x, D);                                                              \
        D shifted = wide * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52;      \
        *quarters = CONVERT(as_##L(shifted), U);                                             \
        D r = __builtin_elementwise_fma(turns, (D)(-0x1.921fb54442d18p+0), wide);            \
        return CONVERT(__builtin_elementwise_fma(turns, (D)(-0x1.1a62633145c07p-54), r), F); \
    }
#define OF_SEVERAL(n, letter, ...) IN_QUARTERS(float##n, uint##n) \
    LESS_QUARTER_TURNS(float##n, double##n, ulong##n, uint##n, __builtin_convertvector)
#pragma OPENCL FP_CONTRACT ON
LESS_QUARTER_TURNS(float, double, ulong, uint, CAST)
FOR_LANES(OF_SEVERAL)
FAR(sin, SINE)
FAR(cos, COSINE)
FAR(tan, tangent_in_quarter)
#pragma OPENCL FP_CONTRACT OFF

/* Of zeros, subnormal and negative numbers, infinities and what is no number, no root comes that is finite
 * (`math/powers.cl`), but of subnormal ones on some processors, where it is right. */
#define IS_NO_ROOT(x, root) (!(__builtin_elementwise_abs(root) < INFINITY))
static float inverse_root(float x) { return (float)(1 / op_sqrt((double)x)); }
RARE_ALONE(rsqrt, IS_NO_ROOT, inverse_root)
RARE_FORM(2, b, rsqrt, IS_NO_ROOT, inverse_root)
RARE_FORM(4, b, rsqrt, IS_NO_ROOT, inverse_root)
RARE_FORM(8, d, rsqrt, IS_NO_ROOT, inverse_root)
RARE_TEST(16, rsqrt, IS_NO_ROOT, inverse_root)
RARE_NAME(16, e, rsqrt)
/* The estimate of AVX-512 is right where no root comes that is finite, so nothing is rare. */
float16 rsqrt16(float16 x, float16 usual) {
    if (!vicinity_has_avx512f()) return tested_rsqrt16(x, usual);
    return IS_NO_ROOT(x, usual) ? avx512_rsqrt(x, (float16)(0), 0xffff) : usual;
}

/* No number stands for quotients that are too large, too (`math/libm.cl`). */
#define IS_NO_NUMBER(usual) ((usual) != (usual))
float libm_fmod(float, float) __asm__("fmodf") __attribute__((const, nothrow));
RARELY_2(fmod, IS_NO_NUMBER, libm_fmod)

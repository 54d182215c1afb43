/* What functions give for numbers that are rare, in place of what was computed as if there were none. */
#include "late.h"
#include "../math/angles.h"

/* Far angles (`math/angles.h`) are left to the C library. */
#define IS_FAR(x, near) (__builtin_elementwise_abs(x) > FAR_ANGLE)
#define FAR(name)                                                                \
    float libm_##name(float) __asm__(#name "f") __attribute__((const, nothrow)); \
    RARELY(name, IS_FAR, libm_##name)
FAR(sin)
FAR(cos)
FAR(tan)

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

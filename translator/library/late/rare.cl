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
RARELY(rsqrt, IS_NO_ROOT, inverse_root)

/* asin, acos, atan, atan2; of float without calls and branches. Polynomials are minimax ones of the relative error (2^-28 and 2^-26),
 * found by Sollya. Beyond a half, asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)); beyond one, atan(x) = pi / 2 - atan(1 / x).
 *
 * Bounds: OpenCL C 3.0, section 7.4: 4 units in the last place, of atan 5 and atan2 6; special cases in section 7.5. */
#include "../library.h"
#pragma OPENCL FP_CONTRACT ON

#define HALF_TURN 0x1.921fb6p+1f
#define QUARTER_TURN 0x1.921fb6p+0f

/* atan(u) for |u| <= 1. */
static inline float small_atan(float u) {
    float z = u * u;
    float p = 0x1.7c5b12p-9f;
    p = p * z - 0x1.0ae84cp-6f;
    p = p * z + 0x1.60eeccp-5f;
    p = p * z - 0x1.34dff2p-4f;
    p = p * z + 0x1.b4a728p-4f;
    p = p * z - 0x1.23031ep-3f;
    p = p * z + 0x1.9977f0p-3f;
    p = p * z - 0x1.5554d6p-2f;
    return u + u * z * p;
}

OVERLOAD float atan(float x) {
    float size = op_fabs(x);
    bool steep = size > 1;
    float angle = small_atan((steep ? -1.0f : size) / (steep ? size : 1.0f));
    return op_copysign(steep ? angle + QUARTER_TURN : angle, x);
}
/* Where both are zero or infinite the quotient is 0 or 1. */
OVERLOAD float atan2(float y, float x) {
    float height = op_fabs(y), width = op_fabs(x);
    bool steep = height > width;
    float over = steep ? width : height, under = steep ? height : width;
    float slope = over == under ? (under > 0 ? 1.0f : 0.0f) : over / under;
    float angle = small_atan(slope);
    angle = steep ? QUARTER_TURN - angle : angle;
    angle = as_int(x) < 0 ? HALF_TURN - angle : angle;
    return op_copysign(angle, y);
}

/* asin(s), of s and its square, for s from 0 to a half. */
static inline float small_asin(float s, float z) {
    float p = 0x1.59dbe4p-5f;
    p = p * z + 0x1.8b951ep-6f;
    p = p * z + 0x1.748f98p-5f;
    p = p * z + 0x1.33010ep-4f;
    p = p * z + 0x1.5555ccp-3f;
    return s + s * z * p;
}

OVERLOAD float asin(float x) {
    float size = op_fabs(x);
    bool far = size > 0.5f;
    float z = far ? 0.5f - 0.5f * size : size * size;
    float angle = small_asin(far ? op_sqrt(z) : size, z);
    return op_copysign(far ? QUARTER_TURN - 2 * angle : angle, x);
}
OVERLOAD float acos(float x) {
    float size = op_fabs(x);
    bool far = size > 0.5f;
    float z = far ? 0.5f - 0.5f * size : size * size;
    float angle = small_asin(far ? op_sqrt(z) : size, z);
    float beyond = x < 0 ? HALF_TURN - 2 * angle : 2 * angle;
    return far ? beyond : QUARTER_TURN - op_copysign(angle, x);
}
#pragma OPENCL FP_CONTRACT OFF

FLOAT_AND_LIBM(asin)
FLOAT_AND_LIBM(acos)
FLOAT_AND_LIBM(atan)
FLOAT_AND_LIBM_2(atan2)

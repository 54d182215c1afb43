/* sin, cos, both, and tan; of float without branches, so that loops over work-items vectorize at any width.
 *
 * x = k pi + r with |r| <= pi / 2 + 0.01, for cos k is a half more than a whole number; sin(x) is sin(r) with the sign of an even or
 * odd k. tan: x = k pi / 2 + r with |r| <= pi / 4 + 0.01, and of an odd k -1 / tan(r). Polynomials are minimax ones of the relative error
 * (2^-27 and 2^-25), found by Sollya; where a sine and a cosine are asked for of one angle, x = k pi / 2 + r, and each of them is the
 * sine or the cosine of r, by polynomials of 2^-27 and 2^-32; the last term of the sine is smaller by 4 parts in 100,000, so that no rounding exceeds 1.
 * Far angles (`angles.h`) are computed by a call that is looked at when loops are vectors (`late/rare.cl`).
 *
 * Bounds: OpenCL C 3.0, section 7.4: 4 units in the last place, of tan 5. */
#include "../library.h"
#include "angles.h"
#include "quarters.h"
#include "whole.h"

float vicinity_rare_sin(float x, float near) __attribute__((const, nothrow));
float vicinity_rare_cos(float x, float near) __attribute__((const, nothrow));
float vicinity_rare_tan(float x, float near) __attribute__((const, nothrow));
float vicinity_sine_of_both(float x) __attribute__((const, nothrow));
float vicinity_cosine_of_both(float x) __attribute__((const, nothrow));

#pragma OPENCL FP_CONTRACT ON
/* x - k pi, of a k below 2^17 that is a multiple of a half. Fused operations make each step but the last exact; where there are none,
 * double is as good. */
static inline float less_half_turns(float x, float k) {
    if (vicinity_has_fma()) return ((x - k * 0x1.921fb4p+1f) - k * 0x1.4442dp-23f) - k * 0x1.846988p-47f;
    double half_turns = k;
    return (float)((x - half_turns * 0x1.921fb544p+1) - half_turns * 0x1.0b4611a626331p-33);
}

OVERLOAD float sin(float x) {
    float size = op_fabs(x);
    float shifted = size * 0x1.45f306p-2f + SHIFT;
    float sine = near_sine(less_half_turns(size, shifted - SHIFT));
    uint sign = as_uint(shifted) << 31 ^ (as_uint(x) & 0x80000000);
    return vicinity_rare_sin(x, as_float(as_uint(sine) ^ sign));
}
/* cos((k + 1/2) pi + r) is -sin(r), for odd k sin(r). */
OVERLOAD float cos(float x) {
    float shifted = (x * 0x1.45f306p-2f - 0.5f) + SHIFT;
    float sine = near_sine(-less_half_turns(x, (shifted - SHIFT) + 0.5f));
    return vicinity_rare_cos(x, as_float(as_uint(sine) ^ as_uint(shifted) << 31));
}

float vicinity_sine_of_both(float x) {
    float size = op_fabs(x), shifted = size * 0x1.45f306p-1f + SHIFT;
    float r = less_half_turns(size, 0.5f * (shifted - SHIFT));
    float sine = in_quarter(r, as_uint(shifted));
    return vicinity_rare_sin(x, as_float(as_uint(sine) ^ (as_uint(x) & 0x80000000)));
}

float vicinity_cosine_of_both(float x) {
    float size = op_fabs(x), shifted = size * 0x1.45f306p-1f + SHIFT;
    float r = less_half_turns(size, 0.5f * (shifted - SHIFT));
    return vicinity_rare_cos(x, in_quarter(r, as_uint(shifted) + 1));
}

OVERLOAD float tan(float x) {
    float shifted = x * 0x1.45f306p-1f + SHIFT;
    float r = less_half_turns(x, 0.5f * (shifted - SHIFT));
    return vicinity_rare_tan(x, tangent_in_quarter(r, as_uint(shifted)));
}
#pragma OPENCL FP_CONTRACT OFF

FLOAT_AND_LIBM(sin)
FLOAT_AND_LIBM(cos)
FLOAT_AND_LIBM(tan)

/* Two calls: each has a vector form of its own, which a call with pointers has not. */
#define SINCOS(T, sine, cosine)                   \
    OVERLOAD T sincos(T x, __private T *other) {  \
        *other = cosine(x);                       \
        return sine(x);                           \
    }                                             \
    MAP_OUT(T, sincos, T)
SINCOS(float, vicinity_sine_of_both, vicinity_cosine_of_both)
SINCOS(double, sin, cos)

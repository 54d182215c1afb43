/* The exponential function and the logarithm of floats near zero and one, for what is made of them.
 *
 * Polynomials are minimax ones of the relative error, found by Sollya: below 2^-28 for |r| <= 0.347 (of e^r - 1
 * 2^-27), 2^-25 for |f| <= 1/3. */
#ifndef VICINITY_SERIES_H
#define VICINITY_SERIES_H

#include "whole.h"

#pragma OPENCL FP_CONTRACT ON
/* e^r for |r| <= 0.347. */
static inline float exp_near_zero(float r) {
    float p = 0x1.684dep-10f;
    p = p * r + 0x1.123bf8p-7f;
    p = p * r + 0x1.555b9cp-5f;
    p = p * r + 0x1.55548ep-3f;
    p = p * r + 0x1.fffff8p-2f;
    p = p * r + 1.0f;
    return p * r + 1.0f;
}

/* x = k ln 2 + r with |r| <= 0.347; gives r, and k as `whole.h` shifts it. ln 2 is split so that k times its high part is exact. */
static inline float less_powers(float x, __private float *shifted) {
    *shifted = x * 0x1.715476p+0f + SHIFT;
    float k = *shifted - SHIFT;
    return x - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
}

/* (e^x - 1) / 2^less: 2^k (e^r - 1) + (2^k - 1), of numbers that are so much smaller. x is above -25. */
static inline float less_one(float x, int less) {
    float shifted, r = less_powers(x, &shifted);
    float p = 0x1.6b6f56p-10f;
    p = p * r + 0x1.1228f2p-7f;
    p = p * r + 0x1.55571ap-5f;
    p = p * r + 0x1.5554aep-3f;
    p = p * r + 0x1.fffffep-2f;
    float near = r + r * r * p, unit = as_float((127 - less) << 23);
    float power = as_float((as_int(shifted) << 23) + ((127 - less) << 23));
    return near * power + (power - unit);
}

/* x = 2^k (1 + f), |f| <= 1/3; gives k. A subnormal number is first made normal. */
static inline float split(float x, __private float *f) {
    bool subnormal = x < 0x1p-126f;
    int bits = as_int(subnormal ? x * 0x1p+23f : x);
    /* Counted from 2/3: as k grows by one, the bits of the number grow by 2^23. */
    int power = (bits - 0x3f2aaaab) & (int)0xff800000;
    *f = as_float(bits - power) - 1.0f;
    return (float)power * 0x1p-23f - (subnormal ? 23.0f : 0.0f);
}

/* What log(1 + f) is beyond f. */
static inline float log_beyond(float f) {
    float p = 0x1.1e7b1ep-3f;
    p = p * f - 0x1.3b839ap-3f;
    p = p * f + 0x1.1ed074p-3f;
    p = p * f - 0x1.501f3ap-3f;
    p = p * f + 0x1.99d0d2p-3f;
    p = p * f - 0x1.001524p-2f;
    p = p * f + 0x1.555504p-2f;
    p = p * f - 0x1.ffffd2p-2f;
    return f * f * p;
}
#pragma OPENCL FP_CONTRACT OFF

/* For numbers that have no logarithm, or an infinite one. */
static inline float or_special(float x, float value) {
    value = x > 0 ? value : x == 0 ? -INFINITY : NAN;
    return x < INFINITY ? value : x;
}

#endif

/* Exponentials and logarithms of float, without calls and branches: loops over work-items keep their registers and
 * vectorize at any width. libmvec's log and exp10 of float exceed the bounds of OpenCL C 3.0, section 7.4 (3 units).
 *
 * exp: x = k ln 2 + r with |r| <= 0.35; ln 2 is split so that k times its high part is exact. e^r is its series, 2^k two
 * factors, since one may be no normal number. log: x = 2^k (1 + f), 0.7 <= 1 + f < 1.42, and with s = f / (2 + f)
 * log(1 + f) = 2 (s + s^3/3 + s^5/5 + ...), arranged so that f itself is not rounded. */
#include "../library.h"
#pragma OPENCL FP_CONTRACT ON

/* e^r 2^k for |r| <= 0.35: the next term of the series is below 2^-27. */
static inline float scaled_series(float r, int k) {
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    int half_way = k >> 1;
    return p * as_float((half_way + 127) << 23) * as_float((k - half_way + 127) << 23);
}

/* What exceeds these gives zero or infinity anyway. */
static inline float within(float x, float least, float most) { return op_fmin(op_fmax(x, least), most); }

OVERLOAD float exp(float x) {
    float near = within(x, -105.0f, 90.0f);
    float k = op_rint(near * 0x1.715476p+0f);
    float r = near - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
    return x == x ? scaled_series(r, (int)k) : x;
}
OVERLOAD float exp2(float x) {
    float near = within(x, -151.0f, 129.0f);
    float k = op_rint(near);
    return x == x ? scaled_series((near - k) * 0x1.62e43p-1f, (int)k) : x;
}
OVERLOAD float exp10(float x) {
    float near = within(x, -46.0f, 39.0f);
    float k = op_rint(near * 0x1.a934f0p+1f);
    float r = near - k * 0x1.3440p-2f - k * 0x1.3509f8p-18f;
    return x == x ? scaled_series(r * 0x1.26bb1cp+1f, (int)k) : x;
}

/* f and what log(1 + f) is beyond it; gives k. A subnormal number is first made normal. */
static inline int split(float x, __private float *f, __private float *beyond) {
    bool subnormal = x < 0x1p-126f;
    uint bits = as_uint(subnormal ? x * 0x1p+23f : x);
    /* Counted from 0.7: as k grows by one, the bits of the number grow by 2^23. */
    uint above = bits - 0x3f330000;
    int k = (int)above >> 23;
    float part = as_float((above & 0x7fffff) + 0x3f330000) - 1.0f;
    float s = part / (2 + part), z = s * s;
    float series = z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
    float square = 0.5f * part * part;
    *f = part;
    *beyond = s * (square + series) - square;
    return k - (subnormal ? 23 : 0);
}

/* For numbers that have no logarithm, or an infinite one. */
static inline float or_special(float x, float value) {
    return x > 0 && x < INFINITY ? value : x == 0 ? -INFINITY : x > 0 ? x : NAN;
}

OVERLOAD float log(float x) {
    float f, beyond;
    float k = split(x, &f, &beyond);
    return or_special(x, k * 0x1.62e4p-1f + ((k * 0x1.7f7d1cp-20f + beyond) + f));
}
OVERLOAD float log2(float x) {
    float f, beyond;
    float k = split(x, &f, &beyond);
    float high = as_float(as_uint(f + beyond) & 0xfffff000), low = beyond - (high - f);
    return or_special(x, k + (high * 0x1.714p+0f + (high * 0x1.47652cp-12f + low * 0x1.715476p+0f)));
}
OVERLOAD float log10(float x) {
    float f, beyond;
    float k = split(x, &f, &beyond);
    float high = as_float(as_uint(f + beyond) & 0xfffff000), low = beyond - (high - f);
    return or_special(x, k * 0x1.3440p-2f + (high * 0x1.bcap-2f + (k * 0x1.3509f8p-18f + (high * 0x1.7b1526p-14f + low * 0x1.bcb7b2p-2f))));
}
#pragma OPENCL FP_CONTRACT OFF

#define WITH_DOUBLE(name)                                       \
    OVERLOAD double libm_##name(double) __asm__(#name) __attribute__((const, nothrow)); \
    OVERLOAD double name(double x) { return libm_##name(x); }   \
    MAP_1(float, name, float)                                   \
    MAP_1(double, name, double)
WITH_DOUBLE(exp)
WITH_DOUBLE(exp2)
WITH_DOUBLE(exp10)
WITH_DOUBLE(log)
WITH_DOUBLE(log2)
WITH_DOUBLE(log10)

/* pow and powr; of float without calls and branches, as 2^(y log2(x)).
 *
 * The product may be 150, and its error is one of the result: so the logarithm is of double, but for the higher terms of its
 * polynomial (relative error 2^-30 together), and so is the product, until its whole part has been taken off.
 *
 * Bounds: OpenCL C 3.0, section 7.4: 16 units in the last place; special cases in section 7.5. */
#include "../library.h"
#include "whole.h"
#pragma OPENCL FP_CONTRACT ON

/* log2(size), -inf of zero; infinity and NaN are theirs. */
static inline double log2_of(float size) {
    bool subnormal = size < 0x1p-126f;
    int bits = as_int(subnormal ? size * 0x1p+23f : size);
    int power = (bits - 0x3f2aaaab) & (int)0xff800000;
    float f = as_float(bits - power) - 1.0f;
    float k = (float)power * 0x1p-23f - (subnormal ? 23.0f : 0.0f);
    k = size > 0 ? k : -INFINITY;
    k = size < INFINITY ? k : size;
    float p = -0x1.535dc6p-3f;
    p = p * f + 0x1.6896bep-3f;
    p = p * f - 0x1.19c620p-3f;
    p = p * f + 0x1.3c110ap-3f;
    p = p * f - 0x1.724316p-3f;
    p = p * f + 0x1.a6d14ep-3f;
    p = p * f - 0x1.ec68dap-3f;
    p = p * f + 0x1.27744ep-2f;
    p = p * f - 0x1.715484p-2f;
    double d = f, q = (double)p * d + 0x1.ec70a3d826685p-2;
    q = q * d - 0x1.7154764bf46e2p-1;
    q = q * d + 0x1.715476521d605p+0;
    return q * d + (double)k;
}

/* 2^w, which nears its limits before w does. */
static inline float power(double w) {
    w = w < -160 ? -160 : w;
    w = w > 140 ? 140 : w;
    double k = op_rint(w);
    float r = (float)(w - k);
    float p = 0x1.3f9068p-13f;
    p = p * r + 0x1.5f0a66p-10f;
    p = p * r + 0x1.3b30b0p-7f;
    p = p * r + 0x1.c6af78p-5f;
    p = p * r + 0x1.ebfbd8p-3f;
    p = p * r + 0x1.62e430p-1f;
    p = p * r + 1.0f;
    return times_power(p, (float)k + SHIFT);
}

/* The power of a size. An infinite y is as good as the largest one, and a product with zero is none that is no number. */
static inline float power_of_size(float size, float y) {
    return power(log2_of(size) * (double)within(y, -FLT_MAX, FLT_MAX));
}

OVERLOAD float pow(float x, float y) {
    float size = op_fabs(x);
    float value = power_of_size(size, y);
    value = x == 1 || y == 0 ? 1 : value;
    bool whole = op_rint(y) == y, odd = whole && op_rint(0.5f * y) != 0.5f * y;
    value = x < 0 && size < INFINITY && !whole ? NAN : value;
    return as_float(as_uint(value) ^ (odd ? as_uint(x) & 0x80000000 : 0));
}
/* exp(y log(x)): negative bases have no power, and 0^0, 1^inf, inf^0 are not numbers. */
static inline bool has_no_power(float x, float y) {
    float base = op_fabs(x);
    return x < 0 || x != x || y != y || (y == 0 && (base == 0 || base == INFINITY)) || (base == 1 && op_fabs(y) == INFINITY);
}
OVERLOAD float powr(float x, float y) {
    return has_no_power(x, y) ? NAN : power_of_size(op_fabs(x), y);
}
#pragma OPENCL FP_CONTRACT OFF

FLOAT_AND_LIBM_2(pow)
OVERLOAD double powr(double x, double y) {
    double base = op_fabs(x);
    bool undefined = x < 0 || x != x || y != y || (base == 0 && y == 0) ||
                     (base == (double)INFINITY && y == 0) || (base == 1 && op_fabs(y) == (double)INFINITY);
    return undefined ? (double)NAN : libm_pow(base, y);
}
MAP_2(float, powr, float, float)
MAP_2(double, powr, double, double)

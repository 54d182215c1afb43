/* Exponentials and logarithms of float, without calls and branches: loops over work-items keep their registers and
 * vectorize at any width. libmvec's log and exp10 of float exceed the bounds of OpenCL C 3.0, section 7.4 (3 units).
 *
 * exp: x = k ln 2 + r, e^r is a polynomial, times 2^k. log: x = 2^k (1 + f), log(1 + f) is f and a polynomial times f^2. Both in
 * `series.h`, for other bases here (2^-27, 2^-26 and 2^-25 of relative error). */
#include "../library.h"
#include "series.h"
#pragma OPENCL FP_CONTRACT ON

OVERLOAD float exp(float x) {
    float shifted, r = less_powers(within(x, -105.0f, 90.0f), &shifted);
    return times_power(exp_near_zero(r), shifted);
}
OVERLOAD float exp2(float x) {
    x = within(x, -151.0f, 129.0f);
    float shifted = x + SHIFT, r = x - (shifted - SHIFT);
    float p = 0x1.3f9068p-13f;
    p = p * r + 0x1.5f0a66p-10f;
    p = p * r + 0x1.3b30b0p-7f;
    p = p * r + 0x1.c6af78p-5f;
    p = p * r + 0x1.ebfbd8p-3f;
    p = p * r + 0x1.62e430p-1f;
    p = p * r + 1.0f;
    return times_power(p, shifted);
}
OVERLOAD float exp10(float x) {
    x = within(x, -46.0f, 39.0f);
    float shifted = x * 0x1.a934f0p+1f + SHIFT, k = shifted - SHIFT;
    float r = x - k * 0x1.3440p-2f - k * 0x1.3509f8p-18f;
    float p = 0x1.a4926ep-3f;
    p = p * r + 0x1.156bbep-1f;
    p = p * r + 0x1.2bdbdep+0f;
    p = p * r + 0x1.046f9ap+1f;
    p = p * r + 0x1.535248p+1f;
    p = p * r + 0x1.26bb1cp+1f;
    p = p * r + 1.0f;
    return times_power(p, shifted);
}

OVERLOAD float log(float x) {
    float f, k = split(x, &f);
    return or_special(x, k * 0x1.62e4p-1f + (k * 0x1.7f7d1cp-20f + (f + log_beyond(f))));
}
OVERLOAD float log2(float x) {
    float f, k = split(x, &f);
    float p = -0x1.74e82ap-3f;
    p = p * f + 0x1.968aeep-3f;
    p = p * f - 0x1.69ed26p-3f;
    p = p * f + 0x1.9f7ec4p-3f;
    p = p * f - 0x1.ecb2b4p-3f;
    p = p * f + 0x1.278c16p-2f;
    p = p * f - 0x1.715436p-2f;
    p = p * f + 0x1.ec70bep-2f;
    p = p * f - 0x1.715476p-1f;
    p = p * f + 0x1.715476p+0f;
    return or_special(x, f * p + k);
}
OVERLOAD float log10(float x) {
    float f, k = split(x, &f);
    float p = -0x1.de906ap-5f;
    p = p * f + 0x1.011d96p-4f;
    p = p * f - 0x1.ac5034p-5f;
    p = p * f + 0x1.ee2534p-5f;
    p = p * f - 0x1.28f3f0p-4f;
    p = p * f + 0x1.642152p-4f;
    p = p * f - 0x1.bcb4c4p-4f;
    p = p * f + 0x1.287988p-3f;
    p = p * f - 0x1.bcb7b4p-3f;
    p = p * f + 0x1.bcb7b2p-2f;
    return or_special(x, k * 0x1.3440p-2f + (k * 0x1.3509f8p-18f + f * p));
}

/* Nothing is lost of a small x, since f is made of it and of the power of two; a quarter of it and four times that power, since the
 * largest numbers have none that is normal. */
OVERLOAD float log1p(float x) {
    float whole = 1 + x;
    int power = (as_int(whole) - 0x3f2aaaab) & (int)0xff800000;
    float k = (float)power * 0x1p-23f, scale = as_float(0x40800000 - power);
    float f = (0.25f * x) * scale + (0.25f * scale - 1);
    float value = k * 0x1.62e4p-1f + (k * 0x1.7f7d1cp-20f + (f + log_beyond(f)));
    value = whole > 0 ? value : whole == 0 ? -INFINITY : NAN;
    value = x < INFINITY ? value : x;
    return op_fabs(x) < 0x1p-24f ? x : value;
}
/* By half of it, since 2^k may be just too large. */
OVERLOAD float expm1(float x) {
    float half_of_it = less_one(within(x, -24.0f, 89.0f), 1);
    return op_copysign(half_of_it + half_of_it, x);
}
#pragma OPENCL FP_CONTRACT OFF

FLOAT_AND_LIBM(exp)
FLOAT_AND_LIBM(exp2)
FLOAT_AND_LIBM(exp10)
FLOAT_AND_LIBM(expm1)
FLOAT_AND_LIBM(log)
FLOAT_AND_LIBM(log2)
FLOAT_AND_LIBM(log10)
FLOAT_AND_LIBM(log1p)

/* The functions of angles in half turns: sinpi, cospi, tanpi and their inverses.
 *
 * The forward ones reduce exactly. sinpi and cospi of float: to an angle of half a turn at most, and then a sine. The others: x = 2k + q/2 + r
 * with |r| <= 1/4, then a polynomial in r, times pi. No branches, so they vectorize. The inverse ones divide libm's result by
 * pi, in double for float. Bounds of OpenCL C 3.0, section 7.4: 4 units in the last place (tanpi 6, the inverse ones 5 or 6). */
#include "../library.h"
#include "angles.h"

#pragma OPENCL FP_CONTRACT ON
/* x less an even number: -1 to 1. */
static inline float less_turns(float x) { return x - 2 * op_rint(x * 0.5f); }

/* A half turn from 0 to 1 is a sine twice; whole numbers give zeros with the sign of x. */
OVERLOAD float sinpi(float x) {
    float turn = less_turns(x), size = op_fabs(turn);
    float near = size > 0.5f ? 1 - size : size;
    return op_copysign(near_sine(near * M_PI_F), near == 0 ? x : turn);
}
/* cos(pi x) = sin(pi (1/2 - x)). Halves give +0. */
OVERLOAD float cospi(float x) { return near_sine((0.5f - op_fabs(less_turns(x))) * M_PI_F); }
#pragma OPENCL FP_CONTRACT OFF

/* sin(pi r) and cos(pi r) for |r| <= 1/4: for float the Taylor series in double (its next term is below 1e-10). */
static inline OVERLOAD float quarter_sine(float x) {
    double r = x * M_PI, s = r * r;
    return (float)(r * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880))))));
}
static inline OVERLOAD float quarter_cosine(float x) {
    double r = x * M_PI, s = r * r;
    return (float)(1 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800))))));
}

/* For double libm: pi r is rounded once (1/2 unit), and the sine of so small an angle does not amplify that. */
LIBM_1(sin)
LIBM_1(cos)
static inline OVERLOAD double quarter_sine(double r) { return libm_sin(r * M_PI); }
static inline OVERLOAD double quarter_cosine(double r) { return libm_cos(r * M_PI); }

/* sin(pi (x + ahead / 2)). */
static inline double sine_ahead(double x, int ahead) {
    double turn = x - 2 * op_rint(x * 0.5);
    double quarters = op_rint(turn * 2), r = turn - quarters * 0.5;
    int quadrant = ((int)quarters + ahead) & 3;
    double value = quadrant & 1 ? quarter_cosine(r) : quarter_sine(r);
    return quadrant & 2 ? -value : value;
}

/* Whole numbers give zeros with the sign of x (sinpi); halves give +0 (cospi). */
OVERLOAD double sinpi(double x) {
    double value = sine_ahead(x, 0);
    return value == 0 ? op_copysign(0.0, x) : value;
}
OVERLOAD double cospi(double x) {
    double value = sine_ahead(x, 1);
    return value == 0 ? 0.0 : value;
}

/* Even whole numbers give zeros with the sign of x, odd ones the other; n + 1/2 infinities, for even n positive. */
#define HALF_TURNS(T, ...)                                                          \
    OVERLOAD T tanpi(T x) {                                                         \
        T turn = x - 2 * op_rint(x * (T)0.5);                                       \
        T quarters = op_rint(turn * 2), r = turn - quarters * (T)0.5;               \
        int quadrant = (int)quarters & 3;                                           \
        T sine = quarter_sine(r), cosine = quarter_cosine(r);                       \
        T value = quadrant & 1 ? -cosine / sine : sine / cosine;                    \
        T zero = op_copysign((T)0, quadrant & 2 ? -x : x);                          \
        T pole = quadrant & 2 ? -(T)INFINITY : (T)INFINITY;                         \
        return r != 0 || x != x ? value : quadrant & 1 ? pole : zero;               \
    }                                                                               \
    MAP_1(T, sinpi, T)                                                              \
    MAP_1(T, cospi, T)                                                              \
    MAP_1(T, tanpi, T)
FOR_REALS(HALF_TURNS, )

LIBM_1(acos)
LIBM_1(asin)
LIBM_1(atan)
LIBM_2(atan2)
OVERLOAD float acospi(float x) { return (float)(libm_acos(x) * M_1_PI); }
OVERLOAD float asinpi(float x) { return (float)(libm_asin(x) * M_1_PI); }
OVERLOAD float atanpi(float x) { return (float)(libm_atan(x) * M_1_PI); }
OVERLOAD float atan2pi(float y, float x) { return (float)(libm_atan2((double)y, (double)x) * M_1_PI); }
OVERLOAD double acospi(double x) { return libm_acos(x) * M_1_PI; }
OVERLOAD double asinpi(double x) { return libm_asin(x) * M_1_PI; }
OVERLOAD double atanpi(double x) { return libm_atan(x) * M_1_PI; }
OVERLOAD double atan2pi(double y, double x) { return libm_atan2(y, x) * M_1_PI; }
#define INVERSES(T, ...)     \
    MAP_1(T, acospi, T)      \
    MAP_1(T, asinpi, T)      \
    MAP_1(T, atanpi, T)      \
    MAP_2(T, atan2pi, T, T)
FOR_REALS(INVERSES)

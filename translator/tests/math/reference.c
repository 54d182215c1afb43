/* What functions of mathematics should give, in long double, whose errors are below a thousandth of a unit in the last place
 * of double; and how far results are from that. Compiled and loaded by tests/math, with sieve.c.
 *
 * The unit is that of OpenCL C 3.0, section 7.4: the distance of the two neighbouring numbers around the true value, that of
 * the smallest normal numbers below those. A result that overflowed counts as the power of two above the largest number. */
#define _GNU_SOURCE
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

static real pi(void) { return 3.14159265358979323846264338327950288L; }
/* Angles in half turns, reduced exactly. */
static real sinpil_(real x) {
    real r = remainderl(x, 2);
    if (r == 0 || fabsl(r) == 1) return copysignl(0, x);
    if (fabsl(r) > 0.5L) r = copysignl(1, r) - r;
    return sinl(pi() * r);
}
static real cospil_(real x) {
    real r = fabsl(remainderl(x, 2));
    if (r == 0.5L) return 0;
    return r < 0.25L ? cosl(pi() * r) : r > 0.75L ? -cosl(pi() * (1 - r)) : sinl(pi() * (0.5L - r));
}
static real tanpil_(real x) {
    real r = remainderl(x, 2);
    if (r == 0) return copysignl(0, x);
    if (fabsl(r) == 1) return copysignl(0, -x);
    if (r == 0.5L) return INFINITY;
    if (r == -0.5L) return -INFINITY;
    return sinpil_(x) / cospil_(x);
}
static real acospil_(real x) { return acosl(x) / pi(); }
static real asinpil_(real x) { return asinl(x) / pi(); }
static real atanpil_(real x) { return atanl(x) / pi(); }
static real atan2pil_(real y, real x) { return atan2l(y, x) / pi(); }
static real rsqrtl_(real x) { return 1 / sqrtl(x); }
static real powrl_(real x, real y) {
    if (x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y))) return NAN;
    return powl(fabsl(x), y);
}
static real rootnl_(real x, real n) {
    int odd = fabsl(fmodl(n, 2)) == 1;
    if (n == 0 || (x < 0 && !odd)) return NAN;
    real root = powl(fabsl(x), 1 / n);
    return odd ? copysignl(root, x) : root;
}

static real degreesl_(real x) { return x * (180 / pi()); }
static real radiansl_(real x) { return x * (pi() / 180); }
static real signl_(real x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static real recipl_(real x) { return 1 / x; }
/* Where this rounds to one, the function gives the number below. */
static real fractl_(real x) { return isinf(x) ? 0 : x - floorl(x); }
static real frexpl_(real x) {
    int exponent;
    return frexpl(x, &exponent);
}
static real modfl_(real x) {
    real whole;
    return modfl(x, &whole);
}
static real lgammal_(real x) {
    int sign;
    return lgammal_r(x, &sign);
}
/* As the kernel limits it. */
static real ilogbl_(real x) { return x == 0 ? -9999 : isnan(x) || isinf(x) ? 9999 : ilogbl(x); }

static const struct function functions[] = {
    {"acos", acosl, 0}, {"acosh", acoshl, 0}, {"acospi", acospil_, 0}, {"asin", asinl, 0}, {"asinh", asinhl, 0},
    {"asinpi", asinpil_, 0}, {"atan", atanl, 0}, {"atanh", atanhl, 0}, {"atanpi", atanpil_, 0}, {"cbrt", cbrtl, 0},
    {"ceil", ceill, 0}, {"cos", cosl, 0}, {"cosh", coshl, 0}, {"cospi", cospil_, 0}, {"erf", erfl, 0}, {"erfc", erfcl, 0},
    {"exp", expl, 0}, {"exp10", exp10l, 0}, {"exp2", exp2l, 0}, {"expm1", expm1l, 0}, {"fabs", fabsl, 0},
    {"floor", floorl, 0}, {"log", logl, 0}, {"log10", log10l, 0}, {"log1p", log1pl, 0}, {"log2", log2l, 0},
    {"logb", logbl, 0}, {"rint", rintl, 0}, {"round", roundl, 0}, {"rsqrt", rsqrtl_, 0}, {"sin", sinl, 0},
    {"sinh", sinhl, 0}, {"sinpi", sinpil_, 0}, {"sqrt", sqrtl, 0}, {"tan", tanl, 0}, {"tanh", tanhl, 0},
    {"tanpi", tanpil_, 0}, {"tgamma", tgammal, 0}, {"trunc", truncl, 0},
    {"atan2", 0, atan2l}, {"atan2pi", 0, atan2pil_}, {"copysign", 0, copysignl}, {"fdim", 0, fdiml}, {"fmax", 0, fmaxl},
    {"fmin", 0, fminl}, {"fmod", 0, fmodl}, {"hypot", 0, hypotl}, {"pow", 0, powl}, {"pown", 0, powl},
    {"powr", 0, powrl_}, {"remainder", 0, remainderl}, {"rootn", 0, rootnl_},
    {"degrees", degreesl_, 0}, {"fract", fractl_, 0}, {"frexp", frexpl_, 0}, {"ilogb", ilogbl_, 0}, {"lgamma", lgammal_, 0},
    {"lgamma_r", lgammal_, 0}, {"modf", modfl_, 0}, {"radians", radiansl_, 0}, {"sign", signl_, 0}, {"sincos", sinl, 0},
    {"sincos_cosine", cosl, 0},
    {"half_cos", cosl, 0}, {"half_exp", expl, 0}, {"half_exp10", exp10l, 0}, {"half_exp2", exp2l, 0}, {"half_log", logl, 0},
    {"half_log10", log10l, 0}, {"half_log2", log2l, 0}, {"half_recip", recipl_, 0}, {"half_rsqrt", rsqrtl_, 0},
    {"half_sin", sinl, 0}, {"half_sqrt", sqrtl, 0}, {"half_tan", tanl, 0},
};

double units(real got, real want, int digits, int least, int most) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (got == want) return 0;
    real above = ldexpl(1, most);
    if (isinf(got)) got = copysignl(above, got);
    if (fabsl(want) >= above) want = copysignl(above, want);
    if (got == want) return 0;
    int exponent = want == 0 ? least : ilogbl(want);
    if (exponent < least) exponent = least;
    if (exponent > most - 1) exponent = most - 1;
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

const struct function *find(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name)) return &functions[i];
    return 0;
}

/* What a function should give for `count` numbers. The second arguments are numbers (0), or integers of 32 bits (1). Gives
 * whether the function is known. */
int expect(const char *name, int is_double, int integers, size_t count, const void *x, const void *y, real *want) {
    const struct function *function = find(name);
    if (!function) return 0;
    for (size_t i = 0; i < count; i++) {
        real a = is_double ? ((const double *)x)[i] : ((const float *)x)[i], b = 0;
        if (function->two) b = integers ? ((const int *)y)[i] : is_double ? ((const double *)y)[i] : ((const float *)y)[i];
        want[i] = function->one ? function->one(a) : function->two(a, b);
    }
    return 1;
}

/* The largest error of `count` results, and where it is. */
void worst(int is_double, size_t count, const real *want, const void *got, double *error, size_t *at) {
    *error = 0, *at = 0;
    for (size_t i = 0; i < count; i++) {
        double e = is_double ? units(((const double *)got)[i], want[i], 52, -1022, 1024)
                             : units(((const float *)got)[i], want[i], 23, -126, 128);
        if (e > *error) *error = e, *at = i;
    }
}

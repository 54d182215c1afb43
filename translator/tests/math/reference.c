/* What functions of mathematics should give, in long double, whose errors are below a thousandth of a unit in the last place
 * of double; and how far results are from that. Compiled and loaded by tests/math.
 *
 * Every float there is would take hours so. There, double is a sieve, whose errors are below a millionth of a unit of float: only
 * results that seem to be about as far off as the worst known are measured in long double.
 *
 * The unit is that of OpenCL C 3.0, section 7.4: the distance of the two neighbouring numbers around the true value, that of
 * the smallest normal numbers below those. A result that overflowed counts as the power of two above the largest number. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef long double real;

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

static const struct function {
    const char *name;
    real (*one)(real);
    real (*two)(real, real);
} functions[] = {
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
};

static double units(real got, real want, int digits, int least, int most) {
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

static const struct function *find(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name)) return &functions[i];
    return 0;
}

/* The largest error of `count` results of a function, and where it is. The second arguments are numbers (0), or integers of
 * 32 bits (1). Gives whether the function is known. */
int worst(const char *name, int is_double, int integers, size_t count, const void *x, const void *y, const void *got,
          double *error, size_t *at) {
    const struct function *function = find(name);
    if (!function) return 0;
    *error = 0, *at = 0;
    for (size_t i = 0; i < count; i++) {
        real a = is_double ? ((const double *)x)[i] : ((const float *)x)[i], b = 0, want;
        if (function->two) b = integers ? ((const int *)y)[i] : is_double ? ((const double *)y)[i] : ((const float *)y)[i];
        want = function->one ? function->one(a) : function->two(a, b);
        double e = is_double ? units(((const double *)got)[i], want, 52, -1022, 1024)
                             : units(((const float *)got)[i], want, 23, -126, 128);
        if (e > *error) *error = e, *at = i;
    }
    return 1;
}

/* The sieve: functions of double, and their forms in libmvec for as many numbers as this processor's registers hold. */
#if defined __AVX512F__
enum { LANES = 8 };
#define FORM(name) _ZGVeN8v_##name
#elif defined __AVX2__
enum { LANES = 4 };
#define FORM(name) _ZGVdN4v_##name
#else
enum { LANES = 2 };
#define FORM(name) _ZGVbN2v_##name
#endif
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef long masks __attribute__((vector_size(LANES * sizeof(long))));
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
#define ALL_FORMS(F)                                                                                              \
    F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(cos) F(cosh) F(erf) F(erfc) F(exp) F(exp10) F(exp2) \
    F(expm1) F(log) F(log10) F(log1p) F(log2) F(sin) F(sinh) F(tan) F(tanh)
#define DECLARE(name) lanes FORM(name)(lanes);
ALL_FORMS(DECLARE)

/* Angles in half turns, as above. */
static double sinpi_(double x) {
    double r = x - 2 * rint(x / 2);
    return sin((double)pi() * (fabs(r) > 0.5 ? copysign(1, r) - r : r));
}
static double cospi_(double x) {
    double r = fabs(x - 2 * rint(x / 2));
    return sin((double)pi() * (0.5 - r));
}
static double tanpi_(double x) { return sinpi_(x) / cospi_(x); }
static double acospi_(double x) { return acos(x) / (double)pi(); }
static double asinpi_(double x) { return asin(x) / (double)pi(); }
static double atanpi_(double x) { return atan(x) / (double)pi(); }
static double rsqrt_(double x) { return 1 / sqrt(x); }

static const struct sieve {
    const char *name;
    lanes (*form)(lanes);
    double (*alone)(double);
} sieves[] = {
#define ROW(name) {#name, FORM(name), 0},
    ALL_FORMS(ROW)
    {"acospi", 0, acospi_}, {"asinpi", 0, asinpi_}, {"atanpi", 0, atanpi_}, {"ceil", 0, ceil}, {"cospi", 0, cospi_},
    {"fabs", 0, fabs}, {"floor", 0, floor}, {"logb", 0, logb}, {"rint", 0, rint}, {"round", 0, round},
    {"rsqrt", 0, rsqrt_}, {"sinpi", 0, sinpi_}, {"sqrt", 0, sqrt}, {"tanpi", 0, tanpi_}, {"tgamma", 0, tgamma},
    {"trunc", 0, trunc},
};

/* What seems right within so many units is not measured, nor what is so much below the worst known. */
static const double EXACT = 1e-4, NEAR = 1e-4;
static const long SIGN = 1L << 63, EXPONENT = 0x7ffL << 52, LEAST = (1023L - 126) << 52, MOST = (1023L + 128) << 52;

/* What is beyond the floats is the power of two above them. */
static inline lanes within_float(lanes x) {
    masks bits = (masks)x, size = bits & ~SIGN, is_beyond = (size > MOST) & (size <= EXPONENT);
    return (lanes)((bits & ~is_beyond) | (is_beyond & ((bits & SIGN) | MOST)));
}

/* Which results seem to be `limit` units of float off, or more. */
static inline masks suspects(lanes found, lanes want, double limit) {
    lanes near = within_float(want);
    found = within_float(found);
    masks power = (masks)near & EXPONENT, is_small = power < LEAST;
    power = (power & ~is_small) | (is_small & LEAST);
    lanes off = (lanes)((masks)(found - near) & ~SIGN);
    return ~((found == near) | ((found != found) & (near != near)) | (off < limit * 0x1p-23 * (lanes)power));
}

/* Measures results for `count` floats: the largest error, if it is larger than `error`, and where it is. Gives whether the
 * function is known, and the count a multiple of 8. */
int worst_of_floats(const char *name, size_t count, const float *x, const float *got, double *error, size_t *at) {
    const struct function *function = find(name);
    const struct sieve *sieve = 0;
    for (size_t i = 0; i < sizeof sieves / sizeof *sieves; i++)
        if (!strcmp(sieves[i].name, name)) sieve = &sieves[i];
    if (!function || !sieve || count % LANES) return 0;
    for (size_t first = 0; first < count; first += LANES) {
        floats numbers, results;
        memcpy(&numbers, x + first, sizeof numbers);
        memcpy(&results, got + first, sizeof results);
        lanes want = __builtin_convertvector(numbers, lanes);
        if (sieve->form) want = sieve->form(want);
        else
            for (int i = 0; i < LANES; i++) want[i] = sieve->alone(want[i]);
        masks suspect = suspects(__builtin_convertvector(results, lanes), want, fmax(EXACT, *error - NEAR));
        long any = 0;
        for (int i = 0; i < LANES; i++) any |= suspect[i];
        for (int i = 0; any && i < LANES; i++) {
            if (!suspect[i]) continue;
            double e = units(results[i], function->one(numbers[i]), 23, -126, 128);
            if (e > *error) *error = e, *at = first + (size_t)i;
        }
    }
    return 1;
}

/* The same in double, fast enough for every float there is: by libmvec's forms of double for as many numbers as this processor's
 * registers hold, whose errors are below a millionth of a unit of float. Double is a sieve: only results that seem to be
 * about as far off as the worst known are measured in long double.
 *
 * Terms: *lanes* are the numbers of a register. */
#define _GNU_SOURCE
#include "reference.h"

#include <math.h>
#include <string.h>

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

#define ALL_FORMS(F)                                                                                                 \
    F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(cosh) F(erf) F(erfc) F(exp) F(exp10) F(exp2) F(expm1) \
    F(log) F(log10) F(log1p) F(log2) F(sinh) F(tanh)
#define DECLARE(name) lanes FORM(name)(lanes);
ALL_FORMS(DECLARE)
DECLARE(cos)
DECLARE(sin)
DECLARE(tan)

/* A function of lanes from what it is of one number. */
#define EACH(name, EXPRESSION)                                \
    static lanes name(lanes numbers) {                        \
        for (int i = 0; i < LANES; i++) {                     \
            double x = numbers[i];                            \
            numbers[i] = EXPRESSION;                          \
        }                                                     \
        return numbers;                                       \
    }
EACH(ceil_, __builtin_ceil(x))
EACH(fabs_, __builtin_fabs(x))
EACH(floor_, __builtin_floor(x))
EACH(rint_, __builtin_rint(x))
/* Exact, since twice a float is one of double. */
EACH(round_, __builtin_copysign(__builtin_floor(__builtin_fabs(x) + 0.5), x))
EACH(sqrt_, __builtin_sqrt(x))
EACH(trunc_, __builtin_trunc(x))
EACH(rsqrt_, 1 / __builtin_sqrt(x))
EACH(recip_, 1 / x)
EACH(degrees_, x * (180 / M_PI))
EACH(radians_, x * (M_PI / 180))
EACH(sign_, x > 0 ? 1 : x < 0 ? -1 : 0)
EACH(fract_, __builtin_isinf(x) ? 0 : x - __builtin_floor(x))
EACH(modf_, __builtin_isinf(x) ? 0 : x - __builtin_trunc(x))

/* Every float is a normal number of double: its exponent is in its bits. */
static long bits_of(double x) {
    long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double number_of(long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double exponent_of(double x) { return (double)((bits_of(x) >> 52 & 0x7ff) - 1023); }
EACH(logb_, x == 0 ? -INFINITY : x - x != 0 ? x * x : exponent_of(x))
EACH(ilogb_, x == 0 ? -9999 : x - x != 0 ? 9999 : exponent_of(x))
EACH(frexp_, x == 0 || x - x != 0 ? x : number_of((bits_of(x) & ~(0x7ffL << 52)) | 1022L << 52))

/* Sines and cosines of large floats: libmvec computes these one by one. A float is m 2^e with m below 2^24, and of 2^e / 2 pi
 * whole turns are left out; the rest of it is cut in parts of 27, 27 and 53 bits, so that m times the first two are exact. */
enum { LEAST_POWER = -10, POWERS = 105 - LEAST_POWER };
static struct { double first, second, third; } turns[POWERS];

/* Bits of 1 / 2 pi from a position after the point, as a part of one at that position. */
static double turn_bits(int from, int count) {
    static const unsigned long words[] = {0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158};
    double part = 0;
    for (int i = from; i < from + count; i++)
        if (i >= 0 && words[i / 64] >> (63 - i % 64) & 1) part += ldexp(1, from - i - 1);
    return part;
}
__attribute__((constructor)) static void fill_turns(void) {
    for (int power = LEAST_POWER; power < LEAST_POWER + POWERS; power++) {
        turns[power - LEAST_POWER].first = turn_bits(power, 27);
        turns[power - LEAST_POWER].second = ldexp(turn_bits(power + 27, 27), -27);
        turns[power - LEAST_POWER].third = ldexp(turn_bits(power + 54, 53), -54);
    }
}

/* The angle that is left of a float of at least 2^14, in (-pi/4, pi/4), and how many quarters of a turn go before it. */
static double reduce(double x, double *quarter) {
    double m = number_of((bits_of(x) & ~(0x7ffL << 52)) | (1023L + 23) << 52);
    int at = (int)(bits_of(x) >> 52 & 0x7ff) - 1023 - 23 - LEAST_POWER;
    double first = m * turns[at].first, second = m * turns[at].second;
    first -= __builtin_rint(first);
    *quarter = __builtin_rint(4 * (first + second));
    return ((first - *quarter / 4 + second) + m * turns[at].third) * (2 * M_PI);
}

static lanes select_(masks mask, lanes a, lanes b) { return (lanes)(((masks)a & mask) | ((masks)b & ~mask)); }

/* Gives whether all are large; then also sines and cosines. */
static int large_angles(lanes x, lanes *sine, lanes *cosine) {
    masks size = (masks)x & ~(1L << 63), is_other = (size < (1023L + 14) << 52) | (size >= 0x7ffL << 52);
    lanes quarters;
    long others = 0;
    for (int i = 0; i < LANES; i++) others |= is_other[i];
    if (others) return 0;
    for (int i = 0; i < LANES; i++) {
        double quarter;
        x[i] = reduce(x[i], &quarter);
        quarters[i] = quarter;
    }
    lanes s = FORM(sin)(x), c = FORM(cos)(x);
    masks turn = __builtin_convertvector(quarters, masks), is_odd = -(turn & 1);
    *sine = select_(-(turn >> 1 & 1), select_(is_odd, -c, -s), select_(is_odd, c, s));
    *cosine = select_(-((turn + 1) >> 1 & 1), select_(is_odd, -s, -c), select_(is_odd, s, c));
    return 1;
}
static lanes sin_(lanes x) {
    lanes sine, cosine;
    return large_angles(x, &sine, &cosine) ? sine : FORM(sin)(x);
}
static lanes cos_(lanes x) {
    lanes sine, cosine;
    return large_angles(x, &sine, &cosine) ? cosine : FORM(cos)(x);
}
static lanes tan_(lanes x) {
    lanes sine, cosine;
    return large_angles(x, &sine, &cosine) ? sine / cosine : FORM(tan)(x);
}

/* Angles in half turns, reduced exactly. */
EACH(sine_turn, x - 2 * __builtin_rint(x / 2))
EACH(sine_angle, M_PI * (__builtin_fabs(x) > 0.5 ? __builtin_copysign(1, x) - x : x))
EACH(cosine_angle, M_PI * (0.5 - __builtin_fabs(x)))
static lanes sinpi_(lanes x) { return FORM(sin)(sine_angle(sine_turn(x))); }
static lanes cospi_(lanes x) { return FORM(sin)(cosine_angle(sine_turn(x))); }
static lanes tanpi_(lanes x) { return sinpi_(x) / cospi_(x); }
static lanes acospi_(lanes x) { return FORM(acos)(x) / M_PI; }
static lanes asinpi_(lanes x) { return FORM(asin)(x) / M_PI; }
static lanes atanpi_(lanes x) { return FORM(atan)(x) / M_PI; }

/* The gamma function is slow, and most floats are small or large. Where they are small, 1 / gamma is x times this series
 * (Abramowitz and Stegun, 6.1.34; the next term is below 2^-48); where large, Stirling's is as good. */
static const double SMALL = 0x1p-4, LARGE = 32;
static double series(double x) {
    static const double terms[] = {1, 0.5772156649015329, -0.6558780715202538, -0.0420026350340952, 0.1665386113822915,
                                   -0.0421977345555443, -0.0096219715278770, 0.0072189432466630, -0.0011651675918591};
    double sum = 0;
    for (int i = sizeof terms / sizeof *terms; i-- > 0;) sum = sum * x + terms[i];
    return sum;
}
static double stirling(double x) {
    double r = 1 / x, s = r * r;
    return r * (1.0 / 12 + s * (-1.0 / 360 + s * (1.0 / 1260))) - x + 0.91893853320467274178;
}
EACH(tgamma_, __builtin_fabs(x) < SMALL ? 1 / (x * series(x)) : tgamma(x))
static double lgamma_one(double x) {
    int sign;
    return lgamma_r(x, &sign);
}
/* Lanes of which all, or none, are small or large share the logarithm. */
static lanes lgamma_(lanes x) {
    lanes want = x, of = x;
    int small = 0, large = 0;
    for (int i = 0; i < LANES; i++) {
        int is_small = __builtin_fabs(x[i]) < SMALL;
        small += is_small, large += x[i] >= LARGE;
        if (is_small) of[i] = __builtin_fabs(x[i] * series(x[i]));
    }
    if (small == LANES) return -FORM(log)(of);
    lanes logarithm = FORM(log)(of);
    for (int i = 0; i < LANES; i++)
        want[i] = large < LANES ? lgamma_one(x[i]) : (x[i] - 0.5) * logarithm[i] + stirling(x[i]);
    return want;
}

static const struct sieve {
    const char *name;
    lanes (*form)(lanes);
} sieves[] = {
#define ROW(name) {#name, FORM(name)},
    ALL_FORMS(ROW)
    {"acospi", acospi_}, {"asinpi", asinpi_}, {"atanpi", atanpi_}, {"ceil", ceil_}, {"cos", cos_}, {"cospi", cospi_}, {"degrees", degrees_},
    {"fabs", fabs_}, {"floor", floor_}, {"fract", fract_}, {"frexp", frexp_}, {"ilogb", ilogb_}, {"lgamma", lgamma_},
    {"lgamma_r", lgamma_}, {"logb", logb_}, {"modf", modf_}, {"radians", radians_}, {"rint", rint_}, {"round", round_},
    {"rsqrt", rsqrt_}, {"sign", sign_}, {"sincos", sin_}, {"sincos_cosine", cos_}, {"sin", sin_}, {"sinpi", sinpi_}, {"sqrt", sqrt_}, {"tan", tan_}, {"tanpi", tanpi_},
    {"tgamma", tgamma_}, {"trunc", trunc_}, {"half_cos", cos_}, {"half_exp", FORM(exp)}, {"half_exp10", FORM(exp10)},
    {"half_exp2", FORM(exp2)}, {"half_log", FORM(log)}, {"half_log10", FORM(log10)}, {"half_log2", FORM(log2)},
    {"half_recip", recip_}, {"half_rsqrt", rsqrt_}, {"half_sin", sin_}, {"half_sqrt", sqrt_}, {"half_tan", tan_},
};

/* What a function should give for `count` floats, a multiple of 64. Gives whether it is known. */
int expect_floats(const char *name, size_t count, const float *x, double *want) {
    const struct sieve *sieve = 0;
    for (size_t i = 0; i < sizeof sieves / sizeof *sieves; i++)
        if (!strcmp(sieves[i].name, name)) sieve = &sieves[i];
    if (!sieve) return 0;
    for (size_t first = 0; first < count; first += LANES) {
        floats numbers;
        memcpy(&numbers, x + first, sizeof numbers);
        lanes result = sieve->form(__builtin_convertvector(numbers, lanes));
        memcpy(want + first, &result, sizeof result);
    }
    return 1;
}

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

/* Whether relaxed mathematics promises anything: subnormal numbers may be zero, and there are no infinities. */
static int is_ordinary(double x) { return isfinite(x) && fabs(x) < 0x1p128 && (x == 0 || fabs(x) >= 0x1p-126); }

/* Measures results for `count` floats, a multiple of 64: the largest error, if it is larger than `error`, and where it is. */
void worst_of_floats(const char *name, size_t count, const float *x, const double *want, const float *got, int relaxed,
                     double *error, size_t *at) {
    enum { BLOCK = 64 };
    const struct function *function = find(name);
    for (size_t block = 0; block < count; block += BLOCK) {
        double limit = fmax(EXACT, *error - NEAR);
        masks suspect[BLOCK / LANES], any = {0};
        for (int i = 0; i < BLOCK / LANES; i++) {
            lanes right;
            floats results;
            memcpy(&right, want + block + i * LANES, sizeof right);
            memcpy(&results, got + block + i * LANES, sizeof results);
            any |= suspect[i] = suspects(__builtin_convertvector(results, lanes), right, limit);
        }
        long found = 0;
        for (int i = 0; i < LANES; i++) found |= any[i];
        for (size_t i = block; found && i < block + BLOCK; i++) {
            if (!suspect[(i - block) / LANES][i % LANES]) continue;
            if (relaxed && !(is_ordinary(x[i]) && is_ordinary(want[i]))) continue;
            double e = units(got[i], function->one(x[i]), 23, -126, 128);
            if (e > *error) *error = e, *at = i;
        }
    }
}

/* Functions that take numbers apart: exponent, fraction, neighbours, remainders with quotients.
 * Exact, and without branches so that loops over work-items vectorize. Sources: OpenCL C 3.0, tables 8 and 9.
 * Terms: *bits* is the number as an integer, *magnitude* its bits without the sign. */
#include "../library.h"

/* What is the same for both precisions: T, its signed and unsigned integers, mantissa bits, bias, all exponent bits. */
#define FOR_FORMATS(M) M(float, int, uint, 23, 127, 255) M(double, long, ulong, 52, 1023, 2047)
#define SIGN_BIT(U) ((U)1 << (sizeof(U) * 8 - 1))
#define INFINITY_BITS(U, MANTISSA, FIELD) ((U)FIELD << MANTISSA)

/* The exponent of a finite number other than zero, and its significand in [1, 2) with the sign.
 * A subnormal is first scaled by a power of two that makes it normal. */
#define SPLIT(T, I, U, MANTISSA, BIAS, FIELD)                                                      \
    static int split(T x, __private T *significand) {                                              \
        U bits = as_##U(x);                                                                        \
        bool subnormal = (bits & ~SIGN_BIT(U)) < (U)1 << MANTISSA;                                 \
        U scaled = as_##U(x * (subnormal ? (T)((ulong)1 << MANTISSA) : (T)1));                     \
        int exponent = (int)(scaled >> MANTISSA & FIELD) - BIAS - (subnormal ? MANTISSA : 0);      \
        *significand = as_##T((scaled & ~((U)FIELD << MANTISSA)) | (U)BIAS << MANTISSA);           \
        return exponent;                                                                           \
    }

#define PARTS(T, I, U, MANTISSA, BIAS, FIELD)                                                      \
    OVERLOAD SPLIT(T, I, U, MANTISSA, BIAS, FIELD)                                                 \
    OVERLOAD T frexp(T x, __private int *exponent) {                                               \
        T significand;                                                                             \
        int e = split(x, &significand);                                                            \
        bool plain = x != 0 && op_fabs(x) < (T)INFINITY;                                              \
        *exponent = plain ? e + 1 : 0;                                                             \
        return plain ? significand * (T)0.5 : x;                                                   \
    }                                                                                              \
    MAP_OUT(T, frexp, int)                                                                         \
    OVERLOAD int ilogb(T x) {                                                                      \
        T significand;                                                                             \
        int e = split(x, &significand);                                                            \
        return x == 0 ? FP_ILOGB0 : x != x ? FP_ILOGBNAN : op_fabs(x) < (T)INFINITY ? e : INT_MAX;    \
    }                                                                                              \
    MAP_1(int, ilogb, T)                                                                           \
    OVERLOAD T logb(T x) {                                                                         \
        T significand;                                                                             \
        int e = split(x, &significand);                                                            \
        return x == 0 ? -(T)INFINITY : op_fabs(x) < (T)INFINITY ? (T)e : x * x;                       \
    }                                                                                              \
    MAP_1(T, logb, T)                                                                              \
    /* At most four factors. A step down is so large that a product is never rounded twice: what it makes  \
     * subnormal, the factor after it makes zero. */                                               \
    OVERLOAD T ldexp(T x, int n) {                                                                 \
        const int far = 3 * BIAS, least = 1 - BIAS, down = least + MANTISSA + 1;                   \
        n = n > far ? far : n < -far ? -far : n;                                                   \
        for (int i = 0; i < 4; i++) {                                                              \
            int part = n > BIAS ? BIAS : n < least ? down : n;                                     \
            x *= as_##T((U)(part + BIAS) << MANTISSA);                                             \
            n -= part;                                                                             \
        }                                                                                          \
        return x;                                                                                  \
    }                                                                                              \
    MAP_2(T, ldexp, T, int)                                                                        \
    SPREAD_2(T, ldexp, T, int)                                                                     \
    OVERLOAD T nextafter(T x, T y) {                                                               \
        I bits = as_##I(x), toward = as_##I(y);                                                    \
        /* As integers that are ordered as the numbers are, zeros equal. */                        \
        I a = bits < 0 ? (I)(SIGN_BIT(U) - (U)bits) : bits;                                        \
        I b = toward < 0 ? (I)(SIGN_BIT(U) - (U)toward) : toward;                                  \
        I next = a < b ? a + 1 : a - 1;                                                            \
        T moved = as_##T(next < 0 ? (I)(SIGN_BIT(U) - (U)next) : next);                            \
        return x != x || y != y ? x + y : a == b ? y : moved == 0 ? op_copysign((T)0, x) : moved;  \
    }                                                                                              \
    MAP_2(T, nextafter, T, T)                                                                      \
    OVERLOAD T nan(U code) { return as_##T(code | INFINITY_BITS(U, MANTISSA, FIELD) | (U)1 << (MANTISSA - 1)); } \
    MAP_1(T, nan, U)                                                                               \
    /* The fraction keeps the sign of the number; so an infinity leaves a zero. */                 \
    OVERLOAD T modf(T x, __private T *whole) {                                                     \
        T w = op_trunc(x);                                                                            \
        *whole = w;                                                                                \
        return op_copysign(op_fabs(x) == (T)INFINITY ? (T)0 : x - w, x);                                 \
    }                                                                                              \
    MAP_OUT(T, modf, T)                                                                            \
    OVERLOAD T fract(T x, __private T *whole) {                                                    \
        T w = op_floor(x), below_one = as_##T(((U)BIAS << MANTISSA) - 1);                             \
        *whole = w;                                                                                \
        return x != x ? x : op_fabs(x) == (T)INFINITY ? op_copysign((T)0, x) : op_fmin(x - w, below_one); \
    }                                                                                              \
    MAP_OUT(T, fract, T)

FOR_FORMATS(PARTS)

/* The remainder to the nearest quotient, and the quotient's sign and low seven bits (libm's gives three). Every step is
 * exact; the first brings the number below 128 or, near the largest ones, 256 times the divisor. */
LIBM_2(fmod)
#define REMQUO(T, ...)                                                                             \
    OVERLOAD T remquo(T x, T y, __private int *quotient) {                                         \
        T rest = op_fabs(x), by = op_fabs(y), period = by * 128;                                   \
        bool valid = rest < (T)INFINITY && by > 0;                                                 \
        if (period < (T)INFINITY) rest = libm_fmod(rest, period);                                  \
        int q = 0;                                                                                 \
        for (int i = 7; i >= 0; i--) {                                                             \
            T part = by * (T)(1 << i);                                                             \
            bool take = rest >= part;                                                              \
            rest -= take ? part : 0;                                                               \
            q += take ? 1 << i : 0;                                                                \
        }                                                                                          \
        bool up = rest > by - rest || (rest == by - rest && (q & 1));                              \
        rest -= up ? by : 0;                                                                       \
        q = (q + up) & 127;                                                                        \
        *quotient = !valid ? 0 : (x < 0) != (y < 0) ? -q : q;                                      \
        return valid ? op_copysign((T)1, x) * rest : (T)NAN;                                       \
    }                                                                                              \
    REMQUO_SCALAR(__global, T)                                                                     \
    REMQUO_SCALAR(__local, T)                                                                      \
    REMQUO_SCALAR(__generic, T)                                                                    \
    FOR_SPACES(REMQUO_SPACE, T)
#define REMQUO_SCALAR(SPACE, T)                                                                    \
    OVERLOAD T remquo(T x, T y, SPACE int *out) {                                                  \
        int q;                                                                                     \
        T r = remquo(x, y, &q);                                                                    \
        *out = q;                                                                                  \
        return r;                                                                                  \
    }
#define REMQUO_SPACE(SPACE, T) FOR_WIDTHS(REMQUO_WIDTH, SPACE, T)
#define REMQUO_WIDTH(n, SPACE, T)                                                                  \
    OVERLOAD T##n remquo(T##n x, T##n y, SPACE int##n *out) {                                      \
        T##n r;                                                                                    \
        int##n quotients;                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            int q;                                                                                 \
            r[i] = remquo(x[i], y[i], &q);                                                         \
            quotients[i] = q;                                                                      \
        }                                                                                          \
        *out = quotients;                                                                          \
        return r;                                                                                  \
    }
FOR_REALS(REMQUO)

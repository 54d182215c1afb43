/* Powers and roots: pown, powr, rootn, rsqrt, cbrt. Bounds of OpenCL C 3.0, section 7.4: 16 units in the last place,
 * rsqrt and cbrt 2. Special cases: section 7.5. */
#include "../library.h"

LIBM_2(pow)
LIBM_1(cbrt)
LIBM_1(log)

/* Whole powers of float by squaring in double: the relative error is at most n 2^-53, 4 units where n is largest. The
 * loop ends early, and a constant power becomes its multiplications. */
OVERLOAD float pown(float x, int n) {
    double base = x, power = 1;
    for (uint left = n < 0 ? -(uint)n : (uint)n; left; left >>= 1) {
        power *= left & 1 ? base : 1;
        base *= base;
    }
    return (float)(n < 0 ? 1 / power : power);
}
OVERLOAD double pown(double x, int n) { return libm_pow(x, (double)n); }
MAP_2(float, pown, float, int)
MAP_2(double, pown, double, int)

/* powr is exp(y log(x)): negative bases have no power, and 0^0, 1^inf, inf^0 are not numbers. */
#define POWR(T, ...)                                                                    \
    OVERLOAD T powr(T x, T y) {                                                         \
        T base = op_fabs(x);                                                            \
        bool undefined = x < 0 || x != x || y != y || (base == 0 && y == 0) ||          \
                         (base == (T)INFINITY && y == 0) || (base == 1 && op_fabs(y) == (T)INFINITY); \
        return undefined ? (T)NAN : libm_pow(base, y);                                  \
    }                                                                                   \
    MAP_2(T, powr, T, T)
FOR_REALS(POWR)

/* The n-th root of a magnitude. For double, 1/n is rounded; what was lost of it is added to the power to first order. */
static inline OVERLOAD float magnitude_root(float x, int n) { return (float)libm_pow((double)x, 1.0 / n); }
static inline OVERLOAD double magnitude_root(double x, int n) {
    double high = 1.0 / n, low = op_fma(-high, (double)n, 1.0) / n;
    double root = libm_pow(x, high);
    bool plain = x > 0 && x < INFINITY && root > 0 && root < INFINITY;
    return plain ? op_fma(root, low * libm_log(x), root) : root;
}
/* Negative numbers have odd roots; zeros and infinities keep their sign under odd ones. */
#define ROOTN(T, ...)                                                                   \
    OVERLOAD T rootn(T x, int n) {                                                      \
        bool odd = n & 1;                                                               \
        T root = magnitude_root(op_fabs(x), n);                                         \
        T value = odd ? op_copysign(root, x) : root;                                    \
        return n == 0 || x != x || (x < 0 && !odd) ? (T)NAN : value;                    \
    }                                                                                   \
    MAP_2(T, rootn, T, int)
FOR_REALS(ROOTN)

#define RSQRT(T, ...)                                  \
    OVERLOAD T rsqrt(T x) { return 1 / op_sqrt(x); }   \
    MAP_1(T, rsqrt, T)
FOR_REALS(RSQRT)

/* libm's double cbrt errs by up to 4 units: one step of Newton's method, its residue exact by fused operations. */
OVERLOAD float cbrt(float x) { return libm_cbrt(x); }
OVERLOAD double cbrt(double x) {
    double root = libm_cbrt(x);
    double square = root * root, square_low = op_fma(root, root, -square);
    double cube = square * root, cube_low = op_fma(square, root, -cube) + square_low * root;
    double step = ((x - cube) - cube_low) / (3 * square);
    return op_fabs(x) < INFINITY && x != 0 ? root + step : root;
}
MAP_1(float, cbrt, float)
MAP_1(double, cbrt, double)

/* Powers and roots: pown, rootn, rsqrt, cbrt. Bounds of OpenCL C 3.0, section 7.4: 16 units in the last place,
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

/* From the processor's estimate, whose relative error is below 2^-11: h = 1 - x y^2 is about twice that, and its cube is too small to
 * count. This gives infinity or no number for numbers that are not positive, normal and finite (`late/rare.cl`). */
float vicinity_rsqrt_estimate(float x) __attribute__((const, nothrow));
float vicinity_rare_rsqrt(float x, float usual) __attribute__((const, nothrow));
#pragma OPENCL FP_CONTRACT ON
/* Of programs with relaxed mathematics, where numbers are normal and finite. */
OVERLOAD float __vicinity_rsqrt(float x) {
    float y = vicinity_rsqrt_estimate(x), h = 1 - x * y * y;
    return y + y * h * (0.5f + 0.375f * h);
}
#pragma OPENCL FP_CONTRACT OFF
OVERLOAD float rsqrt(float x) { return vicinity_rare_rsqrt(x, __vicinity_rsqrt(x)); }
OVERLOAD double rsqrt(double x) { return 1 / op_sqrt(x); }
MAP_1(float, rsqrt, float)
MAP_1(float, __vicinity_rsqrt, float)
MAP_1(double, rsqrt, double)

/* Of float without calls, since libmvec's forms of 4 and 8 err by more than 2 units. What is very small is first made larger. The
 * root's inverse y is near what its exponent, a third of it, says (h = 1 - a y^3 is below 0.11); two steps of Newton's
 * method and its kin bring it to a unit, one more brings the root. Quarters keep its cube finite. */
#pragma OPENCL FP_CONTRACT ON
OVERLOAD float cbrt(float x) {
    float size = op_fabs(x);
    bool small = size < 0x1p-102f;
    float a = size * (small ? 0x1p48f : 1.0f);
    float y = as_float((int)(0x1.5287ep+30f - (float)as_int(a) * (1.0f / 3)));
    float h = 1 - a * y * y * y;
    y += y * (h * (1.0f / 3 + h * (2.0f / 9)));
    h = 1 - a * y * y * y;
    y += y * (h * (1.0f / 3));
    float root = a * y * y;
    float beyond = (0.25f * root * root) * root - 0.25f * a;
    root -= beyond * (y * y * (4.0f / 3));
    return size < INFINITY && x != 0 ? op_copysign(root * (small ? 0x1p-16f : 1.0f), x) : x;
}
#pragma OPENCL FP_CONTRACT OFF
/* libm's double cbrt errs by up to 4 units: one step of Newton's method, its residue exact by fused operations. What is very small
 * or large is brought nearer to one, lest parts of the cube vanish or overflow. */
OVERLOAD double cbrt(double x) {
    double size = op_fabs(x);
    bool small = size < 0x1p-900, large = size > 0x1p+900;
    double near = x * (small ? 0x1p+300 : large ? 0x1p-300 : 1.0);
    double root = libm_cbrt(near);
    double square = root * root, square_low = op_fma(root, root, -square);
    double cube = square * root, cube_low = op_fma(square, root, -cube) + square_low * root;
    double step = ((near - cube) - cube_low) / (3 * square);
    return size < INFINITY && x != 0 ? (root + step) * (small ? 0x1p-100 : large ? 0x1p+100 : 1.0) : x;
}
MAP_1(float, cbrt, float)
MAP_1(double, cbrt, double)

/* Functions that are one machine instruction, or a few: rounding, signs, roots, fused operations, extremes.
 * Exact by definition, so that LLVM's intrinsics serve. Sources: OpenCL C 3.0, table 8 and section 7.4. */
#include "../library.h"

#define INTRINSIC_1(name)                                             \
    OVERLOAD float name(float x) { return op_##name(x); }   \
    OVERLOAD double name(double x) { return op_##name(x); } \
    MAP_1(float, name, float)                               \
    MAP_1(double, name, double)

INTRINSIC_1(ceil)
INTRINSIC_1(fabs)
INTRINSIC_1(floor)
INTRINSIC_1(rint)
INTRINSIC_1(round)
INTRINSIC_1(sqrt)
INTRINSIC_1(trunc)

#define INTRINSIC_2(name)                                                      \
    OVERLOAD float name(float x, float y) { return op_##name(x, y); }     \
    OVERLOAD double name(double x, double y) { return op_##name(x, y); }  \
    MAP_2(float, name, float, float)                                           \
    MAP_2(double, name, double, double)

INTRINSIC_2(copysign)

INTRINSIC_2(fmax)
INTRINSIC_2(fmin)
SPREAD_2(float, fmax, float, float)
SPREAD_2(float, fmin, float, float)
SPREAD_2(double, fmax, double, double)
SPREAD_2(double, fmin, double, double)

OVERLOAD float fma(float x, float y, float z) { return op_fma(x, y, z); }
OVERLOAD double fma(double x, double y, double z) { return op_fma(x, y, z); }
MAP_3(float, fma, float, float, float)
MAP_3(double, fma, double, double, double)

/* mad may round once or twice: once where the machine has the instruction. */
#define MAD(T, ...)                          \
    OVERLOAD T mad(T x, T y, T z) {          \
        _Pragma("OPENCL FP_CONTRACT ON")     \
        return x * y + z;                    \
    }                                        \
    MAP_3(T, mad, T, T, T)
FOR_REALS(MAD)

/* Positive difference; the larger and the smaller in magnitude. */
#define DIFFERENCES(T, ...)                                                         \
    OVERLOAD T fdim(T x, T y) { return x != x || y != y ? x + y : x > y ? x - y : 0; } \
    OVERLOAD T maxmag(T x, T y) {                                                   \
        T a = op_fabs(x), b = op_fabs(y);                                                 \
        return a > b ? x : b > a ? y : op_fmax(x, y);                                  \
    }                                                                               \
    OVERLOAD T minmag(T x, T y) {                                                   \
        T a = op_fabs(x), b = op_fabs(y);                                                 \
        return a < b ? x : b < a ? y : op_fmin(x, y);                                  \
    }                                                                               \
    MAP_2(T, fdim, T, T)                                                            \
    MAP_2(T, maxmag, T, T)                                                          \
    MAP_2(T, minmag, T, T)
FOR_REALS(DIFFERENCES)

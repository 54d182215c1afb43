/* The common functions: limits, mixtures, steps, degrees. Bounds of OpenCL C 3.0, section 7.4; section 6.15.4. */
#include "library.h"

#define COMMON(V, T)                                                                    \
    OVERLOAD V max(V x, V y) { return x < y ? y : x; }                                  \
    OVERLOAD V min(V x, V y) { return y < x ? y : x; }                                  \
    OVERLOAD V clamp(V x, V low, V high) { return min(max(x, low), high); }             \
    OVERLOAD V degrees(V angle) { return angle * (T)(180 * M_1_PI); }                   \
    OVERLOAD V radians(V angle) { return angle * (T)(M_PI / 180); }                     \
    OVERLOAD V mix(V x, V y, V a) { return x + (y - x) * a; }                           \
    OVERLOAD V step(V edge, V x) { return x < edge ? (V)(T)0 : (V)(T)1; }               \
    OVERLOAD V smoothstep(V from, V to, V x) {                                          \
        V t = clamp((x - from) / (to - from), (V)(T)0, (V)(T)1);                        \
        return t * t * ((T)3 - (T)2 * t);                                               \
    }
#define COMMON_WIDTH(n, T)                                                                              \
    COMMON(T##n, T)                                                                                     \
    OVERLOAD T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)(low), (T##n)(high)); }          \
    OVERLOAD T##n mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)(a)); }                             \
    OVERLOAD T##n step(T edge, T##n x) { return step((T##n)(edge), x); }                                \
    OVERLOAD T##n smoothstep(T from, T to, T##n x) { return smoothstep((T##n)(from), (T##n)(to), x); }
/* The sign of a zero stays, and that of a NaN is zero. */
#define COMMON_FORMS(T, ...)                                                                            \
    COMMON(T, T)                                                                                        \
    FOR_WIDTHS(COMMON_WIDTH, T)                                                                         \
    SPREAD_2(T, max, T, T)                                                                              \
    SPREAD_2(T, min, T, T)                                                                              \
    OVERLOAD T sign(T x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0; }                            \
    MAP_1(T, sign, T)
FOR_REALS(COMMON_FORMS)

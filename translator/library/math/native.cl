/* half_ and native_ functions: the program allows any error (native_) or 8192 units in the last place (half_), so speed
 * is all. Most are libm's, whose vector forms cost about a nanosecond; powers, reciprocals and tangents go shorter ways.
 * Sources: OpenCL C 3.0, table 8. */
#include "../library.h"

#define FORWARD_1(name)                                                 \
    OVERLOAD float half_##name(float x) { return libm_##name(x); }       \
    OVERLOAD float native_##name(float x) { return libm_##name(x); }     \
    MAP_1(float, half_##name, float)                                    \
    MAP_1(float, native_##name, float)

LIBM_1(cos)
LIBM_1(exp)
LIBM_1(exp10)
LIBM_1(exp2)
LIBM_1(log)
LIBM_1(log10)
LIBM_1(log2)
LIBM_1(sin)
LIBM_1(tan)
FORWARD_1(cos)
FORWARD_1(exp)
FORWARD_1(exp10)
FORWARD_1(exp2)
FORWARD_1(log)
FORWARD_1(log10)
FORWARD_1(log2)
FORWARD_1(sin)
FORWARD_1(tan)

/* The code generator may take the machine's estimates, improved by one step of Newton's method. */
#define LOOSELY(RESULT) { _Pragma("clang fp reciprocal(on) reassociate(on)") return RESULT; }
#define SHORT_WAYS(prefix)                                             \
    OVERLOAD float prefix##sqrt(float x) { return op_sqrt(x); }        \
    OVERLOAD float prefix##rsqrt(float x) LOOSELY(1 / op_sqrt(x))      \
    OVERLOAD float prefix##recip(float x) LOOSELY(1 / x)               \
    OVERLOAD float prefix##divide(float x, float y) LOOSELY(x / y)     \
    MAP_1(float, prefix##sqrt, float)                                  \
    MAP_1(float, prefix##rsqrt, float)                                 \
    MAP_1(float, prefix##recip, float)                                 \
    MAP_2(float, prefix##divide, float, float)
SHORT_WAYS(half_)
SHORT_WAYS(native_)

LIBM_2(pow)
OVERLOAD float half_powr(float x, float y) { return libm_pow(x, y); }
OVERLOAD float native_powr(float x, float y) { return libm_exp2(y * libm_log2(x)); }
MAP_2(float, half_powr, float, float)
MAP_2(float, native_powr, float, float)

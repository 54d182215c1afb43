/* half_ and native_ functions: the program allows any error (native_) or 8192 units in the last place (half_), so speed
 * is all. Most are the plain functions, which cost about a nanosecond in vectors; powers and reciprocals go shorter ways.
 * Sources: OpenCL C 3.0, table 8. */
#include "../library.h"

#define FORWARD_1(name, function)                                       \
    OVERLOAD float half_##name(float x) { return function(x); }         \
    OVERLOAD float native_##name(float x) { return function(x); }       \
    MAP_1(float, half_##name, float)                                    \
    MAP_1(float, native_##name, float)

#define FORWARD_OWN(name)             \
    OVERLOAD float name(float);       \
    FORWARD_1(name, name)
FORWARD_OWN(cos)
FORWARD_OWN(exp)
FORWARD_OWN(exp10)
FORWARD_OWN(exp2)
FORWARD_OWN(log)
FORWARD_OWN(log10)
FORWARD_OWN(log2)
FORWARD_OWN(sin)
FORWARD_OWN(tan)

/* Short ways. Of native_ forms the code generator may take the machine's estimates, improved by one step of Newton's method,
 * which makes NaN of zeros and infinities; half_ forms must be right there. */
#define EXACTLY(RESULT) { return RESULT; }
#define LOOSELY(RESULT) { _Pragma("clang fp reciprocal(on) reassociate(on)") return RESULT; }
#define SHORT_WAYS(prefix, HOW)                                    \
    OVERLOAD float prefix##sqrt(float x) { return op_sqrt(x); }    \
    OVERLOAD float prefix##rsqrt(float x) HOW(1 / op_sqrt(x))      \
    OVERLOAD float prefix##recip(float x) HOW(1 / x)               \
    OVERLOAD float prefix##divide(float x, float y) HOW(x / y)     \
    MAP_1(float, prefix##sqrt, float)                              \
    MAP_1(float, prefix##rsqrt, float)                             \
    MAP_1(float, prefix##recip, float)                             \
    MAP_2(float, prefix##divide, float, float)
SHORT_WAYS(half_, EXACTLY)
SHORT_WAYS(native_, LOOSELY)

OVERLOAD float powr(float, float);
OVERLOAD float half_powr(float x, float y) { return powr(x, y); }
OVERLOAD float native_powr(float x, float y) { return exp2(y * log2(x)); }
MAP_2(float, half_powr, float, float)
MAP_2(float, native_powr, float, float)

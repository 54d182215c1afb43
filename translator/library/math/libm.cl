/* Functions that the C library computes within the bounds of OpenCL C 3.0, section 7.4: the scalar form is a call of
 * libm, the vector forms are maps of it. The translator gives each call its forms of libmvec (passes/vector_math.rs).
 * What each costs in units in the last place is measured by tests/math. */
#include "../library.h"

#define CALL_1(name, ...)                                   \
    LIBM_1(name)                                            \
    OVERLOAD float name(float x) { return libm_##name(x); }  \
    OVERLOAD double name(double x) { return libm_##name(x); } \
    MAP_1(float, name, float)                               \
    MAP_1(double, name, double)

CALL_1(acosh)
CALL_1(asinh)
CALL_1(atanh)
CALL_1(erfc)
CALL_1(tgamma)

#define CALL_2(name)                                                       \
    LIBM_2(name)                                                           \
    OVERLOAD float name(float x, float y) { return libm_##name(x, y); }     \
    OVERLOAD double name(double x, double y) { return libm_##name(x, y); }  \
    MAP_2(float, name, float, float)                                       \
    MAP_2(double, name, double, double)

CALL_2(fmod)
CALL_2(hypot)
CALL_2(remainder)

/* libm's lgamma writes a global variable; its reentrant form does not, but writes through a pointer. */
OVERLOAD float libm_lgamma(float, __private int *) __asm__("lgammaf_r") __attribute__((nothrow));
OVERLOAD double libm_lgamma(double, __private int *) __asm__("lgamma_r") __attribute__((nothrow));
#define LGAMMA(T, ...)                                                                \
    OVERLOAD T lgamma_r(T x, __private int *sign) { return libm_lgamma(x, sign); }    \
    MAP_OUT(T, lgamma_r, int)                                                         \
    OVERLOAD T lgamma(T x) {                                                          \
        int sign;                                                                     \
        return libm_lgamma(x, &sign);                                                 \
    }                                                                                 \
    MAP_1(T, lgamma, T)
FOR_REALS(LGAMMA)

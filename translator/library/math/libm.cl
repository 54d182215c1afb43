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

CALL_2(hypot)
CALL_2(remainder)

/* Of a quotient below 2^19, the whole part or one more: what is left is exact, with one divisor too few or not (both are multiples of
 * the divisor's last place). This gives no number where the quotient is larger or there is none (`late/rare.cl`). */
LIBM_2(fmod)
float vicinity_rare_fmod(float x, float y, float usual) __attribute__((const, nothrow));
OVERLOAD float fmod(float x, float y) {
    float a = op_fabs(x), b = op_fabs(y), quotient = a / b * (1 + 0x1p-21f), whole = op_trunc(quotient);
    float rest = vicinity_has_fma() ? op_fma(-whole, b, a) : (float)((double)a - (double)whole * (double)b);
    rest = op_copysign(rest < 0 ? rest + b : rest, x);
    return vicinity_rare_fmod(x, y, quotient < 0x1p19f ? rest : (float)NAN);
}
OVERLOAD double fmod(double x, double y) { return libm_fmod(x, y); }
MAP_2(float, fmod, float, float)
MAP_2(double, fmod, double, double)

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

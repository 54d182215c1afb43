/* Functions of half: those of float, rounded once more. A float has more than twice the bits of a half, so that what is
 * rounded to nearest in both is as good as rounded once; others err by a little more than half a unit of the half.
 * Sources: OpenCL C 3.0, section 7.4 (half); cl_khr_fp16. */
#include "../library.h"

/* Vectors of halves and floats, each as the other. */
#define WIDE(n, x) __builtin_convertvector(x, float##n)
#define NARROW(n, x) __builtin_convertvector(x, half##n)

/* half name(half), and with more arguments. */
#define VIA_1_WIDTH(n, name)                                                                        \
    OVERLOAD float##n name(float##n);                                                               \
    OVERLOAD half##n name(half##n x) { return NARROW(n, name(WIDE(n, x))); }
#define VIA_1(name)                                                                                 \
    OVERLOAD float name(float);                                                                     \
    OVERLOAD half name(half x) { return (half)name((float)x); }                                     \
    FOR_WIDTHS(VIA_1_WIDTH, name)
#define VIA_2_WIDTH(n, name)                                                                        \
    OVERLOAD float##n name(float##n, float##n);                                                     \
    OVERLOAD half##n name(half##n x, half##n y) { return NARROW(n, name(WIDE(n, x), WIDE(n, y))); }
#define VIA_2(name)                                                                                 \
    OVERLOAD float name(float, float);                                                              \
    OVERLOAD half name(half x, half y) { return (half)name((float)x, (float)y); }                   \
    FOR_WIDTHS(VIA_2_WIDTH, name)
#define VIA_3_WIDTH(n, name)                                                                        \
    OVERLOAD float##n name(float##n, float##n, float##n);                                           \
    OVERLOAD half##n name(half##n x, half##n y, half##n z) {                                        \
        return NARROW(n, name(WIDE(n, x), WIDE(n, y), WIDE(n, z)));                                 \
    }
#define VIA_3(name)                                                                                 \
    OVERLOAD float name(float, float, float);                                                       \
    OVERLOAD half name(half x, half y, half z) { return (half)name((float)x, (float)y, (float)z); } \
    FOR_WIDTHS(VIA_3_WIDTH, name)

VIA_1(acos) VIA_1(acosh) VIA_1(acospi) VIA_1(asin) VIA_1(asinh) VIA_1(asinpi) VIA_1(atan) VIA_1(atanh) VIA_1(atanpi)
VIA_1(cbrt) VIA_1(ceil) VIA_1(cos) VIA_1(cosh) VIA_1(cospi) VIA_1(erf) VIA_1(erfc) VIA_1(exp) VIA_1(exp10) VIA_1(exp2)
VIA_1(expm1) VIA_1(floor) VIA_1(lgamma) VIA_1(log) VIA_1(log10) VIA_1(log1p) VIA_1(log2) VIA_1(logb) VIA_1(rint)
VIA_1(round) VIA_1(rsqrt) VIA_1(sin) VIA_1(sinh) VIA_1(sinpi) VIA_1(sqrt) VIA_1(tan) VIA_1(tanh) VIA_1(tanpi)
VIA_1(tgamma) VIA_1(trunc)
VIA_2(atan2) VIA_2(atan2pi) VIA_2(fdim) VIA_2(fmod) VIA_2(hypot) VIA_2(maxmag) VIA_2(minmag) VIA_2(pow) VIA_2(powr)
VIA_2(remainder)

/* With integers of 32 bits: as the second argument, and as the result. */
#define VIA_INT_WIDTH(n, name)                                                                      \
    OVERLOAD float##n name(float##n, int##n);                                                       \
    OVERLOAD half##n name(half##n x, int##n y) { return NARROW(n, name(WIDE(n, x), y)); }
#define VIA_INT(name)                                                                               \
    OVERLOAD float name(float, int);                                                                \
    OVERLOAD half name(half x, int y) { return (half)name((float)x, y); }                           \
    FOR_WIDTHS(VIA_INT_WIDTH, name)
VIA_INT(ldexp) VIA_INT(pown) VIA_INT(rootn)
#define SPREAD_INT(n, name) OVERLOAD half##n name(half##n x, int y) { return name(x, (int##n)(y)); }
FOR_WIDTHS(SPREAD_INT, ldexp)

#define ILOGB_WIDTH(n, ...)                                                                         \
    OVERLOAD int##n ilogb(float##n);                                                                \
    OVERLOAD int##n ilogb(half##n x) { return ilogb(WIDE(n, x)); }
OVERLOAD int ilogb(float);
OVERLOAD int ilogb(half x) { return ilogb((float)x); }
FOR_WIDTHS(ILOGB_WIDTH)

/* Those that write through a pointer: what they write is exact in a half, but for the cosine. */
OVERLOAD float sincos(float, __private float *);
OVERLOAD half sincos(half x, __private half *out) {
    float wide, sine = sincos((float)x, &wide);
    *out = (half)wide;
    return (half)sine;
}
MAP_OUT(half, sincos, half)
OVERLOAD float modf(float, __private float *);
OVERLOAD half modf(half x, __private half *out) {
    float wide, rest = modf((float)x, &wide);
    *out = (half)wide;
    return (half)rest;
}
MAP_OUT(half, modf, half)
/* A fraction that would be rounded to one is the number below. */
OVERLOAD float fract(float, __private float *);
OVERLOAD half fract(half x, __private half *out) {
    float wide, rest = fract((float)x, &wide);
    *out = (half)wide;
    return rest > 0x1.ffcp-1f ? (half)0x1.ffcp-1f : (half)rest;
}
MAP_OUT(half, fract, half)
#define OUT_INT(name)                                                                               \
    OVERLOAD float name(float, __private int *);                                                    \
    OVERLOAD half name(half x, __private int *out) { return (half)name((float)x, out); }            \
    MAP_OUT(half, name, int)
OUT_INT(frexp)
OUT_INT(lgamma_r)

OVERLOAD float remquo(float, float, __private int *);
OVERLOAD half remquo(half x, half y, __private int *out) { return (half)remquo((float)x, (float)y, out); }
#define REMQUO_SPACE(SPACE, ...)                                                                    \
    REMQUO_WIDTH(2, SPACE) REMQUO_WIDTH(3, SPACE) REMQUO_WIDTH(4, SPACE) REMQUO_WIDTH(8, SPACE) REMQUO_WIDTH(16, SPACE)
#define REMQUO_WIDTH(n, SPACE)                                                                      \
    OVERLOAD half##n remquo(half##n x, half##n y, SPACE int##n *out) {                              \
        half##n r;                                                                                  \
        int##n quotients;                                                                           \
        for (int i = 0; i < n; i++) {                                                               \
            int quotient;                                                                           \
            r[i] = remquo(x[i], y[i], &quotient);                                                   \
            quotients[i] = quotient;                                                                \
        }                                                                                           \
        *out = quotients;                                                                           \
        return r;                                                                                   \
    }
#define REMQUO_SCALAR(SPACE)                                                                        \
    OVERLOAD half remquo(half x, half y, SPACE int *out) {                                          \
        int quotient;                                                                               \
        half r = remquo(x, y, &quotient);                                                           \
        *out = quotient;                                                                            \
        return r;                                                                                   \
    }
REMQUO_SCALAR(__global)
REMQUO_SCALAR(__local)
REMQUO_SCALAR(__generic)
FOR_SPACES(REMQUO_SPACE)

/* The product and the sum of halves are exact in a double, or too far apart to tell: rounded once. */
OVERLOAD half convert_half_rte(double);
OVERLOAD half fma(half x, half y, half z) { return convert_half_rte(op_fma((double)x, (double)y, (double)z)); }
OVERLOAD half mad(half x, half y, half z) { return (half)((float)x * (float)y + (float)z); }
MAP_3(half, fma, half, half, half)
MAP_3(half, mad, half, half, half)

/* The same, and others, where the machine computes with halves: each is an instruction or two there. mad may round once. */
#define NATIVE(T, ...)                                                                              \
    OVERLOAD T __vicinity_half_fma(T x, T y, T z) { return __builtin_elementwise_fma(x, y, z); }     \
    OVERLOAD T __vicinity_half_max(T x, T y) { return __builtin_elementwise_max(x, y); }            \
    OVERLOAD T __vicinity_half_min(T x, T y) { return __builtin_elementwise_min(x, y); }            \
    OVERLOAD T __vicinity_half_clamp(T x, T low, T high) {                                          \
        return __builtin_elementwise_min(__builtin_elementwise_max(x, low), high);                  \
    }                                                                                               \
    OVERLOAD T __vicinity_half_sqrt(T x) { return __builtin_elementwise_sqrt(x); }                  \
    OVERLOAD T __vicinity_half_ceil(T x) { return __builtin_elementwise_ceil(x); }                  \
    OVERLOAD T __vicinity_half_floor(T x) { return __builtin_elementwise_floor(x); }                \
    OVERLOAD T __vicinity_half_trunc(T x) { return __builtin_elementwise_trunc(x); }                \
    OVERLOAD T __vicinity_half_rint(T x) { return __builtin_elementwise_rint(x); }
#define NATIVE_WIDTH(n, ...) NATIVE(half##n)
NATIVE(half)
FOR_WIDTHS(NATIVE_WIDTH)

/* By their bits. */
#define BITS_OF(x) __builtin_astype(x, ushort)
OVERLOAD half fabs(half x) { return __builtin_astype((ushort)(BITS_OF(x) & 0x7fff), half); }
OVERLOAD half copysign(half x, half y) {
    return __builtin_astype((ushort)((BITS_OF(x) & 0x7fff) | (BITS_OF(y) & 0x8000)), half);
}
OVERLOAD half nan(ushort code) { return __builtin_astype((ushort)(code | 0x7e00), half); }
OVERLOAD half nextafter(half x, half y) {
    ushort bits = BITS_OF(x), step = (x < y) == (x > 0) ? 1 : -1;
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    return __builtin_astype((ushort)(x == 0 ? (BITS_OF(y) & 0x8000) | 1 : bits + step), half);
}
MAP_1(half, fabs, half)
MAP_1(half, nan, ushort)
MAP_2(half, copysign, half, half)
MAP_2(half, nextafter, half, half)
VIA_2(fmax) VIA_2(fmin)
SPREAD_2(half, fmax, half, half)
SPREAD_2(half, fmin, half, half)

/* The common functions. */
VIA_1(degrees) VIA_1(radians) VIA_1(sign)
VIA_2(max) VIA_2(min) VIA_2(step)
VIA_3(clamp) VIA_3(mix) VIA_3(smoothstep)
SPREAD_2(half, max, half, half)
SPREAD_2(half, min, half, half)
#define SPREAD_COMMON(n, ...)                                                                       \
    OVERLOAD half##n clamp(half##n x, half low, half high) { return clamp(x, (half##n)(low), (half##n)(high)); } \
    OVERLOAD half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)(a)); }          \
    OVERLOAD half##n step(half edge, half##n x) { return step((half##n)(edge), x); }                \
    OVERLOAD half##n smoothstep(half from, half to, half##n x) { return smoothstep((half##n)(from), (half##n)(to), x); }
FOR_WIDTHS(SPREAD_COMMON)

/* The geometric functions. Lengths of halves fit floats. */
#define GEOMETRIC_WIDTH(n)                                                                          \
    OVERLOAD float dot(float##n, float##n);                                                         \
    OVERLOAD float length(float##n);                                                                \
    OVERLOAD float distance(float##n, float##n);                                                    \
    OVERLOAD float##n normalize(float##n);                                                          \
    OVERLOAD half dot(half##n x, half##n y) { return (half)dot(WIDE(n, x), WIDE(n, y)); }           \
    OVERLOAD half length(half##n x) { return (half)length(WIDE(n, x)); }                            \
    OVERLOAD half distance(half##n x, half##n y) { return (half)distance(WIDE(n, x), WIDE(n, y)); } \
    OVERLOAD half##n normalize(half##n x) { return NARROW(n, normalize(WIDE(n, x))); }
GEOMETRIC_WIDTH(2)
GEOMETRIC_WIDTH(3)
GEOMETRIC_WIDTH(4)
OVERLOAD float dot(float, float);
OVERLOAD float length(float);
OVERLOAD float distance(float, float);
OVERLOAD float normalize(float);
OVERLOAD half dot(half x, half y) { return x * y; }
OVERLOAD half length(half x) { return fabs(x); }
OVERLOAD half distance(half x, half y) { return fabs((half)(x - y)); }
OVERLOAD half normalize(half x) { return (half)normalize((float)x); }
OVERLOAD float3 cross(float3, float3);
OVERLOAD float4 cross(float4, float4);
OVERLOAD half3 cross(half3 x, half3 y) { return NARROW(3, cross(WIDE(3, x), WIDE(3, y))); }
OVERLOAD half4 cross(half4 x, half4 y) { return NARROW(4, cross(WIDE(4, x), WIDE(4, y))); }

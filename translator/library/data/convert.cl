/* convert_TYPEn[_sat][_rounding](x): every conversion to one type. The build compiles this once for each: -DTO=int
 * -DTO_INT, and so on.
 *
 * From real to integer, the number is rounded as asked to a whole one, then converted; _sat clamps, and makes zero of NaN.
 * From integer to real, the machine rounds to nearest; the other roundings cut the integer to as many bits as fit, so that
 * its conversion is exact, and step to the neighbour if something was cut away in that direction.
 * Sources: OpenCL C 3.0, section 6.2.3. Out of range and without _sat the result is the implementation's own. */
#include "../library.h"

#define FOR_ROUNDINGS(M, ...) M(, __VA_ARGS__) M(rte, __VA_ARGS__) M(rtz, __VA_ARGS__) M(rtp, __VA_ARGS__) M(rtn, __VA_ARGS__)

#define JOIN_(a, b, c, d) a##b##c##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)
#define VECTOR(n) JOIN(TO, n, , )
#define NAME(n, suffix) JOIN(convert_, TO, n, suffix)

/* What is exact already. */
#define WHOLE(T, ...)                                         \
    static inline OVERLOAD T whole_(T x) { return x; }        \
    static inline OVERLOAD T whole_rte(T x) { return x; }     \
    static inline OVERLOAD T whole_rtz(T x) { return x; }     \
    static inline OVERLOAD T whole_rtp(T x) { return x; }     \
    static inline OVERLOAD T whole_rtn(T x) { return x; }
FOR_INTEGERS(WHOLE)
#define WHOLE_REAL(T, ...)                                             \
    static inline OVERLOAD T whole_(T x) { return x; }                 \
    static inline OVERLOAD T whole_rte(T x) { return op_rint(x); }     \
    static inline OVERLOAD T whole_rtz(T x) { return x; }              \
    static inline OVERLOAD T whole_rtp(T x) { return op_ceil(x); }     \
    static inline OVERLOAD T whole_rtn(T x) { return op_floor(x); }
FOR_REALS(WHOLE_REAL)
/* Every half is a float. */
#define WHOLE_HALF(mode, ...) static inline OVERLOAD float whole_##mode(half x) { return whole_##mode((float)x); }
FOR_ROUNDINGS(WHOLE_HALF)

#if defined TO_HALF || defined TO_FLOAT || defined TO_DOUBLE

/* near: the number of the type that is nearest. */
#ifdef TO_HALF
#define PRECISION 11
#define MOST 65504
#define TO_BITS ushort
static inline OVERLOAD half nearest(double x) {
    /* A float whose last bit says that something was lost is not rounded twice. */
    float near = (float)x;
    uint bits = as_uint(near) - (op_fabs((double)near) > op_fabs(x) ? 1 : 0);
    return (half)(near == x || x != x ? near : as_float(bits | 1));
}
#elif defined TO_FLOAT
#define PRECISION 24
#define MOST ULONG_MAX
#define TO_BITS uint
#else
#define PRECISION 53
#define MOST ULONG_MAX
#define TO_BITS ulong
#endif
#ifdef TO_HALF
static inline OVERLOAD half nearest(float x) { return (half)x; }
#else
static inline OVERLOAD TO nearest(float x) { return (TO)x; }
static inline OVERLOAD TO nearest(double x) { return (TO)x; }
#endif
#define NEAREST(T, ...) static inline OVERLOAD TO nearest(T x) { return (TO)x; }
FOR_INTEGERS(NEAREST)
static inline TO from_bits(TO_BITS bits) { return __builtin_astype(bits, TO); }

/* x cut to what is exact toward zero; lost says whether it was. */
#define CUT(T, ...)                                                                                  \
    static inline OVERLOAD TO cut(T x, __private bool *lost) {                                       \
        ulong magnitude = x < 0 ? -(ulong)x : (ulong)x;                                              \
        int bits = 64 - __builtin_clzl(magnitude | 1), excess = bits > PRECISION ? bits - PRECISION : 0; \
        ulong kept = magnitude > MOST ? MOST : magnitude >> excess << excess;                        \
        *lost = kept != magnitude;                                                                   \
        return x < 0 ? -(TO)kept : (TO)kept;                                                         \
    }
FOR_INTEGERS(CUT)
#define CUT_REAL(T, ...)                                                                             \
    static inline OVERLOAD TO cut(T x, __private bool *lost) {                                       \
        TO near = nearest(x);                                                                        \
        bool over = op_fabs((T)near) > op_fabs(x);                                                   \
        TO whole = from_bits(__builtin_astype(near, TO_BITS) - (over ? 1 : 0));                      \
        *lost = (T)whole != x && x == x;                                                             \
        return whole;                                                                                \
    }
FOR_REALS(CUT_REAL)

#define ROUNDED(FROM, ...)                                                                           \
    static inline OVERLOAD TO real_(FROM x) { return nearest(x); }                                   \
    static inline OVERLOAD TO real_rte(FROM x) { return nearest(x); }                                \
    static inline OVERLOAD TO real_away(FROM x, bool from_zero) {                                    \
        bool lost;                                                                                   \
        TO whole = cut(x, &lost);                                                                    \
        return from_bits(__builtin_astype(whole, TO_BITS) + (lost && from_zero ? 1 : 0));            \
    }                                                                                                \
    static inline OVERLOAD TO real_rtz(FROM x) { return real_away(x, false); }                       \
    static inline OVERLOAD TO real_rtp(FROM x) { return real_away(x, x > 0); }                       \
    static inline OVERLOAD TO real_rtn(FROM x) { return real_away(x, x < 0); }
FOR_NUMBERS(ROUNDED)
#define EXACT_HALF(mode, ...) static inline OVERLOAD TO real_##mode(half x) { return x; }
FOR_ROUNDINGS(EXACT_HALF)

#define CONVERT(FROM, mode, suffix) \
    OVERLOAD TO NAME(, suffix)(FROM x) { return real_##mode(x); }
#define CONVERT_SATURATED(FROM, mode, suffix)
#define FORMS_SATURATED(FROM, mode, suffix)

#else

#if defined TO_CHAR
#define LEAST CHAR_MIN
#define MOST CHAR_MAX
#elif defined TO_UCHAR
#define LEAST 0
#define MOST UCHAR_MAX
#elif defined TO_SHORT
#define LEAST SHRT_MIN
#define MOST SHRT_MAX
#elif defined TO_USHORT
#define LEAST 0
#define MOST USHRT_MAX
#elif defined TO_INT
#define LEAST INT_MIN
#define MOST INT_MAX
#elif defined TO_UINT
#define LEAST 0
#define MOST UINT_MAX
#elif defined TO_LONG
#define LEAST LONG_MIN
#define MOST LONG_MAX
#else
#define LEAST 0
#define MOST ULONG_MAX
#endif

#define SATURATE(T, ...)                                                                             \
    static inline OVERLOAD TO saturated(T x) {                                                       \
        bool low = x < 0 && (long)x < (long)LEAST, high = x > 0 && (ulong)x > (ulong)MOST;           \
        return high ? (TO)MOST : low ? (TO)LEAST : (TO)x;                                            \
    }
FOR_INTEGERS(SATURATE)
/* One above the most is a power of two, and the least is one or zero: both are exact. */
#define SATURATE_REAL(T, ...)                                                                        \
    static inline OVERLOAD TO saturated(T x) {                                                       \
        T above = (T)2 * (T)(MOST / 2 + 1), least = (T)LEAST;                                        \
        return x != x ? (TO)0 : x >= above ? (TO)MOST : x < least ? (TO)LEAST : (TO)x;               \
    }
FOR_REALS(SATURATE_REAL)
static inline OVERLOAD TO saturated(half x) { return saturated((float)x); }

#define CONVERT(FROM, mode, suffix) \
    OVERLOAD TO NAME(, suffix)(FROM x) { return (TO)whole_##mode(x); }
#define CONVERT_SATURATED(FROM, mode, suffix) \
    OVERLOAD TO NAME(, suffix)(FROM x) { return saturated(whole_##mode(x)); }
#define FORMS_SATURATED(FROM, mode, suffix) FORMS(FROM, mode, suffix)

#endif

/* The vector forms, from the scalar one; those without rounding or saturation are LLVM's own, but for halves. */
#define FORMS(FROM, mode, suffix)                                                                         \
    OVERLOAD VECTOR(2) NAME(2, suffix)(FROM##2 x) { return (VECTOR(2))(NAME(, suffix)(x.x), NAME(, suffix)(x.y)); } \
    OVERLOAD VECTOR(3) NAME(3, suffix)(FROM##3 x) {                                                       \
        return (VECTOR(3))(NAME(, suffix)(x.x), NAME(, suffix)(x.y), NAME(, suffix)(x.z));                \
    }                                                                                                     \
    HALVES(4, 2, FROM, suffix)                                                                            \
    HALVES(8, 4, FROM, suffix)                                                                            \
    HALVES(16, 8, FROM, suffix)
#define HALVES(n, h, FROM, suffix) \
    OVERLOAD VECTOR(n) NAME(n, suffix)(FROM##n x) { return (VECTOR(n))(NAME(h, suffix)(x.lo), NAME(h, suffix)(x.hi)); }
#define DIRECT(n, FROM) \
    OVERLOAD VECTOR(n) NAME(n, )(FROM##n x) { return __builtin_convertvector(x, VECTOR(n)); }

#ifdef TO_HALF
#define PLAIN_FORMS(FROM) FORMS(FROM, , )
#else
#define PLAIN_FORMS(FROM) FOR_WIDTHS(DIRECT, FROM)
#endif

#define ROUNDING(FROM, mode)                        \
    CONVERT(FROM, mode, _##mode)                    \
    FORMS(FROM, mode, _##mode)                      \
    CONVERT_SATURATED(FROM, mode, _sat_##mode)      \
    FORMS_SATURATED(FROM, mode, _sat_##mode)
#define CONVERSIONS(FROM, ...)                      \
    CONVERT(FROM, , )                               \
    PLAIN_FORMS(FROM)                               \
    CONVERT_SATURATED(FROM, , _sat)                 \
    FORMS_SATURATED(FROM, , _sat)                   \
    ROUNDING(FROM, rte)                             \
    ROUNDING(FROM, rtz)                             \
    ROUNDING(FROM, rtp)                             \
    ROUNDING(FROM, rtn)
FOR_NUMBERS(CONVERSIONS)
CONVERSIONS(half)

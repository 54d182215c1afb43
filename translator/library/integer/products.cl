/* Integer functions with products, wide results and saturation.
 * Sources: OpenCL C 3.0, section 6.15.3. */
#include "../library.h"

/* LLVM has both on vectors. As scalars, C makes char and short int: there the sum fits and is clamped. */
#define SATURATED(V, ...)                                                              \
    OVERLOAD V add_sat(V x, V y) { return __builtin_elementwise_add_sat(x, y); }       \
    OVERLOAD V sub_sat(V x, V y) { return __builtin_elementwise_sub_sat(x, y); }
#define SATURATED_FORMS(T, ...) \
    SATURATED(T##2) SATURATED(T##3) SATURATED(T##4) SATURATED(T##8) SATURATED(T##16)
FOR_INTEGERS(SATURATED_FORMS)
SATURATED(int)
SATURATED(uint)
SATURATED(long)
SATURATED(ulong)
#define SATURATED_NARROW(T, LEAST, MOST)                                               \
    static inline T clamp_##T(int x) { return x < LEAST ? LEAST : x > MOST ? MOST : (T)x; } \
    OVERLOAD T add_sat(T x, T y) { return clamp_##T(x + y); }                          \
    OVERLOAD T sub_sat(T x, T y) { return clamp_##T(x - y); }
SATURATED_NARROW(char, CHAR_MIN, CHAR_MAX)
SATURATED_NARROW(uchar, 0, UCHAR_MAX)
SATURATED_NARROW(short, SHRT_MIN, SHRT_MAX)
SATURATED_NARROW(ushort, 0, USHRT_MAX)

/* T, a type that holds any product of two of T and another T added, the limits of T. */
#define FOR_LIMITS(M)                                                             \
    M(char, int, CHAR_MIN, CHAR_MAX) M(uchar, int, 0, UCHAR_MAX)                  \
    M(short, int, SHRT_MIN, SHRT_MAX) M(ushort, uint, 0, USHRT_MAX)               \
    M(int, long, INT_MIN, INT_MAX) M(uint, ulong, 0, UINT_MAX)                    \
    M(long, _BitInt(128), LONG_MIN, LONG_MAX) M(ulong, unsigned _BitInt(128), 0, ULONG_MAX)

#define PRODUCTS(T, WIDE, LEAST, MOST)                                                 \
    OVERLOAD T mul_hi(T x, T y) { return (T)((WIDE)x * y >> sizeof(T) * 8); }          \
    OVERLOAD T mad_hi(T x, T y, T z) { return (T)(mul_hi(x, y) + z); }                 \
    OVERLOAD T mad_sat(T x, T y, T z) {                                                \
        WIDE sum = (WIDE)x * y + z;                                                    \
        return sum > (WIDE)MOST ? (T)MOST : sum < (WIDE)LEAST ? (T)LEAST : (T)sum;     \
    }                                                                                  \
    MAP_2(T, mul_hi, T, T)                                                             \
    MAP_3(T, mad_hi, T, T, T)                                                          \
    MAP_3(T, mad_sat, T, T, T)
FOR_LIMITS(PRODUCTS)

/* The arguments are in 24 bits, so that the whole product, and any machine, will do. */
#define FOR_FORMS_OF(M, T) M(T) M(T##2) M(T##3) M(T##4) M(T##8) M(T##16)
#define NARROW(V)                                                     \
    OVERLOAD V mul24(V x, V y) { return x * y; }                      \
    OVERLOAD V mad24(V x, V y, V z) { return x * y + z; }
FOR_FORMS_OF(NARROW, int)
FOR_FORMS_OF(NARROW, uint)

/* R, the type of the high part, that of the low part, the latter's width. */
#define UPSAMPLE(R, HIGH, LOW, BITS)                                                   \
    OVERLOAD R upsample(HIGH high, LOW low) { return (R)((R)high << BITS) | (R)low; }  \
    MAP_2(R, upsample, HIGH, LOW)
UPSAMPLE(short, char, uchar, 8)
UPSAMPLE(ushort, uchar, uchar, 8)
UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16)
UPSAMPLE(long, int, uint, 32)
UPSAMPLE(ulong, uint, uint, 32)

/* The relational functions: comparisons of numbers, tests of what a number is, selections.
 * Scalar forms answer 1 for true, vector forms -1 in an integer of the element's width.
 * Sources: OpenCL C 3.0, section 6.15.6. */
#include "library.h"

/* V the argument's type, R the result's. OpenCL C's operators on vectors give -1 and 0 themselves. */
#define COMPARE(V, R)                                                                   \
    OVERLOAD R isequal(V x, V y) { return x == y; }                                     \
    OVERLOAD R isnotequal(V x, V y) { return x != y; }                                  \
    OVERLOAD R isgreater(V x, V y) { return x > y; }                                    \
    OVERLOAD R isgreaterequal(V x, V y) { return x >= y; }                              \
    OVERLOAD R isless(V x, V y) { return x < y; }                                       \
    OVERLOAD R islessequal(V x, V y) { return x <= y; }                                 \
    OVERLOAD R islessgreater(V x, V y) { return (x < y) | (x > y); }                    \
    OVERLOAD R isordered(V x, V y) { return (x == x) & (y == y); }                      \
    OVERLOAD R isunordered(V x, V y) { return (x != x) | (y != y); }                    \
    OVERLOAD R isnan(V x) { return x != x; }
/* I the integers of the same form; of what width they are, its element type T says. */
#define CLASSIFY(V, R, I, T, MANTISSA)                                                  \
    OVERLOAD R isfinite(V x) { return (__builtin_astype(x, I) & MOST_##T) < INFINITE_##T; }  \
    OVERLOAD R isinf(V x) { return (__builtin_astype(x, I) & MOST_##T) == INFINITE_##T; }    \
    OVERLOAD R isnormal(V x) {                                                          \
        I magnitude = __builtin_astype(x, I) & MOST_##T;                                \
        return (magnitude < INFINITE_##T) & (magnitude >= (T)(1L << MANTISSA));          \
    }                                                                                   \
    OVERLOAD R signbit(V x) { return __builtin_astype(x, I) < (I)0; }
#define MOST_short (short)SHRT_MAX
#define MOST_int INT_MAX
#define MOST_long LONG_MAX
#define INFINITE_short (short)(31 << 10)
#define INFINITE_int (255 << 23)
#define INFINITE_long (2047L << 52)

#define REAL_WIDTH(n, T, I, MANTISSA) COMPARE(T##n, I##n) CLASSIFY(T##n, I##n, I##n, I, MANTISSA)
COMPARE(half, int)
COMPARE(float, int)
COMPARE(double, int)
CLASSIFY(half, int, short, short, 10)
CLASSIFY(float, int, int, int, 23)
CLASSIFY(double, int, long, long, 52)
FOR_WIDTHS(REAL_WIDTH, half, short, 10)
FOR_WIDTHS(REAL_WIDTH, float, int, 23)
FOR_WIDTHS(REAL_WIDTH, double, long, 52)

/* any and all look at the sign bits. */
#define ANY_ALL_WIDTH(n, h, T)                                                          \
    static inline OVERLOAD T any_bits(T##n x) { return any_bits(x.lo) | any_bits(x.hi); } \
    static inline OVERLOAD T all_bits(T##n x) { return all_bits(x.lo) & all_bits(x.hi); }
#define ANY_ALL(T, ...)                                                                 \
    static inline OVERLOAD T any_bits(T x) { return x; }                                \
    static inline OVERLOAD T all_bits(T x) { return x; }                                \
    ANY_ALL_WIDTH(2, , T)                                                               \
    static inline OVERLOAD T any_bits(T##3 x) { return x.x | x.y | x.z; }               \
    static inline OVERLOAD T all_bits(T##3 x) { return x.x & x.y & x.z; }               \
    ANY_ALL_WIDTH(4, 2, T)                                                              \
    ANY_ALL_WIDTH(8, 4, T)                                                              \
    ANY_ALL_WIDTH(16, 8, T)                                                             \
    OVERLOAD int any(T x) { return x < 0; }                                             \
    OVERLOAD int all(T x) { return x < 0; }                                             \
    FOR_WIDTHS(ANY_ALL_FORM, T)
#define ANY_ALL_FORM(n, T)                                                              \
    OVERLOAD int any(T##n x) { return any_bits(x) < 0; }                                \
    OVERLOAD int all(T##n x) { return all_bits(x) < 0; }
FOR_SIGNED(ANY_ALL)

/* bitselect takes the bits of b where c has ones. select takes b where the condition's sign bit is set (vectors) or the
 * condition is not zero (scalars). I and U are the integers of T's width. */
#define CHOICES(V, I, U)                                                                \
    OVERLOAD V bitselect(V a, V b, V c) {                                               \
        U mask = __builtin_astype(c, U);                                                \
        return __builtin_astype((U)((__builtin_astype(a, U) & ~mask) | (__builtin_astype(b, U) & mask)), V); \
    }
#define SELECT_SCALAR(T, C) OVERLOAD T select(T a, T b, C c) { return c ? b : a; }
#define SELECT_VECTOR(V, C, I) OVERLOAD V select(V a, V b, C c) { return __builtin_astype(c, I) < (I)0 ? b : a; }
#define CHOICES_WIDTH(n, T, I, U)                                                       \
    CHOICES(T##n, I##n, U##n)                                                           \
    SELECT_VECTOR(T##n, I##n, I##n)                                                     \
    SELECT_VECTOR(T##n, U##n, I##n)
#define CHOICES_FORMS(T, I, U)                                                          \
    CHOICES(T, I, U)                                                                    \
    SELECT_SCALAR(T, I)                                                                 \
    SELECT_SCALAR(T, U)                                                                 \
    FOR_WIDTHS(CHOICES_WIDTH, T, I, U)
CHOICES_FORMS(char, char, uchar)
CHOICES_FORMS(uchar, char, uchar)
CHOICES_FORMS(short, short, ushort)
CHOICES_FORMS(ushort, short, ushort)
CHOICES_FORMS(half, short, ushort)
CHOICES_FORMS(int, int, uint)
CHOICES_FORMS(uint, int, uint)
CHOICES_FORMS(float, int, uint)
CHOICES_FORMS(long, long, ulong)
CHOICES_FORMS(ulong, long, ulong)
CHOICES_FORMS(double, long, ulong)

/* Integer functions that cannot overflow: magnitudes, averages, bits, rotations, minima. In machine vectors where LLVM
 * has the operation on vectors. Sources: OpenCL C 3.0, section 6.15.3. Its shift counts wrap at the width. */
#include "../library.h"

/* M(type, unsigned type, bits) for every form, and the scalar ones alone. */
#define FOR_SCALARS(M)                                                                              \
    M(char, uchar, 8) M(short, ushort, 16) M(int, uint, 32) M(long, ulong, 64)                      \
    M(uchar, uchar, 8) M(ushort, ushort, 16) M(uint, uint, 32) M(ulong, ulong, 64)
#define FOR_FORMS_OF(M, T, U, B)                                                                    \
    M(T, T, U, B) M(T##2, T, U##2, B) M(T##3, T, U##3, B) M(T##4, T, U##4, B) M(T##8, T, U##8, B) M(T##16, T, U##16, B)

/* abs_diff subtracts as unsigned: the difference of any two numbers of a type fits its unsigned type. */
#define PLAIN(V, T, UV, B)                                                                          \
    OVERLOAD UV abs_diff(V x, V y) {                                                                \
        V most = __builtin_elementwise_max(x, y), least = __builtin_elementwise_min(x, y);          \
        return __builtin_astype(most, UV) - __builtin_astype(least, UV);                            \
    }                                                                                               \
    OVERLOAD V hadd(V x, V y) { return (V)((x & y) + ((x ^ y) >> (V)1)); }                          \
    OVERLOAD V rhadd(V x, V y) { return (V)((x | y) - ((x ^ y) >> (V)1)); }                         \
    OVERLOAD V max(V x, V y) { return __builtin_elementwise_max(x, y); }                            \
    OVERLOAD V min(V x, V y) { return __builtin_elementwise_min(x, y); }                            \
    OVERLOAD V clamp(V x, V low, V high) {                                                          \
        V raised = __builtin_elementwise_max(x, low);                                               \
        return __builtin_elementwise_min(raised, high);                                             \
    }                                                                                               \
    OVERLOAD V rotate(V x, V by) {                                                                  \
        UV bits = __builtin_astype(x, UV), count = __builtin_astype(by, UV);                        \
        UV left = bits << (count & (UV)(B - 1)), right = bits >> ((UV)(-count) & (UV)(B - 1));      \
        return __builtin_astype((UV)(left | right), V);                                             \
    }
#define PLAIN_FORMS(T, U, B)           \
    FOR_FORMS_OF(PLAIN, T, U, B)       \
    SPREAD_2(T, max, T, T)             \
    SPREAD_2(T, min, T, T)             \
    FOR_WIDTHS(CLAMP_SPREAD, T)
#define CLAMP_SPREAD(n, T) \
    OVERLOAD T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)(low), (T##n)(high)); }
FOR_SCALARS(PLAIN_FORMS)

#define ABS(V, T, UV, B)                                                                            \
    OVERLOAD UV abs(V x) {                                                                          \
        V magnitude = __builtin_elementwise_abs(x);                                                 \
        return __builtin_astype(magnitude, UV);                                                     \
    }
#define ABS_UNSIGNED(V, T, UV, B) OVERLOAD V abs(V x) { return x; }
#define ABS_FORMS(T, U, B) FOR_FORMS_OF(ABS, T, U, B) FOR_FORMS_OF(ABS_UNSIGNED, U, U, B)
ABS_FORMS(char, uchar, 8)
ABS_FORMS(short, ushort, 16)
ABS_FORMS(int, uint, 32)
ABS_FORMS(long, ulong, 64)

/* Counts of bits. Zeros are counted in the next wider type behind a stop bit, so that zero gives the width. */
#define COUNTS(T, U, B)                                                                             \
    OVERLOAD T popcount(T x) { return (T)__builtin_popcountl((ulong)as_##U(x)); }                   \
    OVERLOAD T clz(T x) { return CLZ_##B(as_##U(x)); }                                              \
    OVERLOAD T ctz(T x) { return CTZ_##B(as_##U(x)); }                                              \
    MAP_1(T, popcount, T)                                                                           \
    MAP_1(T, clz, T)                                                                                \
    MAP_1(T, ctz, T)
#define CLZ_8(x) __builtin_clz((uint)x << 24 | 1 << 23)
#define CLZ_16(x) __builtin_clz((uint)x << 16 | 1 << 15)
#define CLZ_32(x) (x ? __builtin_clz(x) : 32)
#define CLZ_64(x) (x ? __builtin_clzl(x) : 64)
#define CTZ_8(x) __builtin_ctz((uint)x | 1 << 8)
#define CTZ_16(x) __builtin_ctz((uint)x | 1 << 16)
#define CTZ_32(x) (x ? __builtin_ctz(x) : 32)
#define CTZ_64(x) (x ? __builtin_ctzl(x) : 64)
FOR_SCALARS(COUNTS)

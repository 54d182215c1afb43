/* Sums of four products of bytes: no sum overflows but one that is added to, and that saturates.
 * Sources: cl_khr_integer_dot_product. */
#include "../library.h"

/* Of A and B, which may differ in sign, as R; the bytes of a word are named by their signs. */
#define DOT(R, A, B, signs)                                                                         \
    OVERLOAD R dot(A##4 a, B##4 b) {                                                                \
        return (R)((int)a.s0 * b.s0 + (int)a.s1 * b.s1 + (int)a.s2 * b.s2 + (int)a.s3 * b.s3);      \
    }                                                                                               \
    OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R sum) {                                                 \
        return __builtin_elementwise_add_sat(dot(a, b), sum);                                       \
    }                                                                                               \
    OVERLOAD R dot_4x8packed_##signs##_##R(uint a, uint b) {                                        \
        return dot(__builtin_astype(a, A##4), __builtin_astype(b, B##4));                           \
    }                                                                                               \
    OVERLOAD R dot_acc_sat_4x8packed_##signs##_##R(uint a, uint b, R sum) {                         \
        return dot_acc_sat(__builtin_astype(a, A##4), __builtin_astype(b, B##4), sum);              \
    }
DOT(uint, uchar, uchar, uu)
DOT(int, char, char, ss)
DOT(int, uchar, char, us)
DOT(int, char, uchar, su)

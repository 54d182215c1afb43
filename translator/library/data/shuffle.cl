/* shuffle and shuffle2: elements chosen by a mask, of which as many low bits count as name an element.
 * Sources: OpenCL C 3.0, section 6.15.13. */
#include "../library.h"

/* n elements out of m; U is the unsigned integer of the element's width. */
#define SHUFFLE(n, m, T, U)                                                                     \
    OVERLOAD T##n shuffle(T##m x, U##n mask) {                                                  \
        T##n r;                                                                                 \
        for (int i = 0; i < n; i++) r[i] = x[mask[i] & (m - 1)];                                \
        return r;                                                                               \
    }                                                                                           \
    OVERLOAD T##n shuffle2(T##m x, T##m y, U##n mask) {                                         \
        T##n r;                                                                                 \
        for (int i = 0; i < n; i++) {                                                           \
            uint from = mask[i] & (2 * m - 1);                                                  \
            r[i] = from < m ? x[from & (m - 1)] : y[from & (m - 1)];                            \
        }                                                                                       \
        return r;                                                                               \
    }
#define FROM(m, T, U) SHUFFLE(2, m, T, U) SHUFFLE(4, m, T, U) SHUFFLE(8, m, T, U) SHUFFLE(16, m, T, U)
#define SHUFFLES(T, U) FROM(2, T, U) FROM(4, T, U) FROM(8, T, U) FROM(16, T, U)
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(half, ushort)
SHUFFLES(float, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(double, ulong)

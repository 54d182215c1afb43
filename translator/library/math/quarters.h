/* Functions of angles by the nearest quarter turn, of one number and of several. */
#ifndef VICINITY_QUARTERS_H
#define VICINITY_QUARTERS_H

#pragma OPENCL FP_CONTRACT ON
/* The functions of r with |r| <= pi / 4 + 0.01, of T and of the whole numbers U that are as wide: the sine or the cosine that sin(r + k pi / 2)
 * is, with its sign, of the whole number k = `quarters`, and the tangent. */
#define IN_QUARTERS(T, U)                                                             \
    static inline OVERLOAD T sine_of_quarter(T r) {                                   \
        T z = r * r;                                                                  \
        T p = -0x1.9919dp-13f;                                                        \
        p = p * z + 0x1.1106c2p-7f;                                                   \
        p = p * z - 0x1.555544p-3f;                                                   \
        return r + r * z * p;                                                         \
    }                                                                                 \
    static inline OVERLOAD T cosine_of_quarter(T r) {                                 \
        T z = r * r;                                                                  \
        T p = 0x1.99db8ap-16f;                                                        \
        p = p * z - 0x1.6c0c0ep-10f;                                                  \
        p = p * z + 0x1.55554ap-5f;                                                   \
        return (1.0f - 0.5f * z) + z * z * p;                                         \
    }                                                                                 \
    static inline OVERLOAD T in_quarter(T r, U quarters) {                            \
        T size = quarters << 31 ? cosine_of_quarter(r) : sine_of_quarter(r);          \
        return as_##T(as_##U(size) ^ (quarters << 30 & 0x80000000));                  \
    }                                                                                 \
    static inline OVERLOAD T tangent_in_quarter(T r, U quarters) {                    \
        T z = r * r;                                                                  \
        T p = 0x1.3c760ep-7f;                                                         \
        p = p * z + 0x1.5c828ep-9f;                                                   \
        p = p * z + 0x1.94fe34p-6f;                                                   \
        p = p * z + 0x1.b4e082p-5f;                                                   \
        p = p * z + 0x1.1132fap-3f;                                                   \
        p = p * z + 0x1.5554c4p-2f;                                                   \
        p = r + r * z * p;                                                            \
        U odd = quarters << 31;                                                       \
        return (odd ? (T)-1.0f : p) / (odd ? p : (T)1.0f);                            \
    }
IN_QUARTERS(float, uint)
#pragma OPENCL FP_CONTRACT OFF

#endif

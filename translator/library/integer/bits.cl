/* Fields of bits, and their order. Without branches: shift counts wrap at the width, and a field without bits has an empty mask.
 * Sources: cl_khr_extended_bit_ops. */
#include "../library.h"

/* So many bits, the lowest ones. */
static inline ulong lowest(uint count) { return count >= 64 ? ~0UL : (1UL << count) - 1; }

/* M(vector, signed vector, unsigned vector, unsigned type, bits) for every form. */
#define FOR_FORMS_OF(M, T, S, U, B)                                                                 \
    M(T, S, U, U, B) M(T##2, S##2, U##2, U, B) M(T##3, S##3, U##3, U, B) M(T##4, S##4, U##4, U, B)  \
    M(T##8, S##8, U##8, U, B) M(T##16, S##16, U##16, U, B)

#define FIELDS(V, SV, UV, U, B)                                                                     \
    OVERLOAD V bitfield_insert(V base, V insert, uint offset, uint count) {                         \
        U mask = (U)(lowest(count) << offset);                                                      \
        UV old = __builtin_astype(base, UV), bits = __builtin_astype(insert, UV) << (UV)offset;     \
        UV both = (old & (UV)(U)~mask) | (bits & (UV)mask);                                         \
        return __builtin_astype(both, V);                                                           \
    }                                                                                               \
    OVERLOAD UV bitfield_extract_unsigned(V base, uint offset, uint count) {                        \
        return (__builtin_astype(base, UV) >> (UV)offset) & (UV)(U)lowest(count);                   \
    }                                                                                               \
    OVERLOAD SV bitfield_extract_signed(V base, uint offset, uint count) {                          \
        UV high = __builtin_astype(base, UV) << (UV)(B - offset - count);                           \
        SV field = __builtin_astype(high, SV) >> (SV)(B - count);                                   \
        return field & (SV)(count == 0 ? 0 : -1);                                                   \
    }
/* As scalars, C makes char and short int. */
#define REVERSE(T, B) OVERLOAD T bit_reverse(T base) { return (T)__builtin_bitreverse##B(base); }
#define REVERSE_WIDTH(n, T) OVERLOAD T##n bit_reverse(T##n base) { return __builtin_elementwise_bitreverse(base); }
#define FORMS(T, S, U, B) FOR_FORMS_OF(FIELDS, T, S, U, B) REVERSE(T, B) FOR_WIDTHS(REVERSE_WIDTH, T)
#define BOTH(S, U, B) FORMS(S, S, U, B) FORMS(U, S, U, B)
BOTH(char, uchar, 8)
BOTH(short, ushort, 16)
BOTH(int, uint, 32)
BOTH(long, ulong, 64)

/* Functions of sub-groups: votes, ballots, broadcasts, reductions, scans, shuffles, rotations.
 *
 * The items of a sub-group are the lanes of a vector. All that one lane learns of another goes by two functions, which the translator
 * gives their meaning (src/sub_groups.rs): vicinity_ballot, the lanes that are here and bring what is not zero, a bit each; and
 * vicinity_shuffle, what another lane brings. A lane's number counts modulo the size of vectors; what a lane that is not here brings is
 * anything.
 *
 * The functions of the core language, and those whose name does not begin otherwise, are for all items of a sub-group: reductions and
 * scans of them go by trees. The others ("non-uniform") are for those items that are here.
 * Sources: OpenCL C 3.0, section 6.15.19; cl_khr_subgroup_* in the extension specification. */

#include "../library.h"

/* Bits of the lanes that are here and bring what is not zero. */
uint vicinity_ballot(uint bit) __attribute__((const));
uint vicinity_shuffle(uint number, uint lane) __attribute__((const));
/* No sub-group of the program has more items. */
uint vicinity_sub_group_most(void) __attribute__((const));

OVERLOAD uint get_sub_group_size(void) __attribute__((const));
OVERLOAD uint get_max_sub_group_size(void) __attribute__((const));
OVERLOAD uint get_sub_group_local_id(void) __attribute__((const));

#define LANE get_sub_group_local_id()
#define HERE vicinity_ballot(1)
#define IS_IN(bits, lane) (((bits) >> (lane)) & 1)
#define FIRST(bits) ctz(bits)

static inline uint low_bits(uint count) {
    return count >= 32 ? ~0u : (1u << count) - 1;
}

OVERLOAD uint ctz(uint);
OVERLOAD uint clz(uint);
OVERLOAD uint popcount(uint);

/* What `lane` brings. */
#define OF_SHORT(T, U)                                   \
    OVERLOAD static inline T of(T x, uint lane) {        \
        return as_##T((U)vicinity_shuffle(as_##U(x), lane)); \
    }
#define OF_WORD(T)                                       \
    OVERLOAD static inline T of(T x, uint lane) {        \
        return as_##T(vicinity_shuffle(as_uint(x), lane)); \
    }
#define OF_LONG(T)                                       \
    OVERLOAD static inline T of(T x, uint lane) {        \
        uint2 halves = as_uint2(x);                      \
        return as_##T((uint2)(vicinity_shuffle(halves.x, lane), vicinity_shuffle(halves.y, lane))); \
    }
OF_SHORT(char, uchar)
OF_SHORT(uchar, uchar)
OF_SHORT(short, ushort)
OF_SHORT(ushort, ushort)
OF_SHORT(half, ushort)
OF_WORD(int)
OF_WORD(uint)
OF_WORD(float)
OF_LONG(long)
OF_LONG(ulong)
OF_LONG(double)

/* Votes. */
#define VOTES(all, any)                          \
    OVERLOAD int all(int holds) {                \
        return vicinity_ballot(holds == 0) == 0; \
    }                                            \
    OVERLOAD int any(int holds) {                \
        return vicinity_ballot(holds != 0) != 0; \
    }
VOTES(sub_group_all, sub_group_any)
VOTES(sub_group_non_uniform_all, sub_group_non_uniform_any)
OVERLOAD int sub_group_elect(void) {
    return LANE == FIRST(HERE);
}

/* Ballots. */
OVERLOAD uint4 sub_group_ballot(int holds) {
    return (uint4)(vicinity_ballot(holds != 0), 0, 0, 0);
}
OVERLOAD int sub_group_inverse_ballot(uint4 bits) {
    return IS_IN(bits.x, LANE);
}
OVERLOAD int sub_group_ballot_bit_extract(uint4 bits, uint lane) {
    return lane < 32 ? IS_IN(bits.x, lane) : 0;
}
#define THERE(bits) ((bits).x & low_bits(get_max_sub_group_size()))
OVERLOAD uint sub_group_ballot_bit_count(uint4 bits) {
    return popcount(THERE(bits));
}
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 bits) {
    return popcount(THERE(bits) & low_bits(LANE + 1));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 bits) {
    return popcount(THERE(bits) & low_bits(LANE));
}
OVERLOAD uint sub_group_ballot_find_lsb(uint4 bits) {
    return ctz(THERE(bits));
}
OVERLOAD uint sub_group_ballot_find_msb(uint4 bits) {
    return 31 - clz(THERE(bits));
}
#define MASK(name, bits)                                             \
    OVERLOAD uint4 get_sub_group_##name##_mask(void) {               \
        return (uint4)((bits) & low_bits(get_max_sub_group_size()), 0, 0, 0); \
    }
MASK(eq, 1u << LANE)
MASK(ge, ~low_bits(LANE))
MASK(gt, ~low_bits(LANE + 1))
MASK(le, low_bits(LANE + 1))
MASK(lt, low_bits(LANE))

/* Broadcasts and shuffles. That a lane's number is the same in all items is known when it comes from the first one that is here. */
#define EXCHANGES(T, ...)                                            \
    OVERLOAD T sub_group_broadcast(T x, uint lane) {                 \
        return of(x, of(lane, FIRST(HERE)));                         \
    }                                                                \
    OVERLOAD T sub_group_non_uniform_broadcast(T x, uint lane) {     \
        return of(x, of(lane, FIRST(HERE)));                         \
    }                                                                \
    OVERLOAD T sub_group_broadcast_first(T x) {                      \
        return of(x, FIRST(HERE));                                   \
    }                                                                \
    OVERLOAD int sub_group_non_uniform_all_equal(T x) {              \
        return vicinity_ballot(x != of(x, FIRST(HERE))) == 0;        \
    }                                                                \
    OVERLOAD T sub_group_shuffle(T x, uint lane) {                   \
        return of(x, lane);                                          \
    }                                                                \
    OVERLOAD T sub_group_shuffle_xor(T x, uint bits) {               \
        return of(x, LANE ^ bits);                                   \
    }                                                                \
    OVERLOAD T sub_group_shuffle_up(T x, uint by) {                  \
        return of(x, LANE - by);                                     \
    }                                                                \
    OVERLOAD T sub_group_shuffle_down(T x, uint by) {                \
        return of(x, LANE + by);                                     \
    }                                                                \
    OVERLOAD T sub_group_rotate(T x, int by) {                       \
        return of(x, LANE + by);                                     \
    }                                                                \
    OVERLOAD T sub_group_clustered_rotate(T x, int by, uint size) {  \
        return of(x, (LANE & ~(size - 1)) | ((LANE + by) & (size - 1))); \
    }
FOR_NUMBERS(EXCHANGES)
EXCHANGES(half)

/* Broadcasts of vectors. */
#define VECTOR_BROADCAST(n, T)                                           \
    OVERLOAD T##n sub_group_broadcast(T##n x, uint lane) {               \
        return each_of_##n(x, of(lane, FIRST(HERE)));                    \
    }                                                                    \
    OVERLOAD T##n sub_group_non_uniform_broadcast(T##n x, uint lane) {   \
        return each_of_##n(x, of(lane, FIRST(HERE)));                    \
    }
#define VECTOR_BROADCASTS(T, ...)                                        \
    OVERLOAD static inline T##2 each_of_2(T##2 x, uint lane) {           \
        return (T##2)(of(x.s0, lane), of(x.s1, lane));                   \
    }                                                                    \
    OVERLOAD static inline T##3 each_of_3(T##3 x, uint lane) {           \
        return (T##3)(each_of_2(x.s01, lane), of(x.s2, lane));           \
    }                                                                    \
    OVERLOAD static inline T##4 each_of_4(T##4 x, uint lane) {           \
        return (T##4)(each_of_2(x.lo, lane), each_of_2(x.hi, lane));     \
    }                                                                    \
    OVERLOAD static inline T##8 each_of_8(T##8 x, uint lane) {           \
        return (T##8)(each_of_4(x.lo, lane), each_of_4(x.hi, lane));     \
    }                                                                    \
    OVERLOAD static inline T##16 each_of_16(T##16 x, uint lane) {        \
        return (T##16)(each_of_8(x.lo, lane), each_of_8(x.hi, lane));    \
    }                                                                    \
    FOR_WIDTHS(VECTOR_BROADCAST, T)
FOR_NUMBERS(VECTOR_BROADCASTS)
VECTOR_BROADCASTS(half)

/* Sums and products of integers wrap around, as parts of them may where the whole does not. */
#define SUMS(T, U)                                       \
    OVERLOAD static inline T plus(T a, T b) {            \
        return (T)((U)a + (U)b);                         \
    }                                                    \
    OVERLOAD static inline T times(T a, T b) {           \
        return (T)((U)a * (U)b);                         \
    }
SUMS(char, uint)
SUMS(uchar, uint)
SUMS(short, uint)
SUMS(ushort, uint)
SUMS(int, uint)
SUMS(uint, uint)
SUMS(long, ulong)
SUMS(ulong, ulong)
SUMS(half, half)
SUMS(float, float)
SUMS(double, double)

/* What is combined, and what nothing is. */
#define COMBINE_add(a, b) plus(a, b)
#define COMBINE_mul(a, b) times(a, b)
#define COMBINE_min(a, b) ((b) < (a) ? (b) : (a))
#define COMBINE_max(a, b) ((b) > (a) ? (b) : (a))
#define COMBINE_and(a, b) ((a) & (b))
#define COMBINE_or(a, b) ((a) | (b))
#define COMBINE_xor(a, b) ((a) ^ (b))
#define COMBINE_logical_and(a, b) ((a) && (b))
#define COMBINE_logical_or(a, b) ((a) || (b))
#define COMBINE_logical_xor(a, b) (!(a) != !(b))
#define NONE_add(T) (T)0
#define NONE_mul(T) (T)1
#define NONE_min(T) MOST_##T
#define NONE_max(T) LEAST_##T
#define NONE_and(T) (T)~0ul
#define NONE_or(T) (T)0
#define NONE_xor(T) (T)0
#define NONE_logical_and(T) (T)1
#define NONE_logical_or(T) (T)0
#define NONE_logical_xor(T) (T)0
#define MOST_char CHAR_MAX
#define LEAST_char CHAR_MIN
#define MOST_uchar UCHAR_MAX
#define LEAST_uchar (uchar)0
#define MOST_short SHRT_MAX
#define LEAST_short SHRT_MIN
#define MOST_ushort USHRT_MAX
#define LEAST_ushort (ushort)0
#define MOST_int INT_MAX
#define LEAST_int INT_MIN
#define MOST_uint UINT_MAX
#define LEAST_uint 0u
#define MOST_long LONG_MAX
#define LEAST_long LONG_MIN
#define MOST_ulong ULONG_MAX
#define LEAST_ulong 0ul
#define MOST_half (half)INFINITY
#define LEAST_half (half)(-INFINITY)
#define MOST_float INFINITY
#define LEAST_float (-INFINITY)
#define MOST_double (double)INFINITY
#define LEAST_double (double)(-INFINITY)

/* Of a whole sub-group: trees, in the order of its items. */
#define TREES(T, how)                                                     \
    OVERLOAD T sub_group_reduce_##how(T x) {                              \
        uint lane = LANE, count = get_sub_group_size();                   \
        for (uint by = 1; by < vicinity_sub_group_most(); by *= 2) {      \
            T next = of(x, lane + by);                                    \
            x = lane + by < count ? (T)COMBINE_##how(x, next) : x;        \
        }                                                                 \
        return of(x, 0);                                                  \
    }                                                                     \
    OVERLOAD T sub_group_scan_inclusive_##how(T x) {                      \
        uint lane = LANE;                                                 \
        for (uint by = 1; by < vicinity_sub_group_most(); by *= 2) {      \
            T before = of(x, lane - by);                                  \
            x = lane >= by ? (T)COMBINE_##how(before, x) : x;             \
        }                                                                 \
        return x;                                                         \
    }                                                                     \
    OVERLOAD T sub_group_scan_exclusive_##how(T x) {                      \
        T before = of(sub_group_scan_inclusive_##how(x), LANE - 1);       \
        return LANE == 0 ? NONE_##how(T) : before;                        \
    }
#define ALL_TREES(T, ...) TREES(T, add) TREES(T, min) TREES(T, max)
FOR_NUMBERS(ALL_TREES)
ALL_TREES(half)

/* Of the items that are here, one after another; of those of a cluster. */
#define WALKS(T, how)                                                     \
    OVERLOAD T sub_group_non_uniform_reduce_##how(T x) {                  \
        T sum = NONE_##how(T);                                            \
        for (uint left = HERE; left; left &= left - 1) {                  \
            T next = of(x, FIRST(left));                                  \
            sum = (T)COMBINE_##how(sum, next);                            \
        }                                                                 \
        return sum;                                                       \
    }                                                                     \
    OVERLOAD T sub_group_non_uniform_scan_inclusive_##how(T x) {          \
        T sum = NONE_##how(T), mine = sum;                                \
        for (uint left = HERE; left; left &= left - 1) {                  \
            T next = of(x, FIRST(left));                                  \
            sum = (T)COMBINE_##how(sum, next);                            \
            mine = FIRST(left) == LANE ? sum : mine;                      \
        }                                                                 \
        return mine;                                                      \
    }                                                                     \
    OVERLOAD T sub_group_non_uniform_scan_exclusive_##how(T x) {          \
        T sum = NONE_##how(T), mine = sum;                                \
        for (uint left = HERE; left; left &= left - 1) {                  \
            T next = of(x, FIRST(left));                                  \
            mine = FIRST(left) == LANE ? sum : mine;                      \
            sum = (T)COMBINE_##how(sum, next);                            \
        }                                                                 \
        return mine;                                                      \
    }                                                                     \
    OVERLOAD T sub_group_clustered_reduce_##how(T x, uint size) {         \
        uint here = HERE, begin = LANE & ~(size - 1);                     \
        T sum = NONE_##how(T);                                            \
        for (uint at = 0; at < size; ++at) {                              \
            T next = of(x, begin + at);                                   \
            sum = IS_IN(here, begin + at) ? (T)COMBINE_##how(sum, next) : sum; \
        }                                                                 \
        return sum;                                                       \
    }
#define WALKS_OF_NUMBERS(T, ...) WALKS(T, add) WALKS(T, mul) WALKS(T, min) WALKS(T, max)
#define WALKS_OF_BITS(T, ...) WALKS(T, and) WALKS(T, or) WALKS(T, xor)
FOR_NUMBERS(WALKS_OF_NUMBERS)
WALKS_OF_NUMBERS(half)
FOR_INTEGERS(WALKS_OF_BITS)
WALKS(int, logical_and)
WALKS(int, logical_or)
WALKS(int, logical_xor)

/* cl_intel_subgroups: shuffles of one number, or between two of each item, and blocks of memory. What a lane beyond the others has, is
 * the second number of the lane that the counting comes to. */
#define INTEL_SHUFFLES(T, each)                                              \
    OVERLOAD T intel_sub_group_shuffle(T x, uint lane) {                     \
        return each(x, lane);                                                \
    }                                                                        \
    OVERLOAD T intel_sub_group_shuffle_xor(T x, uint bits) {                 \
        return each(x, LANE ^ bits);                                         \
    }                                                                        \
    OVERLOAD T intel_sub_group_shuffle_down(T x, T next, uint by) {          \
        uint lane = LANE + by, most = get_max_sub_group_size();              \
        T near = each(x, lane), far = each(next, lane - most);               \
        return lane < most ? near : far;                                     \
    }                                                                        \
    OVERLOAD T intel_sub_group_shuffle_up(T before, T x, uint by) {          \
        uint lane = LANE - by;                                               \
        T near = each(x, lane), far = each(before, lane + get_max_sub_group_size()); \
        return by <= LANE ? near : far;                                      \
    }
#define INTEL_VECTOR_SHUFFLES(n, T) INTEL_SHUFFLES(T##n, each_of_##n)
INTEL_SHUFFLES(int, of)
INTEL_SHUFFLES(uint, of)
INTEL_SHUFFLES(float, of)
INTEL_SHUFFLES(long, of)
INTEL_SHUFFLES(ulong, of)
INTEL_SHUFFLES(double, of)
INTEL_SHUFFLES(half, of)
FOR_WIDTHS(INTEL_VECTOR_SHUFFLES, int)
FOR_WIDTHS(INTEL_VECTOR_SHUFFLES, uint)
FOR_WIDTHS(INTEL_VECTOR_SHUFFLES, float)

#define AT(n) p[LANE + (n) * get_max_sub_group_size()]
OVERLOAD uint intel_sub_group_block_read(const __global uint *p) {
    return AT(0);
}
OVERLOAD uint2 intel_sub_group_block_read2(const __global uint *p) {
    return (uint2)(AT(0), AT(1));
}
OVERLOAD uint4 intel_sub_group_block_read4(const __global uint *p) {
    return (uint4)(AT(0), AT(1), AT(2), AT(3));
}
OVERLOAD uint8 intel_sub_group_block_read8(const __global uint *p) {
    return (uint8)(AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
}
OVERLOAD void intel_sub_group_block_write(__global uint *p, uint x) {
    AT(0) = x;
}
OVERLOAD void intel_sub_group_block_write2(__global uint *p, uint2 x) {
    AT(0) = x.s0;
    AT(1) = x.s1;
}
OVERLOAD void intel_sub_group_block_write4(__global uint *p, uint4 x) {
    intel_sub_group_block_write2(p, x.lo);
    intel_sub_group_block_write2(p + 2 * get_max_sub_group_size(), x.hi);
}
OVERLOAD void intel_sub_group_block_write8(__global uint *p, uint8 x) {
    intel_sub_group_block_write4(p, x.lo);
    intel_sub_group_block_write4(p + 4 * get_max_sub_group_size(), x.hi);
}

/* Work-group collectives: reductions, scans, broadcast, any, all.
 *
 * In C, which lets a function keep a variable in the address space of __local memory (3). Between two barriers each
 * work-item in turn brings its value into one such variable: an inclusive scan is what is there after that, an exclusive
 * one what was there before, a reduction what is there in the end. The accesses are volatile, which keeps the order of
 * items: such loops are not vectorized.
 *
 * That order is the one of the items' linear local numbers, along x first, unless the kernel is turned (src/kernel/turn.rs). Scans
 * go by it, and sums of floating-point numbers differ with it: these ask for the linear number, and a kernel that does is
 * not turned. Reductions of integers give the same in any order.
 * Sources: OpenCL C 3.0, section 6.15.16. */

typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
#define OVERLOAD __attribute__((overloadable))
#define LOCAL __attribute__((address_space(3)))

OVERLOAD void barrier(uint flags) __attribute__((convergent));
OVERLOAD ulong get_local_id(uint dimension) __attribute__((const));
OVERLOAD ulong get_local_linear_id(void) __attribute__((const));
static inline _Bool is_item(ulong x, ulong y, ulong z) {
    return ((get_local_id(0) ^ x) | (get_local_id(1) ^ y) | (get_local_id(2) ^ z)) == 0;
}

#define COMBINE_add(a, b) ((a) + (b))
#define COMBINE_min(a, b) ((b) < (a) ? (b) : (a))
#define COMBINE_max(a, b) ((b) > (a) ? (b) : (a))

/* Whether the item is the first of all: in any order, or in that of the linear numbers. */
#define FIRST_in_any_order is_item(0, 0, 0)
#define FIRST_in_linear_order (get_local_linear_id() == 0)

/* Leaves what was there before this item, nothing for the first, and what is there after it. */
#define TURN(T, how, order, total, x, first, before, after)                   \
    barrier(0);                                                               \
    _Bool first = FIRST_##order;                                              \
    T before = first ? NONE_##how(T) : *(LOCAL volatile T *)&total;           \
    T after = first ? x : COMBINE_##how(before, x);                           \
    *(LOCAL volatile T *)&total = after;

#define COLLECTIVES(T, how, order)                                            \
    OVERLOAD T work_group_reduce_##how(T x) {                                 \
        static LOCAL T total;                                                 \
        TURN(T, how, order, total, x, first, before, after)                   \
        barrier(0);                                                           \
        return total;                                                         \
    }                                                                         \
    OVERLOAD T work_group_scan_inclusive_##how(T x) {                         \
        static LOCAL T total;                                                 \
        TURN(T, how, in_linear_order, total, x, first, before, after)         \
        barrier(0);                                                           \
        return after;                                                         \
    }                                                                         \
    OVERLOAD T work_group_scan_exclusive_##how(T x) {                         \
        static LOCAL T total;                                                 \
        TURN(T, how, in_linear_order, total, x, first, before, after)         \
        barrier(0);                                                           \
        return before;                                                        \
    }

/* What a scan of nothing gives. */
#define NONE_add(T) (T)0
#define NONE_min(T) MOST_##T
#define NONE_max(T) LEAST_##T
#define MOST_int __INT_MAX__
#define LEAST_int (-__INT_MAX__ - 1)
#define MOST_uint (2u * __INT_MAX__ + 1)
#define LEAST_uint 0u
#define MOST_long __LONG_MAX__
#define LEAST_long (-__LONG_MAX__ - 1)
#define MOST_ulong (2ul * __LONG_MAX__ + 1)
#define LEAST_ulong 0ul
#define MOST_half ((half)__builtin_inff())
#define LEAST_half (-(half)__builtin_inff())
#define MOST_float __builtin_inff()
#define LEAST_float (-__builtin_inff())
#define MOST_double __builtin_inf()
#define LEAST_double (-__builtin_inf())

/* broadcast names one item: its local numbers in as many dimensions as the kernel has. */
#define BROADCAST(T)                                                          \
    static inline OVERLOAD T broadcast(T x, _Bool chosen) {                   \
        static LOCAL T value;                                                 \
        barrier(0);                                                           \
        if (chosen) *(LOCAL volatile T *)&value = x;                          \
        barrier(0);                                                           \
        return value;                                                         \
    }                                                                         \
    OVERLOAD T work_group_broadcast(T a, ulong x) { return broadcast(a, is_item(x, 0, 0)); }          \
    OVERLOAD T work_group_broadcast(T a, ulong x, ulong y) { return broadcast(a, is_item(x, y, 0)); } \
    OVERLOAD T work_group_broadcast(T a, ulong x, ulong y, ulong z) { return broadcast(a, is_item(x, y, z)); }

#define ALL_FOR(T, order) COLLECTIVES(T, add, order) COLLECTIVES(T, min, order) COLLECTIVES(T, max, order) BROADCAST(T)
ALL_FOR(int, in_any_order)
ALL_FOR(uint, in_any_order)
ALL_FOR(long, in_any_order)
ALL_FOR(ulong, in_any_order)
ALL_FOR(half, in_linear_order)
ALL_FOR(float, in_linear_order)
ALL_FOR(double, in_linear_order)

/* Half is another type to C than to OpenCL C, where its letters are Dh. */
#define NAMED(name, symbol, parameters, ...)              \
    half name parameters __asm__(symbol);                 \
    half name parameters { return __VA_ARGS__; }
#define NAMED_HALF(how)                                                                                           \
    NAMED(reduce_##how, "_Z21work_group_reduce_" #how "Dh", (half x), work_group_reduce_##how(x))                 \
    NAMED(inclusive_##how, "_Z29work_group_scan_inclusive_" #how "Dh", (half x), work_group_scan_inclusive_##how(x)) \
    NAMED(exclusive_##how, "_Z29work_group_scan_exclusive_" #how "Dh", (half x), work_group_scan_exclusive_##how(x))
NAMED_HALF(add)
NAMED_HALF(min)
NAMED_HALF(max)
NAMED(broadcast_1, "_Z20work_group_broadcastDhm", (half a, ulong x), work_group_broadcast(a, x))
NAMED(broadcast_2, "_Z20work_group_broadcastDhmm", (half a, ulong x, ulong y), work_group_broadcast(a, x, y))
NAMED(broadcast_3, "_Z20work_group_broadcastDhmmm", (half a, ulong x, ulong y, ulong z), work_group_broadcast(a, x, y, z))

OVERLOAD int work_group_any(int predicate) { return work_group_reduce_max(predicate != 0); }
OVERLOAD int work_group_all(int predicate) { return work_group_reduce_min(predicate != 0); }

/* vload_half, vstore_half and their aligned forms: numbers of 16 bits in memory, float or double in registers.
 *
 * The machine rounds to nearest. The other roundings start from that and step to the neighbour where it went the wrong
 * way: the comparison with the number is exact, for a wider type holds every half. A double is first made a float whose
 * last bit records that something was lost (rounding to odd), so that it is not rounded twice.
 * Sources: OpenCL C 3.0, sections 6.15.7 and 6.2.3.2. */
#include "../library.h"

static inline ushort nearest_half(float x) {
    half near = (half)x;
    return as_ushort(near);
}
static inline float widened(ushort bits) { return (float)as_half(bits); }

static inline OVERLOAD float odd_float(float x) { return x; }
static inline OVERLOAD float odd_float(double x) {
    float near = (float)x;
    double back = near;
    /* Toward zero, then the last bit set. An overflow becomes the largest float, which every half is below. */
    uint bits = as_uint(near) - (op_fabs(back) > op_fabs(x) ? 1 : 0);
    return back == x || x != x ? near : as_float(bits | 1);
}

static inline ushort half_rte(float x) { return nearest_half(x); }
static inline ushort half_rtz(float x) {
    ushort near = nearest_half(x);
    return near - (op_fabs(widened(near)) > op_fabs(x) ? 1 : 0);
}
static inline ushort half_rtp(float x) {
    ushort whole = half_rtz(x);
    return whole + (widened(whole) < x ? 1 : 0);
}
static inline ushort half_rtn(float x) {
    ushort whole = half_rtz(x);
    return whole + (widened(whole) > x ? 1 : 0);
}

/* The suffix of the builtin, and the rounding it means. */
#define FOR_ROUNDINGS(M, ...) \
    M(, rte, __VA_ARGS__) M(_rte, rte, __VA_ARGS__) M(_rtz, rtz, __VA_ARGS__) \
    M(_rtp, rtp, __VA_ARGS__) M(_rtn, rtn, __VA_ARGS__)

#define BITS(SPACE, from, i) (((const SPACE ushort *)(from))[i])

/* n elements, s from one vector to the next: 4 where 3 are aligned. */
#define LOAD(name, n, s, SPACE)                                                                 \
    OVERLOAD float##n name(size_t offset, const SPACE half *from) {                             \
        float##n x;                                                                             \
        for (int i = 0; i < n; i++) x[i] = widened(BITS(SPACE, from, offset * s + i));          \
        return x;                                                                               \
    }
#define LOAD_ONE(name, SPACE) \
    OVERLOAD float name(size_t offset, const SPACE half *from) { return widened(BITS(SPACE, from, offset)); }
#define LOADS(SPACE, ...)                                                                       \
    LOAD_ONE(vload_half, SPACE) LOAD_ONE(vloada_half, SPACE)                                    \
    LOAD(vload_half2, 2, 2, SPACE) LOAD(vloada_half2, 2, 2, SPACE)                              \
    LOAD(vload_half3, 3, 3, SPACE) LOAD(vloada_half3, 3, 4, SPACE)                              \
    LOAD(vload_half4, 4, 4, SPACE) LOAD(vloada_half4, 4, 4, SPACE)                              \
    LOAD(vload_half8, 8, 8, SPACE) LOAD(vloada_half8, 8, 8, SPACE)                              \
    LOAD(vload_half16, 16, 16, SPACE) LOAD(vloada_half16, 16, 16, SPACE)
FOR_READABLE_SPACES(LOADS)

#define STORE(suffix, mode, name, n, s, SPACE, T)                                               \
    OVERLOAD void name##suffix(T##n x, size_t offset, SPACE half *to) {                         \
        for (int i = 0; i < n; i++) ((SPACE ushort *)to)[offset * s + i] = half_##mode(odd_float(x[i])); \
    }
#define STORE_ONE(suffix, mode, name, SPACE, T)                                                 \
    OVERLOAD void name##suffix(T x, size_t offset, SPACE half *to) {                            \
        ((SPACE ushort *)to)[offset] = half_##mode(odd_float(x));                               \
    }
#define STORES_OF(SPACE, T)                                                                     \
    FOR_ROUNDINGS(STORE_ONE, vstore_half, SPACE, T)                                             \
    FOR_ROUNDINGS(STORE_ONE, vstorea_half, SPACE, T)                                            \
    FOR_ROUNDINGS(STORE, vstore_half2, 2, 2, SPACE, T)                                          \
    FOR_ROUNDINGS(STORE, vstorea_half2, 2, 2, SPACE, T)                                         \
    FOR_ROUNDINGS(STORE, vstore_half3, 3, 3, SPACE, T)                                          \
    FOR_ROUNDINGS(STORE, vstorea_half3, 3, 4, SPACE, T)                                         \
    FOR_ROUNDINGS(STORE, vstore_half4, 4, 4, SPACE, T)                                          \
    FOR_ROUNDINGS(STORE, vstorea_half4, 4, 4, SPACE, T)                                         \
    FOR_ROUNDINGS(STORE, vstore_half8, 8, 8, SPACE, T)                                          \
    FOR_ROUNDINGS(STORE, vstorea_half8, 8, 8, SPACE, T)                                         \
    FOR_ROUNDINGS(STORE, vstore_half16, 16, 16, SPACE, T)                                       \
    FOR_ROUNDINGS(STORE, vstorea_half16, 16, 16, SPACE, T)
#define STORES(SPACE, ...) STORES_OF(SPACE, float) STORES_OF(SPACE, double)
FOR_SPACES(STORES)

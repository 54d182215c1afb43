/* Sines, cosines and tangents of far angles (`math/angles.h`), in place of what was computed as if they were near.
 *
 * They are rare: the vector forms ask once whether there is one among their numbers; then the C library computes one after the other. */
#include "late.h"
#include "../math/angles.h"

#define FAR(name)                                                                          \
    float libm_##name(float) __asm__(#name "f") __attribute__((const, nothrow));           \
    float vicinity_far_##name(float x, float near) {                                       \
        return __builtin_expect(op_fabs(x) > FAR_ANGLE, 0) ? libm_##name(x) : near;        \
    }                                                                                      \
    FOR_LANES(FAR_FORM, name)
/* By way of memory, since it keeps all registers (late.rs): what calls it loses none for what it rarely does. */
#define FAR_FORM(n, letter, name)                                                                        \
    static __attribute__((noinline)) void slowly_##name##n(__private const float##n *x, __private float##n *y) { \
        _Pragma("clang loop unroll(disable)")                                                            \
        for (int i = 0; i < n; i++)                                                                      \
            if (op_fabs((*x)[i]) > FAR_ANGLE) (*y)[i] = libm_##name((*x)[i]);                            \
    }                                                                                                    \
    float##n name##n(float##n x, float##n near) __asm__("_ZGV" #letter "N" #n "vv_vicinity_far_" #name); \
    float##n name##n(float##n x, float##n near) {                                                        \
        bool far = __builtin_reduce_or(__builtin_elementwise_abs(x) > FAR_ANGLE) != 0;                   \
        if (__builtin_expect(!far, 1)) return near;                                                      \
        float##n all = x, y = near;                                                                      \
        slowly_##name##n(&all, &y);                                                                      \
        return y;                                                                                        \
    }
FAR(sin)
FAR(cos)
FAR(tan)

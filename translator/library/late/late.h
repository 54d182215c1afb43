/* What functions of late.rs share: forms that take several numbers at once, with the names of the vector function ABI.
 *
 * Terms. *Late*: such functions are calls until loops have become vectors, so that each is one call that a vectorizer widens, by its
 * attribute `vector-function-abi-variant` (vector_math.rs); then they are inlined. Only so can the vector forms be other code
 * than the scalar one: a test of all numbers at once, an instruction of the processor. */
#ifndef VICINITY_LATE_H
#define VICINITY_LATE_H

#include "../library.h"

float16 avx512_rsqrt(float16 x, float16 otherwise, ushort mask) __asm__("llvm.x86.avx512.rsqrt14.ps.512");

/* M(lanes, the letter of its instruction set, ...) for each number of lanes, as in vector_math.rs. */
#define FOR_LANES(M, ...) M(2, b, __VA_ARGS__) M(4, b, __VA_ARGS__) M(8, d, __VA_ARGS__) M(16, e, __VA_ARGS__)

/* A function that corrects what was computed as if no number were rare, with a form for each number of lanes:
 * `IS_RARE(x, usual)` of numbers or vectors, and what is right in place of `usual` for a rare number, `SLOWLY(x)`. RARELY_2 is the same
 * of functions of two numbers: `IS_RARE(usual)`, `SLOWLY(x, y)`.
 *
 * The vector forms ask once whether there is a rare one among their numbers; then they compute one after the other. */
#define RARELY(name, IS_RARE, SLOWLY)     \
    RARE_ALONE(name, IS_RARE, SLOWLY)     \
    FOR_LANES(RARE_FORM, name, IS_RARE, SLOWLY)
#define RARE_ALONE(name, IS_RARE, SLOWLY)                                   \
    float vicinity_rare_##name(float x, float usual) {                      \
        return __builtin_expect(IS_RARE(x, usual), 0) ? SLOWLY(x) : usual;  \
    }
#define RARE_FORM(n, letter, name, IS_RARE, SLOWLY) \
    RARE_TEST(n, name, IS_RARE, SLOWLY)             \
    RARE_NAME(n, letter, name)                      \
    float##n name##n(float##n x, float##n usual) { return tested_##name##n(x, usual); }
#define RARE_NAME(n, letter, name) \
    float##n name##n(float##n x, float##n usual) __asm__("_ZGV" #letter "N" #n "vv_vicinity_rare_" #name);
/* By way of memory, since it keeps all registers (late.rs): what calls it loses none for what it rarely does. */
#define RARE_TEST(n, name, IS_RARE, SLOWLY)                                                                    \
    static __attribute__((noinline)) void slowly_##name##n(__private const float##n *x, __private float##n *y) { \
        _Pragma("clang loop unroll(disable)")                                                                  \
        for (int i = 0; i < n; i++)                                                                            \
            if (IS_RARE((*x)[i], (*y)[i])) (*y)[i] = SLOWLY((*x)[i]);                                          \
    }                                                                                                          \
    RARE_TESTED(n, name, IS_RARE)
#define RARE_TESTED(n, name, IS_RARE)                                                                          \
    static inline float##n tested_##name##n(float##n x, float##n usual) {                                      \
        bool none = __builtin_reduce_or(IS_RARE(x, usual)) == 0;                                               \
        if (__builtin_expect(none, 1)) return usual;                                                           \
        float##n all = x, y = usual;                                                                           \
        slowly_##name##n(&all, &y);                                                                            \
        return y;                                                                                              \
    }

#define RARELY_2(name, IS_RARE, SLOWLY)                                           \
    float vicinity_rare_##name(float x, float y, float usual) {                   \
        return __builtin_expect(IS_RARE(usual), 0) ? SLOWLY(x, y) : usual;        \
    }                                                                             \
    FOR_LANES(RARE_FORM_2, name, IS_RARE, SLOWLY)
#define RARE_FORM_2(n, letter, name, IS_RARE, SLOWLY)                                                          \
    static __attribute__((noinline)) void slowly_##name##n(__private const float##n *x, __private const float##n *y, \
                                                           __private float##n *z) {                            \
        _Pragma("clang loop unroll(disable)")                                                                  \
        for (int i = 0; i < n; i++)                                                                            \
            if (IS_RARE((*z)[i])) (*z)[i] = SLOWLY((*x)[i], (*y)[i]);                                          \
    }                                                                                                          \
    float##n name##n(float##n x, float##n y, float##n usual)                                                   \
        __asm__("_ZGV" #letter "N" #n "vvv_vicinity_rare_" #name);                                             \
    float##n name##n(float##n x, float##n y, float##n usual) {                                                 \
        bool none = __builtin_reduce_or(IS_RARE(usual)) == 0;                                                  \
        if (__builtin_expect(none, 1)) return usual;                                                           \
        float##n a = x, b = y, z = usual;                                                                      \
        slowly_##name##n(&a, &b, &z);                                                                          \
        return z;                                                                                              \
    }

#endif

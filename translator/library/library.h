/* What every source of the builtin library begins with: how overloads, vector forms and address spaces are spelled.
 *
 * Terms. *Form*: one overload of a builtin, by its types. *Map*: the vector forms of a function, from its scalar form,
 * element by element, so that a loop over work-items sees scalar calls that it can widen. *Space*: an address space.
 * A form's symbol is what clang's mangling makes of it for spir64; kernels are compiled for the same target, so that
 * declaration and definition meet. Sources: OpenCL C 3.0, section 6.15 (unified specification).
 */
#ifndef VICINITY_LIBRARY_H
#define VICINITY_LIBRARY_H

#include "opencl-c-base.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define OVERLOAD __attribute__((overloadable))

/* M(type, ...) for each type of a class. */
#define FOR_SIGNED(M, ...) M(char, __VA_ARGS__) M(short, __VA_ARGS__) M(int, __VA_ARGS__) M(long, __VA_ARGS__)
#define FOR_UNSIGNED(M, ...) M(uchar, __VA_ARGS__) M(ushort, __VA_ARGS__) M(uint, __VA_ARGS__) M(ulong, __VA_ARGS__)
#define FOR_INTEGERS(M, ...) FOR_SIGNED(M, __VA_ARGS__) FOR_UNSIGNED(M, __VA_ARGS__)
#define FOR_REALS(M, ...) M(float, __VA_ARGS__) M(double, __VA_ARGS__)
#define FOR_NUMBERS(M, ...) FOR_INTEGERS(M, __VA_ARGS__) FOR_REALS(M, __VA_ARGS__)

/* M(n, ...) for each width of a vector. */
#define FOR_WIDTHS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)

/* M(space, ...) for each space a program may write through a pointer, and for those it may read. */
#define FOR_SPACES(M, ...) \
    M(__private, __VA_ARGS__) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)
#define FOR_READABLE_SPACES(M, ...) FOR_SPACES(M, __VA_ARGS__) M(__constant, __VA_ARGS__)

/* The vector forms of R name(A), R name(A, B), R name(A, B, C), from its scalar form. Made of scalars, not of
 * halves: so LLVM sees that calls of the C library side by side are one of a form in libmvec, where vectors stay whole. */
#define MAP_1(R, name, A)                                                                                              \
    OVERLOAD R##2 name(A##2 a) {                                                                                       \
        return (R##2)(name(a.s0), name(a.s1));                                                                         \
    }                                                                                                                  \
    OVERLOAD R##3 name(A##3 a) {                                                                                       \
        return (R##3)(name(a.s0), name(a.s1), name(a.s2));                                                             \
    }                                                                                                                  \
    OVERLOAD R##4 name(A##4 a) {                                                                                       \
        return (R##4)(name(a.s0), name(a.s1), name(a.s2), name(a.s3));                                                 \
    }                                                                                                                  \
    OVERLOAD R##8 name(A##8 a) {                                                                                       \
        return (R##8)(name(a.s0), name(a.s1), name(a.s2), name(a.s3), name(a.s4), name(a.s5), name(a.s6), name(a.s7)); \
    }                                                                                                                  \
    OVERLOAD R##16 name(A##16 a) {                                                                                     \
        return (R##16)(name(a.s0), name(a.s1), name(a.s2), name(a.s3), name(a.s4), name(a.s5), name(a.s6), name(a.s7), \
            name(a.s8), name(a.s9), name(a.sa), name(a.sb), name(a.sc), name(a.sd), name(a.se), name(a.sf));           \
    }
#define MAP_2(R, name, A, B)                                                                   \
    OVERLOAD R##2 name(A##2 a, B##2 b) {                                                       \
        return (R##2)(name(a.s0, b.s0), name(a.s1, b.s1));                                     \
    }                                                                                          \
    OVERLOAD R##3 name(A##3 a, B##3 b) {                                                       \
        return (R##3)(name(a.s0, b.s0), name(a.s1, b.s1), name(a.s2, b.s2));                   \
    }                                                                                          \
    OVERLOAD R##4 name(A##4 a, B##4 b) {                                                       \
        return (R##4)(name(a.s0, b.s0), name(a.s1, b.s1), name(a.s2, b.s2), name(a.s3, b.s3)); \
    }                                                                                          \
    OVERLOAD R##8 name(A##8 a, B##8 b) {                                                       \
        return (R##8)(name(a.s0, b.s0), name(a.s1, b.s1), name(a.s2, b.s2), name(a.s3, b.s3),  \
            name(a.s4, b.s4), name(a.s5, b.s5), name(a.s6, b.s6), name(a.s7, b.s7));           \
    }                                                                                          \
    OVERLOAD R##16 name(A##16 a, B##16 b) {                                                    \
        return (R##16)(name(a.s0, b.s0), name(a.s1, b.s1), name(a.s2, b.s2), name(a.s3, b.s3), \
            name(a.s4, b.s4), name(a.s5, b.s5), name(a.s6, b.s6), name(a.s7, b.s7),            \
            name(a.s8, b.s8), name(a.s9, b.s9), name(a.sa, b.sa), name(a.sb, b.sb),            \
            name(a.sc, b.sc), name(a.sd, b.sd), name(a.se, b.se), name(a.sf, b.sf));           \
    }
#define MAP_3(R, name, A, B, C)                                                                                        \
    OVERLOAD R##2 name(A##2 a, B##2 b, C##2 c) {                                                                       \
        return (R##2)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1));                                                 \
    }                                                                                                                  \
    OVERLOAD R##3 name(A##3 a, B##3 b, C##3 c) {                                                                       \
        return (R##3)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1), name(a.s2, b.s2, c.s2));                         \
    }                                                                                                                  \
    OVERLOAD R##4 name(A##4 a, B##4 b, C##4 c) {                                                                       \
        return (R##4)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1), name(a.s2, b.s2, c.s2), name(a.s3, b.s3, c.s3)); \
    }                                                                                                                  \
    OVERLOAD R##8 name(A##8 a, B##8 b, C##8 c) {                                                                       \
        return (R##8)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1), name(a.s2, b.s2, c.s2), name(a.s3, b.s3, c.s3),  \
            name(a.s4, b.s4, c.s4), name(a.s5, b.s5, c.s5), name(a.s6, b.s6, c.s6), name(a.s7, b.s7, c.s7));           \
    }                                                                                                                  \
    OVERLOAD R##16 name(A##16 a, B##16 b, C##16 c) {                                                                   \
        return (R##16)(name(a.s0, b.s0, c.s0), name(a.s1, b.s1, c.s1), name(a.s2, b.s2, c.s2), name(a.s3, b.s3, c.s3), \
            name(a.s4, b.s4, c.s4), name(a.s5, b.s5, c.s5), name(a.s6, b.s6, c.s6), name(a.s7, b.s7, c.s7),            \
            name(a.s8, b.s8, c.s8), name(a.s9, b.s9, c.s9), name(a.sa, b.sa, c.sa), name(a.sb, b.sb, c.sb),            \
            name(a.sc, b.sc, c.sc), name(a.sd, b.sd, c.sd), name(a.se, b.se, c.se), name(a.sf, b.sf, c.sf));           \
    }

/* The forms of R name(A, B) whose second argument is a scalar. */
#define SPREAD_WIDTH(n, R, name, A, B) \
    OVERLOAD R##n name(A##n a, B b) { return name(a, (B##n)(b)); }
#define SPREAD_2(R, name, A, B) FOR_WIDTHS(SPREAD_WIDTH, R, name, A, B)

/* The vector forms of T name(T, space P *), where the scalar form for __private is there; and the scalar ones. */
#define MAP_OUT_SPACE(SPACE, T, name, P)                                            \
    OVERLOAD T##2 name(T##2 x, SPACE P##2 *out) {                                   \
        P a, b;                                                                     \
        T##2 r = (T##2)(name(x.x, &a), name(x.y, &b));                              \
        *out = (P##2)(a, b);                                                        \
        return r;                                                                   \
    }                                                                               \
    OVERLOAD T##3 name(T##3 x, SPACE P##3 *out) {                                   \
        P a, b, c;                                                                  \
        T##3 r = (T##3)(name(x.x, &a), name(x.y, &b), name(x.z, &c));               \
        *out = (P##3)(a, b, c);                                                     \
        return r;                                                                   \
    }                                                                               \
    MAP_OUT_HALVES(4, 2, SPACE, T, name, P)                                         \
    MAP_OUT_HALVES(8, 4, SPACE, T, name, P)                                         \
    MAP_OUT_HALVES(16, 8, SPACE, T, name, P)
#define MAP_OUT_HALVES(n, h, SPACE, T, name, P)                                     \
    OVERLOAD T##n name(T##n x, SPACE P##n *out) {                                   \
        P##h a, b;                                                                  \
        T##n r = (T##n)(name(x.lo, &a), name(x.hi, &b));                            \
        *out = (P##n)(a, b);                                                        \
        return r;                                                                   \
    }
#define OUT_SCALAR(SPACE, T, name, P)                                               \
    OVERLOAD T name(T x, SPACE P *out) {                                            \
        P a;                                                                        \
        T r = name(x, &a);                                                          \
        *out = a;                                                                   \
        return r;                                                                   \
    }
#define MAP_OUT(T, name, P)              \
    OUT_SCALAR(__global, T, name, P)     \
    OUT_SCALAR(__local, T, name, P)      \
    OUT_SCALAR(__generic, T, name, P)    \
    FOR_SPACES(MAP_OUT_SPACE, T, name, P)

/* op_NAME: an operation that LLVM knows, for use inside the library, so that no module needs another for it. */
#define OPERATION_1(name)                                                                    \
    static inline OVERLOAD float op_##name(float x) { return __builtin_##name##f(x); }       \
    static inline OVERLOAD double op_##name(double x) { return __builtin_##name(x); }
#define OPERATION_2(name)                                                                              \
    static inline OVERLOAD float op_##name(float x, float y) { return __builtin_##name##f(x, y); }     \
    static inline OVERLOAD double op_##name(double x, double y) { return __builtin_##name(x, y); }
OPERATION_1(ceil)
OPERATION_1(fabs)
OPERATION_1(floor)
OPERATION_1(rint)
OPERATION_1(round)
OPERATION_1(sqrt)
OPERATION_1(trunc)
OPERATION_2(copysign)
OPERATION_2(fmax)
OPERATION_2(fmin)
static inline OVERLOAD float op_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline OVERLOAD double op_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* What the processor has: the translator puts the answer in their place (src/late.rs). */
bool vicinity_has_fma(void) __attribute__((const, nothrow));
bool vicinity_has_avx(void) __attribute__((const, nothrow));
bool vicinity_has_avx512f(void) __attribute__((const, nothrow));
bool vicinity_has_avx512vl(void) __attribute__((const, nothrow));

/* libm_NAME: a function of the C library, for float and double; the linker of the kernel finds it in libm. */
#define LIBM_1(name)                                                                        \
    OVERLOAD float libm_##name(float) __asm__(#name "f") __attribute__((const, nothrow));    \
    OVERLOAD double libm_##name(double) __asm__(#name) __attribute__((const, nothrow));
#define LIBM_2(name)                                                                               \
    OVERLOAD float libm_##name(float, float) __asm__(#name "f") __attribute__((const, nothrow));    \
    OVERLOAD double libm_##name(double, double) __asm__(#name) __attribute__((const, nothrow));

/* The other forms of a function whose scalar form of float is there: that of double is libm's, the vector forms are maps. */
#define FLOAT_AND_LIBM(name)                                                            \
    OVERLOAD double libm_##name(double) __asm__(#name) __attribute__((const, nothrow)); \
    OVERLOAD double name(double x) { return libm_##name(x); }                           \
    MAP_1(float, name, float)                                                           \
    MAP_1(double, name, double)
#define FLOAT_AND_LIBM_2(name)                                                                  \
    OVERLOAD double libm_##name(double, double) __asm__(#name) __attribute__((const, nothrow)); \
    OVERLOAD double name(double x, double y) { return libm_##name(x, y); }                      \
    MAP_2(float, name, float, float)                                                            \
    MAP_2(double, name, double, double)

#endif

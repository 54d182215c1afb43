/* 1 / x, so that y times it is at most 2.5 units in the last place from y / x where numbers are normal; infinity of 0 and of what is
 * subnormal, 0 of infinities.
 *
 * By Newton's method, from the processor's estimate r, whose relative error is 1.5 / 2^12 at most, with AVX-512 1 / 2^14:
 * r (2 - x r) has twice the right bits of r. In brackets stands a number close to 1, or what is none where one of x and r is infinite
 * and the other one 0: such an r stays what it is. It takes an fma to be that close. */
#include "late.h"

float8 avx_reciprocal(float8 x) __asm__("llvm.x86.avx.rcp.ps.256");
float4 avx512_reciprocal4(float4 x, float4 otherwise, uchar mask) __asm__("llvm.x86.avx512.rcp14.ps.128");
float8 avx512_reciprocal8(float8 x, float8 otherwise, uchar mask) __asm__("llvm.x86.avx512.rcp14.ps.256");
float16 avx512_reciprocal(float16 x, float16 otherwise, ushort mask) __asm__("llvm.x86.avx512.rcp14.ps.512");
float4 sse_reciprocal(float4 x) __asm__("llvm.x86.sse.rcp.ps");

#define SHARPER(n)                                                              \
    static inline float##n sharper##n(float##n r, float##n x) {                 \
        float##n near_1 = __builtin_elementwise_fma(-x, r, (float##n)(2));      \
        return r * (near_1 > 0.5f ? near_1 : 0.5f);                             \
    }
SHARPER(4)
SHARPER(8)
SHARPER(16)

static inline float4 of_4(float4 x) {
    if (!vicinity_has_fma()) return 1 / x;
    if (vicinity_has_avx512vl()) return sharper4(avx512_reciprocal4(x, (float4)(0), 0xf), x);
    return sharper4(sharper4(sse_reciprocal(x), x), x);
}

static inline float8 of_8(float8 x) {
    if (!vicinity_has_fma()) return 1 / x;
    if (vicinity_has_avx512vl()) return sharper8(avx512_reciprocal8(x, (float8)(0), 0xff), x);
    return sharper8(sharper8(avx_reciprocal(x), x), x);
}

static inline float16 of_16(float16 x) {
    if (!vicinity_has_avx512f()) return (float16)(of_8(x.lo), of_8(x.hi));
    return sharper16(avx512_reciprocal(x, (float16)(0), 0xffff), x);
}

float vicinity_reciprocal(float x) { return 1 / x; }

float2 two(float2 x) __asm__("_ZGVbN2v_vicinity_reciprocal");
float2 two(float2 x) { return of_4((float4)(x, x)).lo; }

float4 four(float4 x) __asm__("_ZGVbN4v_vicinity_reciprocal");
float4 four(float4 x) { return of_4(x); }

float8 eight(float8 x) __asm__("_ZGVdN8v_vicinity_reciprocal");
float8 eight(float8 x) { return of_8(x); }

float16 sixteen(float16 x) __asm__("_ZGVeN16v_vicinity_reciprocal");
float16 sixteen(float16 x) { return of_16(x); }

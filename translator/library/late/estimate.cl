/* The processor's estimate of 1 / sqrt(x), by as many numbers as its registers hold. Its relative error is 1.5 / 2^12 at most, with
 * vectors of 512 bits 1 / 2^14; of zeros and infinities it is right, of what is subnormal it may be infinite. */
#include "late.h"

float4 sse_rsqrt(float4 x) __asm__("llvm.x86.sse.rsqrt.ps");
float4 sse_rsqrt_one(float4 x) __asm__("llvm.x86.sse.rsqrt.ss");
float8 avx_rsqrt(float8 x) __asm__("llvm.x86.avx.rsqrt.ps.256");

float vicinity_rsqrt_estimate(float x) { return sse_rsqrt_one((float4)(x, 0, 0, 0)).x; }

float2 two(float2 x) __asm__("_ZGVbN2v_vicinity_rsqrt_estimate");
float2 two(float2 x) { return sse_rsqrt((float4)(x, x)).lo; }

float4 four(float4 x) __asm__("_ZGVbN4v_vicinity_rsqrt_estimate");
float4 four(float4 x) { return sse_rsqrt(x); }

static inline float8 eight_of(float8 x) {
    return vicinity_has_avx() ? avx_rsqrt(x) : (float8)(sse_rsqrt(x.lo), sse_rsqrt(x.hi));
}
float8 eight(float8 x) __asm__("_ZGVdN8v_vicinity_rsqrt_estimate");
float8 eight(float8 x) { return eight_of(x); }

float16 sixteen(float16 x) __asm__("_ZGVeN16v_vicinity_rsqrt_estimate");
float16 sixteen(float16 x) {
    return vicinity_has_avx512f() ? avx512_rsqrt(x, (float16)(0), 0xffff) : (float16)(eight_of(x.lo), eight_of(x.hi));
}

/* One element of an image, as the four channels that its order and its type mean. Numbers are exact where the specification allows
 * a rounding: a quotient is rounded once. Numbers of 32 bits that are read as another kind than the image has are the same bits, as on
 * processors of graphics: the specification leaves them undefined, and programs read integers from images of CL_FLOAT so. */
#include "image.h"
#include "srgb.h"

#define LOAD(n, T) \
    static inline OVERLOAD T##4 load(const __global T *from, uint channels) {                          \
        switch (channels) {                                                                            \
        case 1: return (T##4)(from[0], 0, 0, 0);                                                       \
        case 2: return (T##4)(from[0], from[1], 0, 0);                                                 \
        }                                                                                              \
        T##4 all;                                                                                      \
        __builtin_memcpy(&all, from, sizeof all);                                                      \
        return all;                                                                                    \
    }
#define FOR_CHANNELS(M) M(, char) M(, uchar) M(, short) M(, ushort) M(, int) M(, uint) M(, half) M(, float)
FOR_CHANNELS(LOAD)

/* From the order in memory. */
#define ARRANGE(T)                                                                                     \
    static inline OVERLOAD T##4 arrange(T##4 c, uint order) {                                          \
        switch (order) {                                                                               \
        case CLK_R: case CLK_RG: case CLK_DEPTH: c.w = 1; return c;                                    \
        case CLK_A: return (T##4)(0, 0, 0, c.x);                                                       \
        case CLK_RA: return (T##4)(c.x, 0, 0, c.y);                                                    \
        case CLK_INTENSITY: return c.xxxx;                                                             \
        case CLK_LUMINANCE: return (T##4)(c.xxx, 1);                                                   \
        case CLK_BGRA: return c.zyxw;                                                                  \
        case CLK_ARGB: return c.yzwx;                                                                  \
        case CLK_ABGR: return c.wzyx;                                                                  \
        }                                                                                              \
        return c;                                                                                      \
    }
ARRANGE(float)
ARRANGE(int)

#define AS(T, from) __builtin_convertvector(load((const __global T *)(from), channels), float4)

float4 vicinity_image_any_float(IMAGE image, TEXEL from) {
    uint order = image->order, channels = channels_of(order);
    float4 c;
    if (order == CLK_sRGBA)
        return (float4)(linear_of_srgb[from[0]], linear_of_srgb[from[1]], linear_of_srgb[from[2]], from[3] / 255.0f);
    switch (image->type) {
    case CLK_UNORM_INT8: c = AS(uchar, from) / 255; break;
    case CLK_UNORM_INT16: c = AS(ushort, from) / 65535; break;
    case CLK_SNORM_INT8: c = __builtin_elementwise_max(AS(char, from) / 127, (float4)(-1)); break;
    case CLK_SNORM_INT16: c = __builtin_elementwise_max(AS(short, from) / 32767, (float4)(-1)); break;
    case CLK_HALF_FLOAT: c = AS(half, from); break;
    case CLK_FLOAT:
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32: c = load((const __global float *)from, channels); break;
    default: c = 0;
    }
    return arrange(c, order);
}

#define AS_INT(T, from) __builtin_convertvector(load((const __global T *)(from), channels), int4)

int4 vicinity_image_any_int(IMAGE image, TEXEL from) {
    uint order = image->order, channels = channels_of(order);
    int4 c;
    switch (image->type) {
    case CLK_SIGNED_INT8: c = AS_INT(char, from); break;
    case CLK_UNSIGNED_INT8: c = AS_INT(uchar, from); break;
    case CLK_SIGNED_INT16: c = AS_INT(short, from); break;
    case CLK_UNSIGNED_INT16: c = AS_INT(ushort, from); break;
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
    case CLK_FLOAT: c = load((const __global int *)from, channels); break;
    default: c = 0;
    }
    return arrange(c, order);
}

/* The frequent formats, each by one load. */
#define AT(T, line, x) (((const __global T *)(line))[x])
static inline int4 bytes_of(uint all) { return (int4)(all & 255, all >> 8 & 255, all >> 16 & 255, all >> 24); }
static inline float4 opaque(float x, float y) { return (float4)(x, y, 0, 1); }

float4 vicinity_image_float(IMAGE image, TEXEL line, int x) {
    switch (FORMAT_OF(image)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8): return __builtin_convertvector(bytes_of(AT(loose_uint, line, x)), float4) / 255;
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8): return __builtin_convertvector(bytes_of(AT(loose_uint, line, x)).zyxw, float4) / 255;
    case FORMAT(CLK_R, CLK_UNORM_INT8): return opaque(AT(uchar, line, x) / 255.0f, 0);
    case FORMAT(CLK_R, CLK_UNORM_INT16): return opaque(AT(loose_ushort, line, x) / 65535.0f, 0);
    case FORMAT(CLK_RG, CLK_UNORM_INT8): {
        uint both = AT(loose_ushort, line, x);
        return opaque((both & 255) / 255.0f, (both >> 8) / 255.0f);
    }
    case FORMAT(CLK_RGBA, CLK_UNORM_INT16): return __builtin_convertvector(AT(loose_ushort4, line, x), float4) / 65535;
    case FORMAT(CLK_RG, CLK_UNORM_INT16): {
        uint both = AT(loose_uint, line, x);
        return opaque((both & 65535) / 65535.0f, (both >> 16) / 65535.0f);
    }
    case FORMAT(CLK_R, CLK_HALF_FLOAT): return opaque((float)AT(loose_half, line, x), 0);
    case FORMAT(CLK_RGBA, CLK_HALF_FLOAT): return __builtin_convertvector(AT(loose_half4, line, x), float4);
    case FORMAT(CLK_RG, CLK_HALF_FLOAT): {
        half2 both = AT(loose_half2, line, x);
        return opaque((float)both.x, (float)both.y);
    }
    case FORMAT(CLK_R, CLK_FLOAT): return opaque(AT(loose_float, line, x), 0);
    case FORMAT(CLK_INTENSITY, CLK_FLOAT): return (float4)(AT(loose_float, line, x));
    case FORMAT(CLK_RG, CLK_FLOAT): {
        float2 both = AT(loose_float2, line, x);
        return opaque(both.x, both.y);
    }
    case FORMAT(CLK_RGBA, CLK_FLOAT): return AT(loose_float4, line, x);
    }
    return vicinity_image_any_float(image, line + x * image->pitch[0]);
}

int4 vicinity_image_int(IMAGE image, TEXEL line, int x) {
    switch (FORMAT_OF(image)) {
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT8): return bytes_of(AT(loose_uint, line, x));
    case FORMAT(CLK_R, CLK_UNSIGNED_INT8): return (int4)(AT(uchar, line, x), 0, 0, 1);
    case FORMAT(CLK_R, CLK_UNSIGNED_INT16): return (int4)(AT(loose_ushort, line, x), 0, 0, 1);
    case FORMAT(CLK_R, CLK_SIGNED_INT8): return (int4)(AT(char, line, x), 0, 0, 1);
    case FORMAT(CLK_R, CLK_SIGNED_INT16): return (int4)(AT(loose_short, line, x), 0, 0, 1);
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT8): return __builtin_convertvector(AT(loose_char4, line, x), int4);
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT16): return __builtin_convertvector(AT(loose_short4, line, x), int4);
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT16): return __builtin_convertvector(AT(loose_ushort4, line, x), int4);
    case FORMAT(CLK_R, CLK_SIGNED_INT32):
    case FORMAT(CLK_R, CLK_UNSIGNED_INT32): return (int4)(AT(loose_int, line, x), 0, 0, 1);
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT32):
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT32):
    case FORMAT(CLK_RGBA, CLK_FLOAT): return AT(loose_int4, line, x);
    }
    return vicinity_image_any_int(image, line + x * image->pitch[0]);
}

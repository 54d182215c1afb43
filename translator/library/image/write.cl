/* Four channels as one element of an image: rounded to nearest, what is too large or too small to the last number there is. */
#include "image.h"

/* To the order in memory. */
#define ARRANGE(T)                                                                                     \
    static inline OVERLOAD T##4 arrange(T##4 c, uint order) {                                          \
        switch (order) {                                                                               \
        case CLK_A: return c.wwww;                                                                     \
        case CLK_RA: return c.xwxw;                                                                    \
        case CLK_BGRA: return c.zyxw;                                                                  \
        case CLK_ARGB: return c.wxyz;                                                                  \
        case CLK_ABGR: return c.wzyx;                                                                  \
        }                                                                                              \
        return c;                                                                                      \
    }
ARRANGE(float)
ARRANGE(int)

#define STORE(T)                                                                                       \
    static inline OVERLOAD void store(T##4 c, __global uchar *to, uint order) {                        \
        __global T *element = (__global T *)to;                                                        \
        switch (channels_of(order)) {                                                                  \
        case 2: element[1] = c.y; /* fall through */                                                   \
        case 1: element[0] = c.x; return;                                                              \
        }                                                                                              \
        __builtin_memcpy(to, &c, sizeof c);                                                            \
    }
STORE(char)
STORE(uchar)
STORE(short)
STORE(ushort)
STORE(int)
STORE(half)
STORE(float)

/* What is no number becomes the least. */
static inline float4 scaled(float4 c, float by, float least) {
    return __builtin_elementwise_rint(__builtin_elementwise_min(__builtin_elementwise_max(c * by, (float4)(least)), (float4)(by)));
}
#define PUT(T, c) store(__builtin_convertvector(c, T##4), to, order)

void vicinity_image_put_any_float(IMAGE image, __global uchar *to, float4 color) {
    uint order = image->order;
    float4 c = arrange(color, order);
    switch (image->type) {
    case CLK_UNORM_INT8: PUT(uchar, scaled(c, 255, 0)); break;
    case CLK_UNORM_INT16: PUT(ushort, scaled(c, 65535, 0)); break;
    case CLK_SNORM_INT8: PUT(char, scaled(c, 127, -128)); break;
    case CLK_SNORM_INT16: PUT(short, scaled(c, 32767, -32768)); break;
    case CLK_HALF_FLOAT: PUT(half, c); break;
    case CLK_FLOAT:
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32: store(c, to, order); break;
    }
}

/* Signed numbers, or others. */
static inline int4 limited(int4 c, int least, int most, int is_signed) {
    uint4 u = __builtin_elementwise_min(__builtin_astype(c, uint4), (uint4)(most));
    int4 i = __builtin_elementwise_min(__builtin_elementwise_max(c, (int4)(least)), (int4)(most));
    return is_signed ? i : __builtin_astype(u, int4);
}

void vicinity_image_put_any_int(IMAGE image, __global uchar *to, int4 color, int is_signed) {
    uint order = image->order;
    int4 c = arrange(color, order);
    switch (image->type) {
    case CLK_SIGNED_INT8: PUT(char, limited(c, -128, 127, is_signed)); break;
    case CLK_UNSIGNED_INT8: PUT(uchar, limited(c, 0, 255, is_signed)); break;
    case CLK_SIGNED_INT16: PUT(short, limited(c, -32768, 32767, is_signed)); break;
    case CLK_UNSIGNED_INT16: PUT(ushort, limited(c, 0, 65535, is_signed)); break;
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
    case CLK_FLOAT: store(c, to, order); break;
    }
}

/* The frequent formats, each by one store. */
#define AT(T, line, x) (((__global T *)(line))[x])
static inline uint bytes_in(int4 c) { return (uint)(c.x | c.y << 8 | c.z << 16 | c.w << 24); }
static inline int4 unorm8(float4 c) { return __builtin_convertvector(scaled(c, 255, 0), int4); }
/* One channel by itself. Of a vector of integers clang would take the bytes apart to get a short one, for each item again. */
static inline int one_scaled(float c, float by) {
    return (int)__builtin_elementwise_rint(__builtin_elementwise_min(__builtin_elementwise_max(c * by, 0.0f), by));
}
static inline uint one_limited(int c, uint most, int is_signed) {
    return __builtin_elementwise_min((uint)(is_signed ? __builtin_elementwise_max(c, 0) : c), most);
}

void vicinity_image_put_float(IMAGE image, __global uchar *line, int x, float4 color) {
    switch (FORMAT_OF(image)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8): AT(loose_uint, line, x) = bytes_in(unorm8(color)); return;
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8): AT(loose_uint, line, x) = bytes_in(unorm8(color.zyxw)); return;
    case FORMAT(CLK_R, CLK_UNORM_INT8): AT(uchar, line, x) = (uchar)one_scaled(color.x, 255); return;
    case FORMAT(CLK_R, CLK_UNORM_INT16): AT(loose_ushort, line, x) = (ushort)one_scaled(color.x, 65535); return;
    case FORMAT(CLK_RG, CLK_UNORM_INT8): AT(loose_ushort, line, x) = (ushort)(one_scaled(color.x, 255) | one_scaled(color.y, 255) << 8); return;
    case FORMAT(CLK_RGBA, CLK_UNORM_INT16): AT(loose_ushort4, line, x) = __builtin_convertvector(scaled(color, 65535, 0), ushort4); return;
    case FORMAT(CLK_RG, CLK_UNORM_INT16):
        AT(loose_uint, line, x) = (uint)one_scaled(color.x, 65535) | (uint)one_scaled(color.y, 65535) << 16;
        return;
    case FORMAT(CLK_R, CLK_HALF_FLOAT): AT(loose_half, line, x) = (half)color.x; return;
    case FORMAT(CLK_RGBA, CLK_HALF_FLOAT): AT(loose_half4, line, x) = __builtin_convertvector(color, half4); return;
    case FORMAT(CLK_RG, CLK_HALF_FLOAT): AT(loose_half2, line, x) = __builtin_convertvector(color.xy, half2); return;
    case FORMAT(CLK_R, CLK_FLOAT):
    case FORMAT(CLK_INTENSITY, CLK_FLOAT): AT(loose_float, line, x) = color.x; return;
    case FORMAT(CLK_RG, CLK_FLOAT): AT(loose_float2, line, x) = color.xy; return;
    case FORMAT(CLK_RGBA, CLK_FLOAT): AT(loose_float4, line, x) = color; return;
    }
    vicinity_image_put_any_float(image, line + x * image->pitch[0], color);
}

void vicinity_image_put_int(IMAGE image, __global uchar *line, int x, int4 color, int is_signed) {
    switch (FORMAT_OF(image)) {
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT8): AT(loose_uint, line, x) = bytes_in(limited(color, 0, 255, is_signed)); return;
    case FORMAT(CLK_R, CLK_UNSIGNED_INT8): AT(uchar, line, x) = (uchar)one_limited(color.x, 255, is_signed); return;
    case FORMAT(CLK_R, CLK_UNSIGNED_INT16): AT(loose_ushort, line, x) = (ushort)one_limited(color.x, 65535, is_signed); return;
    case FORMAT(CLK_R, CLK_SIGNED_INT16):
        AT(loose_short, line, x) = (short)limited(color, -32768, 32767, is_signed).x;
        return;
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT16):
        AT(loose_short4, line, x) = __builtin_convertvector(limited(color, -32768, 32767, is_signed), short4);
        return;
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT16):
        AT(loose_ushort4, line, x) = __builtin_convertvector(limited(color, 0, 65535, is_signed), ushort4);
        return;
    case FORMAT(CLK_R, CLK_SIGNED_INT32):
    case FORMAT(CLK_R, CLK_UNSIGNED_INT32): AT(loose_int, line, x) = color.x; return;
    case FORMAT(CLK_RGBA, CLK_SIGNED_INT32):
    case FORMAT(CLK_RGBA, CLK_UNSIGNED_INT32): AT(loose_int4, line, x) = color; return;
    }
    vicinity_image_put_any_int(image, line + x * image->pitch[0], color, is_signed);
}

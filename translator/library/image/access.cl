/* read_image..., write_image...: by the type of the image, the coordinate and the color.
 *
 * A coordinate that the program promises to be inside, and is not, reads the nearest element and writes none: such a fault of a
 * program stays in its image. */
#include "image.h"

uint sampler_of(sampler_t) __asm__("vicinity_sampler");

/* The place of a coordinate in (x, y, z), by the kind of image, where all addressing is done; a negative one is outside. */
#define WRAP(image, at, axis, sampler) wrap((at)[axis], (image)->size[axis], sampler)
#define LAYER(image, at, axis) wrap((at)[axis], (image)->size[axis], CLK_ADDRESS_CLAMP_TO_EDGE)
#define NEAR(image, at, axis, sampler) nearest((at)[axis], (image)->size[axis], sampler)
#define NEAR_LAYER(image, at, axis) layer_of((at)[axis], (image)->size[axis])

#define PLACES(kind, X, Y, Z, NX, NY, NZ, smooth)                                                        \
    static inline int4 place_##kind(IMAGE i, int4 at, uint s) { return (int4)(X, Y, Z, 0); }            \
    static inline int4 near_##kind(IMAGE i, float4 at, uint s) { return (int4)(NX, NY, NZ, 0); }        \
    static inline float4 smooth_##kind(IMAGE i, float4 at, uint s) { return smooth; }
#define LINEAR_1(line) vicinity_image_linear_1(i, s, line, at.x)
#define LINEAR_2(layer) vicinity_image_linear_2(i, s, layer, at.x, at.y)
PLACES(1, WRAP(i, at, 0, s), 0, 0, NEAR(i, at, 0, s), 0, 0, LINEAR_1(i->data))
PLACES(1_array, WRAP(i, at, 0, s), LAYER(i, at, 1), 0, NEAR(i, at, 0, s), NEAR_LAYER(i, at, 1), 0, LINEAR_1(line_at(i, NEAR_LAYER(i, at, 1), 0)))
PLACES(2, WRAP(i, at, 0, s), WRAP(i, at, 1, s), 0, NEAR(i, at, 0, s), NEAR(i, at, 1, s), 0, LINEAR_2(i->data))
PLACES(2_array, WRAP(i, at, 0, s), WRAP(i, at, 1, s), LAYER(i, at, 2), NEAR(i, at, 0, s), NEAR(i, at, 1, s), NEAR_LAYER(i, at, 2),
    LINEAR_2(layer_at(i, NEAR_LAYER(i, at, 2))))
PLACES(3, WRAP(i, at, 0, s), WRAP(i, at, 1, s), WRAP(i, at, 2, s), NEAR(i, at, 0, s), NEAR(i, at, 1, s), NEAR(i, at, 2, s),
    vicinity_image_linear_3(i, s, i->data, at.x, at.y, at.z))

static inline bool is_outside(int4 at, uint sampler) { return has_border(sampler) && (at.x < 0 || at.y < 0 || at.z < 0); }

static inline float4 float_at(IMAGE image, int4 at, uint sampler) {
    if (is_outside(at, sampler)) return (float4)(0, 0, 0, border_alpha(image));
    return vicinity_image_float(image, line_at(image, at.y, at.z), at.x);
}
static inline int4 int_at(IMAGE image, int4 at, uint sampler) {
    if (is_outside(at, sampler)) return (int4)(0, 0, 0, border_alpha(image));
    return vicinity_image_int(image, line_at(image, at.y, at.z), at.x);
}

/* A coordinate as four numbers. */
static inline OVERLOAD int4 four(int x) { return (int4)(x, 0, 0, 0); }
static inline OVERLOAD int4 four(int2 at) { return (int4)(at, 0, 0); }
static inline OVERLOAD int4 four(int4 at) { return at; }
static inline OVERLOAD float4 four(float x) { return (float4)(x, 0, 0, 0); }
static inline OVERLOAD float4 four(float2 at) { return (float4)(at, 0, 0); }
static inline OVERLOAD float4 four(float4 at) { return at; }

/* Without a sampler. */
#define READ_PLAIN(I, C, kind)                                                                                              \
    OVERLOAD float4 read_imagef(I image, C at) { IMAGE i = of(image); return float_at(i, place_##kind(i, four(at), 0), 0); }    \
    OVERLOAD half4 read_imageh(I image, C at) { return __builtin_convertvector(read_imagef(image, at), half4); }            \
    OVERLOAD int4 read_imagei(I image, C at) { IMAGE i = of(image); return int_at(i, place_##kind(i, four(at), 0), 0); }        \
    OVERLOAD uint4 read_imageui(I image, C at) { return __builtin_astype(read_imagei(image, at), uint4); }
#define READ(I, C, F, kind)                                                                                                 \
    READ_PLAIN(I, C, kind)                                                                                                  \
    OVERLOAD float4 read_imagef(I image, sampler_t sampler, C at) {                                                         \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return float_at(i, place_##kind(i, four(at), s), s);                                                                \
    }                                                                                                                       \
    OVERLOAD float4 read_imagef(I image, sampler_t sampler, F at) {                                                         \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return s & CLK_FILTER_LINEAR ? smooth_##kind(i, four(at), s) : float_at(i, near_##kind(i, four(at), s), s);         \
    }                                                                                                                       \
    OVERLOAD int4 read_imagei(I image, sampler_t sampler, C at) {                                                           \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return int_at(i, place_##kind(i, four(at), s), s);                                                                  \
    }                                                                                                                       \
    OVERLOAD int4 read_imagei(I image, sampler_t sampler, F at) {                                                           \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return int_at(i, near_##kind(i, four(at), s), s);                                                                   \
    }                                                                                                                       \
    READ_AS(I, C) READ_AS(I, F)
/* The other types of color, with a sampler. */
#define READ_AS(I, C)                                                                                                       \
    OVERLOAD half4 read_imageh(I image, sampler_t s, C at) { return __builtin_convertvector(read_imagef(image, s, at), half4); } \
    OVERLOAD uint4 read_imageui(I image, sampler_t s, C at) { return __builtin_astype(read_imagei(image, s, at), uint4); }

static inline bool lies_in(IMAGE image, int4 at) {
    return (uint)at.x < image->size[0] && (uint)at.y < image->size[1] && (uint)at.z < image->size[2];
}
static inline void put_float(IMAGE image, int4 at, float4 color) {
    if (lies_in(image, at)) vicinity_image_put_float(image, line_at(image, at.y, at.z), at.x, color);
}
static inline void put_int(IMAGE image, int4 at, int4 color, int is_signed) {
    if (lies_in(image, at)) vicinity_image_put_int(image, line_at(image, at.y, at.z), at.x, color, is_signed);
}
#define WRITE(I, C)                                                                                                   \
    OVERLOAD void write_imagef(I image, C at, float4 color) { put_float(of(image), four(at), color); }                 \
    OVERLOAD void write_imageh(I image, C at, half4 color) { write_imagef(image, at, __builtin_convertvector(color, float4)); } \
    OVERLOAD void write_imagei(I image, C at, int4 color) { put_int(of(image), four(at), color, 1); }                  \
    OVERLOAD void write_imageui(I image, C at, uint4 color) { put_int(of(image), four(at), __builtin_astype(color, int4), 0); }

#define OF(I) OVERLOAD IMAGE of(I) __asm__("vicinity_image");
#define ALL(I, C, F, kind)                   \
    OF(read_only I)                          \
    OF(write_only I)                         \
    OF(read_write I)                         \
    READ(read_only I, C, F, kind)            \
    READ_PLAIN(read_write I, C, kind)        \
    WRITE(write_only I, C)                 \
    WRITE(read_write I, C)
ALL(image1d_t, int, float, 1)
ALL(image1d_array_t, int2, float2, 1_array)
ALL(image2d_t, int2, float2, 2)
ALL(image2d_array_t, int4, float4, 2_array)
ALL(image3d_t, int4, float4, 3)

OF(read_only image1d_buffer_t)
OF(write_only image1d_buffer_t)
OF(read_write image1d_buffer_t)
READ_PLAIN(read_only image1d_buffer_t, int, 1)
READ_PLAIN(read_write image1d_buffer_t, int, 1)
WRITE(write_only image1d_buffer_t, int)
WRITE(read_write image1d_buffer_t, int)

/* Images of depths have one channel. */
#define DEPTH_PLAIN(I, C, kind) \
    OVERLOAD float read_imagef(I image, C at) { IMAGE i = of(image); return float_at(i, place_##kind(i, four(at), 0), 0).x; }
#define DEPTH_WRITE(I, C) \
    OVERLOAD void write_imagef(I image, C at, float depth) { put_float(of(image), four(at), (float4)(depth, 0, 0, 0)); }
#define DEPTH(I, C, F, kind)                                                                                                \
    OF(read_only I)                                                                                                         \
    OF(write_only I)                                                                                                        \
    OF(read_write I)                                                                                                        \
    DEPTH_PLAIN(read_only I, C, kind)                                                                                       \
    DEPTH_PLAIN(read_write I, C, kind)                                                                                      \
    DEPTH_WRITE(write_only I, C)                                                                                            \
    DEPTH_WRITE(read_write I, C)                                                                                            \
    OVERLOAD float read_imagef(read_only I image, sampler_t sampler, C at) {                                                \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return float_at(i, place_##kind(i, four(at), s), s).x;                                                              \
    }                                                                                                                       \
    OVERLOAD float read_imagef(read_only I image, sampler_t sampler, F at) {                                                \
        IMAGE i = of(image);                                                                                                \
        uint s = sampler_of(sampler);                                                                                       \
        return s & CLK_FILTER_LINEAR ? smooth_##kind(i, four(at), s).x : float_at(i, near_##kind(i, four(at), s), s).x;     \
    }
DEPTH(image2d_depth_t, int2, float2, 2)
DEPTH(image2d_array_depth_t, int4, float4, 2_array)

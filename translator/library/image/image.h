/* What the functions of images share: an image and a sampler as kernels get them, and where a coordinate leads.
 *
 * Terms. *Axis*: x, y or z of an element; the layers of an array are the axis behind those of one layer. *Place*: the number of an
 * element along an axis. Sources: OpenCL C 3.0, section 6.15.15; OpenCL 3.0 API, section 8 (addressing and filtering);
 * docs/kernel-abi.md (the layout). */
#ifndef VICINITY_IMAGE_H
#define VICINITY_IMAGE_H

#include "../library.h"

typedef struct {
    __global uchar *data;
    ulong pitch[3]; /* Bytes from an element to the next along each axis. */
    uint size[3];   /* Elements along each axis; 1 where there is none. */
    uint order, type;
} Image;
#define IMAGE __constant const Image *
#define TEXEL const __global uchar *

/* The bits of a sampler that say what a coordinate outside means. */
#define ADDRESSING 0xe

/* Element `x` of a line, in the four channels that its order means; and the other way round. They stay functions (src/calls.rs). */
float4 vicinity_image_float(IMAGE image, TEXEL line, int x);
int4 vicinity_image_int(IMAGE image, TEXEL line, int x);
void vicinity_image_put_float(IMAGE image, __global uchar *line, int x, float4 color);
void vicinity_image_put_int(IMAGE image, __global uchar *line, int x, int4 color, int is_signed);
/* The same of elements of any format, by their addresses. */
#define RARE __attribute__((cold))
RARE float4 vicinity_image_any_float(IMAGE image, TEXEL from);
RARE int4 vicinity_image_any_int(IMAGE image, TEXEL from);
RARE void vicinity_image_put_any_float(IMAGE image, __global uchar *to, float4 color);
RARE void vicinity_image_put_any_int(IMAGE image, __global uchar *to, int4 color, int is_signed);
/* What `CLK_FILTER_LINEAR` means along so many axes, from a line, a layer or an image on. */
float4 vicinity_image_linear_1(IMAGE image, uint sampler, TEXEL line, float x);
float4 vicinity_image_linear_2(IMAGE image, uint sampler, TEXEL layer, float x, float y);
float4 vicinity_image_linear_3(IMAGE image, uint sampler, TEXEL all, float x, float y, float z);

/* The format of an image as one number. */
#define FORMAT(order, type) ((uint)(order) << 16 | (uint)(type))
#define FORMAT_OF(image) FORMAT((image)->order, (image)->type)

/* Numbers that lie anywhere. */
typedef ushort __attribute__((aligned(1))) loose_ushort;
typedef uint __attribute__((aligned(1))) loose_uint;
typedef float __attribute__((aligned(1))) loose_float;
typedef float4 __attribute__((aligned(1))) loose_float4;
typedef float2 __attribute__((aligned(1))) loose_float2;
typedef half __attribute__((aligned(1))) loose_half;
typedef half2 __attribute__((aligned(1))) loose_half2;
typedef half4 __attribute__((aligned(1))) loose_half4;
typedef short __attribute__((aligned(1))) loose_short;
typedef char4 __attribute__((aligned(1))) loose_char4;
typedef short4 __attribute__((aligned(1))) loose_short4;
typedef ushort4 __attribute__((aligned(1))) loose_ushort4;
typedef int __attribute__((aligned(1))) loose_int;
typedef int4 __attribute__((aligned(1))) loose_int4;

static inline __global uchar *layer_at(IMAGE image, int z) { return image->data + z * image->pitch[2]; }
static inline __global uchar *line_at(IMAGE image, int y, int z) { return layer_at(image, z) + y * image->pitch[1]; }

/* A coordinate in elements, before it is rounded. */
static inline float unfold(float s, float n, uint sampler) {
    switch (sampler & ADDRESSING) {
    case CLK_ADDRESS_REPEAT: return (s - op_floor(s)) * n;
    case CLK_ADDRESS_MIRRORED_REPEAT: return op_fabs(s - 2 * op_rint(0.5f * s)) * n;
    }
    return sampler & CLK_NORMALIZED_COORDS_TRUE ? s * n : s;
}

/* The place of a coordinate; what is far outside, or no number, is a place just outside. */
static inline int whole(float u, float n) { return (int)op_floor(op_fmax(op_fmin(u, n + 1), -2)); }

/* The place that is read for `i`, which need not be one; -1: the border's color is. Without any addressing it is the nearest, so
 * that nothing is read which is not the image's. */
static inline int wrap(int i, int n, uint sampler) {
    switch (sampler & ADDRESSING) {
    case CLK_ADDRESS_CLAMP: return i < 0 || i >= n ? -1 : i;
    case CLK_ADDRESS_REPEAT: i = i < 0 ? i + n : i >= n ? i - n : i; break;
    }
    return __builtin_elementwise_min(__builtin_elementwise_max(i, 0), n - 1);
}

/* Whether places may be outside. */
static inline bool has_border(uint sampler) { return (sampler & ADDRESSING) == CLK_ADDRESS_CLAMP; }

static inline int nearest(float s, uint n, uint sampler) { return wrap(whole(unfold(s, n, sampler), n), n, sampler); }

static inline int layer_of(float s, uint n) { return wrap(whole(op_rint(s), n), n, CLK_ADDRESS_CLAMP_TO_EDGE); }

/* Whether the color outside is opaque: that of images without alpha. */
static inline int border_alpha(IMAGE image) {
    return image->order == CLK_R || image->order == CLK_RG || image->order == CLK_LUMINANCE;
}

/* How many numbers an element has in memory. */
static inline uint channels_of(uint order) {
    switch (order) {
    case CLK_R: case CLK_A: case CLK_INTENSITY: case CLK_LUMINANCE: case CLK_DEPTH: return 1;
    case CLK_RG: case CLK_RA: return 2;
    }
    return 4;
}

#endif

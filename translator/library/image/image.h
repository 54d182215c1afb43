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

/* One element, in the four channels that its order means; and the other way round. They stay functions (src/calls.rs). */
float4 vicinity_image_float(IMAGE image, TEXEL from);
int4 vicinity_image_int(IMAGE image, TEXEL from);
void vicinity_image_put_float(IMAGE image, __global uchar *to, float4 color);
void vicinity_image_put_int(IMAGE image, __global uchar *to, int4 color, int is_signed);
/* What `CLK_FILTER_LINEAR` means in images of so many axes; a layer that is not negative is the place on the axis behind them. */
float4 vicinity_image_linear(IMAGE image, uint sampler, float4 at, int axes, int layer);

static inline __global uchar *texel(IMAGE image, int4 at) {
    return image->data + at.x * image->pitch[0] + at.y * image->pitch[1] + at.z * image->pitch[2];
}

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
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static inline int nearest(float s, uint n, uint sampler) { return wrap(whole(unfold(s, n, sampler), n), n, sampler); }

static inline int layer_of(float s, uint n) { return wrap(whole(op_rint(s), n), n, CLK_ADDRESS_CLAMP_TO_EDGE); }

/* Whether the color outside is opaque: that of images without alpha. */
static inline int border_alpha(IMAGE image) {
    return image->order == CLK_R || image->order == CLK_RG;
}

#endif

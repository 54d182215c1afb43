/* `CLK_FILTER_LINEAR`: the sum over the elements around a coordinate, weighted by how near they are, in the specification's order. */
#include "image.h"

/* The two places around a coordinate along an axis, and how far it is from the first. */
typedef struct {
    int places[2];
    float part;
} Around;

static inline Around around(float s, uint n, uint sampler) {
    float u = unfold(s, n, sampler) - 0.5f, low = op_floor(u);
    return (Around){{wrap(whole(low, n), n, sampler), wrap(whole(low, n) + 1, n, sampler)}, u - low};
}

static inline float weight(Around at, int high) { return high ? at.part : 1 - at.part; }

static inline float4 element(IMAGE image, uint sampler, TEXEL line, int x, bool outside) {
    if (has_border(sampler) && (outside || x < 0)) return (float4)(0, 0, 0, border_alpha(image));
    return vicinity_image_float(image, line, x);
}

float4 vicinity_image_linear_1(IMAGE image, uint sampler, TEXEL line, float x) {
    Around across = around(x, image->size[0], sampler);
    float4 sum = 0;
    for (int corner = 0; corner < 2; corner++)
        sum += weight(across, corner) * element(image, sampler, line, across.places[corner], false);
    return sum;
}

float4 vicinity_image_linear_2(IMAGE image, uint sampler, TEXEL layer, float x, float y) {
    Around across = around(x, image->size[0], sampler), down = around(y, image->size[1], sampler);
    float4 sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int i = corner & 1, j = corner >> 1;
        float part = weight(across, i) * weight(down, j);
        int row = down.places[j];
        sum += part * element(image, sampler, layer + row * image->pitch[1], across.places[i], row < 0);
    }
    return sum;
}

float4 vicinity_image_linear_3(IMAGE image, uint sampler, TEXEL all, float x, float y, float z) {
    Around across = around(x, image->size[0], sampler), down = around(y, image->size[1], sampler);
    Around deep = around(z, image->size[2], sampler);
    float4 sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        float part = weight(across, i) * weight(down, j) * weight(deep, k);
        int row = down.places[j], layer = deep.places[k];
        TEXEL line = all + row * image->pitch[1] + layer * image->pitch[2];
        sum += part * element(image, sampler, line, across.places[i], row < 0 || layer < 0);
    }
    return sum;
}

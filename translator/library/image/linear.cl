/* `CLK_FILTER_LINEAR`: the sum over the elements around a coordinate, weighted by how near they are, in the specification's order. */
#include "image.h"

float4 vicinity_image_linear(IMAGE image, uint sampler, float4 at, int axes, int layer) {
    int places[3][2] = {{0}};
    float parts[3] = {0};
    for (int axis = 0; axis < axes; axis++) {
        uint n = image->size[axis];
        float u = unfold(at[axis], n, sampler) - 0.5f, low = op_floor(u);
        parts[axis] = u - low;
        places[axis][0] = wrap(whole(low, n), n, sampler);
        places[axis][1] = wrap(whole(low, n) + 1, n, sampler);
    }
    if (layer >= 0) places[axes][0] = layer;
    float4 sum = 0, border = (float4)(0, 0, 0, border_alpha(image));
    for (int corner = 0; corner < 1 << axes; corner++) {
        float weight = 1;
        int place[3];
        for (int axis = 0; axis < 3; axis++) {
            int high = corner >> axis & 1;
            place[axis] = places[axis][high];
            if (axis < axes) weight *= high ? parts[axis] : 1 - parts[axis];
        }
        bool outside = place[0] < 0 || place[1] < 0 || place[2] < 0;
        int4 element = (int4)(place[0], place[1], place[2], 0);
        sum += weight * (outside ? border : vicinity_image_float(image, texel(image, element)));
    }
    return sum;
}

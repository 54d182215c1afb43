/* Pictures: a new size, other colours, a filter. */

/* A picture in another size: each pixel mixed of the four around its place in the source, whose border goes on. */
__kernel void resize_bilinear(int from_width, int from_height, int width, int height, __global const uchar4 *in,
                              __global uchar4 *out) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    float sx = (x + 0.5f) * ((float)from_width / width) - 0.5f;
    float sy = (y + 0.5f) * ((float)from_height / height) - 0.5f;
    int left = (int)floor(sx), top = (int)floor(sy);
    float right_share = sx - left, bottom_share = sy - top;
    int x0 = clamp(left, 0, from_width - 1), x1 = clamp(left + 1, 0, from_width - 1);
    int y0 = clamp(top, 0, from_height - 1), y1 = clamp(top + 1, 0, from_height - 1);
    float4 above = mix(convert_float4(in[y0 * from_width + x0]), convert_float4(in[y0 * from_width + x1]), right_share);
    float4 below = mix(convert_float4(in[y1 * from_width + x0]), convert_float4(in[y1 * from_width + x1]), right_share);
    out[y * width + x] = convert_uchar4_sat_rte(mix(above, below, bottom_share));
}

/* Packed red, green and blue to a plane of brightness and two of colour (BT.601, video range). */
__kernel void planar_yuv(uint pixels, __global const uchar *rgb, __global uchar *luma, __global uchar *blue,
                         __global uchar *red) {
    uint i = get_global_id(0);
    if (i >= pixels) {
        return;
    }
    int3 p = convert_int3(vload3(i, rgb));
    luma[i] = (uchar)(((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16);
    blue[i] = (uchar)(((-38 * p.x - 74 * p.y + 112 * p.z + 128) >> 8) + 128);
    red[i] = (uchar)(((112 * p.x - 94 * p.y - 18 * p.z + 128) >> 8) + 128);
}

#define REACH 3
#define TAPS (2 * REACH + 1)

/* Any filter of 7 by 7; outside the picture is black. */
__kernel void filter_7x7(int width, int height, __constant float *weight, __global const float *in,
                         __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < TAPS; j++) {
            int from_y = y + j - REACH;
            if (from_y < 0 || from_y >= height) {
                continue;
            }
            for (int i = 0; i < TAPS; i++) {
                int from_x = x + i - REACH;
                if (from_x >= 0 && from_x < width) {
                    sum += weight[j * TAPS + i] * in[from_y * width + from_x];
                }
            }
        }
        out[y * width + x] = sum;
    }
}

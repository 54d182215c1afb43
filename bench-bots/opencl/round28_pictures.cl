/* Pictures: a smoothing that keeps edges, edges without stairs, how well blocks are predicted, the
 * mean of many exposures. */

#define RADIUS 6

/* Each item goes along a row and tells of every pixel what its window's part of the row adds up to:
 * values, and their squares. */
__kernel void window_rows(__global const uchar *picture, const int width, const int height,
                          __global uint2 *sums)
{
    const int row = get_global_id(0);
    if (row >= height) return;
    picture += row * width;
    sums += row * width;
    uint2 sum = (uint2)(0);
    for (int x = -RADIUS; x < width; x++) {
        if (x + RADIUS < width) {
            const uint value = picture[x + RADIUS];
            sum += (uint2)(value, value * value);
        }
        if (x < 0) continue;
        if (x > RADIUS) {
            const uint value = picture[x - RADIUS - 1];
            sum -= (uint2)(value, value * value);
        }
        sums[x] = sum;
    }
}

/* How many places of a window around `at` there are from 0 to before the end. */
int window_part(const int at, const int end)
{
    return min(at + RADIUS, end - 1) - max(at - RADIUS, 0) + 1;
}

/* Each item goes down a column. Of every pixel's window it finds the line, a slope and a height, by
 * which the smooth picture follows the picture: steep where values differ much. */
__kernel void window_columns(__global const uint2 *sums, const int width, const int height,
                             const float least, __global float2 *lines)
{
    const int column = get_global_id(0);
    if (column >= width) return;
    const int across = window_part(column, width);
    __global const uint2 *first = sums + column, *last = sums + column;
    uint2 sum = (uint2)(0);
    for (int y = 0; y < min(RADIUS, height); y++, last += width) sum += *last;
    for (int y = 0; y < height; y++) {
        if (y + RADIUS < height) {
            sum += *last;
            last += width;
        }
        if (y > RADIUS) {
            sum -= *first;
            first += width;
        }
        const float count = across * window_part(y, height);
        const float mean = sum.x / count, spread = sum.y / count - mean * mean;
        const float slope = spread / (spread + least);
        lines[y * width + column] = (float2)(slope, mean - slope * mean);
    }
}

/* Each item adds up the lines of a window's part of a row. */
__kernel void line_rows(__global const float2 *lines, const int width, __global float2 *sums)
{
    const int x = get_global_id(0), start = get_global_id(1) * width;
    if (x >= width) return;
    float2 sum = (float2)(0.0f);
    for (int i = max(x - RADIUS, 0); i <= min(x + RADIUS, width - 1); i++) sum += lines[start + i];
    sums[start + x] = sum;
}

/* Each item makes a pixel of He's guided filter, with the picture as its own guide. */
__kernel void guided_filter(__global const float2 *sums, __global const uchar *picture,
                            const int width, const int height, __global uchar *smooth)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (y >= height) return;
    float2 sum = (float2)(0.0f);
    for (int i = max(y - RADIUS, 0); i <= min(y + RADIUS, height - 1); i++) {
        sum += sums[i * width + x];
    }
    sum /= (float)(window_part(x, width) * window_part(y, height));
    smooth[y * width + x] = convert_uchar_sat_rte(sum.x * picture[y * width + x] + sum.y);
}

const sampler_t between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
const sampler_t exactly = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define EDGE_LEAST (1.0f / 24.0f)
#define EDGE_SHARE (1.0f / 8.0f)
#define FARTHEST 8.0f

float light(const float4 colour)
{
    return dot(colour.xyz, (float3)(0.299f, 0.587f, 0.114f));
}

/* Each item smooths a pixel along the edge that it lies at, if it lies at one, after Lottes. */
__kernel void fxaa_edges(__read_only image2d_t picture, __write_only image2d_t smooth)
{
    const int2 pixel = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(picture);
    if (any(pixel >= size)) return;
    const float4 own = read_imagef(picture, exactly, pixel);
    const float middle = light(own);
    const float nw = light(read_imagef(picture, exactly, pixel + (int2)(-1, -1)));
    const float ne = light(read_imagef(picture, exactly, pixel + (int2)(1, -1)));
    const float sw = light(read_imagef(picture, exactly, pixel + (int2)(-1, 1)));
    const float se = light(read_imagef(picture, exactly, pixel + (int2)(1, 1)));
    const float low = fmin(middle, fmin(fmin(nw, ne), fmin(sw, se)));
    const float high = fmax(middle, fmax(fmax(nw, ne), fmax(sw, se)));
    if (high - low < fmax(EDGE_LEAST, high * EDGE_SHARE)) {
        write_imagef(smooth, pixel, own);
        return;
    }
    float2 way = (float2)(sw + se - nw - ne, nw + sw - ne - se);
    const float rest = fmax((nw + ne + sw + se) / 32.0f, 1.0f / 128.0f);
    way = clamp(way / (fmin(fabs(way.x), fabs(way.y)) + rest), -FARTHEST, FARTHEST);
    const float2 at = convert_float2(pixel) + 0.5f;
    const float4 near = 0.5f * (read_imagef(picture, between, at - way / 6.0f) +
                                read_imagef(picture, between, at + way / 6.0f));
    const float4 far = 0.5f * near + 0.25f * (read_imagef(picture, between, at - way * 0.5f) +
                                              read_imagef(picture, between, at + way * 0.5f));
    const float all = light(far);
    write_imagef(smooth, pixel, all < low || all > high ? near : far);
}

#define BLOCK 8
#define REACH 2 /* in both directions and axes */
#define PLACES ((2 * REACH + 1) * (2 * REACH + 1))
#define BIT_COST 6

/* One step of Hadamard's transform in all three bits of a row's index. */
short8 butterflies(short8 row)
{
    for (int step = 0; step < 3; step++) {
        row = (short8)(row.even + row.odd, row.even - row.odd);
    }
    return row;
}

/* Each item tells what is left of a block when it is predicted from a place of the frame before:
 * the transformed differences, without their signs. That frame has `pad` more pixels at each side. */
__kernel void satd_costs(__global const uchar *frame, __global const uchar *before,
                         const int stride, const int pad, __global uint *costs)
{
    const int across = get_global_size(0), place = get_global_id(2);
    const int x = get_global_id(0) * BLOCK, y = get_global_id(1) * BLOCK;
    const int dx = place % (2 * REACH + 1) - REACH, dy = place / (2 * REACH + 1) - REACH;
    __global const uchar *own = frame + y * across * BLOCK + x;
    __global const uchar *other = before + (y + dy + pad) * stride + x + dx + pad;
    short8 rows[BLOCK];
    for (int i = 0; i < BLOCK; i++, own += across * BLOCK, other += stride) {
        rows[i] = butterflies(convert_short8(vload8(0, own)) - convert_short8(vload8(0, other)));
    }
    uint8 sum = (uint8)(0);
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        for (int i = 0; i < BLOCK; i++) {
            if (i & apart) continue;
            const short8 a = rows[i], b = rows[i + apart];
            rows[i] = a + b;
            rows[i + apart] = a - b;
        }
    }
    for (int i = 0; i < BLOCK; i++) sum += convert_uint8(abs(rows[i]));
    const uint4 half_sum = sum.lo + sum.hi;
    const uint all = half_sum.x + half_sum.y + half_sum.z + half_sum.w;
    const int block = get_global_id(1) * across + get_global_id(0);
    costs[block * PLACES + place] = (all + 2) / 4 + BIT_COST * (abs(dx) + abs(dy));
}

/* Each item takes a block's cheapest place, the first one of several. */
__kernel void cheapest_places(__global const uint *costs, __global char2 *ways)
{
    const int id = get_global_id(0);
    uint least = UINT_MAX;
    int at = 0;
    costs += id * PLACES;
    for (int i = 0; i < PLACES; i++) {
        at = costs[i] < least ? i : at;
        least = min(least, costs[i]);
    }
    ways[id] = (char2)(at % (2 * REACH + 1) - REACH, at / (2 * REACH + 1) - REACH);
}

#define MOST_FRAMES 24
#define TURNS 5

/* Each item adds up a pixel's exposures without those that are far from the median of the others:
 * satellites and cosmic rays. */
__kernel void sigma_clip(__global const ushort *exposures, __constant float *skies,
                         const int frames, const int width, const int height, const float most,
                         __global float *means, __global uchar *kept)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float values[MOST_FRAMES];
    const int pixel = y * width + x;
    for (int i = 0; i < frames; i++) {
        const float value = exposures[i * width * height + pixel] - skies[i];
        int at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
    int first = 0, end = frames;
    float mean = 0.0f;
    for (int turn = 0; turn < TURNS; turn++) {
        const int count = end - first;
        float sum = 0.0f, squares = 0.0f;
        for (int i = first; i < end; i++) sum += values[i];
        mean = sum / count;
        for (int i = first; i < end; i++) squares += (values[i] - mean) * (values[i] - mean);
        const float median = 0.5f * (values[first + (count - 1) / 2] + values[first + count / 2]);
        const float reach = most * sqrt(squares / count);
        while (first < end - 1 && values[first] < median - reach) first++;
        while (end > first + 1 && values[end - 1] > median + reach) end--;
        if (end - first == count) break;
    }
    means[pixel] = mean;
    kept[pixel] = end - first;
}

/* Pictures: light of a wide range to what a screen shows, a sensor's packed pixels, which prediction a block of a video gets, how
 * pixels move between two pictures. */

#define METERS 128

float luminance(const float4 light)
{
    return 0.2126f * light.x + 0.7152f * light.y + 0.0722f * light.z;
}

/* How bright a picture is on a scale of powers: each work-group sums up its part. */
__kernel __attribute__((reqd_work_group_size(METERS, 1, 1)))
void light_parts(__global const half *picture, const int pixels, __global float *parts)
{
    __local float sums[METERS];

    const int lid = get_local_id(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < pixels; i += get_global_size(0)) sum += log2(1e-4f + luminance(vload_half4(i, picture)));
    sums[lid] = sum;
    for (int stride = METERS / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < stride) sums[lid] += sums[lid + stride];
    }
    if (lid == 0) parts[get_group_id(0)] = sums[0];
}

/* By what the light is multiplied so that its mean is `grey`. */
__kernel void find_exposure(__global const float *parts, const int count, const int pixels, const float grey, __global float *exposure)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) sum += parts[i];
    *exposure = clamp(grey / exp2(sum / (float)pixels), 0.05f, 20.0f);
}

float film(const float light)
{
    const float a = 2.51f, b = 0.03f, c = 2.43f, d = 0.59f, e = 0.14f;
    return clamp(light * (a * light + b) / (light * (c * light + d) + e), 0.0f, 1.0f);
}

float screen(const float light)
{
    return light <= 0.0031308f ? 12.92f * light : 1.055f * powr(light, 1.0f / 2.4f) - 0.055f;
}

/* Exposes a pixel, brightens what the lens darkened near the rim, takes colour out of the dark, and gives what a screen shows. */
__kernel void hdr_develop(__global const half *picture, const int width, const int height, __global const float *exposure,
                          const float fall_off, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float2 off = (float2)(x + 0.5f, y + 0.5f) / (float2)(width, height) - 0.5f;
    const float spread = 1.0f + fall_off * dot(off, off);
    float4 light = vload_half4(y * width + x, picture) * (exposure[0] * spread * spread);
    const float bright = luminance(light);
    light = mix((float4)(bright), light, smoothstep(0.0f, 0.02f, bright));
    const float4 shown = (float4)(screen(film(light.x)), screen(film(light.y)), screen(film(light.z)), 1.0f);
    out[y * width + x] = convert_uchar4_sat_rte(255.0f * shown);
}

#define GRID_COLUMNS 17
#define GRID_ROWS 13

/* How much the lens darkens a place, between four of a coarse grid. */
float shading_at(__global const float *grid, const float column, const float row)
{
    const int left = min((int)column, GRID_COLUMNS - 2), top = min((int)row, GRID_ROWS - 2);
    const float right_share = column - left, lower_share = row - top;
    __global const float *corner = grid + top * GRID_COLUMNS + left;
    return mix(mix(corner[0], corner[1], right_share), mix(corner[GRID_COLUMNS], corner[GRID_COLUMNS + 1], right_share), lower_share);
}

/* Four pixels of ten bits are in five bytes, the last of which has the lowest bits. The sensor's black becomes 0, each colour of
 * the mosaic has a gain, and what the lens darkened is brightened. */
__kernel void packed_raw10(__global const uchar *restrict bytes, const int width, const int height, const int stride, const int black,
                           const float4 gains, __global const float *restrict grid, __global ushort4 *restrict out)
{
    const int group = get_global_id(0), y = get_global_id(1);
    if (group >= width / 4 || y >= height) return;
    __global const uchar *from = bytes + y * stride + group * 5;
    const int low = from[4];
    int4 raw = (int4)(from[0], from[1], from[2], from[3]) << 2;
    raw |= (int4)(low, low >> 2, low >> 4, low >> 6) & 3;
    const float2 pair = (y & 1) ? gains.zw : gains.xy;
    const float row = (float)(y * (GRID_ROWS - 1)) / (height - 1), step = (float)(GRID_COLUMNS - 1) / (width - 1);
    const int x = 4 * group;
    const float4 bend = (float4)(shading_at(grid, x * step, row), shading_at(grid, (x + 1) * step, row),
                                 shading_at(grid, (x + 2) * step, row), shading_at(grid, (x + 3) * step, row));
    const float4 light = convert_float4(max(raw - black, 0)) * pair.xyxy * bend;
    out[y * (width / 4) + group] = convert_ushort4_sat_rte(16.0f * light);
}

#define BLOCK 4
#define MODES 9
#define CORNER 4 /* the place in `edge` of the pixel above and left; those left of the block are before it, upwards */

int two(const int a, const int b)
{
    return (a + b + 1) >> 1;
}

int three(const int a, const int b, const int c)
{
    return (a + 2 * b + c + 2) >> 2;
}

/* What a mode says of a pixel, from those around the block. */
int predicted(const int mode, const int x, const int y, const int *edge)
{
    const int *above = edge + CORNER + 1;
    switch (mode) {
    case 0: return above[x];
    case 1: return edge[CORNER - 1 - y];
    case 2: return (edge[0] + edge[1] + edge[2] + edge[3] + above[0] + above[1] + above[2] + above[3] + 4) >> 3;
    case 3: return three(above[x + y], above[x + y + 1], above[min(x + y + 2, 7)]);
    case 4: return three(edge[CORNER + x - y - 1], edge[CORNER + x - y], edge[CORNER + x - y + 1]);
    case 5: {
        const int turn = 2 * x - y, at = CORNER + x - (y >> 1);
        if (turn < -1) return three(edge[CORNER - y], edge[CORNER + 1 - y], edge[CORNER + 2 - y]);
        if (turn == -1) return three(edge[CORNER - 1], edge[CORNER], edge[CORNER + 1]);
        return turn & 1 ? three(edge[at - 1], edge[at], edge[at + 1]) : two(edge[at], edge[at + 1]);
    }
    case 6: {
        const int turn = 2 * y - x, at = CORNER - y + (x >> 1);
        if (turn < -1) return three(edge[CORNER + x], edge[CORNER + x - 1], edge[CORNER + x - 2]);
        if (turn == -1) return three(edge[CORNER - 1], edge[CORNER], edge[CORNER + 1]);
        return turn & 1 ? three(edge[at + 1], edge[at], edge[at - 1]) : two(edge[at], edge[at - 1]);
    }
    case 7: {
        const int at = x + (y >> 1);
        return y & 1 ? three(above[at], above[at + 1], above[at + 2]) : two(above[at], above[at + 1]);
    }
    default: {
        const int turn = x + 2 * y, at = y + (x >> 1);
        if (turn > 5) return edge[0];
        if (turn == 5) return three(edge[1], edge[0], edge[0]);
        return turn & 1 ? three(edge[3 - at], edge[2 - at], edge[1 - at]) : two(edge[3 - at], edge[2 - at]);
    }
    }
}

int4 butterfly(const int4 in)
{
    const int a = in.x + in.z, b = in.y + in.w, c = in.x - in.z, d = in.y - in.w;
    return (int4)(a + b, a - b, c + d, c - d);
}

/* The sum of what a Hadamard transform makes of four rows. */
int transformed_sum(const int4 *rows)
{
    const int4 first = butterfly(rows[0]), second = butterfly(rows[1]), third = butterfly(rows[2]), fourth = butterfly(rows[3]);
    const int4 a = first + third, b = second + fourth, c = first - third, d = second - fourth;
    const uint4 all = abs(a + b) + abs(a - b) + abs(c + d) + abs(c - d);
    return (int)(all.x + all.y + all.z + all.w) >> 1;
}

/* Each item tries all modes for a block, and keeps the one that leaves least. The picture has a rim of eight pixels around the
 * blocks. */
__kernel void intra_modes(__global const uchar *picture, const int stride, const int columns, const int rows, const int price,
                          __global uchar *modes, __global ushort *costs)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    __global const uchar *block = picture + (row * BLOCK + 8) * stride + column * BLOCK + 8;
    int edge[CORNER + 9];
    for (int i = 0; i < BLOCK; i++) edge[CORNER - 1 - i] = block[i * stride - 1];
    for (int i = -1; i < 8; i++) edge[CORNER + 1 + i] = block[i - stride];
    int best = INT_MAX, best_mode = 0;
    for (int mode = 0; mode < MODES; mode++) {
        int4 left_over[BLOCK];
        for (int y = 0; y < BLOCK; y++) {
            const int4 guess = (int4)(predicted(mode, 0, y, edge), predicted(mode, 1, y, edge), predicted(mode, 2, y, edge),
                                      predicted(mode, 3, y, edge));
            left_over[y] = convert_int4(vload4(0, block + y * stride)) - guess;
        }
        const int cost = transformed_sum(left_over) + price * (mode == 2 ? 1 : 4);
        if (cost < best) {
            best = cost;
            best_mode = mode;
        }
    }
    modes[row * columns + column] = (uchar)best_mode;
    costs[row * columns + column] = (ushort)min(best, 65535);
}

#define SIDE 16
#define AT(picture, x, y) ((float)(picture)[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)])

/* How brightness changes to the right, down, and from one picture to the next; and what a step is divided by. */
__kernel void flow_slopes(__global const uchar *first, __global const uchar *second, const int width, const int height,
                          const float smooth, __global float4 *slopes)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float a = AT(first, x, y), b = AT(first, x + 1, y), c = AT(first, x, y + 1), d = AT(first, x + 1, y + 1);
    const float e = AT(second, x, y), f = AT(second, x + 1, y), g = AT(second, x, y + 1), h = AT(second, x + 1, y + 1);
    const float right = 0.25f * (b - a + d - c + f - e + h - g), down = 0.25f * (c - a + d - b + g - e + h - f);
    const float later = 0.25f * (e - a + f - b + g - c + h - d);
    slopes[y * width + x] = (float4)(right, down, later, 1.0f / (smooth * smooth + right * right + down * down));
}

/* Each pixel's motion becomes that of its neighbours, changed by as much as the slopes tell. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void flow_relax(__global const float4 *slopes, __global const float2 *from, const int width, const int height, __global float2 *to)
{
    __local float2 tile[SIDE + 2][SIDE + 2];

    const int x = get_global_id(0), y = get_global_id(1), column = get_local_id(0), row = get_local_id(1);
    const int left = x - column - 1, top = y - row - 1;
    for (int i = row * SIDE + column; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
        const int tile_x = i % (SIDE + 2), tile_y = i / (SIDE + 2);
        tile[tile_y][tile_x] = from[clamp(top + tile_y, 0, height - 1) * width + clamp(left + tile_x, 0, width - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;
    const float2 beside = tile[row][column + 1] + tile[row + 2][column + 1] + tile[row + 1][column] + tile[row + 1][column + 2];
    const float2 across = tile[row][column] + tile[row][column + 2] + tile[row + 2][column] + tile[row + 2][column + 2];
    const float2 mean = beside * (1.0f / 6.0f) + across * (1.0f / 12.0f);
    const float4 slope = slopes[y * width + x];
    to[y * width + x] = mean - slope.xy * ((dot(slope.xy, mean) + slope.z) * slope.w);
}

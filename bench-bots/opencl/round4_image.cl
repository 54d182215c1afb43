/* Pictures of bytes, and a board of them. */

#define TILE 16
#define RADIUS 3
#define PADDED (TILE + 2 * RADIUS)

/* A bilateral filter: a mean of the pixels around, of which those count most that are near and of a similar colour. A group
 * has a tile, and keeps it in local memory with a border around it. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void bilateral(const int width, const int height, const float by_distance, const float by_colour,
               __global const uchar4 *restrict in, __global uchar4 *restrict out) {
    __local float4 tile[PADDED][PADDED];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = (int)get_group_id(0) * TILE - RADIUS, top = (int)get_group_id(1) * TILE - RADIUS;
    for (int ty = ly; ty < PADDED; ty += TILE) {
        for (int tx = lx; tx < PADDED; tx += TILE) {
            const int from_x = clamp(left + tx, 0, width - 1), from_y = clamp(top + ty, 0, height - 1);
            tile[ty][tx] = convert_float4(in[from_y * width + from_x]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    const float4 centre = tile[ly + RADIUS][lx + RADIUS];
    float4 sum = (float4)(0.0f);
    float weights = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            const float4 there = tile[ly + RADIUS + dy][lx + RADIUS + dx];
            const float3 away = there.xyz - centre.xyz;
            const float weight = exp(-(float)(dx * dx + dy * dy) * by_distance - dot(away, away) * by_colour);
            sum += weight * there;
            weights += weight;
        }
    }
    out[y * width + x] = convert_uchar4_sat_rte((float4)(sum.xyz / weights, centre.w));
}

enum direction { ACROSS, FALLING, UPRIGHT, RISING };

/* Which way the brightness changes, to an eighth of a turn; a slope of 22.5 degrees is about 53 to 128. */
uchar direction_of(int gx, int gy) {
    const int wide = abs(gx) * 53, high = abs(gy) * 128;
    if (high < wide) {
        return ACROSS;
    }
    if (abs(gx) * 128 < abs(gy) * 53) {
        return UPRIGHT;
    }
    return (gx ^ gy) < 0 ? RISING : FALLING;
}

#define AT(x, y) ((int)in[(y) * pitch + (x)])

/* How much the brightness changes at each inner pixel, and which way. Rows are `pitch` bytes apart. */
__kernel void gradient(int width, int height, int pitch, __global const uchar *in, __global ushort *strength,
                       __global uchar *direction) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        gx = AT(x + 1, y - 1) + 2 * AT(x + 1, y) + AT(x + 1, y + 1) - AT(x - 1, y - 1) - 2 * AT(x - 1, y) - AT(x - 1, y + 1);
        gy = AT(x - 1, y + 1) + 2 * AT(x, y + 1) + AT(x + 1, y + 1) - AT(x - 1, y - 1) - 2 * AT(x, y - 1) - AT(x + 1, y - 1);
    }
    strength[y * pitch + x] = (ushort)(abs(gx) + abs(gy));
    direction[y * pitch + x] = direction_of(gx, gy);
}

/* Keeps what is strongest along its own direction: 255 where it is above `high`, 128 above `low`, 0 elsewhere. */
__kernel void edge_thin(int width, int height, int pitch, ushort low, ushort high, __global const ushort *strength,
                        __global const uchar *direction, __global uchar *edge) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int at = y * pitch + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1 || strength[at] <= low) {
        edge[at] = 0;
        return;
    }
    ushort ahead, behind;
    switch (direction[at]) {
    case ACROSS:
        ahead = strength[at + 1];
        behind = strength[at - 1];
        break;
    case FALLING:
        ahead = strength[at + pitch + 1];
        behind = strength[at - pitch - 1];
        break;
    case UPRIGHT:
        ahead = strength[at + pitch];
        behind = strength[at - pitch];
        break;
    default:
        ahead = strength[at - pitch + 1];
        behind = strength[at + pitch - 1];
        break;
    }
    uchar kept = strength[at] > high ? 255 : 128;
    edge[at] = strength[at] >= ahead && strength[at] > behind ? kept : 0;
}

#define TONES 256

/* How often each tone of red, of green and of blue is in the picture. */
__kernel void tone_counts(uint pixels, __global const uchar4 *in, __global uint *counts) {
    __local uint mine[3 * TONES];
    for (uint i = get_local_id(0); i < 3 * TONES; i += get_local_size(0)) {
        mine[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < pixels; i += get_global_size(0)) {
        uchar4 pixel = in[i];
        atomic_inc(&mine[pixel.x]);
        atomic_inc(&mine[TONES + pixel.y]);
        atomic_inc(&mine[2 * TONES + pixel.z]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 3 * TONES; i += get_local_size(0)) {
        if (mine[i] != 0) {
            atomic_add(&counts[i], mine[i]);
        }
    }
}

/* From the counts, what each tone becomes so that all are about as frequent: a group has a colour, an item a tone. */
__kernel void tone_table(uint pixels, __global const uint *counts, __global uchar *table) {
    __local uint up_to[2][TONES];
    const uint tone = get_local_id(0), from = get_group_id(0) * TONES;
    uint now = 0;
    up_to[0][tone] = counts[from + tone];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < TONES; step <<= 1) {
        uint sum = up_to[now][tone];
        if (tone >= step) {
            sum += up_to[now][tone - step];
        }
        up_to[1 - now][tone] = sum;
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    table[from + tone] = (uchar)(((ulong)up_to[now][tone] * (TONES - 1) + pixels / 2) / pixels);
}

__kernel void tone_apply(uint pixels, __global const uchar *table, __global const uchar4 *in, __global uchar4 *out) {
    uint i = get_global_id(0);
    if (i < pixels) {
        uchar4 pixel = in[i];
        out[i] = (uchar4)(table[pixel.x], table[TONES + pixel.y], table[2 * TONES + pixel.z], pixel.w);
    }
}

/* A generation of Conway's game on a board whose opposite sides meet. */
__kernel void life_bytes(const uint width, const uint height, __global const uchar *board, __global uchar *next) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint left = (x + width - 1) % width, right = (x + 1) % width;
    const uint above = (y + height - 1) % height * width, here = y * width, below = (y + 1) % height * width;
    const uchar neighbours = board[above + left] + board[above + x] + board[above + right] + board[here + left] +
                             board[here + right] + board[below + left] + board[below + x] + board[below + right];
    next[here + x] = neighbours == 3 || (neighbours == 2 && board[here + x]);
}

/* Pictures: paint strokes, blocks of a compressed texture, straight lines. */

#define TILE 16
#define REACH 3
#define SIDE (TILE + 2 * REACH)

inline int grey_of(const int4 pixel) { return (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8; }

/* Kuwahara's filter: each pixel becomes the mean of that of the four squares around it whose grey varies least. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void kuwahara(__global const uchar4 *in, const int width, const int height, __global uchar4 *out)
{
    __local uchar4 tile[SIDE * SIDE];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = get_group_id(0) * TILE - REACH, top = get_group_id(1) * TILE - REACH;
    for (int i = ly * TILE + lx; i < SIDE * SIDE; i += TILE * TILE) {
        const int x = clamp(left + i % SIDE, 0, width - 1);
        const int y = clamp(top + i / SIDE, 0, height - 1);
        tile[i] = in[y * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    int least = INT_MAX;
    int4 colour = (int4)(0);
    for (int square = 0; square < 4; square++) {
        __local const uchar4 *from = tile + (ly + square / 2 * REACH) * SIDE + lx + square % 2 * REACH;
        int4 sum = (int4)(0);
        int greys = 0, squares = 0;
        for (int j = 0; j <= REACH; j++) {
            for (int i = 0; i <= REACH; i++) {
                const int4 pixel = convert_int4(from[j * SIDE + i]);
                const int grey = grey_of(pixel);
                sum += pixel;
                greys += grey;
                squares += grey * grey;
            }
        }
        const int variance = squares * (REACH + 1) * (REACH + 1) - greys * greys;
        if (variance < least) {
            least = variance;
            colour = sum;
        }
    }
    out[y * width + x] = convert_uchar4((colour + 8) / ((REACH + 1) * (REACH + 1)));
}

struct block {
    ushort ends[2];
    uint choices;
};

inline ushort packed(const int3 colour)
{
    const int3 c = (colour * (int3)(31, 63, 31) + 127) / 255;
    return (ushort)(c.x << 11 | c.y << 5 | c.z);
}

inline int3 unpacked(const ushort word)
{
    const int r = word >> 11, g = (word >> 5) & 63, b = word & 31;
    return (int3)(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2);
}

/* Squares of 4 x 4 pixels as two colours of 16 bits and two bits a pixel, which choose between these and two mixtures: BC1. The
 * two are the corners of the colours' box, moved inwards; an item a square. */
__kernel void bc1_blocks(__global const uchar4 *picture, const int width, const int height, __global struct block *blocks)
{
    const int bx = get_global_id(0), by = get_global_id(1);
    int3 pixels[16];
    int3 low = (int3)(255), high = (int3)(0), sum = (int3)(0);
    for (int k = 0; k < 16; k++) {
        const int x = min(4 * bx + k % 4, width - 1), y = min(4 * by + k / 4, height - 1);
        pixels[k] = convert_int3(picture[y * width + x].xyz);
        low = min(low, pixels[k]);
        high = max(high, pixels[k]);
        sum += pixels[k];
    }

    /* Which diagonal of the box: does red rise with green, does blue? */
    int red = 0, blue = 0;
    for (int k = 0; k < 16; k++) {
        const int3 off = 16 * pixels[k] - sum;
        red += off.x * off.y;
        blue += off.z * off.y;
    }
    const int3 inset = (high - low) / 16;
    const int3 a = high - inset, c = low + inset;
    const ushort one = packed((int3)(red < 0 ? c.x : a.x, a.y, blue < 0 ? c.z : a.z));
    const ushort two = packed((int3)(red < 0 ? a.x : c.x, c.y, blue < 0 ? a.z : c.z));

    struct block block;
    block.ends[0] = max(one, two);
    block.ends[1] = min(one, two);
    block.choices = 0;
    if (one != two) {
        int3 palette[4];
        palette[0] = unpacked(block.ends[0]);
        palette[1] = unpacked(block.ends[1]);
        palette[2] = (2 * palette[0] + palette[1]) / 3;
        palette[3] = (palette[0] + 2 * palette[1]) / 3;
        for (int k = 0; k < 16; k++) {
            int least = INT_MAX;
            uint choice = 0;
            for (uint i = 0; i < 4; i++) {
                const int3 off = pixels[k] - palette[i];
                const int distance = off.x * off.x + off.y * off.y + off.z * off.z;
                if (distance < least) {
                    least = distance;
                    choice = i;
                }
            }
            block.choices |= choice << (2 * k);
        }
    }
    blocks[by * get_global_size(0) + bx] = block;
}

/* Hough's transform. First the places of all pixels of edges, in any order. */
__kernel void hough_places(__global const uchar *edges, const int width, const int height, __global ushort2 *places,
                           volatile __global int *count)
{
    __local int here, first;

    const int x = get_global_id(0), y = get_global_id(1);
    const bool leader = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (leader) here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool edge = x < width && y < height && edges[y * width + x] > 127;
    int rank = 0;
    if (edge) rank = atomic_inc(&here);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leader && here > 0) first = atomic_add(count, here);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (edge) places[first + rank] = (ushort2)(x, y);
}

#define SHIFT 15 /* directions are of length 2^14, bins two pixels wide */

/* A group an angle: how many pixels each line of this angle has. */
__kernel void hough_votes(__global const ushort2 *places, __global const int *count, __constant short2 *directions,
                          const int bins, const int middle, __local int *votes, __global int *out)
{
    const int lid = get_local_id(0), items = get_local_size(0), angle = get_group_id(0);
    for (int i = lid; i < bins; i += items) votes[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int2 direction = convert_int2(directions[angle]);
    const int end = *count;
    for (int i = lid; i < end; i += items) {
        const int2 place = convert_int2(places[i]);
        atomic_inc(&votes[middle + ((place.x * direction.x + place.y * direction.y) >> SHIFT)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < bins; i += items) out[angle * bins + i] = votes[i];
}

/* Lines with more votes than their neighbours: (angle, bin, votes, 0). */
__kernel void hough_peaks(__global const int *votes, const int bins, const int angles, const int enough, const int most,
                          __global int4 *peaks, volatile __global int *count)
{
    const int bin = get_global_id(0), angle = get_global_id(1);
    if (bin < 1 || bin >= bins - 1 || angle < 1 || angle >= angles - 1) return;

    const int mine = votes[angle * bins + bin];
    if (mine < enough) return;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if ((i != 0 || j != 0) && votes[(angle + j) * bins + bin + i] >= mine) return;
    const int at = atomic_inc(count);
    if (at < most) peaks[at] = (int4)(angle, bin, mine, 0);
}

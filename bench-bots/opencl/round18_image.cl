/* Pictures: few colours instead of many, edges without steps, strokes as thin as lines, how far the nearest dot is. */

__constant uchar bayer[64] = {0,  32, 8,  40, 2,  34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26, 12, 44, 4,  36, 14, 46,
                              6,  38, 60, 28, 52, 20, 62, 30, 54, 22, 3,  35, 11, 43, 1,  33, 9,  41, 51, 19, 59, 27,
                              49, 17, 57, 25, 15, 47, 7,  39, 13, 45, 5,  37, 63, 31, 55, 23, 61, 29, 53, 21};

/* Each pixel becomes the number of a palette's colour: of the nearest one as eyes see it, after a pattern has moved the pixel a
 * little. */
__kernel void palette_dither(__global const uchar4 *pixels, const int width, __constant uchar4 *palette, const int colours,
                             const int spread, __global uchar *numbers)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int push = (2 * bayer[(y & 7) * 8 + (x & 7)] - 63) * spread / 128;
    const int4 wanted = clamp(convert_int4(pixels[y * width + x]) + push, 0, 255);
    int nearest = INT_MAX, number = 0;
    for (int i = 0; i < colours; i++) {
        const int4 colour = convert_int4(palette[i]);
        const int4 off = wanted - colour;
        const int red = (wanted.x + colour.x) >> 1;
        const int far = (((512 + red) * off.x * off.x) >> 8) + 4 * off.y * off.y + (((767 - red) * off.z * off.z) >> 8);
        if (far < nearest) {
            nearest = far;
            number = i;
        }
    }
    numbers[y * width + x] = (uchar)number;
}

#define LONGEST_EDGE 12

/* How bright each pixel is. */
__kernel void brightness(__global const uchar4 *pixels, __global float *bright)
{
    const int id = get_global_id(0);
    const uchar4 pixel = pixels[id];
    bright[id] = (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) / 256.0f;
}

int index_of(const int x, const int y, const int width, const int height)
{
    return clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1);
}

/* How far an edge goes on in a direction, the end's place not counted; `*off` is how its end differs. The edge is between two
 * pixels: (x, y) and that to which `across` leads. */
int edge_length(__global const float *bright, const int width, const int height, const int2 place, const int2 along,
                const int2 across, const float mean, const float enough, float *off)
{
    for (int i = 1; i < LONGEST_EDGE; i++) {
        const int2 at = place + i * along, other = at + across;
        *off = 0.5f * (bright[index_of(at.x, at.y, width, height)] + bright[index_of(other.x, other.y, width, height)]) - mean;
        if (fabs(*off) >= enough) return i;
    }
    return LONGEST_EDGE;
}

/* Pixels beside an edge get some of the colour beyond it, the more the nearer the edge's next step is. */
__kernel void smooth_steps(__global const uchar4 *pixels, __global const float *bright, const int width, const int height,
                           __global uchar4 *out)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x >= width || place.y >= height) return;
    float around[9];
    for (int i = 0; i < 9; i++) around[i] = bright[index_of(place.x + i % 3 - 1, place.y + i / 3 - 1, width, height)];
    const float north = around[1], west = around[3], here = around[4], east = around[5], south = around[7];
    const float most = fmax(fmax(fmax(north, south), fmax(west, east)), here);
    const float least = fmin(fmin(fmin(north, south), fmin(west, east)), here);
    const float range = most - least;
    const int id = place.y * width + place.x;
    if (range < fmax(8.0f, most * 0.125f)) {
        out[id] = pixels[id];
        return;
    }
    const float corners = around[0] + around[2] + around[6] + around[8];
    const float middle = (2.0f * (north + south + west + east) + corners) / 12.0f;
    const float soft = smoothstep(0.0f, 1.0f, clamp(fabs(middle - here) / range, 0.0f, 1.0f));
    const float level = fabs(around[0] + around[6] - 2.0f * west) + 2.0f * fabs(north + south - 2.0f * here) +
                        fabs(around[2] + around[8] - 2.0f * east);
    const float upright = fabs(around[0] + around[2] - 2.0f * north) + 2.0f * fabs(west + east - 2.0f * here) +
                          fabs(around[6] + around[8] - 2.0f * south);
    const int is_level = level >= upright;
    const float before = is_level ? north : west, after = is_level ? south : east;
    const float to_before = fabs(before - here), to_after = fabs(after - here);
    const int side = to_before >= to_after ? -1 : 1;
    const int2 across = is_level ? (int2)(0, side) : (int2)(side, 0), along = is_level ? (int2)(1, 0) : (int2)(0, 1);
    const float mean = 0.5f * (here + (side < 0 ? before : after)), enough = 0.25f * fmax(to_before, to_after);
    float off_back, off_forth;
    const int back = edge_length(bright, width, height, place, -along, across, mean, enough, &off_back);
    const int forth = edge_length(bright, width, height, place, along, across, mean, enough, &off_forth);
    const float off = back < forth ? off_back : off_forth;
    const int is_step = (off < 0.0f) != (here < mean);
    const float shift = is_step ? 0.5f - (float)min(back, forth) / (float)(back + forth) : 0.0f;
    const int2 beyond = place + across;
    const float4 own = convert_float4(pixels[id]), other = convert_float4(pixels[index_of(beyond.x, beyond.y, width, height)]);
    out[id] = convert_uchar4_sat_rte(mix(own, other, fmax(shift, 0.75f * soft * soft)));
}

__kernel void none_removed(__global int *removed)
{
    removed[get_global_id(0)] = 0;
}

/* Takes pixels off the rims of strokes, in odd and in even rounds off other sides, but nothing that holds a stroke together.
 * After two rounds without work both pictures are the result. */
__kernel void thin_strokes(__global const uchar *from, const int width, const int height, const int round, __global int *removed,
                           __global uchar *to)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    if (round >= 2 && removed[round - 1] == 0 && removed[round - 2] == 0) return;
    const int at = y * width + x;
    uchar pixel = from[at];
    if (pixel != 0 && x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        /* From the pixel above, as a clock goes. */
        const uint ring = from[at - width] | from[at - width + 1] << 1 | from[at + 1] << 2 | from[at + width + 1] << 3 |
                          from[at + width] << 4 | from[at + width - 1] << 5 | from[at - 1] << 6 | from[at - width - 1] << 7;
        const uint turned = (ring << 1 | ring >> 7) & 0xff, count = popcount(ring);
        const uint first = round % 2 == 0 ? 0x15 : 0x45, second = round % 2 == 0 ? 0x54 : 0x51;
        if (count >= 2 && count <= 6 && popcount(ring & ~turned) == 1 && (ring & first) != first && (ring & second) != second) {
            pixel = 0;
            removed[round] = 1;
        }
    }
    to[at] = pixel;
}

/* How far the nearest dot of each column is, for all of its pixels: down, and up again. */
__kernel void column_distances(__global const uchar *dots, const int width, const int height, __global int *distances)
{
    const int x = get_global_id(0);
    if (x >= width) return;
    int far = width + height;
    for (int y = 0; y < height; y++) {
        far = dots[y * width + x] ? 0 : min(far + 1, width + height);
        distances[y * width + x] = far;
    }
    for (int y = height - 2; y >= 0; y--) {
        far = min(far + 1, distances[y * width + x]);
        distances[y * width + x] = far;
    }
}

int square(const int number)
{
    return number * number;
}

/* The nearest dot of all: along a row, each pixel's distance in its column is a parabola, and those that are the lowest somewhere
 * are on a stack, with the place from which on they are. */
__kernel void exact_distances(__global const int *distances, const int width, const int height, __global ushort2 *stacks,
                              __global float *out)
{
    const int y = get_global_id(0);
    if (y >= height) return;
    __global const int *row = distances + y * width;
    __global ushort2 *stack = stacks + y * width;
    int top = 0;
    stack[0] = (ushort2)(0, 0);
    for (int x = 1; x < width; x++) {
        while (top >= 0) {
            const int owner = stack[top].x, from = stack[top].y;
            if (square(from - owner) + square(row[owner]) <= square(from - x) + square(row[x])) break;
            top--;
        }
        if (top < 0) {
            top = 0;
            stack[0] = (ushort2)(x, 0);
        } else {
            const int owner = stack[top].x;
            const int from = 1 + (square(x) - square(owner) + square(row[x]) - square(row[owner])) / (2 * (x - owner));
            if (from < width) {
                top++;
                stack[top] = (ushort2)(x, from);
            }
        }
    }
    for (int x = width - 1; x >= 0; x--) {
        const ushort2 best = stack[top];
        out[y * width + x] = sqrt((float)(square(x - best.x) + square(row[best.x])));
        if (x == best.y) top--;
    }
}

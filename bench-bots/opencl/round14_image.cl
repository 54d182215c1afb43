/* Pictures: superpixels, a morphological top-hat, descriptors of points. */

#define CELL 16 /* pixels between the centres that superpixels start from; a work-group has one cell */
#define SIXTEENTHS 0.0625f

/* A centre, whose colour and place are multiples of 1/16; or sums of colour, of places within a cell, and a number of pixels. */
struct centre {
    float light, a, b, x, y;
};
struct totals {
    int light, a, b, x, y, count;
};

/* The centre of each cell starts as the pixel in its middle. */
__kernel void slic_start(__global const uchar4 *picture, const int width, const int height, const int columns, const int rows,
                         __global struct centre *centres, __global struct totals *totals)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int x = min(column * CELL + CELL / 2, width - 1), y = min(row * CELL + CELL / 2, height - 1);
    const float4 pixel = convert_float4(picture[y * width + x]);
    const struct centre centre = {pixel.x, pixel.y, pixel.z, x, y};
    const struct totals none = {0, 0, 0, 0, 0, 0};
    centres[row * columns + column] = centre;
    totals[row * columns + column] = none;
}

/* Gives each pixel to the nearest of nine centres by colour and place, and sums what each centre got. */
__kernel __attribute__((reqd_work_group_size(CELL, CELL, 1)))
void slic_assign(__global const uchar4 *picture, const int width, const int height, const int columns, const int rows,
                 const float compactness, __global const struct centre *centres, __global int *labels,
                 __global struct totals *totals)
{
    __local struct centre near[9];
    __local struct totals sums[9];

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * CELL + lx;
    const int column = get_group_id(0), row = get_group_id(1);
    if (lid < 9) {
        const int other = column + lid % 3 - 1, above = row + lid / 3 - 1;
        if (other >= 0 && other < columns && above >= 0 && above < rows) near[lid] = centres[above * columns + other];
        else near[lid].x = near[lid].y = near[lid].light = near[lid].a = near[lid].b = 1.0e6f;
        sums[lid].light = sums[lid].a = sums[lid].b = sums[lid].x = sums[lid].y = sums[lid].count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        const uchar4 pixel = picture[y * width + x];
        float least = INFINITY;
        int best = 4;
        for (int i = 0; i < 9; i++) {
            const float dl = pixel.x - near[i].light, da = pixel.y - near[i].a, db = pixel.z - near[i].b;
            const float dx = x - near[i].x, dy = y - near[i].y;
            const float distance = dl * dl + da * da + db * db + compactness * (dx * dx + dy * dy);
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        labels[y * width + x] = (row + best / 3 - 1) * columns + column + best % 3 - 1;
        atomic_add(&sums[best].light, pixel.x);
        atomic_add(&sums[best].a, pixel.y);
        atomic_add(&sums[best].b, pixel.z);
        atomic_add(&sums[best].x, x);
        atomic_add(&sums[best].y, y);
        atomic_inc(&sums[best].count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < 9 && sums[lid].count > 0) {
        __global struct totals *to = &totals[(row + lid / 3 - 1) * columns + column + lid % 3 - 1];
        atomic_add(&to->light, sums[lid].light);
        atomic_add(&to->a, sums[lid].a);
        atomic_add(&to->b, sums[lid].b);
        atomic_add(&to->x, sums[lid].x);
        atomic_add(&to->y, sums[lid].y);
        atomic_add(&to->count, sums[lid].count);
    }
}

/* A mean in sixteenths, the nearest one. */
float mean_of(const int sum, const int count) { return (32 * sum + count) / (2 * count) * SIXTEENTHS; }

/* Moves each centre to the mean of its pixels, unless it has none. */
__kernel void slic_update(const int count, __global struct centre *centres, __global struct totals *totals)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const struct totals sum = totals[id], none = {0, 0, 0, 0, 0, 0};
    totals[id] = none;
    if (sum.count == 0) return;
    centres[id].light = mean_of(sum.light, sum.count);
    centres[id].a = mean_of(sum.a, sum.count);
    centres[id].b = mean_of(sum.b, sum.count);
    centres[id].x = mean_of(sum.x, sum.count);
    centres[id].y = mean_of(sum.y, sum.count);
}

#define REACH 15 /* pixels to either side of the one in the middle of the window */
#define WINDOW (2 * REACH + 1)
#define ROW_ITEMS 64
#define ROW_PIXELS 256 /* of a row, that a work-group makes */

/* The highest of the pixels near each one of its row, or with `flip` of 255 the lowest: windows of twice the length are made of
 * those of the length before, up to 16, and two of these cover all 31. */
__kernel __attribute__((reqd_work_group_size(ROW_ITEMS, 1, 1)))
void highest_in_rows(__global const uchar *in, const int width, const uchar flip, __global uchar *out)
{
    __local uchar lines[2][ROW_PIXELS + 2 * REACH];

    const int lid = get_local_id(0), first = get_group_id(0) * ROW_PIXELS, row = get_global_id(1);
    for (int i = lid; i < ROW_PIXELS + 2 * REACH; i += ROW_ITEMS) {
        const int x = first + i - REACH;
        lines[0][i] = x >= 0 && x < width ? in[row * width + x] ^ flip : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int from = 0, length = ROW_PIXELS + 2 * REACH;
    for (int step = 1; step <= REACH / 2 + 1; step *= 2) {
        length -= step;
        for (int i = lid; i < length; i += ROW_ITEMS) lines[1 - from][i] = max(lines[from][i], lines[from][i + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
        from = 1 - from;
    }
    for (int i = lid; i < ROW_PIXELS && first + i < width; i += ROW_ITEMS) {
        out[row * width + first + i] = max(lines[from][i], lines[from][i + REACH]) ^ flip;
    }
}

/* The same along columns, by van Herk's way: an item has four columns of as many rows as a window has, and needs the maxima from
 * each row to the end of the block of rows that its first window begins with, and those from there on. */
__kernel void highest_in_columns(__global const uchar4 *in, const int quads, const int height, const uchar flip,
                                 __global uchar4 *out)
{
    const int quad = get_global_id(0), first = get_global_id(1) * WINDOW;
    if (quad >= quads || first >= height) return;
    uchar4 to_end[WINDOW], highest = (uchar4)(0);
    for (int i = WINDOW - 1; i >= 0; i--) {
        const int row = first + i - REACH;
        if (row >= 0 && row < height) highest = max(highest, in[row * quads + quad] ^ flip);
        to_end[i] = highest;
    }
    highest = (uchar4)(0);
    for (int i = 0; i < WINDOW; i++) {
        const int row = first + i;
        if (row >= height) break;
        out[row * quads + quad] = max(to_end[i], highest) ^ flip;
        if (row + REACH + 1 < height) highest = max(highest, in[(row + REACH + 1) * quads + quad] ^ flip);
    }
}

/* What is brighter than its surroundings: a picture without what is left of it after the lowest and then the highest. */
__kernel void less_opened(__global const uchar16 *picture, __global const uchar16 *opened, const int count, __global uchar16 *out)
{
    const int i = get_global_id(0);
    if (i < count) out[i] = sub_sat(picture[i], opened[i]);
}

/* How fast a picture gets brighter along its rows and along its columns; pixels of the border go on beyond it. */
__kernel void slopes(__global const float *picture, const int width, const int height, __global float2 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    __global const float *row = picture + y * width;
    const float across = row[min(x + 1, width - 1)] - row[max(x - 1, 0)];
    const float down = picture[min(y + 1, height - 1) * width + x] - picture[max(y - 1, 0) * width + x];
    out[y * width + x] = (float2)(across, down);
}

#define DESCRIBERS 64
#define SAMPLES 16    /* of a patch, along either side */
#define ANGLES 8
#define BINS 128      /* 4 x 4 cells of a patch, 8 angles */
#define PARTS 65536.0f

/* Between the four pixels around a place. */
float2 slope_at(__global const float2 *slopes, const int width, const int height, const float2 place)
{
    const float x = clamp(place.x, 0.0f, width - 1.0f), y = clamp(place.y, 0.0f, height - 1.0f);
    const int left = min((int)x, width - 2), top = min((int)y, height - 2);
    __global const float2 *from = slopes + top * width + left;
    return mix(mix(from[0], from[1], x - left), mix(from[width], from[width + 1], x - left), y - top);
}

/* What a picture is like around each point, in 128 bytes: how much slope there is in each of 4 x 4 cells in each of 8 directions,
 * relative to the point's own. A work-group has a point; each sample goes to the nearest two cells along each side and to the
 * nearest two angles. */
__kernel __attribute__((reqd_work_group_size(DESCRIBERS, 1, 1)))
void describe_points(__global const float2 *slopes, const int width, const int height, __global const float4 *points,
                     __global uchar *descriptors)
{
    __local int bins[BINS];
    __local float squares[DESCRIBERS];

    const int lid = get_local_id(0), id = get_group_id(0);
    const float4 point = points[id];
    const float sine = sin(point.w), cosine = cos(point.w);
    bins[lid] = bins[lid + DESCRIBERS] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int sample = lid; sample < SAMPLES * SAMPLES; sample += DESCRIBERS) {
        const float u = (sample % SAMPLES - 7.5f) / 4.0f, v = (sample / SAMPLES - 7.5f) / 4.0f;
        const float2 off = (float2)(cosine * u - sine * v, sine * u + cosine * v) * (4.0f * point.z);
        const float2 slope = slope_at(slopes, width, height, point.xy + off);
        const float along = cosine * slope.x + sine * slope.y, across = cosine * slope.y - sine * slope.x;
        const float size = hypot(along, across) * exp(-(u * u + v * v) / 8.0f);
        const float angle = (atan2(across, along) + M_PI_F) * (ANGLES / (2.0f * M_PI_F));
        const float column = u + 1.5f, row = v + 1.5f;
        const int c = floor(column), r = floor(row), a = floor(angle);
        for (int k = 0; k < 8; k++) {
            const int cc = c + (k & 1), rr = r + (k >> 1 & 1), aa = a + (k >> 2);
            if (cc < 0 || cc > 3 || rr < 0 || rr > 3) continue;
            const float weight = (1.0f - fabs(column - cc)) * (1.0f - fabs(row - rr)) * (1.0f - fabs(angle - aa));
            atomic_add(&bins[(rr * 4 + cc) * ANGLES + (aa & (ANGLES - 1))], convert_int_rte(size * weight * PARTS));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* To length 1, twice: no value is more than 0.2 the second time. */
    float2 values = (float2)(bins[lid], bins[lid + DESCRIBERS]) / PARTS;
    for (int round = 0; round < 2; round++) {
        squares[lid] = dot(values, values);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = DESCRIBERS / 2; step > 0; step >>= 1) {
            if (lid < step) squares[lid] += squares[lid + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float factor = rsqrt(max(squares[0], 1.0e-12f));
        barrier(CLK_LOCAL_MEM_FENCE);
        values *= factor;
        if (round == 0) values = min(values, 0.2f);
    }
    descriptors[id * BINS + lid] = convert_uchar_sat_rte(values.x * 512.0f);
    descriptors[id * BINS + lid + DESCRIBERS] = convert_uchar_sat_rte(values.y * 512.0f);
}

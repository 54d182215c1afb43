/* Pictures: whole frames of a film that was interlaced, blocks that are smoothed along their edges, rays through a world of cubes. */

#define MARGIN 8

short8 eight_at(__global const uchar *picture, const int pitch, const int x, const int y)
{
    return convert_short8(vload8(0, picture + y * pitch + MARGIN + x));
}

short8 apart(const short8 one, const short8 other)
{
    return as_short8(abs_diff(one, other));
}

/* How much the lines above and below differ in three pixels, if the one is moved to the right and the other to the left. */
short8 edge_score(__global const uchar *now, const int pitch, const int x, const int y, const int moved)
{
    short8 score = (short8)(0);
    for (int k = -1; k <= 1; k++) score += apart(eight_at(now, pitch, x + k + moved, y - 1), eight_at(now, pitch, x + k - moved, y + 1));
    return score;
}

/* Each item makes eight pixels of a frame. Lines of the field that is there are kept; others come from the lines around them, along the
 * edge that fits best, but no farther from what was there before and will be after than it moves there. */
__kernel void yadif_fields(__global const uchar *before, __global const uchar *now, __global const uchar *after, const int pitch,
                           const int kept, const int is_second, __global uchar *frame)
{
    const int x = get_global_id(0) * 8, y = get_global_id(1), height = get_global_size(1);
    __global uchar *to = frame + y * get_global_size(0) * 8 + x;
    if (y % 2 == kept) {
        vstore8(vload8(0, now + y * pitch + MARGIN + x), 0, to);
        return;
    }
    const short8 above = eight_at(now, pitch, x, y > 0 ? y - 1 : y + 1), below = eight_at(now, pitch, x, y < height - 1 ? y + 1 : y - 1);
    if (y < 2 || y >= height - 2) {
        vstore8(convert_uchar8((above + below) >> (short8)(1)), 0, to);
        return;
    }
    __global const uchar *earlier = is_second ? now : before, *later = is_second ? after : now;
    const short8 old = eight_at(earlier, pitch, x, y), coming = eight_at(later, pitch, x, y), middle = (old + coming) >> (short8)(1);
    const short8 moved_before = apart(eight_at(before, pitch, x, y - 1), above) + apart(eight_at(before, pitch, x, y + 1), below);
    const short8 moved_after = apart(eight_at(after, pitch, x, y - 1), above) + apart(eight_at(after, pitch, x, y + 1), below);
    short8 reach = max(apart(old, coming), max(moved_before, moved_after)) >> (short8)(1);

    short8 guess = (above + below) >> (short8)(1), best = edge_score(now, pitch, x, y, 0) - (short8)(1);
    for (int side = -1; side <= 1; side += 2) {
        short8 goes_on = (short8)(-1);
        for (int moved = side; abs(moved) <= 2; moved += side) {
            const short8 score = edge_score(now, pitch, x, y, moved);
            goes_on &= score < best;
            if (!any(goes_on)) break;
            const short8 along = (eight_at(now, pitch, x + moved, y - 1) + eight_at(now, pitch, x - moved, y + 1)) >> (short8)(1);
            best = select(best, score, goes_on);
            guess = select(guess, along, goes_on);
        }
    }

    const short8 far_above = (eight_at(earlier, pitch, x, y - 2) + eight_at(later, pitch, x, y - 2)) >> (short8)(1);
    const short8 far_below = (eight_at(earlier, pitch, x, y + 2) + eight_at(later, pitch, x, y + 2)) >> (short8)(1);
    const short8 up = middle - above, down = middle - below;
    const short8 most = max(max(down, up), min(far_above - above, far_below - below));
    const short8 least = min(min(down, up), max(far_above - above, far_below - below));
    reach = max(reach, max(least, -most));
    vstore8(convert_uchar8_sat(clamp(guess, middle - reach, middle + reach)), 0, to);
}

#define BLOCK 8
#define PADDED (BLOCK + 4)
#define OUTSIDE 30000

/* The lines of a block along each of eight directions: what the square of a line's sum counts, 840 by its pixels. Slanting lines of
 * 45 degrees, steep and flat ones, straight ones. */
__constant short line_weights[3][15] = {{840, 420, 280, 210, 168, 140, 120, 105, 120, 140, 168, 210, 280, 420, 840},
                                        {420, 210, 140, 105, 105, 105, 105, 105, 140, 210, 420, 0, 0, 0, 0},
                                        {105, 105, 105, 105, 105, 105, 105, 105, 0, 0, 0, 0, 0, 0, 0}};
/* One pixel on, and two, across and down. */
__constant char4 tap_places[8] = {(char4)(1, -1, 2, -2), (char4)(1, 0, 2, -1), (char4)(1, 0, 2, 0), (char4)(1, 0, 2, 1),
                                  (char4)(1, 1, 2, 2),   (char4)(0, 1, 1, 2),  (char4)(0, 1, 0, 2), (char4)(0, 1, -1, 2)};

int line_of(const int direction, const int x, const int y)
{
    switch (direction) {
    case 0: return y + x;
    case 1: return y + x / 2;
    case 2: return y;
    case 3: return 3 + y - x / 2;
    case 4: return 7 + y - x;
    case 5: return 3 - y / 2 + x;
    case 6: return x;
    default: return y / 2 + x;
    }
}

int highest_bit(const int value)
{
    return 31 - clz(value);
}

/* A difference as far as it counts: large ones are edges. */
int constrained(const int difference, const int strength, const int damping)
{
    if (strength == 0) return 0;
    const int size = abs(difference), most = max(strength - (size >> max(damping - highest_bit(strength), 0)), 0);
    return difference < 0 ? -min(size, most) : min(size, most);
}

/* Each item smooths a pixel, along the direction of its block, which a work-group finds, and less so across. */
__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void cdef_blocks(__global const uchar *from, const int width, const int height, __global const uchar2 *strengths, const int damping,
                 __global uchar *to, __global uchar *directions)
{
    __local short tile[PADDED][PADDED];
    __local int costs[8];

    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1), lid = ly * BLOCK + lx;
    const uchar2 strength = strengths[get_group_id(1) / 8 * ((width + 63) / 64) + get_group_id(0) / 8];
    if (strength.x == 0 && strength.y == 0) {
        to[y * width + x] = from[y * width + x];
        if (lid == 0) directions[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = 255;
        return;
    }
    for (int i = lid; i < PADDED * PADDED; i += BLOCK * BLOCK) {
        const int column = x - lx + i % PADDED - 2, row = y - ly + i / PADDED - 2;
        const bool is_inside = column >= 0 && row >= 0 && column < width && row < height;
        tile[i / PADDED][i % PADDED] = is_inside ? from[row * width + column] : OUTSIDE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 8) {
        int sums[15], cost = 0;
        for (int i = 0; i < 15; i++) sums[i] = 0;
        for (int i = 0; i < BLOCK * BLOCK; i++) sums[line_of(lid, i % BLOCK, i / BLOCK)] += tile[i / BLOCK + 2][i % BLOCK + 2] - 128;
        const int kind = lid & 1 ? 1 : lid & 2 ? 2 : 0;
        for (int i = 0; i < 15; i++) cost += sums[i] * sums[i] * line_weights[kind][i];
        costs[lid] = cost;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int direction = 0;
    for (int i = 1; i < 8; i++) {
        if (costs[i] > costs[direction]) direction = i;
    }
    const int variance = (costs[direction] - costs[(direction + 4) & 7]) >> 10;
    const int steps = variance >> 6 ? min(highest_bit(variance >> 6), 12) : 0;
    const int first = variance ? (strength.x * (4 + steps) + 8) >> 4 : 0;
    const int own = tile[ly + 2][lx + 2];
    int sum = 0, least = own, most = own;
    for (int turn = -2; turn <= 2; turn += 2) {
        const char4 places = tap_places[(direction + turn) & 7];
        for (int k = 0; k < 4; k++) {
            const int sign = k & 1 ? -1 : 1, column = k < 2 ? places.x : places.z, row = k < 2 ? places.y : places.w;
            const int other = tile[ly + 2 + sign * row][lx + 2 + sign * column];
            if (other == OUTSIDE) continue;
            const int weight = turn != 0 ? 2 - k / 2 : first & 1 ? 3 : 4 - k / 2 * 2;
            sum += weight * constrained(other - own, turn != 0 ? strength.y : first, damping);
            least = min(least, other);
            most = max(most, other);
        }
    }
    to[y * width + x] = clamp(own + ((8 + sum - (sum < 0)) >> 4), least, most);
    if (lid == 0) directions[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = direction;
}

#define GRID 64
#define BRICKS (GRID / 4)
#define ONE 65536
#define FAR 0x3fffffffffffffffl

typedef struct {
    int4 place, forward, right, down; /* in 65536th parts of a cube; right and down for half a pixel */
} camera_t;

typedef struct {
    int cell[3];
    int face;
    long time; /* -1: nothing was met */
} meeting_t;

/* Four by four by four cubes are the bits of a brick. */
bool is_solid(__global const ulong *bricks, const int *cell)
{
    const ulong brick = bricks[((cell[2] >> 2) * BRICKS + (cell[1] >> 2)) * BRICKS + (cell[0] >> 2)];
    return brick >> ((cell[2] & 3) * 16 + (cell[1] & 3) * 4 + (cell[0] & 3)) & 1;
}

/* Goes from cube to cube until one is solid, in whole numbers. */
meeting_t walk(__global const ulong *bricks, const int3 from, const int3 way)
{
    const int starts[3] = {from.x, from.y, from.z}, ways[3] = {way.x, way.y, way.z};
    long next[3], apart_by[3];
    meeting_t met;
    met.face = 0;
    for (int axis = 0; axis < 3; axis++) {
        const long size = abs(ways[axis]);
        const int part = starts[axis] & (ONE - 1);
        met.cell[axis] = starts[axis] >> 16;
        apart_by[axis] = size == 0 ? 0 : (1l << 40) / size;
        next[axis] = size == 0 ? FAR : ((long)(ways[axis] > 0 ? ONE - part : part) << 24) / size;
    }
    for (;;) {
        const int axis = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
        met.time = next[axis];
        met.face = axis * 2 + (ways[axis] > 0);
        met.cell[axis] += ways[axis] > 0 ? 1 : -1;
        next[axis] += apart_by[axis];
        if (met.cell[axis] < 0 || met.cell[axis] >= GRID) break;
        if (is_solid(bricks, met.cell)) return met;
    }
    met.time = -1;
    return met;
}

__constant uchar4 paints[4] = {(uchar4)(90, 84, 76, 255), (uchar4)(124, 96, 60, 255), (uchar4)(64, 140, 52, 255),
                               (uchar4)(236, 240, 244, 255)};

/* Each item finds which cube a pixel shows, how far that is, and whether the sun reaches it. */
__kernel void voxel_rays(__global const ulong *bricks, const camera_t camera, const int4 sun, const int width, const int height,
                         __global uchar4 *picture, __global ushort *depths)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const int3 way = camera.forward.xyz + (2 * x - width) * camera.right.xyz + (2 * y - height) * camera.down.xyz;
    const meeting_t met = walk(bricks, camera.place.xyz, way);
    if (met.time < 0) {
        const int pale = clamp(way.y >> 9, 0, 100);
        picture[y * width + x] = (uchar4)(190 - pale, 210 - pale / 2, 250, 255);
        depths[y * width + x] = 65535;
        return;
    }
    uint light = 0;
    int3 normal = (int3)(0);
    switch (met.face) {
    case 0: normal.x = 1; light = 200; break;
    case 1: normal.x = -1; light = 150; break;
    case 2: normal.y = 1; light = 256; break;
    case 3: normal.y = -1; light = 90; break;
    case 4: normal.z = 1; light = 130; break;
    default: normal.z = -1; light = 180;
    }
    const int3 start = ((int3)(met.cell[0], met.cell[1], met.cell[2]) << 16) + ONE / 2 + normal * (ONE / 2 + 64);
    if (walk(bricks, start, sun.xyz).time >= 0) light /= 2;
    const int kind = clamp((met.cell[1] + (met.cell[0] * 7 + met.cell[2] * 13) % 5) / 11, 0, 3);
    const uint3 colour = convert_uint3(paints[kind].xyz) * light >> 8;
    picture[y * width + x] = (uchar4)(convert_uchar3_sat(colour), 255);
    depths[y * width + x] = min(met.time >> 16, 65534l);
}

/* Pictures. Sizes are sides of frames in eights of pixels, sides of pictures in blocks, a side of a picture. */
#include "workloads.h"

enum { MARGIN = 8, KEPT = 1, SECOND = 1 };

static long frame_width(const struct clbench *b) { return b->size * 8; }

static long frame_height(const struct clbench *b) { return b->size * 6 + 1; }

/* Something with stripes that moves to the right, before a background that does not move. */
static unsigned char film_pixel(long x, long y, int frame, uint32_t *state) {
    double away = hypot((double)(x - 90 - 5 * frame) / 60.0, (double)(y - 40) / 30.0);
    double value = away < 1.0 ? 130.0 + 100.0 * sin((double)(x - 5 * frame) * 0.3 + (double)y * 0.4)
                              : 110.0 + 70.0 * sin((double)x * 0.05 - (double)y * 0.16) * cos((double)x * 0.01);
    return (unsigned char)(value + (double)(random_word(state) % 5));
}

static void yadif_fields_prepare(struct clbench *b) {
    long width = frame_width(b), height = frame_height(b), pitch = width + 2 * MARGIN;
    uint32_t state = 4217;
    for (int frame = 0; frame < 3; frame++) {
        unsigned char *picture = make(b, frame, (size_t)(pitch * height));
        for (long i = 0; i < pitch * height; i++) {
            picture[i] = film_pixel(clamped(i % pitch - MARGIN, width), i / pitch, frame * 2 + (i / pitch % 2 == KEPT ? 0 : 1), &state);
        }
        up(b, frame);
    }
    make(b, 3, (size_t)(width * height));
}

static void yadif_fields_once(struct clbench *b) {
    cl_int pitch = (cl_int)frame_width(b) + 2 * MARGIN, kept = KEPT, is_second = SECOND;
    launch(b, "yadif_fields", RANGE2((size_t)b->size, (size_t)frame_height(b), 0, 0), B(0), B(1), B(2), V(pitch), V(kept), V(is_second), B(3));
}

static int most_of(int a, int c) { return a > c ? a : c; }

static int least_of(int a, int c) { return a < c ? a : c; }

struct film {
    const unsigned char *before, *now, *after;
    long pitch;
};

static int edge_of(const struct film *film, const unsigned char *at, int moved) {
    int score = 0;
    for (int k = -1; k <= 1; k++) {
        score += abs(at[k + moved - film->pitch] - at[k - moved + film->pitch]);
    }
    return score;
}

/* A pixel of a line that is not there. */
static int filled(const struct film *film, long at) {
    const unsigned char *now = film->now + at, *earlier = (SECOND ? film->now : film->before) + at;
    const unsigned char *later = (SECOND ? film->after : film->now) + at;
    long pitch = film->pitch;
    int above = now[-pitch], below = now[pitch], middle = (earlier[0] + later[0]) / 2, reach = abs(earlier[0] - later[0]) / 2;
    const unsigned char *others[2] = {film->before + at, film->after + at};
    for (int k = 0; k < 2; k++) {
        reach = most_of(reach, (abs(others[k][-pitch] - above) + abs(others[k][pitch] - below)) / 2);
    }
    int guess = (above + below) / 2, best = edge_of(film, now, 0) - 1;
    for (int side = 0; side < 2; side++) {
        for (int k = 1; k <= 2; k++) {
            int moved = side == 0 ? -k : k, score = edge_of(film, now, moved);
            if (score >= best) {
                break;
            }
            best = score, guess = (now[moved - pitch] + now[pitch - moved]) / 2;
        }
    }
    int far_above = (earlier[-2 * pitch] + later[-2 * pitch]) / 2, far_below = (earlier[2 * pitch] + later[2 * pitch]) / 2;
    int most = most_of(most_of(middle - below, middle - above), least_of(far_above - above, far_below - below));
    int least = least_of(least_of(middle - below, middle - above), most_of(far_above - above, far_below - below));
    reach = most_of(reach, most_of(least, -most));
    return most_of(least_of(guess, middle + reach), middle - reach);
}

static int yadif_fields_check(struct clbench *b) {
    long width = frame_width(b), height = frame_height(b), pitch = width + 2 * MARGIN;
    struct film film = {b->buffer[0].host, b->buffer[1].host, b->buffer[2].host, pitch};
    const unsigned char *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < width * height; i++) {
        long y = i / width, at = y * pitch + MARGIN + i % width;
        long above = y > 0 ? at - pitch : at + pitch, below = y < height - 1 ? at + pitch : at - pitch;
        int want = y % 2 == KEPT ? film.now[at] : (film.now[above] + film.now[below]) / 2;
        if (y % 2 != KEPT && y >= 2 && y < height - 2) {
            want = most_of(least_of(filled(&film, at), 255), 0);
        }
        ok = same("pixel", i, got[i], want);
    }
    return ok;
}

enum { BLOCK = 8, DAMPING = 5 };

static long cdef_width(const struct clbench *b) { return b->size * BLOCK; }

static long cdef_height(const struct clbench *b) { return (b->size * 9 / 16 + 1) * BLOCK; }

/* Edges at all angles, with some noise. */
static void cdef_blocks_prepare(struct clbench *b) {
    long width = cdef_width(b), height = cdef_height(b);
    size_t areas = round_up(width, 64) / 64 * (round_up(height, 64) / 64);
    unsigned char *picture = make(b, 0, (size_t)(width * height)), *strengths = make(b, 1, areas * 2);
    static const unsigned char across[4] = {0, 1, 2, 4};
    uint32_t state = 4219;
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width) - 0.4 * (double)width, y = (double)(i / width) - 0.5 * (double)height, ring = sin(hypot(x, y) * 0.12);
        picture[i] = (unsigned char)(128.0 + (ring > 0.0 ? 60.0 : -50.0) + 30.0 * sin(x * 0.02) + (double)(random_word(&state) % 33) - 16.0);
    }
    for (size_t i = 0; i < areas; i++) {
        uint32_t word = random_word(&state) >> 4;
        strengths[2 * i] = i % 5 == 3 ? 0 : (unsigned char)(word % 16), strengths[2 * i + 1] = i % 5 == 3 ? 0 : across[word >> 8 & 3];
    }
    make(b, 2, (size_t)(width * height)), make(b, 3, (size_t)(width * height / BLOCK / BLOCK));
    up(b, 0), up(b, 1);
}

static void cdef_blocks_once(struct clbench *b) {
    cl_int width = (cl_int)cdef_width(b), height = (cl_int)cdef_height(b), damping = DAMPING;
    launch(b, "cdef_blocks", RANGE2((size_t)width, (size_t)height, BLOCK, BLOCK), B(0), V(width), V(height), B(1), V(damping), B(2), B(3));
}

/* The lines of a direction are numbered by how far they are from the block's corner: 0 is 45 degrees up, 2 across, 4 down, 6 straight down. */
static int number_of_line(int direction, int x, int y) {
    static const int halves[8][2] = {{2, 2}, {1, 2}, {0, 2}, {-1, 2}, {-2, 2}, {2, -1}, {2, 0}, {2, 1}};
    int dx = halves[direction][0], dy = halves[direction][1];
    /* Of the slower axis always two pixels belong together. */
    int from_x = abs(dx) == 1 ? x / 2 * dx : x * dx / 2, from_y = abs(dy) == 1 ? y / 2 * dy : y * dy / 2;
    return from_x + from_y + 8;
}

/* Which direction has lines whose pixels are most alike, and by how much. */
static int direction_of(const unsigned char *block, long width, int *variance) {
    long costs[8];
    int best = 0;
    for (int direction = 0; direction < 8; direction++) {
        long sums[32] = {0}, counts[32] = {0};
        for (int i = 0; i < BLOCK * BLOCK; i++) {
            int line = number_of_line(direction, i % BLOCK, i / BLOCK);
            sums[line] += block[i / BLOCK * width + i % BLOCK] - 128, counts[line]++;
        }
        costs[direction] = 0;
        for (int line = 0; line < 32; line++) {
            costs[direction] += counts[line] == 0 ? 0 : sums[line] * sums[line] * (840 / counts[line]);
        }
        best = costs[direction] > costs[best] ? direction : best;
    }
    *variance = (int)((costs[best] - costs[(best + 4) % 8]) / 1024);
    return best;
}

static int bits_above(int value) {
    int bits = 0;
    while (value >>= 1) {
        bits++;
    }
    return bits;
}

static int counted(int difference, int strength, int damping) {
    if (strength == 0) {
        return 0;
    }
    int shift = most_of(damping - bits_above(strength), 0), left = most_of(strength - (abs(difference) >> shift), 0);
    int size = least_of(abs(difference), left);
    return difference < 0 ? -size : size;
}

static int smoothed(const struct clbench *b, long x, long y, int direction, int first, int second) {
    static const int places[8][2][2] = {{{1, -1}, {2, -2}}, {{1, 0}, {2, -1}}, {{1, 0}, {2, 0}}, {{1, 0}, {2, 1}},
                                        {{1, 1}, {2, 2}},   {{0, 1}, {1, 2}},  {{0, 1}, {0, 2}}, {{0, 1}, {-1, 2}}};
    static const int weights[3][2] = {{4, 2}, {3, 3}, {2, 1}};
    const unsigned char *picture = b->buffer[0].host;
    long width = cdef_width(b), height = cdef_height(b);
    int own = picture[y * width + x], sum = 0, least = own, most = own;
    for (int i = 0; i < 12; i++) {
        int way = (direction + i / 4 * 2 + 6) % 8, is_first = i / 4 == 1, k = i / 2 % 2, sign = i % 2 ? -1 : 1;
        long column = x + sign * places[way][k][0], row = y + sign * places[way][k][1];
        if (column >= 0 && row >= 0 && column < width && row < height) {
            int other = picture[row * width + column];
            sum += weights[is_first ? first % 2 : 2][k] * counted(other - own, is_first ? first : second, DAMPING);
            least = least_of(least, other), most = most_of(most, other);
        }
    }
    int change = (int)floor((8.0 + sum - (sum < 0)) / 16.0);
    return most_of(least_of(own + change, most), least);
}

/* Of many blocks not all are looked at. */
static int cdef_blocks_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host, *strengths = b->buffer[1].host, *got = b->buffer[2].host, *directions = b->buffer[3].host;
    long width = cdef_width(b), blocks = width * cdef_height(b) / BLOCK / BLOCK, seen[8] = {0};
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < blocks; i += blocks / 5003 + 1) {
        long column = i % b->size * BLOCK, row = i / b->size * BLOCK;
        const unsigned char *strength = strengths + 2 * (row / 64 * ((width + 63) / 64) + column / 64);
        int is_left = strength[0] == 0 && strength[1] == 0, variance, way = direction_of(picture + row * width + column, width, &variance);
        int steps = variance >= 64 ? least_of(bits_above(variance / 64), 12) : 0, first = variance ? (strength[0] * (4 + steps) + 8) / 16 : 0;
        ok = same("direction", i, directions[i], is_left ? 255 : way), seen[way]++;
        for (long k = 0; ok && k < BLOCK * BLOCK; k++) {
            long x = column + k % BLOCK, y = row + k / BLOCK;
            int want = is_left ? picture[y * width + x] : smoothed(b, x, y, way, first, strength[1]);
            ok = same("pixel", y * width + x, got[y * width + x], want);
        }
    }
    for (int i = 0; ok && blocks > 500 && i < 8; i++) {
        ok = same("direction is there", i, seen[i] > 0, 1);
    }
    return ok;
}

enum { GRID = 64, ONE = 65536 };

struct camera {
    cl_int4 place, forward, right, down;
};

static const cl_int4 sun = {{30011, 41017, 17027, 0}};

static long rows_of(const struct clbench *b) { return b->size * 3 / 4 + 1; }

static struct camera camera_of(const struct clbench *b) {
    cl_int half = (cl_int)(ONE / b->size);
    return (struct camera){{{31 * ONE + 20011, 50 * ONE + 333, 2 * ONE + 4567, 0}},
                           {{9001, -30011, 60013, 0}},
                           {{half, 0, -half / 7, 0}},
                           {{-half / 19, -half + half / 11, -half / 2, 0}}};
}

/* Hills, holes in them, and balls above them. */
static int is_cube(int x, int y, int z) {
    double ground = 22.0 + 9.0 * sin(x * 0.21) * cos(z * 0.13) + 6.0 * sin(z * 0.31 + x * 0.05);
    double hole = sin(x * 0.45) + sin(y * 0.52) + sin(z * 0.38), ball = hypot(hypot(x % 21 - 10.0, y - 45.0), z % 17 - 8.0);
    return (y < ground && hole < 1.4) || y == 0 || (z > 16 && ball < 3.6);
}

static void voxel_rays_prepare(struct clbench *b) {
    cl_ulong *bricks = make(b, 0, GRID * GRID * GRID / 8);
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        int x = i % GRID, y = i / GRID % GRID, z = i / GRID / GRID;
        cl_ulong bit = (cl_ulong)is_cube(x, y, z) << (z % 4 * 16 + y % 4 * 4 + x % 4);
        bricks[(z / 4 * (GRID / 4) + y / 4) * (GRID / 4) + x / 4] |= bit;
    }
    make(b, 1, (size_t)(b->size * rows_of(b)) * 4), make(b, 2, (size_t)(b->size * rows_of(b)) * sizeof(cl_ushort));
    up(b, 0);
}

static void voxel_rays_once(struct clbench *b) {
    struct camera camera = camera_of(b);
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b);
    launch(b, "voxel_rays", RANGE2(round_up(width, 6), round_up(height, 10), 6, 10), B(0), V(camera), V(sun), V(width), V(height), B(1), B(2));
}

/* When a ray goes through the `turn`-th side of cubes along an axis: such times are not added up here. */
static int64_t crossing(int64_t start, int64_t way, int64_t turn) {
    int64_t size = llabs(way), part = start % ONE;
    return size == 0 ? INT64_MAX : ((way > 0 ? ONE - part : part) << 24) / size + turn * (((int64_t)1 << 40) / size);
}

/* The time, or -1; which cube, and through which side. */
static int64_t first_cube(const int64_t start[3], const int64_t way[3], int cell[3], int *face) {
    int64_t turns[3] = {0, 0, 0};
    for (;;) {
        int axis = 0;
        for (int i = 1; i < 3; i++) {
            axis = crossing(start[i], way[i], turns[i]) < crossing(start[axis], way[axis], turns[axis]) ? i : axis;
        }
        int64_t time = crossing(start[axis], way[axis], turns[axis]++);
        for (int i = 0; i < 3; i++) {
            cell[i] = (int)(start[i] / ONE + (way[i] > 0 ? turns[i] : -turns[i]));
        }
        if (cell[axis] < 0 || cell[axis] >= GRID) {
            return -1;
        }
        if (is_cube(cell[0], cell[1], cell[2])) {
            *face = axis * 2 + (way[axis] > 0);
            return time;
        }
    }
}

/* The colours of a pixel, and its depth. */
static void seen_at(const struct clbench *b, long x, long y, long pixel[4]) {
    static const int lights[6] = {200, 150, 256, 90, 130, 180}, paints[4][3] = {{90, 84, 76}, {124, 96, 60}, {64, 140, 52}, {236, 240, 244}};
    struct camera camera = camera_of(b);
    int64_t start[3], way[3], to_sun[3];
    int cell[3], face, other_face;
    for (int i = 0; i < 3; i++) {
        start[i] = camera.place.s[i], to_sun[i] = sun.s[i];
        way[i] = camera.forward.s[i] + (2 * x - b->size) * camera.right.s[i] + (2 * y - rows_of(b)) * camera.down.s[i];
    }
    int64_t time = first_cube(start, way, cell, &face);
    if (time < 0) {
        long pale = (long)floor((double)way[1] / 512.0);
        pale = pale < 0 ? 0 : pale > 100 ? 100 : pale;
        pixel[0] = 190 - pale, pixel[1] = 210 - pale / 2, pixel[2] = 250, pixel[3] = 65535;
        return;
    }
    int kind = (cell[1] + (cell[0] * 7 + cell[2] * 13) % 5) / 11, light = lights[face];
    for (int i = 0; i < 3; i++) {
        int normal = i == face / 2 ? (face % 2 ? -1 : 1) : 0;
        start[i] = (int64_t)cell[i] * ONE + ONE / 2 + normal * (ONE / 2 + 64);
    }
    light = first_cube(start, to_sun, cell, &other_face) >= 0 ? light / 2 : light;
    for (int i = 0; i < 3; i++) {
        pixel[i] = paints[kind > 3 ? 3 : kind][i] * light / 256;
    }
    pixel[3] = time >> 16 < 65534 ? (long)(time >> 16) : 65534;
}

/* Of many pixels not all are looked at. */
static int voxel_rays_check(struct clbench *b) {
    const unsigned char *got = b->buffer[1].host;
    const cl_ushort *depths = b->buffer[2].host;
    long pixels = b->size * rows_of(b), sky = 0, seen = 0;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < pixels; i += pixels / 9001 + 1, seen++) {
        long want[4];
        seen_at(b, i % b->size, i / b->size, want);
        for (int k = 0; ok && k < 3; k++) {
            ok = same("colour", 4 * i + k, got[4 * i + k], want[k]);
        }
        ok = ok && same("depth", i, depths[i], want[3]), sky += want[3] == 65535;
    }
    return ok && same("much is sky, but more is not", sky, sky > 0 && sky < seen / 2, 1);
}

const struct workload round25_pictures_workloads[] = {
    WORKLOAD(round25_pictures, yadif_fields, 23, 161, 241, 481),
    WORKLOAD(round25_pictures, cdef_blocks, 9, 97, 161, 321),
    WORKLOAD(round25_pictures, voxel_rays, 37, 321, 643, 1601),
    END_OF_WORKLOADS,
};

/* Pictures. Sizes are sides of a texture, rows of a layer, tries. */
#include "workloads.h"

/* Sides are multiples of four. Random blocks have all ways of packing. */
static void etc_texture_prepare(struct clbench *b) {
    size_t side = (size_t)b->size;
    unsigned char *blocks = make(b, 0, side * side / 2);
    uint32_t state = 3041;
    for (size_t i = 0; i < side * side / 2; i++) {
        blocks[i] = (unsigned char)(random_word(&state) >> 8);
    }
    make(b, 1, side * side * 4);
    for (int i = 2; i < 8 && side > 1; i++) {
        side = (side + 1) / 2;
        make(b, i, side * side * 4);
    }
    up(b, 0);
}

/* The picture and six smaller ones, or as many as there are. */
static void etc_texture_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size / 4, side = (cl_int)b->size;
    launch(b, "etc_texture", RANGE2(round_up(blocks, 16), round_up(blocks, 4), 16, 4), B(0), V(blocks), V(blocks), B(1));
    for (int i = 1; i < 7 && side > 1; i++) {
        size_t half = ((size_t)side + 1) / 2;
        launch(b, "half_texture", RANGE2(half, half, 0, 0), B(i), V(side), V(side), B(i + 1));
        side = (cl_int)half;
    }
}

static int bits_of(uint64_t block, int low, int width) { return (int)(block >> low & ((1u << width) - 1)); }

static int eight_of(int value, int width) { return value << (8 - width) | value >> (2 * width - 8); }

/* Colours of a block in mode T, H: where the bits of both are, and which are the lower ones. */
static void two_colours(uint64_t block, int mode, int colours[2][3]) {
    if (mode == 0) {
        colours[0][0] = bits_of(block, 59, 2) * 4 + bits_of(block, 56, 2);
        colours[0][1] = bits_of(block, 52, 4), colours[0][2] = bits_of(block, 48, 4);
    } else {
        colours[0][0] = bits_of(block, 59, 4), colours[0][1] = bits_of(block, 56, 3) * 2 + bits_of(block, 52, 1);
        colours[0][2] = bits_of(block, 51, 1) * 8 + bits_of(block, 47, 3);
    }
    for (int k = 0; k < 3; k++) {
        colours[1][k] = bits_of(block, (mode == 0 ? 44 : 43) - 4 * k, 4);
    }
}

/* Red, green or blue of a pixel before it is cut to eight bits. */
static int etc_value(uint64_t block, int x, int y, int channel) {
    static const int tables[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    static const int distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
    int low = bits_of(block, x * 4 + y, 1), high = bits_of(block, 16 + x * 4 + y, 1), mode = 4, colours[2][3], firsts[2] = {0, 0};
    int is_second = bits_of(block, 32, 1) ? y > 1 : x > 1;
    for (int k = 2; k >= 0; k--) {
        int change = bits_of(block, 56 - 8 * k, 3), second = bits_of(block, 59 - 8 * k, 5) + (change > 3 ? change - 8 : change);
        mode = second < 0 || second > 31 ? k : mode;
        if (k == channel) {
            firsts[0] = bits_of(block, 59 - 8 * k, 5), firsts[1] = second;
        }
    }
    if (!bits_of(block, 33, 1) || mode == 4) {
        int size = tables[bits_of(block, is_second ? 34 : 37, 3)][low];
        int base = bits_of(block, 33, 1) ? eight_of(firsts[is_second], 5) : bits_of(block, (is_second ? 56 : 60) - 8 * channel, 4) * 17;
        return base + (high ? -size : size);
    }
    if (mode == 2) {
        int wide = channel == 1 ? 7 : 6, origins[3] = {bits_of(block, 57, 6), bits_of(block, 56, 1) * 64 + bits_of(block, 49, 6), 0};
        int acrosses[3] = {bits_of(block, 34, 5) * 2 + bits_of(block, 32, 1), bits_of(block, 25, 7), bits_of(block, 19, 6)};
        int downs[3] = {bits_of(block, 13, 6), bits_of(block, 6, 7), bits_of(block, 0, 6)};
        origins[2] = bits_of(block, 48, 1) * 32 + bits_of(block, 43, 2) * 8 + bits_of(block, 39, 3);
        int origin = eight_of(origins[channel], wide), across = eight_of(acrosses[channel], wide), below = eight_of(downs[channel], wide);
        return (x * across + y * below + (4 - x - y) * origin + 2) >> 2;
    }
    two_colours(block, mode, colours);
    int index = high * 2 + low, one = colours[0][channel] * 17, other = colours[1][channel] * 17;
    if (mode == 0) {
        int distance = distances[bits_of(block, 34, 2) * 2 + bits_of(block, 32, 1)];
        return index == 0 ? one : other + (index == 1 ? distance : index == 3 ? -distance : 0);
    }
    int words[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        words[k / 3] = words[k / 3] * 16 + colours[k / 3][k % 3];
    }
    int distance = distances[bits_of(block, 34, 1) * 4 + bits_of(block, 32, 1) * 2 + (words[0] >= words[1])];
    return (index < 2 ? one : other) + (low ? -distance : distance);
}

static int etc_texture_check(struct clbench *b) {
    const unsigned char *blocks = b->buffer[0].host, *got = b->buffer[1].host;
    long side = b->size;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < side * side * 4; i++) {
        long x = i / 4 % side, y = i / 4 / side;
        uint64_t block = 0;
        for (long k = 0; k < 8; k++) {
            block = block << 8 | blocks[(y / 4 * (side / 4) + x / 4) * 8 + k];
        }
        int value = i % 4 == 3 ? 255 : etc_value(block, (int)(x % 4), (int)(y % 4), (int)(i % 4));
        ok = same("value", i, got[i], value < 0 ? 0 : value > 255 ? 255 : value);
    }
    for (int level = 2; ok && level < 8 && side > 1; level++) {
        const unsigned char *from = b->buffer[level - 1].host, *to = b->buffer[level].host;
        long half = (side + 1) / 2;
        down(b, level);
        for (long i = 0; ok && i < half * half * 4; i++) {
            int sum = 2;
            for (long k = 0; k < 4; k++) {
                sum += from[(clamped(i / 4 / half * 2 + k / 2, side) * side + clamped(i / 4 % half * 2 + k % 2, side)) * 4 + i % 4];
            }
            ok = same("smaller value", i, to[i], sum / 4);
        }
        side = half;
    }
    return ok;
}

enum { MAP_WIDTH = 256, MAP_HEIGHT = 128, LAYERS = 5, SAMPLES = 64 };

struct extent {
    cl_int width, height;
};

static const struct extent extent = {MAP_WIDTH, MAP_HEIGHT};

/* A sky with a sun and some noise. */
static void ggx_prefilter_prepare(struct clbench *b) {
    cl_float4 *map = make(b, 0, MAP_WIDTH * MAP_HEIGHT * sizeof *map);
    float *roughness = make(b, 1, LAYERS * sizeof *roughness);
    uint32_t state = 3049;
    for (int i = 0; i < MAP_WIDTH * MAP_HEIGHT; i++) {
        double x = i % MAP_WIDTH - 60.0, y = i / MAP_WIDTH - 40.0, sun = 8.0 * exp(-0.01 * (x * x + y * y));
        for (int k = 0; k < 4; k++) {
            map[i].s[k] = k == 3 ? 1.0f : (float)(sun + 0.4 + 0.3 * cos(0.02 * (k + 1) * y)) + 0.2f * random_unit(&state);
        }
    }
    for (int i = 0; i < LAYERS; i++) {
        roughness[i] = (float)i / (LAYERS - 1);
    }
    make(b, 2, (size_t)(b->size * b->size * 2) * LAYERS * sizeof(cl_float4));
    up(b, 0), up(b, 1);
}

static void ggx_prefilter_once(struct clbench *b) {
    cl_int height = (cl_int)b->size, width = height * 2;
    struct range range = RANGE3(round_up(width, 32), round_up(height, 4), LAYERS, 32, 4, 1);
    launch(b, "ggx_prefilter", range, B(0), V(extent), V(width), V(height), B(1), B(2));
}

/* Adds the light from a direction, times a weight. */
static void add_light(const cl_float4 *map, const double way[3], double weight, double sum[4]) {
    double pi = acos(-1.0), across = (atan2(way[1], way[0]) / pi + 1.0) * MAP_WIDTH / 2.0 - 0.5;
    double along = acos(fmin(fmax(way[2], -1.0), 1.0)) / pi * MAP_HEIGHT - 0.5;
    for (long corner = 0; corner < 4; corner++) {
        long column = (long)floor(across) + corner % 2, row = (long)floor(along) + corner / 2;
        double part = (1.0 - fabs(across - (double)column)) * (1.0 - fabs(along - (double)row)) * weight;
        for (int k = 0; k < 4; k++) {
            sum[k] += part * (double)map[clamped(row, MAP_HEIGHT) * MAP_WIDTH + (column + MAP_WIDTH) % MAP_WIDTH].s[k];
        }
    }
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void cross_of(const double a[3], const double c[3], double result[3]) {
    for (int k = 0; k < 3; k++) {
        result[k] = a[(k + 1) % 3] * c[(k + 2) % 3] - a[(k + 2) % 3] * c[(k + 1) % 3];
    }
}

/* What a rough surface shows. */
static void gather_light(const cl_float4 *map, const double normal[3], double alpha, double light[4]) {
    double other[3] = {0.0}, tangent[3], side[3], weight = 0.0, sum[4] = {0.0}, pi = acos(-1.0);
    other[fabs(normal[2]) < 0.9 ? 2 : 0] = 1.0;
    cross_of(other, normal, tangent);
    double size = length_of(tangent);
    for (int k = 0; k < 3; k++) {
        tangent[k] /= size;
    }
    cross_of(normal, tangent, side);
    for (int i = 0; i < SAMPLES; i++) {
        double share = 0.0, turn = 2.0 * pi * (i + 0.5) / SAMPLES, way[3], facing = 0.0;
        for (int bit = 0; bit < 6; bit++) {
            share += ldexp(i >> bit & 1, -1 - bit);
        }
        double up_part = sqrt((1.0 - share) / (1.0 + (alpha * alpha - 1.0) * share)), out = sqrt(1.0 - up_part * up_part);
        for (int k = 0; k < 3; k++) {
            way[k] = 2.0 * up_part * (out * (cos(turn) * tangent[k] + sin(turn) * side[k]) + up_part * normal[k]) - normal[k];
            facing += way[k] * normal[k];
        }
        if (facing > 0.0) {
            add_light(map, way, facing, sum);
            weight += facing;
        }
    }
    for (int k = 0; k < 4; k++) {
        light[k] = sum[k] / weight;
    }
}

/* Of large layers not all pixels are looked at. */
static int ggx_prefilter_check(struct clbench *b) {
    const cl_float4 *map = b->buffer[0].host, *got = b->buffer[2].host;
    const float *roughness = b->buffer[1].host;
    long height = b->size, width = height * 2, count = width * height * LAYERS, step = count / 20011 + 1;
    double pi = acos(-1.0);
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < count; i += step) {
        double turn = pi * (2.0 * ((double)(i % width) + 0.5) / (double)width - 1.0), light[4] = {0.0};
        double fall = pi * ((double)(i / width % height) + 0.5) / (double)height;
        double normal[3] = {sin(fall) * cos(turn), sin(fall) * sin(turn), cos(fall)};
        long layer = i / width / height;
        if (layer == 0) {
            add_light(map, normal, 1.0, light);
        } else {
            gather_light(map, normal, pow((double)roughness[layer], 2.0), light);
        }
        for (int k = 0; ok && k < 4; k++) {
            ok = near("light", i * 4 + k, (double)got[i].s[k], light[k], 5e-4);
        }
    }
    return ok;
}

enum { MATCHES = 500, UNKNOWNS = 8 };

static const cl_float tolerance = 0.01f;
static const cl_uint seed = 20261;

/* Most matches are of a plane, with some noise, the others are wrong. */
static void ransac_homography_prepare(struct clbench *b) {
    static const double plane[UNKNOWNS] = {0.9, -0.2, 0.1, 0.15, 1.1, -0.05, 0.12, -0.08};
    cl_float4 *matches = make(b, 0, MATCHES * sizeof *matches);
    uint32_t state = 3061;
    for (int i = 0; i < MATCHES; i++) {
        float *match = matches[i].s;
        for (int k = 0; k < 4; k++) {
            match[k] = 2.0f * random_unit(&state) - 1.0f;
        }
        double x = (double)match[0], y = (double)match[1], below = plane[6] * x + plane[7] * y + 1.0;
        if (random_word(&state) % 10 < 6) {
            match[2] = (float)((plane[0] * x + plane[1] * y + plane[2]) / below) + 0.006f * (random_unit(&state) - 0.5f);
            match[3] = (float)((plane[3] * x + plane[4] * y + plane[5]) / below) + 0.006f * (random_unit(&state) - 0.5f);
        }
    }
    make(b, 1, (size_t)b->size * sizeof(cl_int4)), make(b, 2, (size_t)b->size * sizeof(cl_float8));
    make(b, 3, (size_t)b->size * sizeof(cl_int)), make(b, 4, sizeof(cl_uint)), make(b, 5, MATCHES * sizeof(cl_int));
    make(b, 6, sizeof(cl_int));
    up(b, 0);
}

static void ransac_homography_once(struct clbench *b) {
    cl_int count = MATCHES, tries = (cl_int)b->size;
    launch(b, "none_agree", RANGE1(1, 0), B(4), B(6));
    launch(b, "ransac_homography", RANGE1(round_up(tries, 64), 64), B(0), V(count), V(seed), V(tolerance), V(tries), B(1), B(2), B(3),
           B(4));
    launch(b, "keep_matches", RANGE1(round_up(count, 64), 64), B(0), V(count), V(tolerance), B(2), B(4), B(5), B(6));
}

/* The four matches of a try. */
static void pick_four(uint32_t id, int picks[4]) {
    uint32_t state = (id + 1) * 0x9e3779b9u ^ seed;
    for (int k = 0; k < 4; k++) {
        int is_old;
        do {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            picks[k] = (int)(state % MATCHES), is_old = 0;
            for (int i = 0; i < k; i++) {
                is_old = is_old || picks[i] == picks[k];
            }
        } while (is_old);
    }
}

/* The least of twice the areas of all triangles of four points, which begin at an axis. */
static double least_area(const cl_float4 *matches, const int picks[4], int axis) {
    double least = 1e9;
    for (int out = 0; out < 4; out++) {
        const float *a = matches[picks[(out + 1) % 4]].s + axis, *c = matches[picks[(out + 2) % 4]].s + axis;
        const float *d = matches[picks[(out + 3) % 4]].s + axis;
        double ab_x = (double)c[0] - (double)a[0], ab_y = (double)c[1] - (double)a[1];
        least = fmin(least, fabs(ab_x * ((double)d[1] - (double)a[1]) - ab_y * ((double)d[0] - (double)a[0])));
    }
    return least;
}

/* How far the equations of a match are from being right, and the square of how far it is from its place. */
static double equation_error(const float *h, const float *match, double *square) {
    double x = (double)match[0], y = (double)match[1], below = (double)h[6] * x + (double)h[7] * y + 1.0, worst = 0.0;
    *square = 0.0;
    for (int k = 0; k < 2; k++) {
        double above = (double)h[k * 3] * x + (double)h[k * 3 + 1] * y + (double)h[k * 3 + 2], wanted = (double)match[2 + k];
        worst = fmax(worst, fabs(above - wanted * below)), *square += pow(above / below - wanted, 2.0);
    }
    return worst;
}

/* Whether a try's number of matches is right; some are at the very border. */
static int try_is_right(const struct clbench *b, long i, const int picks[4]) {
    const cl_float4 *matches = b->buffer[0].host;
    const float *model = ((const cl_float8 *)b->buffer[2].host)[i].s;
    const cl_int *agreeing = b->buffer[3].host;
    double most = 1.0, square, border = pow((double)tolerance, 2.0);
    long surely = 0, perhaps = 0;
    int ok = 1;
    for (int k = 0; k < UNKNOWNS; k++) {
        most = fmax(most, fabs((double)model[k]));
    }
    for (int k = 0; ok && k < 4; k++) {
        ok = near("an equation", i * 4 + k, equation_error(model, matches[picks[k]].s, &square) / most, 0.0, 5e-5);
    }
    for (int k = 0; k < MATCHES; k++) {
        equation_error(model, matches[k].s, &square);
        surely += square < border * 0.998, perhaps += square < border * 1.002;
    }
    return ok && same("agreeing matches", i, agreeing[i] >= surely && agreeing[i] <= perhaps, 1);
}

static int best_is_right(const struct clbench *b) {
    const cl_float4 *matches = b->buffer[0].host;
    const cl_int *agreeing = b->buffer[3].host, *list = b->buffer[5].host;
    long best = 0, kept = *(const cl_int *)b->buffer[6].host;
    uint32_t reported = *(const cl_uint *)b->buffer[4].host;
    int ok = 1, is_kept[MATCHES] = {0};
    for (long i = 0; i < b->size; i++) {
        best = agreeing[i] >= agreeing[best] ? i : best;
    }
    ok = same("best", 0, reported, (long)agreeing[best] << 20 | best) && same("many agree", 0, agreeing[best] > MATCHES / 3, 1) &&
         same("kept", 0, kept, agreeing[best]);
    for (long i = 0; ok && i < kept; i++) {
        double square;
        equation_error(((const cl_float8 *)b->buffer[2].host)[best].s, matches[list[i]].s, &square);
        ok = same("kept once", i, is_kept[list[i]]++, 0) && same("kept match", i, square < pow((double)tolerance, 2.0) * 1.002, 1);
    }
    return ok;
}

/* Few of the tries that are spread well have no solution. Of many tries not all are looked at. */
static int ransac_homography_check(struct clbench *b) {
    const cl_float4 *matches = b->buffer[0].host;
    const cl_int4 *chosen = b->buffer[1].host;
    const cl_int *agreeing = b->buffer[3].host;
    long step = b->size / 5003 + 1, spread = 0, solved = 0;
    int ok = 1;
    for (int i = 1; i < 7; i++) {
        down(b, i);
    }
    for (long i = 0; ok && i < b->size; i += step) {
        int picks[4];
        pick_four((uint32_t)i, picks);
        double area = fmin(least_area(matches, picks, 0), least_area(matches, picks, 2));
        for (int k = 0; ok && k < 4; k++) {
            ok = same("pick", i * 4 + k, chosen[i].s[k], picks[k]);
        }
        if (ok && agreeing[i] >= 0) {
            ok = same("spread", i, area > 0.04999, 1) && try_is_right(b, i, picks);
        }
        spread += area > 0.05001, solved += agreeing[i] >= 0;
    }
    return ok && same("most are solved", solved, solved >= spread * 98 / 100, 1) && best_is_right(b);
}

const struct workload round23_pictures_workloads[] = {
    WORKLOAD(round23_pictures, etc_texture, 36, 1204, 2804, 8012),
    WORKLOAD(round23_pictures, ggx_prefilter, 7, 21, 61, 203),
    WORKLOAD(round23_pictures, ransac_homography, 203, 6007, 40009, 300007),
    END_OF_WORKLOADS,
};

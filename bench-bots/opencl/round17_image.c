/* Pictures. Sizes are triangles, widths, points, widths. */
#include "workloads.h"

enum { SHOWN_WIDTH = 633, SHOWN_HEIGHT = 475, SUBPIXELS = 16, TRIANGLE_BYTES = 64 };

/* Triangles up to 2 to 48 pixels wide and high; about half look away. */
static void raster_depth_prepare(struct clbench *b) {
    cl_ushort4 *corners = make(b, 0, (size_t)(b->size * 3) * sizeof *corners);
    uint32_t state = 2039;
    for (long i = 0; i < b->size; i++) {
        uint32_t reach = 24u << random_word(&state) % 6, x = random_word(&state) % (SHOWN_WIDTH * SUBPIXELS);
        uint32_t y = random_word(&state) % (SHOWN_HEIGHT * SUBPIXELS), depth = random_word(&state) % 63000;
        for (int k = 0; k < 3; k++) {
            cl_ushort4 *corner = &corners[3 * i + k];
            corner->s[0] = (cl_ushort)(x + random_word(&state) % reach);
            corner->s[1] = (cl_ushort)(y + random_word(&state) % reach);
            corner->s[2] = (cl_ushort)(depth + random_word(&state) % 2000), corner->s[3] = (cl_ushort)random_word(&state);
        }
    }
    make(b, 1, (size_t)b->size * TRIANGLE_BYTES), make(b, 2, SHOWN_WIDTH * SHOWN_HEIGHT * sizeof(cl_uint));
    make(b, 3, SHOWN_WIDTH * SHOWN_HEIGHT * sizeof(cl_uchar4));
    up(b, 0);
}

static void raster_depth_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, width = SHOWN_WIDTH, height = SHOWN_HEIGHT, pixels = SHOWN_WIDTH * SHOWN_HEIGHT;
    struct range triangles = RANGE1(round_up(count, 64), 64), all = RANGE1(round_up(pixels, 128), 128);
    launch(b, "triangle_setup", triangles, B(0), V(count), V(width), V(height), B(1));
    launch(b, "show_nothing", all, B(2), V(pixels));
    launch(b, "raster_depth", triangles, B(1), V(count), V(width), B(2));
    launch(b, "shade_nearest", all, B(2), B(1), V(pixels), B(3));
}

/* Twice the area of a corner, another one, and a place. */
static long turn(const cl_ushort4 *a, const cl_ushort4 *c, long x, long y) {
    return ((long)c->s[0] - a->s[0]) * (y - a->s[1]) - ((long)c->s[1] - a->s[1]) * (x - a->s[0]);
}

static int covers(const cl_ushort4 *corners, long x, long y) {
    for (int i = 0; i < 3; i++) {
        const cl_ushort4 *a = &corners[i], *c = &corners[(i + 1) % 3];
        long side = turn(a, c, x, y);
        int is_outer = c->s[1] > a->s[1] || (c->s[1] == a->s[1] && c->s[0] < a->s[0]);
        if (side < is_outer) {
            return 0;
        }
    }
    return 1;
}

/* Leaves a triangle's depths and its number where they are the least. */
static void raster(const cl_ushort4 *corners, long id, cl_uint *nearest) {
    const cl_ushort4 *a = corners, *c = corners + 1, *d = corners + 2;
    long area = turn(a, c, d->s[0], d->s[1]), up = (long)c->s[2] - a->s[2], also_up = (long)d->s[2] - a->s[2];
    if (area < 4 * SUBPIXELS * SUBPIXELS) {
        return;
    }
    long across = (up * ((long)d->s[1] - a->s[1]) - also_up * ((long)c->s[1] - a->s[1])) * 4096 / area;
    long along = (also_up * ((long)c->s[0] - a->s[0]) - up * ((long)d->s[0] - a->s[0])) * 4096 / area;
    long least[2] = {1 << 16, 1 << 16}, most[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        long at = corners[i / 2].s[i % 2];
        least[i % 2] = at < least[i % 2] ? at : least[i % 2], most[i % 2] = at > most[i % 2] ? at : most[i % 2];
    }
    for (long y = least[1] / SUBPIXELS; y <= most[1] / SUBPIXELS && y < SHOWN_HEIGHT; y++) {
        for (long x = least[0] / SUBPIXELS; x <= most[0] / SUBPIXELS && x < SHOWN_WIDTH; x++) {
            long px = x * SUBPIXELS + SUBPIXELS / 2, py = y * SUBPIXELS + SUBPIXELS / 2;
            long depth = (a->s[2] * 4096L + across * (px - a->s[0]) + along * (py - a->s[1])) >> 12;
            cl_uint key = (cl_uint)((depth < 0 ? 0 : depth > 65535 ? 65535 : depth) << 16 | id);
            if (covers(corners, px, py) && key < nearest[y * SHOWN_WIDTH + x]) {
                nearest[y * SHOWN_WIDTH + x] = key;
            }
        }
    }
}

static int raster_depth_check(struct clbench *b) {
    const cl_ushort4 *corners = b->buffer[0].host;
    const cl_uint *got = b->buffer[2].host;
    const unsigned char *colours = b->buffer[3].host;
    long pixels = SHOWN_WIDTH * SHOWN_HEIGHT, covered = 0;
    cl_uint *nearest = malloc((size_t)pixels * sizeof *nearest);
    int ok = 1;
    down(b, 2), down(b, 3);
    memset(nearest, 255, (size_t)pixels * sizeof *nearest);
    for (long i = 0; i < b->size; i++) {
        raster(corners + 3 * i, i, nearest);
    }
    for (long i = 0; ok && i < pixels; i++) {
        unsigned wanted[4] = {10, 10, 40, 255};
        if (nearest[i] != UINT32_MAX) {
            unsigned packed = corners[3 * (nearest[i] & 65535)].s[3], light = 255 - (nearest[i] >> 24);
            wanted[0] = packed / 2048 * 8 * light / 255, wanted[1] = packed / 32 % 64 * 4 * light / 255;
            wanted[2] = packed % 32 * 8 * light / 255;
            covered++;
        }
        ok = same("nearest", i, got[i], nearest[i]);
        for (long k = 0; ok && k < 4; k++) {
            ok = same("colour", 4 * i + k, colours[4 * i + k], wanted[k]);
        }
    }
    free(nearest);
    return ok && same("many pixels are covered", 0, covered > pixels / 50, 1);
}

enum { BLOCK = 8 };

static long coded_height(const struct clbench *b) { return b->size / 32 * 3 * BLOCK; }

/* Blocks that are smooth inside and differ a little, as after a coarse coding. */
static void deblock_edges_prepare(struct clbench *b) {
    long width = b->size, height = coded_height(b), blocks = width / BLOCK * (height / BLOCK);
    unsigned char *pixels = make(b, 0, (size_t)(width * height)), *kinds = make(b, 1, (size_t)(blocks * 2));
    uint32_t state = 2053;
    for (long i = 0; i < blocks; i++) {
        long left = i % (width / BLOCK) * BLOCK, top = i / (width / BLOCK) * BLOCK;
        int base = 128 + (int)(90.0 * sin(0.011 * (double)left) * cos(0.017 * (double)top)) + (int)(random_word(&state) % 14);
        int tilt = (int)(random_word(&state) % 5) - 2, noise = random_word(&state) % 6 == 0 ? 40 : 3;
        kinds[2 * i] = (unsigned char)(random_word(&state) % 16), kinds[2 * i + 1] = random_word(&state) % 4 == 0;
        for (long k = 0; k < BLOCK * BLOCK; k++) {
            int value = base + tilt * (int)(k % BLOCK) / 2 + (int)(random_word(&state) % (uint32_t)noise);
            pixels[(top + k / BLOCK) * width + left + k % BLOCK] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
    make(b, 2, (size_t)(width * height));
    up(b, 0), up(b, 1);
}

static void deblock_edges_once(struct clbench *b) {
    cl_int width = (cl_int)b->size;
    size_t across = (size_t)width, along = (size_t)coded_height(b);
    launch(b, "take_picture", RANGE1(across * along / 4, 0), B(0), B(2));
    launch(b, "deblock_columns", RANGE2(across / BLOCK - 1, along, 0, 0), B(2), V(width), B(1));
    launch(b, "deblock_rows", RANGE2(across, along / BLOCK - 1, 0, 0), B(2), V(width), B(1));
}

static int held(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

/* The pixels at[0..7] of a line, of which 4 come before the edge; gives how many are new. */
static int deblock_line(int *at, int coarse, int is_strong) {
    static const int edges[16] = {0, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 45, 56, 71, 90, 113};
    static const int sides[16] = {0, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18};
    static const int changes[16] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 13};
    int p[4] = {at[3], at[2], at[1], at[0]}, *q = (int[]){at[4], at[5], at[6], at[7]}, side = sides[coarse];
    if (abs(p[0] - q[0]) >= edges[coarse] || abs(p[1] - p[0]) >= side || abs(q[1] - q[0]) >= side) {
        return 0;
    }
    if (is_strong && abs(p[0] - q[0]) < edges[coarse] / 4 + 2) {
        int both = p[0] + q[0];
        at[3] = (p[2] + 2 * (p[1] + both) + q[1] + 4) / 8, at[4] = (q[2] + 2 * (q[1] + both) + p[1] + 4) / 8;
        at[2] = (p[2] + p[1] + both + 2) / 4, at[5] = (q[2] + q[1] + both + 2) / 4;
        at[1] = (2 * p[3] + 3 * p[2] + p[1] + both + 4) / 8, at[6] = (2 * q[3] + 3 * q[2] + q[1] + both + 4) / 8;
        return 6;
    }
    int is_flat[2] = {abs(p[2] - p[0]) < side, abs(q[2] - q[0]) < side}, most = changes[coarse], mean = (p[0] + q[0] + 1) / 2;
    at[2] += is_flat[0] ? held((p[2] + mean - 2 * p[1]) >> 1, -most, most) : 0;
    at[5] += is_flat[1] ? held((q[2] + mean - 2 * q[1]) >> 1, -most, most) : 0;
    most += is_flat[0] + is_flat[1];
    int change = held((4 * (q[0] - p[0]) + p[1] - q[1] + 4) >> 3, -most, most);
    at[3] = held(p[0] + change, 0, 255), at[4] = held(q[0] - change, 0, 255);
    return 2;
}

static int deblock_edges_check(struct clbench *b) {
    const unsigned char *before = b->buffer[0].host, *kinds = b->buffer[1].host, *got = b->buffer[2].host;
    long width = b->size, height = coded_height(b), across = width / BLOCK, counts[7] = {0};
    unsigned char *pixels = malloc((size_t)(width * height));
    int ok = 1;
    down(b, 2);
    memcpy(pixels, before, (size_t)(width * height));
    for (int is_row = 0; is_row < 2; is_row++) {
        for (long i = 0; i < width * height; i++) {
            long x = i % width, y = i / width, step = is_row ? width : 1, block = y / BLOCK * across + x / BLOCK;
            if ((is_row ? y : x) % BLOCK != 0 || (is_row ? y : x) == 0) {
                continue;
            }
            const unsigned char *own = kinds + 2 * block, *other = own - 2 * (is_row ? across : 1);
            int line[8];
            for (long k = 0; k < 8; k++) {
                line[k] = pixels[i + (k - 4) * step];
            }
            counts[deblock_line(line, (own[0] + other[0] + 1) / 2, own[1] || other[1])]++;
            for (long k = 0; k < 8; k++) {
                pixels[i + (k - 4) * step] = (unsigned char)line[k];
            }
        }
    }
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("pixel", i, got[i], pixels[i]);
    }
    free(pixels);
    return ok && same("all ways occur", 0, counts[0] > 0 && counts[2] > 0 && counts[6] > 0, 1);
}

static long others_of(const struct clbench *b) { return b->size * 7 / 8 + 3; }

/* Two thirds of the other picture's points are those of the first one, in another order and with some bits changed;
 * in some so many that they are hardly nearer than others. */
static void orb_match_prepare(struct clbench *b) {
    long count = b->size, others = others_of(b);
    cl_uint *ours = make(b, 0, (size_t)count * 32), *theirs = make(b, 1, (size_t)others * 32);
    uint32_t state = 2063;
    for (long i = 0; i < count * 8; i++) {
        ours[i] = random_word(&state);
    }
    for (long i = 0; i < others; i++) {
        long like = (i * 37 + 11) % count;
        for (long k = 0; k < 8; k++) {
            cl_uint changed = random_word(&state) & random_word(&state);
            cl_uint others_too = random_word(&state) & random_word(&state) & random_word(&state);
            changed = i % 5 == 1 ? changed | (others_too & random_word(&state)) : changed & others_too;
            theirs[i * 8 + k] = i % 3 == 0 ? random_word(&state) : ours[like * 8 + k] ^ changed;
        }
    }
    make(b, 2, (size_t)count * sizeof(cl_int)), make(b, 3, (size_t)others * sizeof(cl_int));
    make(b, 4, (size_t)count * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void orb_match_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, others = (cl_int)others_of(b);
    launch(b, "orb_match", RANGE1(round_up(count, 64), 64), B(0), V(count), B(1), V(others), B(2));
    launch(b, "orb_match", RANGE1(round_up(others, 64), 64), B(1), V(others), B(0), V(count), B(3));
    launch(b, "keep_mutual", RANGE1(round_up(count, 50), 50), B(2), V(count), B(3), B(4));
}

static long match_of(const cl_uint *own, const cl_uint *others, long count) {
    int best = 257, second = 257;
    long match = -1;
    for (long i = 0; i < count; i++) {
        int differ = 0;
        for (long k = 0; k < 8; k++) {
            differ += __builtin_popcount(own[k] ^ others[i * 8 + k]);
        }
        second = differ < best ? best : differ < second ? differ : second;
        match = differ < best ? i : match, best = differ < best ? differ : best;
    }
    return 5 * best < 4 * second ? match : -1;
}

static int orb_match_check(struct clbench *b) {
    const cl_uint *ours = b->buffer[0].host, *theirs = b->buffer[1].host;
    const cl_int *got = b->buffer[2].host, *back = b->buffer[3].host, *kept = b->buffer[4].host;
    long count = b->size, others = others_of(b), mutual = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < others; i++) {
        ok = same("match of the other picture", i, back[i], match_of(theirs + i * 8, ours, count));
    }
    for (long i = 0; ok && i < count; i++) {
        long match = match_of(ours + i * 8, theirs, others), wanted = match >= 0 && back[match] == i ? match : -1;
        ok = same("match", i, got[i], match) && same("kept match", i, kept[i], wanted);
        mutual += wanted >= 0;
    }
    return ok && same("many match", 0, mutual > count / 3 && mutual < count, 1);
}

enum { LOOKS = 12, PATTERNS = 16 };

static const cl_float reach_of_look = 0.6f;

static long seen_height(const struct clbench *b) { return b->size * 3 / 4 - 1; }

/* A floor, a wall behind it, and balls, all with dents. */
static void screen_occlusion_prepare(struct clbench *b) {
    long width = b->size, height = seen_height(b);
    float *depths = make(b, 0, (size_t)(width * height) * sizeof *depths);
    cl_char2 *looks = make(b, 1, PATTERNS * LOOKS * sizeof *looks);
    uint32_t state = 2069;
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width) / (double)width - 0.5, y = (double)(i / width) / (double)width - 0.375;
        double depth = y > 0.0 ? fmin(6.0, 1.2 / (y + 1e-9)) : 6.0;
        for (int k = 0; k < 9; k++) {
            double dx = x + 0.4 - 0.1 * k, dy = y - 0.03 * (k % 4), inside = 0.004 - dx * dx - dy * dy;
            depth = inside > 0.0 ? fmin(depth, 3.5 + 0.2 * k - 12.0 * sqrt(inside)) : depth;
        }
        depths[i] = (float)(depth + 0.15 * sin(70.0 * x) * sin(60.0 * y));
    }
    for (long i = 0; i < PATTERNS * LOOKS; i++) {
        double angle = 6.283185307 * (double)random_unit(&state), far = 1.0 + 14.0 * (double)(i % LOOKS + 1) / LOOKS;
        looks[i] = (cl_char2){{(cl_char)lround(far * cos(angle)), (cl_char)lround(far * sin(angle))}};
    }
    make(b, 2, (size_t)(width * height) * sizeof(float)), make(b, 3, (size_t)(width * height) * sizeof(float));
    up(b, 0), up(b, 1);
}

static void screen_occlusion_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)seen_height(b);
    cl_float focus = (float)width;
    struct range range = RANGE2(round_up(width, 16), (size_t)height, 0, 0);
    launch(b, "screen_occlusion", range, B(0), V(width), V(height), V(focus), B(1), V(reach_of_look), B(2));
    launch(b, "smooth_light", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(2), B(0), V(width), V(height), B(3));
}

struct place {
    double x, y, z;
};

static struct place place_at(const struct clbench *b, long x, long y) {
    long width = b->size, height = seen_height(b), column = x < 0 ? 0 : x < width ? x : width - 1;
    long row = y < 0 ? 0 : y < height ? y : height - 1;
    double depth = (double)((const float *)b->buffer[0].host)[row * width + column], focus = (double)width;
    return (struct place){((double)column - 0.5 * (double)width) / focus * depth,
                          ((double)row - 0.5 * (double)height) / focus * depth, depth};
}

static struct place between(struct place from, struct place to) {
    return (struct place){to.x - from.x, to.y - from.y, to.z - from.z};
}

static double dot_of(struct place a, struct place c) { return a.x * c.x + a.y * c.y + a.z * c.z; }

static double light_at(const struct clbench *b, long x, long y) {
    const cl_char2 *looks = b->buffer[1].host;
    struct place here = place_at(b, x, y);
    struct place a = between(place_at(b, x, y - 1), place_at(b, x, y + 1));
    struct place c = between(place_at(b, x - 1, y), place_at(b, x + 1, y));
    struct place normal = {a.y * c.z - a.z * c.y, a.z * c.x - a.x * c.z, a.x * c.y - a.y * c.x};
    double length = sqrt(dot_of(normal, normal)), kept = 0.0, reach = (double)reach_of_look;
    for (long i = 0; i < LOOKS; i++) {
        const cl_char2 *look = &looks[(y % 4 * 4 + x % 4) * LOOKS + i];
        struct place to = between(here, place_at(b, x + look->s[0], y + look->s[1]));
        double squared = dot_of(to, to);
        kept += fmax(1.0 - squared / (reach * reach), 0.0) * fmax(dot_of(normal, to) / length / sqrt(squared + 1e-4) - 0.1, 0.0);
    }
    return fmax(1.0 - 2.0 * kept / LOOKS, 0.0);
}

static int screen_occlusion_check(struct clbench *b) {
    const float *depths = b->buffer[0].host, *light = b->buffer[2].host, *got = b->buffer[3].host;
    long width = b->size, height = seen_height(b), dark = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < width * height; i++) {
        double sum = 0.0, all = 0.0;
        long x = i % width, y = i / width;
        for (long k = 0; k < 16; k++) {
            long column = x - 2 + k % 4, row = y - 2 + k / 4, at = row * width + column;
            if (column >= 0 && column < width && row >= 0 && row < height) {
                double off = (double)depths[at] - (double)depths[i], weight = exp(-20.0 * off * off);
                sum += weight * (double)light[at], all += weight;
            }
        }
        ok = near("light", i, light[i], light_at(b, x, y), 2e-3) && near("smooth light", i, got[i], sum / all, 1e-4);
        dark += got[i] < 0.9f;
    }
    return ok && same("some places are dark", 0, dark > width * height / 100 && dark < width * height * 3 / 4, 1);
}

const struct workload round17_image_workloads[] = {
    WORKLOAD(round17_image, raster_depth, 301, 2003, 14009, 60013),
    WORKLOAD(round17_image, deblock_edges, 96, 480, 1888, 6400),
    WORKLOAD(round17_image, orb_match, 99, 601, 2803, 8009),
    WORKLOAD(round17_image, screen_occlusion, 67, 301, 601, 2401),
    END_OF_WORKLOADS,
};

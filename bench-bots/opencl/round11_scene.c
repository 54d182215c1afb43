/* Scenes. Sizes are blocks along a row, tiles along a row, points. */
#include "workloads.h"

static cl_int blocks_of(const struct clbench *b) { return (cl_int)(b->size * (b->size * 5 / 8 + 1)); }

/* Fewer and smaller coefficients towards high frequencies; some blocks have but the first, some are too bright or too dark. */
static void idct_blocks_prepare(struct clbench *b) {
    cl_short *coefficients = make(b, 0, (size_t)blocks_of(b) * 64 * sizeof *coefficients);
    cl_ushort *steps = make(b, 1, 64 * sizeof *steps);
    uint32_t state = 1131;
    for (int k = 0; k < 64; k++) {
        steps[k] = (cl_ushort)(8 + k + random_word(&state) % 5);
    }
    for (long block = 0; block < blocks_of(b); block++) {
        coefficients[block * 64] = (cl_short)((int)(random_word(&state) % 261) - 130);
        int last = block % 5 == 0 ? 1 : 2 + (int)(random_word(&state) % 40);
        for (int k = 1; k < last; k++) {
            int most = 1 + 60 / (k + 1);
            coefficients[block * 64 + k] = (cl_short)((int)(random_word(&state) % (2 * (uint32_t)most + 1)) - most);
        }
    }
    make(b, 2, (size_t)blocks_of(b) * 64);
    up(b, 0), up(b, 1);
}

static void idct_blocks_once(struct clbench *b) {
    cl_int across = (cl_int)b->size, blocks = blocks_of(b);
    launch(b, "idct_blocks", RANGE2(8, round_up(blocks, 16), 8, 16), B(0), B(1), V(across), V(blocks), B(2));
}

/* Diagonal by diagonal, up and down in turn. */
static void order_of_coefficients(int *rows, int *columns) {
    int k = 0;
    for (int diagonal = 0; diagonal < 15; diagonal++) {
        for (int i = 0; i <= diagonal; i++) {
            int row = diagonal % 2 == 1 ? i : diagonal - i;
            if (row < 8 && diagonal - row < 8) {
                rows[k] = row, columns[k++] = diagonal - row;
            }
        }
    }
}

static double wave_of(int frequency, int at) {
    return (frequency == 0 ? sqrt(0.125) : 0.5) * cos((2 * at + 1) * frequency * acos(-1.0) / 16.0);
}

/* A pixel is rounded by a half, and constants are wrong by up to half of 2^-11 of frequencies up to 1100. */
static int idct_blocks_check(struct clbench *b) {
    const cl_short *coefficients = b->buffer[0].host;
    const cl_ushort *steps = b->buffer[1].host;
    const unsigned char *got = b->buffer[2].host;
    int rows[64], columns[64], ok = 1;
    long held = 0, tried = 0;
    double waves[8][8];
    order_of_coefficients(rows, columns);
    for (int i = 0; i < 64; i++) {
        waves[i / 8][i % 8] = wave_of(i / 8, i % 8);
    }
    down(b, 2);
    for (long block = 0; ok && block < blocks_of(b); block += blocks_of(b) / 4000 + 1) {
        for (int i = 0; ok && i < 64; i++, tried++) {
            int x = i % 8, y = i / 8;
            double want = 128.0;
            for (int k = 0; k < 64; k++) {
                want += coefficients[block * 64 + k] * steps[k] * waves[rows[k]][y] * waves[columns[k]][x];
            }
            long at = (block / b->size * 8 + y) * b->size * 8 + block % b->size * 8 + x;
            held += want < 0.0 || want > 255.0;
            ok = near("pixel", at, got[at] - fmin(255.0, fmax(0.0, want)), 0.0, 0.8);
        }
    }
    return ok && same("some are too bright or too dark", 0, held > 0 && held * 3 < tried, 1);
}

enum { SIDE = 16, POINTS_OF_TILE = 14 };

static cl_int width_of(const struct clbench *b) { return (cl_int)(b->size * SIDE - 5); }
static cl_int high_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 4 + 1); }
static cl_int height_of(const struct clbench *b) { return high_of(b) * SIDE - 3; }

/* An ellipse of random axes, whose form is an inverse covariance. Its reach is three of its longer axis. */
static double splat_of(uint32_t *state, cl_float4 *shape) {
    double angle = 6.283 * random_unit(state), wide = 1.0 + 5.0 * random_unit(state);
    double high = wide * (0.3 + 0.7 * random_unit(state));
    double c = cos(angle), s = sin(angle), u = 1.0 / (wide * wide), v = 1.0 / (high * high);
    float opacity = random_unit(state);
    *shape = (cl_float4){{(float)(c * c * u + s * s * v), (float)(c * s * (u - v)), (float)(s * s * u + c * c * v),
                          opacity < 0.3f ? 0.995f : 0.05f + 0.8f * opacity}};
    return 3.0 * wide;
}

/* The tiles that a point reaches, in order; with `list` it is put into them. */
static void into_tiles(struct clbench *b, cl_int point, double reach, cl_int *places, cl_int *list) {
    const cl_float2 *centre = (cl_float2 *)b->buffer[0].host + point;
    long left = (long)fmax(0.0, (centre->s[0] - reach) / SIDE), top = (long)fmax(0.0, (centre->s[1] - reach) / SIDE);
    for (long y = top; y < high_of(b) && (double)y * SIDE < centre->s[1] + reach; y++) {
        for (long x = left; x < b->size && (double)x * SIDE < centre->s[0] + reach; x++) {
            cl_int at = places[y * b->size + x]++;
            if (list != NULL) {
                list[at] = point;
            }
        }
    }
}

/* Points are sorted by depth. Part of the picture has many, so that nothing is seen behind the first ones. */
static void splat_tiles_prepare(struct clbench *b) {
    long tiles = b->size * high_of(b), points = tiles * POINTS_OF_TILE;
    cl_float2 *centres = make(b, 0, (size_t)points * sizeof *centres);
    cl_float4 *shapes = make(b, 1, (size_t)points * sizeof *shapes), *colours = make(b, 2, (size_t)points * sizeof *colours);
    cl_int *starts = make(b, 3, (size_t)(tiles + 1) * sizeof *starts), *places = calloc((size_t)tiles + 1, sizeof *places);
    double *reaches = calloc((size_t)points, sizeof *reaches);
    uint32_t state = 1141;
    for (long i = 0; i < points; i++) {
        double part = i % 3 == 0 ? 0.4 : 1.0;
        reaches[i] = splat_of(&state, &shapes[i]);
        centres[i].s[0] = (float)(part * random_unit(&state) * width_of(b));
        centres[i].s[1] = (float)(part * random_unit(&state) * height_of(b));
        colours[i] = (cl_float4){{random_unit(&state), random_unit(&state), random_unit(&state), 1.0f}};
        into_tiles(b, (cl_int)i, reaches[i], starts + 1, NULL);
    }
    for (long tile = 0; tile < tiles; tile++) {
        starts[tile + 1] += starts[tile];
        places[tile] = starts[tile];
    }
    cl_int *list = make(b, 4, (size_t)starts[tiles] * sizeof *list);
    for (long i = 0; i < points; i++) {
        into_tiles(b, (cl_int)i, reaches[i], places, list);
    }
    free(places), free(reaches);
    make(b, 5, (size_t)width_of(b) * (size_t)height_of(b) * sizeof(cl_float4));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void splat_tiles_once(struct clbench *b) {
    cl_int width = width_of(b), height = height_of(b);
    launch(b, "splat_tiles", RANGE2((size_t)b->size * SIDE, (size_t)high_of(b) * SIDE, SIDE, SIDE), B(0), B(1), B(2), B(3), B(4),
           V(width), V(height), B(5));
}

/* What a pixel has of its tile's points: -1 where it is not clear which of them count, else 1 if it ended before the last. */
static int splatted(const struct clbench *b, long x, long y, double *sums) {
    const cl_int *starts = (cl_int *)b->buffer[3].host + y / SIDE * b->size + x / SIDE, *list = b->buffer[4].host;
    for (cl_int k = starts[0]; k < starts[1]; k++) {
        const float *centre = ((cl_float2 *)b->buffer[0].host)[list[k]].s, *shape = ((cl_float4 *)b->buffer[1].host)[list[k]].s;
        const float *colour = ((cl_float4 *)b->buffer[2].host)[list[k]].s;
        double u = (double)x + 0.5 - centre[0], v = (double)y + 0.5 - centre[1];
        double alpha = shape[3] * exp(-(shape[0] * u * u + 2.0 * shape[1] * u * v + shape[2] * v * v) / 2.0);
        alpha = alpha > 0.99 ? 0.99 : alpha;
        double left = sums[3] * (1.0 - alpha);
        if (fabs(alpha * 255.0 - 1.0) < 1e-3 || fabs(left * 1e4 - 1.0) < 1e-2) {
            return -1;
        }
        if (alpha * 255.0 > 1.0) {
            if (left < 1e-4) {
                return 1;
            }
            for (int i = 0; i < 3; i++) {
                sums[i] += colour[i] * alpha * sums[3];
            }
            sums[3] = left;
        }
    }
    return 0;
}

/* Some hundred parts of a sum below 1; what an opacity of 0.99 leaves is right to 2^-24 of a hundredth. */
static int splat_tiles_check(struct clbench *b) {
    const cl_float4 *got = b->buffer[5].host;
    long pixels = (long)width_of(b) * height_of(b), unclear = 0, ended = 0, tried = 0;
    int ok = 1;
    down(b, 5);
    for (long at = 0; ok && at < pixels; at += pixels / 20000 + 1, tried++) {
        double sums[4] = {0.0, 0.0, 0.0, 1.0};
        int how = splatted(b, at % width_of(b), at / width_of(b), sums);
        unclear += how < 0, ended += how > 0;
        for (int i = 0; ok && how >= 0 && i < 4; i++) {
            ok = near("light", at * 4 + i, got[at].s[i], sums[i], 3e-5);
        }
    }
    return ok && same("most are clear", 0, unclear * 4 < tried, 1) && same("some end", 0, ended > 0 && ended * 4 < tried * 3, 1);
}

enum { LEVELS = 12, SLOTS = 1 << 14 };

static void hash_encode_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * 3 * sizeof(float)), b->size * 3, 1151);
    cl_uint *sides = make(b, 1, LEVELS * sizeof *sides);
    for (int level = 0; level < LEVELS; level++) {
        sides[level] = (cl_uint)floor(12.0 * pow(1.4, level));
    }
    fill_between(make(b, 2, (size_t)LEVELS * SLOTS * 2 * sizeof(float)), (long)LEVELS * SLOTS * 2, 1152, -1.0f, 1.0f);
    make(b, 3, (size_t)b->size * LEVELS * sizeof(cl_float2));
    ((float *)b->buffer[0].host)[1] = 1.0f;
    up(b, 0), up(b, 1), up(b, 2);
}

static void hash_encode_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, levels = LEVELS;
    cl_uint slots = SLOTS;
    launch(b, "hash_encode", RANGE2(round_up(count, 64), LEVELS, 64, 1), B(0), V(count), B(1), B(2), V(slots), V(levels), B(3));
}

/* A corner counts as much as it is near along all axes. */
static void features_of(const struct clbench *b, const float *point, int level, double *sums) {
    const float *table = (float *)b->buffer[2].host + (size_t)level * SLOTS * 2;
    uint32_t side = ((cl_uint *)b->buffer[1].host)[level], along = side + 1, low[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = point[axis] == 1.0f ? side - 1 : (uint32_t)((double)point[axis] * side);
    }
    for (uint32_t z = low[2]; z <= low[2] + 1; z++) {
        for (uint32_t y = low[1]; y <= low[1] + 1; y++) {
            for (uint32_t x = low[0]; x <= low[0] + 1; x++) {
                double weight = (1.0 - fabs((double)point[0] * side - x)) * (1.0 - fabs((double)point[1] * side - y));
                weight *= 1.0 - fabs((double)point[2] * side - z);
                uint32_t hashed = (x ^ (uint32_t)(y * 2654435761ull) ^ (uint32_t)(z * 805459861ull)) % SLOTS;
                uint32_t slot = (uint64_t)along * along * along <= SLOTS ? x + along * (y + along * z) : hashed;
                sums[0] += weight * table[2 * slot], sums[1] += weight * table[2 * slot + 1];
            }
        }
    }
}

/* Places in the finest grid are below 2^9 and right to 2^-16 along each axis; features differ by 2 from corner to corner. */
static int hash_encode_check(struct clbench *b) {
    const float *points = b->buffer[0].host, *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < b->size * LEVELS; at += b->size * LEVELS / 50000 + 1) {
        double sums[2] = {0.0, 0.0};
        features_of(b, points + at / LEVELS * 3, (int)(at % LEVELS), sums);
        ok = near("feature", at * 2, got[at * 2], sums[0], 1e-4) && near("feature", at * 2 + 1, got[at * 2 + 1], sums[1], 1e-4);
    }
    return ok;
}

const struct workload round11_scene_workloads[] = {
    WORKLOAD(round11_scene, idct_blocks, 17, 251, 501, 1201),
    WORKLOAD(round11_scene, splat_tiles, 3, 15, 31, 71),
    WORKLOAD(round11_scene, hash_encode, 201, 30011, 120011, 600011),
    END_OF_WORKLOADS,
};

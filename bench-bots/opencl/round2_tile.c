/* Groups that share a tile of local memory. Sizes are elements, of `convolve_tile` pixels along a side. */
#include "workloads.h"

enum { REACH = 8, TAPS = 2 * REACH + 1 };

static void convolve_tile_prepare(struct clbench *b) {
    long pixels = b->size * b->size;
    fill_unit(make(b, 0, (size_t)pixels * sizeof(float)), pixels, 211);
    make(b, 1, (size_t)pixels * sizeof(float));
    make(b, 2, (size_t)pixels * sizeof(float));
    float *weight = make(b, 3, TAPS * sizeof(float));
    for (int k = 0; k < TAPS; k++) {
        weight[k] = (float)(exp(-0.04 * (k - REACH) * (k - REACH)) / 8.8);
    }
    up(b, 0), up(b, 3);
}

static void convolve_tile_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "convolve_rows", RANGE2(round_up(n, 64), round_up(n, 4), 64, 4), V(n), V(n), B(3), B(0), B(1));
    launch(b, "convolve_columns", RANGE2(round_up(n, 16), round_up(n, 8), 16, 8), V(n), V(n), B(3), B(1), B(2));
}

/* The filter at a point along a line whose points are `apart`. */
static double along(const float *weight, const float *line, long n, long at, long apart) {
    double sum = 0.0;
    for (long k = -REACH; k <= REACH; k++) {
        sum += at + k >= 0 && at + k < n ? (double)weight[k + REACH] * line[(at + k) * apart] : 0.0;
    }
    return sum;
}

/* The columns are checked against rows that were found right. */
static int convolve_tile_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *rows = b->buffer[1].host, *got = b->buffer[2].host;
    const float *weight = b->buffer[3].host;
    long n = b->size;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long at = 0; ok && at < n * n; at++) {
        ok = near("along the row", at, rows[at], along(weight, in + at / n * n, n, at % n, 1), 1e-5) &&
             near("down the column", at, got[at], along(weight, rows + at % n, n, at / n, n), 1e-5);
    }
    return ok;
}

enum { RANK_ITEMS = 256, OFFSET_ITEMS = 128 };

static void compact_flags_prepare(struct clbench *b) {
    size_t n = (size_t)b->size;
    uint32_t state = 212;
    fill_unit(make(b, 0, n * sizeof(float)), b->size, 213);
    unsigned char *flag = make(b, 1, n);
    for (size_t i = 0; i < n; i++) {
        flag[i] = (random_word(&state) >> 8) % 5 < 2;
    }
    make(b, 2, n * sizeof(cl_uint));
    make(b, 3, round_up(b->size, RANK_ITEMS) / RANK_ITEMS * sizeof(cl_uint));
    make(b, 4, n * sizeof(float));
    up(b, 0), up(b, 1), up(b, 4);
}

static void compact_flags_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    size_t items = round_up(b->size, RANK_ITEMS);
    cl_uint groups = (cl_uint)(items / RANK_ITEMS);
    launch(b, "compact_rank", RANGE1(items, RANK_ITEMS), V(n), B(1), B(2), B(3));
    launch(b, "compact_offsets", RANGE1(OFFSET_ITEMS, OFFSET_ITEMS), V(groups), B(3),
           LOCAL(OFFSET_ITEMS * sizeof(cl_uint)));
    launch(b, "compact_move", RANGE1(items, RANK_ITEMS), V(n), B(1), B(2), B(3), B(0), B(4));
}

static int compact_flags_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[4].host;
    const unsigned char *flag = b->buffer[1].host;
    long place = 0;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        if (flag[i]) {
            ok = near("kept", place, got[place], in[i], 0.0);
            place++;
        }
    }
    for (; ok && place < b->size; place++) {
        ok = near("after the last", place, got[place], 0.0, 0.0);
    }
    return ok;
}

enum { RANGE_ITEMS = 128, RANGE_ELEMENTS = 2 * RANGE_ITEMS };

static void min_max_prepare(struct clbench *b) {
    fill_between(make(b, 0, (size_t)b->size * sizeof(float)), b->size, 214, -100.0f, 100.0f);
    make(b, 1, round_up(b->size, RANGE_ELEMENTS) / RANGE_ELEMENTS * 2 * sizeof(float));
    up(b, 0);
}

static void min_max_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "min_max", RANGE1(round_up(b->size, RANGE_ELEMENTS) / 2, RANGE_ITEMS), V(n), B(0), B(1));
}

static int min_max_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long from = 0; ok && from < b->size; from += RANGE_ELEMENTS, got += 2) {
        double low = in[from], high = in[from];
        for (long i = from; i < b->size && i < from + RANGE_ELEMENTS; i++) {
            low = fmin(low, in[i]), high = fmax(high, in[i]);
        }
        ok = near("least", from, got[0], low, 0.0) && near("greatest", from, got[1], high, 0.0);
    }
    return ok;
}

static const cl_uint throws = 64;

static void pi_darts_prepare(struct clbench *b) { make(b, 0, sizeof(cl_uint)); }

static void pi_darts_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    *(cl_uint *)b->buffer[0].host = 0;
    up(b, 0);
    launch(b, "pi_darts", RANGE1(round_up(b->size, 64), 64), V(n), V(throws), B(0));
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Eleven bits of each coordinate: nothing is rounded, so the count is exact. */
static int pi_darts_check(struct clbench *b) {
    const cl_uint *got = b->buffer[0].host;
    uint32_t hits = 0;
    down(b, 0);
    for (long i = 0; i < b->size; i++) {
        uint32_t state = (uint32_t)(i + 1) * 2654435761u;
        for (cl_uint k = 0; k < throws; k++) {
            uint32_t x = next_random(&state) >> 21, y = next_random(&state) >> 21;
            hits += x * x + y * y < 1u << 22;
        }
    }
    double pi = 4.0 * hits / ((double)b->size * throws);
    return same("hits", 0, *got, (long)hits) && near("pi", 0, pi, 3.14159, 0.05);
}

const struct workload round2_tile_workloads[] = {
    WORKLOAD(round2_tile, convolve_tile, 77, 509, 2045, 4093),
    WORKLOAD(round2_tile, compact_flags, 70003, 300003, 4000003, 16000003),
    WORKLOAD(round2_tile, min_max, 2003, 1000003, 16000003, 64000003),
    WORKLOAD(round2_tile, pi_darts, 1003, 20003, 200003, 1000003),
    END_OF_WORKLOADS,
};

/* Access patterns. Sizes are rows and columns, or elements. */
#include "workloads.h"

static void row_walk_prepare(struct clbench *b) {
    size_t n = (size_t)b->size;
    fill_unit(make(b, 0, n * n * sizeof(float)), b->size * b->size, 9);
    make(b, 1, n * sizeof(float));
    make(b, 2, n * sizeof(cl_int));
    up(b, 0);
}
#define column_walk_prepare row_walk_prepare
#define row_walk_branch_prepare row_walk_prepare

static void row_walk_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "row_walk", RANGE1((size_t)n, 64), V(n), B(0), B(1));
}

static void column_walk_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "column_walk", RANGE1((size_t)n, 64), V(n), B(0), B(1));
}

static void row_walk_branch_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "row_walk_branch", RANGE1((size_t)n, 64), V(n), B(0), B(1), B(2));
}

static int sums_are_right(struct clbench *b, long from_item, long from_step) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double sum = 0.0;
        for (long k = 0; k < b->size; k++) {
            sum += (double)in[i * from_item + k * from_step];
        }
        ok = near("sum", i, got[i], sum, 1e-4);
    }
    return ok;
}
static int row_walk_check(struct clbench *b) { return sums_are_right(b, b->size, 1); }
static int column_walk_check(struct clbench *b) { return sums_are_right(b, 1, b->size); }

static int row_walk_branch_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    const cl_int *where = b->buffer[2].host;
    long n = b->size;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long row = 0; ok && row < n; row++) {
        long place = 0;
        for (long k = 1; k < n; k++) {
            place = in[row * n + k] > in[row * n + place] ? k : place;
        }
        ok = same("place", row, where[row], place) && near("largest", row, got[row], in[row * n + place], 0.0);
    }
    return ok;
}

static void vector_add_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * sizeof(float);
    fill_unit(make(b, 0, bytes), b->size, 10);
    fill_unit(make(b, 1, bytes), b->size, 11);
    make(b, 2, bytes);
    up(b, 0), up(b, 1);
}

static void vector_add_once(struct clbench *b) {
    launch(b, "vector_add", RANGE1((size_t)b->size, 256), B(0), B(1), B(2));
}

static int vector_add_check(struct clbench *b) {
    const float *x = b->buffer[0].host, *y = b->buffer[1].host, *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("sum", i, got[i], x[i] + y[i], 0.0);
    }
    return ok;
}

static void gather_prepare(struct clbench *b) {
    vector_add_prepare(b);
    cl_int *index = b->buffer[1].host;
    uint32_t state = 12;
    for (long i = 0; i < b->size; i++) {
        index[i] = (cl_int)(random_word(&state) % (uint32_t)b->size);
    }
    up(b, 1);
}

static void gather_once(struct clbench *b) {
    launch(b, "gather", RANGE1((size_t)b->size, 256), B(0), B(1), B(2));
}

static int gather_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[2].host;
    const cl_int *index = b->buffer[1].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("gathered", i, got[i], in[index[i]], 0.0);
    }
    return ok;
}

const struct workload walk_workloads[] = {
    WORKLOAD(walk, row_walk, 128, 2048, 6144, 12288),
    WORKLOAD(walk, column_walk, 128, 2048, 6144, 12288),
    WORKLOAD(walk, row_walk_branch, 128, 2048, 6144, 12288),
    WORKLOAD(walk, vector_add, 4096, 4194304, 16777216, 67108864),
    WORKLOAD(walk, gather, 4096, 2097152, 16777216, 67108864),
    END_OF_WORKLOADS,
};

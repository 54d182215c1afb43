/* Rows of a matrix. Sizes are rows, or a side. */
#include "workloads.h"

/* A matrix of `size` rows in buffer 0, and `bytes` for the result in buffer 1. */
static void matrix_and_result(struct clbench *b, long columns, size_t bytes) {
    fill_between(make(b, 0, (size_t)(b->size * columns) * sizeof(float)), b->size * columns, 140, -1.0f, 1.0f);
    make(b, 1, bytes);
    up(b, 0);
}

enum { SUM_COLUMNS = 1000, SOFTMAX_COLUMNS = 257, GROUP_COLUMNS = 2048, GROUP_ITEMS = 128 };

static void row_sums_prepare(struct clbench *b) {
    matrix_and_result(b, SUM_COLUMNS, (size_t)b->size * sizeof(float));
}

static void row_sums_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size, columns = SUM_COLUMNS;
    launch(b, "row_sums", RANGE1(round_up(b->size, 64), 64), V(rows), V(columns), B(0), B(1));
}

static int row_sums_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (long i = 0; i < SUM_COLUMNS; i++) {
            sum += in[row * SUM_COLUMNS + i];
        }
        ok = near("sum", row, got[row], sum, 1e-4);
    }
    return ok;
}

static void row_softmax_prepare(struct clbench *b) {
    matrix_and_result(b, SOFTMAX_COLUMNS, (size_t)b->size * SOFTMAX_COLUMNS * sizeof(float));
}

static void row_softmax_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, columns = SOFTMAX_COLUMNS;
    launch(b, "row_softmax", RANGE1(round_up(b->size, 64), 64), V(rows), V(columns), B(0), B(1));
}

static int row_softmax_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long row = 0; ok && row < b->size; row++, in += SOFTMAX_COLUMNS, got += SOFTMAX_COLUMNS) {
        double sum = 0.0;
        for (long i = 0; i < SOFTMAX_COLUMNS; i++) {
            sum += exp((double)in[i]);
        }
        for (long i = 0; ok && i < SOFTMAX_COLUMNS; i++) {
            ok = near("softmax", row, got[i] * 100.0, exp((double)in[i]) / sum * 100.0, 1e-5);
        }
    }
    return ok;
}

static void matvec_group_prepare(struct clbench *b) {
    matrix_and_result(b, GROUP_COLUMNS, (size_t)b->size * sizeof(float));
    fill_unit(make(b, 2, GROUP_COLUMNS * sizeof(float)), GROUP_COLUMNS, 141);
    up(b, 2);
}

static void matvec_group_once(struct clbench *b) {
    cl_uint columns = GROUP_COLUMNS;
    launch(b, "matvec_group", RANGE1((size_t)b->size * GROUP_ITEMS, GROUP_ITEMS), V(columns), B(0), B(2), B(1),
           LOCAL(GROUP_ITEMS * sizeof(float)));
}

static int matvec_group_check(struct clbench *b) {
    const float *a = b->buffer[0].host, *x = b->buffer[2].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (long i = 0; i < GROUP_COLUMNS; i++) {
            sum += (double)a[row * GROUP_COLUMNS + i] * x[i];
        }
        ok = near("product", row, got[row], sum, 1e-4);
    }
    return ok;
}

/* The matrix is a little wider than high, so that mixing the two up shows. */
static long width_of(const struct clbench *b) { return b->size + 6; }

static void transpose_guarded_prepare(struct clbench *b) {
    matrix_and_result(b, width_of(b), (size_t)(b->size * width_of(b)) * sizeof(float));
}

static void transpose_guarded_once(struct clbench *b) {
    cl_uint width = (cl_uint)width_of(b), height = (cl_uint)b->size;
    launch(b, "transpose_guarded", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), V(width), V(height), B(0),
           B(1));
}

static int transpose_guarded_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long width = width_of(b), height = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < width * height; at++) {
        ok = near("transposed", at, got[at], in[at % height * width + at / height], 0.0);
    }
    return ok;
}

#define transpose_32x8_prepare transpose_guarded_prepare
#define transpose_32x8_check transpose_guarded_check

static void transpose_32x8_once(struct clbench *b) {
    cl_int width = (cl_int)width_of(b), height = (cl_int)b->size;
    launch(b, "transpose_32x8", RANGE2(round_up(width, 32), round_up(height, 32) / 4, 32, 8), V(width), V(height), B(0),
           B(1));
}

const struct workload round1_rows_workloads[] = {
    WORKLOAD(round1_rows, row_sums, 131, 4099, 16411, 65537),
    WORKLOAD(round1_rows, row_softmax, 131, 5003, 20011, 80021),
    WORKLOAD(round1_rows, matvec_group, 64, 1024, 8192, 32768),
    WORKLOAD(round1_rows, transpose_guarded, 61, 1021, 3011, 6011),
    WORKLOAD(round1_rows, transpose_32x8, 61, 1021, 3011, 6011),
    END_OF_WORKLOADS,
};

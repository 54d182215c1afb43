/* What an item does depends on its data. Sizes are values, rows, nodes, points, or points along a side. */
#include "workloads.h"

enum { LIST = 1500 };

static void linear_search_prepare(struct clbench *b) {
    cl_int *wanted = make(b, 0, (size_t)b->size * sizeof(cl_int)), *list = make(b, 1, LIST * sizeof(cl_int));
    uint32_t state = 160;
    for (long i = 0; i < LIST; i++) {
        list[i] = (cl_int)(random_word(&state) % LIST);
    }
    for (long i = 0; i < b->size; i++) {
        wanted[i] = (cl_int)(random_word(&state) % LIST);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void linear_search_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, length = LIST;
    launch(b, "linear_search", RANGE1(round_up(b->size, 64), 64), V(n), V(length), B(0), B(1), B(2));
}

static int linear_search_check(struct clbench *b) {
    const cl_int *wanted = b->buffer[0].host, *list = b->buffer[1].host, *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        long k = 0;
        while (k < LIST && list[k] != wanted[i]) {
            k++;
        }
        ok = same("place", i, got[i], k < LIST ? k : -1);
    }
    return ok;
}

static void lower_bound_prepare(struct clbench *b) {
    float *sorted = make(b, 1, (size_t)b->size * sizeof(float)), sum = 0.0f;
    uint32_t state = 161;
    for (long i = 0; i < b->size; i++) {
        sorted[i] = sum += random_unit(&state);
    }
    fill_between(make(b, 0, (size_t)b->size * sizeof(float)), b->size, 162, -1.0f, sum + 1.0f);
    make(b, 2, (size_t)b->size * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void lower_bound_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "lower_bound", RANGE1(round_up(b->size, 128), 128), V(n), V(n), B(0), B(1), B(2));
}

static int lower_bound_check(struct clbench *b) {
    const float *wanted = b->buffer[0].host, *sorted = b->buffer[1].host;
    const cl_uint *got = b->buffer[2].host;
    long n = b->size;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < n; i++) {
        long at = got[i];
        int right = at <= n && (at == n || sorted[at] >= wanted[i]) && (at == 0 || sorted[at - 1] < wanted[i]);
        ok = right || same("place", i, at, -1);
    }
    return ok;
}

/* Rows of 0 to 31 elements. */
static void csr_scalar_prepare(struct clbench *b) {
    cl_uint *start = make(b, 0, ((size_t)b->size + 1) * sizeof(cl_uint));
    uint32_t state = 163;
    for (long row = 0; row < b->size; row++) {
        start[row + 1] = start[row] + random_word(&state) % 32;
    }
    size_t elements = start[b->size];
    cl_uint *column = make(b, 1, (elements + 1) * sizeof(cl_uint));
    for (size_t k = 0; k < elements; k++) {
        column[k] = random_word(&state) % (uint32_t)b->size;
    }
    fill_unit(make(b, 2, (elements + 1) * sizeof(float)), (long)elements, 164);
    fill_unit(make(b, 3, (size_t)b->size * sizeof(float)), b->size, 165);
    make(b, 4, (size_t)b->size * sizeof(float));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void csr_scalar_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size;
    launch(b, "csr_scalar", RANGE1(round_up(b->size, 64), 64), V(rows), B(0), B(1), B(2), B(3), B(4));
}

static int csr_scalar_check(struct clbench *b) {
    const cl_uint *start = b->buffer[0].host, *column = b->buffer[1].host;
    const float *value = b->buffer[2].host, *x = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (cl_uint k = start[row]; k < start[row + 1]; k++) {
            sum += (double)value[k] * x[column[k]];
        }
        ok = near("row", row, got[row], sum, 1e-5);
    }
    return ok;
}

/* The first steps: paths that may go by these nodes. */
enum { NODES = 6 };

static void floyd_step_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * b->size) * sizeof(cl_uint);
    cl_uint *distance = make(b, 1, bytes);
    uint32_t state = 166;
    for (long i = 0; i < b->size * b->size; i++) {
        distance[i] = 1 + random_word(&state) % 1000;
    }
    make(b, 0, bytes);
}

static void floyd_step_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    memcpy(b->buffer[0].host, b->buffer[1].host, b->buffer[0].bytes);
    up(b, 0);
    for (cl_uint k = 0; k < NODES; k++) {
        launch(b, "floyd_step", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(k), B(0));
    }
}

static int floyd_step_check(struct clbench *b) {
    cl_uint *want = b->buffer[1].host;
    const cl_uint *got = b->buffer[0].host;
    long n = b->size;
    int ok = 1;
    down(b, 0);
    for (long k = 0; k < NODES; k++) {
        for (long at = 0; at < n * n; at++) {
            cl_uint by_k = want[at / n * n + k] + want[k * n + at % n];
            want[at] = by_k < want[at] ? by_k : want[at];
        }
    }
    for (long at = 0; ok && at < n * n; at++) {
        ok = same("distance", at, got[at], want[at]);
    }
    return ok;
}

enum { CENTRES = 10, FEATURES = 8 };

static void nearest_centre_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * FEATURES * sizeof(float)), b->size * FEATURES, 167);
    fill_unit(make(b, 1, CENTRES * FEATURES * sizeof(float)), CENTRES * FEATURES, 168);
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void nearest_centre_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, centres = CENTRES, features = FEATURES;
    launch(b, "nearest_centre", RANGE1(round_up(b->size, 256), 256), V(n), V(centres), V(features), B(0), B(1), B(2));
}

static double square_of_distance(const struct clbench *b, long point, long centre) {
    const float *p = b->buffer[0].host, *c = b->buffer[1].host;
    double sum = 0.0;
    for (long f = 0; f < FEATURES; f++) {
        double d = (double)p[point * FEATURES + f] - c[centre * FEATURES + f];
        sum += d * d;
    }
    return sum;
}

static int nearest_centre_check(struct clbench *b) {
    const cl_int *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        double least = square_of_distance(b, i, 0);
        for (long c = 1; c < CENTRES; c++) {
            least = fmin(least, square_of_distance(b, i, c));
        }
        ok = got[i] >= 0 && got[i] < CENTRES && near("distance", i, square_of_distance(b, i, got[i]), least, 1e-5);
    }
    return ok;
}

enum { MOST = 200 };
static const float left_edge = -2.2f, top_edge = -1.3f;

static float step_of(const struct clbench *b) { return 3.0f / (float)b->size; }

static void escape_time_prepare(struct clbench *b) { make(b, 0, (size_t)(b->size * b->size)); }

static void escape_time_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, most = MOST;
    cl_float step = step_of(b);
    launch(b, "escape_time", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(n), V(left_edge), V(top_edge),
           V(step), V(most), B(0));
}

/* A point near the border may leave at another step when a product and a sum are rounded together. */
static int escape_time_check(struct clbench *b) {
    const unsigned char *got = b->buffer[0].host;
    long n = b->size, differ = 0;
    down(b, 0);
    for (long at = 0; at < n * n; at++) {
        float x0 = left_edge + (float)(at % n) * step_of(b), y0 = top_edge + (float)(at / n) * step_of(b);
        float x = 0.0f, y = 0.0f;
        int i = 0;
        for (; i < MOST && x * x + y * y <= 4.0f; i++) {
            float xx = x * x, yy = y * y;
            y = 2.0f * x * y + y0;
            x = xx - yy + x0;
        }
        differ += got[at] != i;
    }
    return differ * 50 <= n * n || same("points that left at another step", n, differ, 0);
}

const struct workload round1_search_workloads[] = {
    WORKLOAD(round1_search, linear_search, 1003, 10007, 100003, 400009),
    WORKLOAD(round1_search, lower_bound, 1003, 100003, 2000003, 8000009),
    WORKLOAD(round1_search, csr_scalar, 1003, 100003, 1000003, 4000037),
    WORKLOAD(round1_search, floyd_step, 61, 509, 1021, 2039),
    WORKLOAD(round1_search, nearest_centre, 1003, 200003, 1000003, 4000037),
    WORKLOAD(round1_search, escape_time, 61, 381, 1531, 4093),
    END_OF_WORKLOADS,
};

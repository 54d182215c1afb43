/* Scan and reduction. Sizes are elements, a multiple of 256. */
#include "workloads.h"

static void scan_prepare(struct clbench *b) {
    cl_int *in = make(b, 0, (size_t)b->size * sizeof(cl_int));
    uint32_t state = 32;
    for (long i = 0; i < b->size; i++) {
        in[i] = (cl_int)(random_word(&state) % 100);
    }
    make(b, 1, (size_t)b->size * sizeof(cl_int));
    make(b, 2, (size_t)b->size / 256 * sizeof(cl_int));
    up(b, 0);
}

static void scan_once(struct clbench *b) {
    launch(b, "scan_groups", RANGE1((size_t)b->size, 256), B(0), B(1), B(2));
    down(b, 2);
    cl_int *total = b->buffer[2].host, before = 0;
    for (long i = 0; i < b->size / 256; i++) {
        cl_int here = total[i];
        total[i] = before;
        before += here;
    }
    up(b, 2);
    launch(b, "scan_add", RANGE1((size_t)b->size, 256), B(1), B(2));
}

static int scan_check(struct clbench *b) {
    const cl_int *in = b->buffer[0].host, *got = b->buffer[1].host;
    long sum = 0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        sum += in[i];
        ok = same("sum", i, got[i], sum);
    }
    return ok;
}

enum { GROUPS = 64 };

static void tree_reduction_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * sizeof(float)), b->size, 33);
    make(b, 1, GROUPS * sizeof(float));
    up(b, 0);
}

static void tree_reduction_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "tree_reduction", RANGE1(GROUPS * 256, 256), V(n), B(0), B(1));
}

static int tree_reduction_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *part = b->buffer[1].host;
    double want = 0.0, got = 0.0;
    down(b, 1);
    for (long i = 0; i < b->size; i++) {
        want += in[i];
    }
    for (long i = 0; i < GROUPS; i++) {
        got += part[i];
    }
    return near("sum", 0, got, want, 1e-5);
}

const struct workload collective_workloads[] = {
    WORKLOAD(collective, scan, 4096, 2097152, 16777216, 67108864),
    WORKLOAD(collective, tree_reduction, 32768, 8388608, 33554432, 134217728),
    END_OF_WORKLOADS,
};

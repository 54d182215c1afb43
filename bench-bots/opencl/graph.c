/* Irregular access. Sizes are nodes, rows, elements or letters. */
#include "parameters.h"
#include "workloads.h"

enum { DEGREE = 8 };

/* Rows of 0 to 2 * DEGREE entries at random columns, in buffers 0 (where rows begin) and 1 (columns). */
static long make_sparse(struct clbench *b, uint32_t seed) {
    cl_int *first = make(b, 0, (size_t)(b->size + 1) * sizeof(cl_int));
    for (long row = 0; row < b->size; row++) {
        first[row + 1] = first[row] + (cl_int)(random_word(&seed) % (2 * DEGREE + 1));
    }
    long entries = first[b->size];
    cl_int *column = make(b, 1, (size_t)(entries + 1) * sizeof(cl_int));
    for (long e = 0; e < entries; e++) {
        column[e] = (cl_int)(random_word(&seed) % (uint32_t)b->size);
    }
    up(b, 0), up(b, 1);
    return entries;
}

static void bfs_prepare(struct clbench *b) {
    make_sparse(b, 25);
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    make(b, 3, sizeof(cl_int));
}

void bfs_start(struct clbench *b) {
    cl_int *depth = b->buffer[2].host;
    memset(depth, 0xff, b->buffer[2].bytes);
    depth[0] = 0;
    up(b, 2);
}

static void bfs_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, *again = b->buffer[3].host;
    bfs_start(b);
    *again = 1;
    for (cl_int level = 0; *again; level++) {
        *again = 0;
        up(b, 3);
        launch(b, "bfs_level", RANGE1(((size_t)n + 255) / 256 * 256, 256), V(n), V(level), B(0), B(1), B(2), B(3));
        down(b, 3);
    }
}

static int bfs_check(struct clbench *b) {
    const cl_int *first = b->buffer[0].host, *neighbour = b->buffer[1].host, *got = b->buffer[2].host;
    cl_int *depth = malloc(2 * (size_t)b->size * sizeof(cl_int)), *queue = depth + b->size;
    long head = 0, tail = 1;
    int ok = depth != NULL;
    for (long i = 0; ok && i < b->size; i++) {
        depth[i] = i == 0 ? 0 : -1;
    }
    for (queue[0] = 0; ok && head < tail; head++) {
        for (cl_int e = first[queue[head]]; e < first[queue[head] + 1]; e++) {
            if (depth[neighbour[e]] < 0) {
                depth[neighbour[e]] = depth[queue[head]] + 1;
                queue[tail++] = neighbour[e];
            }
        }
    }
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("depth", i, got[i], depth[i]);
    }
    free(depth);
    return ok;
}

static void spmv_prepare(struct clbench *b) {
    long entries = make_sparse(b, 26);
    fill_unit(make(b, 2, (size_t)(entries + 1) * sizeof(float)), entries, 27);
    fill_unit(make(b, 3, (size_t)b->size * sizeof(float)), b->size, 28);
    make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 2), up(b, 3);
}

static void spmv_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "spmv", RANGE1(((size_t)n + 63) / 64 * 64, 64), V(n), B(0), B(1), B(2), B(3), B(4));
}

static int spmv_check(struct clbench *b) {
    const cl_int *first = b->buffer[0].host, *column = b->buffer[1].host;
    const float *value = b->buffer[2].host, *x = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (cl_int e = first[row]; e < first[row + 1]; e++) {
            sum += (double)value[e] * x[column[e]];
        }
        ok = near("product", row, got[row], sum, 1e-5);
    }
    return ok;
}

enum { PER_ITEM = 32 };

static void histogram_global_prepare(struct clbench *b) {
    cl_uint *in = make(b, 0, (size_t)b->size * sizeof(cl_uint));
    uint32_t state = 29;
    for (long i = 0; i < b->size; i++) {
        in[i] = random_word(&state);
    }
    make(b, 1, 256 * sizeof(cl_uint));
    up(b, 0);
}
#define histogram_local_prepare histogram_global_prepare

void histogram_start(struct clbench *b) {
    memset(b->buffer[1].host, 0, b->buffer[1].bytes);
    up(b, 1);
}

static void histogram_global_once(struct clbench *b) {
    histogram_start(b);
    launch(b, "histogram_global", RANGE1((size_t)b->size, 256), B(0), B(1));
}

static void histogram_local_once(struct clbench *b) {
    cl_int per_item = PER_ITEM;
    histogram_start(b);
    launch(b, "histogram_local", RANGE1((size_t)b->size / PER_ITEM, 128), V(per_item), B(0), B(1));
}

static int histogram_global_check(struct clbench *b) {
    const cl_uint *in = b->buffer[0].host, *got = b->buffer[1].host;
    long want[256] = {0};
    int ok = 1;
    for (long i = 0; i < b->size; i++) {
        want[in[i] & 255]++;
    }
    down(b, 1);
    for (long i = 0; ok && i < 256; i++) {
        ok = same("bin", i, got[i], want[i]);
    }
    return ok;
}
#define histogram_local_check histogram_global_check

static void binary_search_prepare(struct clbench *b) {
    cl_uint *sorted = make(b, 0, (size_t)b->size * sizeof(cl_uint));
    cl_uint *wanted = make(b, 1, (size_t)b->size * sizeof(cl_uint));
    uint32_t state = 30, value = 0;
    for (long i = 0; i < b->size; i++) {
        sorted[i] = value += random_word(&state) % 100;
    }
    for (long i = 0; i < b->size; i++) {
        wanted[i] = random_word(&state) % (value + 50);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void binary_search_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "binary_search", RANGE1((size_t)n, 64), V(n), B(0), B(1), B(2));
}

static int binary_search_check(struct clbench *b) {
    const cl_uint *sorted = b->buffer[0].host, *wanted = b->buffer[1].host;
    const cl_int *place = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        long at = place[i];
        int found = at >= 0 && at <= b->size && (at == b->size || sorted[at] >= wanted[i]) &&
                    (at == 0 || sorted[at - 1] < wanted[i]);
        ok = same("found", i, found, 1);
    }
    return ok;
}

enum { BLOCK = 16 };

static void wavefront_prepare(struct clbench *b) {
    uint32_t state = 31;
    for (int i = 0; i < 2; i++) {
        unsigned char *sequence = make(b, i, (size_t)b->size);
        for (long k = 0; k < b->size; k++) {
            sequence[k] = (unsigned char)(random_word(&state) % 4);
        }
        up(b, i);
    }
    make(b, 2, (size_t)((b->size + 1) * (b->size + 1)) * sizeof(cl_int));
}

static void border(cl_int *score, long n) {
    for (long i = 0; i <= n; i++) {
        score[i] = score[i * (n + 1)] = (cl_int)(-GAP * i);
    }
}

void wavefront_start(struct clbench *b) {
    border(b->buffer[2].host, b->size);
    up(b, 2);
}

static void wavefront_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, blocks = n / BLOCK, gap = GAP;
    wavefront_start(b);
    for (cl_int diagonal = 0; diagonal < 2 * blocks - 1; diagonal++) {
        cl_int first = diagonal < blocks ? 0 : diagonal - blocks + 1;
        cl_int last = diagonal < blocks ? diagonal : blocks - 1;
        launch(b, "wavefront", RANGE1((size_t)(last - first + 1) * BLOCK, BLOCK), V(n), V(diagonal), V(first),
               V(gap), B(0), B(1), B(2));
    }
}

static int wavefront_check(struct clbench *b) {
    long n = b->size, row = n + 1;
    const unsigned char *a = b->buffer[0].host, *c = b->buffer[1].host;
    cl_int *want = malloc((size_t)(row * row) * sizeof(cl_int));
    const cl_int *got = b->buffer[2].host;
    int ok = want != NULL;
    if (ok) {
        border(want, n);
    }
    down(b, 2);
    for (long at = 0; ok && at < n * n; at++) {
        long x = at % n, y = at / n;
        const cl_int *above = want + y * row + x, *here = above + row;
        cl_int match = above[0] + (a[y] == c[x] ? 3 : -2);
        cl_int gapped = (above[1] > here[0] ? above[1] : here[0]) - GAP;
        want[(y + 1) * row + x + 1] = match > gapped ? match : gapped;
        ok = same("score", at, got[(y + 1) * row + x + 1], match > gapped ? match : gapped);
    }
    free(want);
    return ok;
}

const struct workload graph_workloads[] = {
    WORKLOAD(graph, bfs, 1000, 200000, 1000000, 4000000),
    WORKLOAD(graph, spmv, 1000, 300000, 1500000, 6000000),
    WORKLOAD(graph, histogram_global, 8192, 1048576, 8388608, 33554432),
    WORKLOAD(graph, histogram_local, 8192, 4194304, 33554432, 134217728),
    WORKLOAD(graph, binary_search, 1024, 524288, 4194304, 16777216),
    WORKLOAD(graph, wavefront, 64, 1024, 3072, 8192),
    END_OF_WORKLOADS,
};

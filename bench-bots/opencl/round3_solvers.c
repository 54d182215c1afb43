/* Steps of solvers. Sizes are rows, cells along a side, passes of radix 4 and nodes. */
#include "workloads.h"

/* Compressed rows or lists of edges: each has up to `most` entries, any of `count`. Gives the number of entries. */
static cl_uint fill_lists(struct clbench *b, int first_buffer, int entry_buffer, long count, cl_uint most,
                          uint32_t seed) {
    cl_uint *first = make(b, first_buffer, (size_t)(count + 1) * sizeof *first);
    uint32_t state = seed;
    for (long i = 0; i < count; i++) {
        first[i + 1] = first[i] + (random_word(&state) >> 8) % (most + 1);
    }
    cl_uint *entry = make(b, entry_buffer, (size_t)first[count] * sizeof *entry);
    for (cl_uint i = 0; i < first[count]; i++) {
        entry[i] = (random_word(&state) >> 4) % (cl_uint)count;
    }
    up(b, first_buffer), up(b, entry_buffer);
    return first[count];
}

static void csr_vector_prepare(struct clbench *b) {
    cl_uint entries = fill_lists(b, 0, 1, b->size, 90, 321);
    fill_between(make(b, 2, (size_t)entries * sizeof(float)), entries, 322, -1.0f, 1.0f);
    fill_between(make(b, 3, (size_t)b->size * sizeof(float)), b->size, 323, -1.0f, 1.0f);
    make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 2), up(b, 3);
}

static void csr_vector_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size;
    launch(b, "csr_vector", RANGE1(round_up(32 * b->size, 128), 128), V(rows), B(0), B(1), B(2), B(3), B(4));
}

static int csr_vector_check(struct clbench *b) {
    const cl_uint *first = b->buffer[0].host, *column = b->buffer[1].host;
    const float *value = b->buffer[2].host, *x = b->buffer[3].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (cl_uint i = first[row]; i < first[row + 1]; i++) {
            sum += (double)value[i] * x[column[i]];
        }
        ok = near("row", row, got[row], sum, 1e-5);
    }
    return ok;
}

static const float share[4] = {0.25f, 0.05f, 0.025f, 0.01f};

static void stencil27_prepare(struct clbench *b) {
    long cells = b->size * b->size * b->size;
    fill_unit(make(b, 0, (size_t)cells * sizeof(float)), cells, 324);
    make(b, 1, (size_t)cells * sizeof(float));
    memcpy(make(b, 2, sizeof share), share, sizeof share);
    up(b, 0), up(b, 2);
}

static void stencil27_once(struct clbench *b) {
    size_t side = (size_t)b->size;
    cl_int n = (cl_int)b->size;
    launch(b, "stencil27", RANGE3(side, side, side, 0, 0, 0), V(n), B(2), B(0), B(1));
}

static int stencil27_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n * n; at++) {
        long place[3] = {at % n, at / n % n, at / n / n};
        double sum = 0.0;
        int border = 0;
        for (int axis = 0; axis < 3; axis++) {
            border |= place[axis] == 0 || place[axis] == n - 1;
        }
        for (int k = 0; !border && k < 27; k++) {
            int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            sum += (double)share[dx * dx + dy * dy + dz * dz] * in[at + (dz * n + dy) * n + dx];
        }
        ok = near("cell", at, got[at], border ? in[at] : sum, 1e-5);
    }
    return ok;
}

/* Three times a power of four. */
static cl_uint points(const struct clbench *b) { return 3u << 2 * b->size; }

static void fft_mixed_prepare(struct clbench *b) {
    long n = points(b);
    fill_between(make(b, 0, (size_t)n * sizeof(cl_float2)), 2 * n, 325, -1.0f, 1.0f);
    make(b, 1, (size_t)n * sizeof(cl_float2));
    make(b, 2, (size_t)n * sizeof(cl_float2));
    up(b, 0);
}

/* From buffer 0 to 1, 2, 1 and so on. */
static void fft_mixed_once(struct clbench *b) {
    cl_uint n = points(b), done = 1;
    launch(b, "fft_radix3", RANGE1(round_up(n / 3, 64), 64), V(n), V(done), B(0), B(1));
    done = 3;
    for (long pass = 0; pass < b->size; pass++, done *= 4) {
        int from = 1 + (int)(pass % 2), to = 3 - from;
        launch(b, "fft_radix4", RANGE1(round_up(n / 4, 64), 64), V(n), V(done), B(from), B(to));
    }
}

/* Eight frequencies by definition, in units of what they are like. */
static int fft_mixed_check(struct clbench *b) {
    int last = 1 + (int)(b->size % 2);
    const float *in = b->buffer[0].host, *got = b->buffer[last].host;
    long n = points(b);
    double unit = sqrt((double)n);
    uint32_t state = 326;
    int ok = 1;
    down(b, last);
    for (int k = 0; ok && k < 8; k++) {
        long frequency = (long)(random_word(&state) >> 2) % n;
        double re = 0.0, im = 0.0;
        for (long i = 0; i < n; i++) {
            double angle = -2.0 * M_PI * (double)(frequency * i % n) / (double)n;
            re += in[2 * i] * cos(angle) - in[2 * i + 1] * sin(angle);
            im += in[2 * i] * sin(angle) + in[2 * i + 1] * cos(angle);
        }
        ok = near("real part", frequency, got[2 * frequency] / unit, re / unit, 1e-4) &&
             near("imaginary part", frequency, got[2 * frequency + 1] / unit, im / unit, 1e-4);
    }
    return ok;
}

/* Buffers of `frontier`: the graph, the distances, two queues and the second one's length. */
enum { FIRST, EDGE, DISTANCE, QUEUE, COUNT = QUEUE + 2 };

static void frontier_prepare(struct clbench *b) {
    fill_lists(b, FIRST, EDGE, b->size, 11, 327);
    make(b, DISTANCE, (size_t)b->size * sizeof(cl_int));
    make(b, QUEUE, (size_t)b->size * sizeof(cl_uint));
    make(b, QUEUE + 1, (size_t)b->size * sizeof(cl_uint));
    make(b, COUNT, sizeof(cl_uint));
}

static void frontier_once(struct clbench *b) {
    cl_int *distance = b->buffer[DISTANCE].host;
    cl_uint *next = b->buffer[COUNT].host, count = 1;
    for (long i = 0; i < b->size; i++) {
        distance[i] = i == 0 ? 0 : -1;
    }
    *(cl_uint *)b->buffer[QUEUE].host = 0;
    up(b, DISTANCE), up(b, QUEUE);
    for (cl_int level = 1; count > 0; level++) {
        int from = QUEUE + (level + 1) % 2, to = QUEUE + level % 2;
        *next = 0;
        up(b, COUNT);
        launch(b, "frontier_step", RANGE1(round_up(count, 64), 64), V(count), V(level), B(from), B(FIRST), B(EDGE),
               B(DISTANCE), B(to), B(COUNT));
        down(b, COUNT);
        count = *next;
    }
}

/* A serial search with one queue. */
static int frontier_check(struct clbench *b) {
    const cl_uint *first = b->buffer[FIRST].host, *edge = b->buffer[EDGE].host;
    const cl_int *got = b->buffer[DISTANCE].host;
    long *distance = malloc((size_t)b->size * sizeof *distance), *queue = malloc((size_t)b->size * sizeof *queue);
    int ok = distance != NULL && queue != NULL;
    long tail = ok ? 1 : 0;
    down(b, DISTANCE);
    for (long i = 0; ok && i < b->size; i++) {
        distance[i] = queue[i] = i == 0 ? 0 : -1;
    }
    for (long head = 0; head < tail; head++) {
        long node = queue[head];
        for (cl_uint e = first[node]; e < first[node + 1]; e++) {
            if (distance[edge[e]] == -1) {
                distance[edge[e]] = distance[node] + 1;
                queue[tail++] = edge[e];
            }
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("distance", i, got[i], distance[i]);
    }
    free(distance);
    free(queue);
    return ok;
}

const struct workload round3_solvers_workloads[] = {
    WORKLOAD(round3_solvers, csr_vector, 103, 5003, 60013, 250007),
    WORKLOAD(round3_solvers, stencil27, 19, 61, 131, 255),
    WORKLOAD(round3_solvers, fft_mixed, 3, 7, 9, 10),
    WORKLOAD(round3_solvers, frontier, 301, 40009, 200003, 1000003),
    END_OF_WORKLOADS,
};

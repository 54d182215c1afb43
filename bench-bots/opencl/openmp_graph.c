/* The kernels of graph.cl in C with OpenMP. */
#include "openmp.h"
#include "parameters.h"
#include "workloads.h"

/* Whether a node of the front reaches one that nobody has reached yet. Two that reach the same write the same. */
static inline int reach_neighbours(int from, int to, int next, const int *restrict neighbour, int *depth) {
    int found = 0;
    for (int e = from; e < to; e++) {
        int *there = depth + neighbour[e], known;
#pragma omp atomic read
        known = *there;
        if (known < 0) {
#pragma omp atomic write
            *there = next;
            found = 1;
        }
    }
    return found;
}

void bfs_openmp(struct clbench *b) {
    const int *restrict first = memory(b, 0), *restrict neighbour = memory(b, 1);
    int *depth = memory(b, 2);
    long n = b->size;
    bfs_start(b);
    begin(b);
    int again = 1;
    for (int level = 0; again; level++) {
        again = 0;
#pragma omp parallel for reduction(| : again) schedule(static)
        for (long node = 0; node < n; node++) {
            int known;
#pragma omp atomic read
            known = depth[node];
            if (known == level) {
                again |= reach_neighbours(first[node], first[node + 1], level + 1, neighbour, depth);
            }
        }
    }
    end(b);
}

/* Rows are too short for vectors. */
void spmv_openmp(struct clbench *b) {
    const int *restrict first = memory(b, 0), *restrict column = memory(b, 1);
    const float *restrict value = memory(b, 2), *restrict x = memory(b, 3);
    float *restrict y = memory(b, 4);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; row++) {
        float sum = 0.0f;
        for (int e = first[row]; e < first[row + 1]; e++) {
            sum += value[e] * x[column[e]];
        }
        y[row] = sum;
    }
    end(b);
}

/* Each thread has bins of its own, whether the kernel counts in global or in local memory. */
void histogram_global_openmp(struct clbench *b) {
    const unsigned *restrict in = memory(b, 0);
    unsigned *bins = memory(b, 1);
    long n = b->size;
    histogram_start(b);
    begin(b);
#pragma omp parallel for reduction(+ : bins[:256]) schedule(static)
    for (long i = 0; i < n; i++) {
        bins[in[i] & 255]++;
    }
    end(b);
}

void histogram_local_openmp(struct clbench *b) { histogram_global_openmp(b); }

enum { SEARCHES = 16 }; /* that go on together; sizes are multiples of it */

/* All halve the same numbers of elements, so that they differ in nothing but where they are. */
static void search_together(int n, const unsigned *restrict sorted, const unsigned *restrict wanted, int *restrict place) {
    int low[SEARCHES] = {0};
    for (int left = n; left > 0; left /= 2) {
        int half = left / 2;
#pragma omp simd
        for (int i = 0; i < SEARCHES; i++) {
            low[i] += (sorted[low[i] + half] < wanted[i]) * (left - half);
        }
    }
    memcpy(place, low, sizeof low);
}

void binary_search_openmp(struct clbench *b) {
    const unsigned *restrict sorted = memory(b, 0), *restrict wanted = memory(b, 1);
    int *restrict place = memory(b, 2), n = (int)b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += SEARCHES) {
        search_together(n, sorted, wanted + i, place + i);
    }
    end(b);
}

enum { SIDE = 64 }; /* of a block: larger than a group's, because a thread has more to do than an item */

static void align_block(long n, long left, long top, const unsigned char *restrict a, const unsigned char *restrict c,
                        int *restrict score) {
    long row = n + 1, right = least_of(left + SIDE, n), bottom = least_of(top + SIDE, n);
    for (long y = top; y < bottom; y++) {
        const int *above = score + y * row;
        int *here = score + (y + 1) * row;
        for (long x = left; x < right; x++) {
            int match = above[x] + (a[y] == c[x] ? 3 : -2);
            int gapped = (above[x + 1] > here[x] ? above[x + 1] : here[x]) - GAP;
            here[x + 1] = match > gapped ? match : gapped;
        }
    }
}

void wavefront_openmp(struct clbench *b) {
    const unsigned char *a = memory(b, 0), *c = memory(b, 1);
    int *score = memory(b, 2);
    long n = b->size, blocks = (n + SIDE - 1) / SIDE;
    wavefront_start(b);
    begin(b);
#pragma omp parallel
    for (long diagonal = 0; diagonal < 2 * blocks - 1; diagonal++) {
        long first = diagonal < blocks ? 0 : diagonal - blocks + 1;
        long last = diagonal < blocks ? diagonal : blocks - 1;
#pragma omp for schedule(dynamic, 1)
        for (long x = first; x <= last; x++) {
            align_block(n, x * SIDE, (diagonal - x) * SIDE, a, c, score);
        }
    }
    end(b);
}

/* Numbers. Sizes are problems, nodes, products. */
#include "workloads.h"

enum { ROWS = 100, COLUMNS = 16, UNKNOWNS = COLUMNS - 1 };

static void least_squares_prepare(struct clbench *b) {
    long values = b->size * ROWS * COLUMNS;
    fill_between(make(b, 0, (size_t)values * sizeof(cl_float)), values, 981, -1.0f, 1.0f);
    make(b, 1, (size_t)b->size * COLUMNS * COLUMNS * sizeof(cl_float));
    make(b, 2, (size_t)b->size * UNKNOWNS * sizeof(cl_float));
    make(b, 3, (size_t)b->size * sizeof(cl_float));
    up(b, 0);
}

static void least_squares_once(struct clbench *b) {
    cl_int rows = ROWS;
    launch(b, "least_squares", RANGE1((size_t)b->size * 128, 128), B(0), V(rows), B(1), B(2), B(3));
}

/* Solves the normal equations: elimination without exchanges, which such matrices do not need. */
static void solve_normal(double m[COLUMNS][COLUMNS], double *x) {
    for (int k = 0; k < UNKNOWNS; k++) {
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double part = m[i][k] / m[k][k];
            for (int j = k; j < COLUMNS; j++) {
                m[i][j] -= part * m[k][j];
            }
        }
    }
    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        x[k] = m[k][UNKNOWNS];
        for (int j = k + 1; j < UNKNOWNS; j++) {
            x[k] -= m[k][j] * x[j];
        }
        x[k] /= m[k][k];
    }
}

/* Reflections are exact to rows * columns * 2^-24, about 1e-4 of a column's length, which is below 7; the condition is about 2. The
 * triangle's product with itself is as that of the problem, so its errors are of two lengths. */
static int least_squares_check(struct clbench *b) {
    const float *triangles = b->buffer[1].host, *solutions = b->buffer[2].host, *rests = b->buffer[3].host;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    for (long problem = 0; ok && problem < b->size; problem++) {
        const float *a = (float *)b->buffer[0].host + problem * ROWS * COLUMNS, *r = triangles + problem * COLUMNS * COLUMNS;
        double m[COLUMNS][COLUMNS] = {{0.0}}, x[UNKNOWNS], rest = 0.0;
        for (int i = 0; i < COLUMNS * COLUMNS; i++) {
            double product = 0.0;
            for (int row = 0; row < ROWS; row++) {
                m[i / COLUMNS][i % COLUMNS] += (double)a[row * COLUMNS + i / COLUMNS] * a[row * COLUMNS + i % COLUMNS];
            }
            for (int row = 0; row < UNKNOWNS; row++) {
                product += (double)r[row * COLUMNS + i / COLUMNS] * r[row * COLUMNS + i % COLUMNS];
            }
            if (i / COLUMNS < UNKNOWNS) {
                double want = m[i / COLUMNS][i % COLUMNS];
                ok = ok && (fabs(product - want) < 5e-3 || near("triangle", problem * 256 + i, product, want, 0.0));
            }
            ok = ok && (i / COLUMNS <= i % COLUMNS || near("below", problem * 256 + i, r[i], 0.0, 0.0));
        }
        solve_normal(m, x);
        for (int row = 0; row < ROWS; row++) {
            double error = a[row * COLUMNS + UNKNOWNS];
            for (int k = 0; k < UNKNOWNS; k++) {
                error -= a[row * COLUMNS + k] * x[k];
            }
            rest += error * error;
        }
        for (int k = 0; ok && k < UNKNOWNS; k++) {
            ok = near("solution", problem * UNKNOWNS + k, solutions[problem * UNKNOWNS + k], x[k], 2e-4);
        }
        ok = ok && near("rest", problem, rests[problem], sqrt(rest), 1e-4);
    }
    return ok;
}

enum { TRIES = 24 };

static int by_target(const void *a, const void *b) { return *(const cl_int *)a - *(const cl_int *)b; }

/* Edges go to nodes nearby, or to the last ones, which have many. */
static void triangle_count_prepare(struct clbench *b) {
    long nodes = b->size;
    cl_int *starts = make(b, 0, (size_t)(nodes + 1) * sizeof *starts);
    cl_int *targets = make(b, 1, (size_t)nodes * TRIES * sizeof *targets);
    cl_int *sources = make(b, 2, (size_t)nodes * TRIES * sizeof *sources);
    uint32_t state = 991;
    for (long node = 0; node < nodes; node++) {
        cl_int *mine = targets + starts[node];
        long tries = 2 + (long)(random_word(&state) % (TRIES - 1)), count = 0;
        for (long i = 0; i < tries; i++) {
            double u = random_unit(&state);
            mine[i] = (cl_int)(i % 2 ? node + 1 + (long)(u * 30.0) : nodes - 1 - (long)(u * u * u * (double)nodes));
        }
        qsort(mine, (size_t)tries, sizeof *mine, by_target);
        for (long i = 0; i < tries; i++) {
            if (mine[i] > node && mine[i] < nodes && (count == 0 || mine[i] != mine[count - 1])) {
                sources[starts[node] + count] = (cl_int)node;
                mine[count++] = mine[i];
            }
        }
        starts[node + 1] = starts[node] + (cl_int)count;
    }
    make(b, 3, (size_t)nodes * sizeof(cl_uint));
    make(b, 4, sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void triangle_count_once(struct clbench *b) {
    cl_int nodes = (cl_int)b->size, edges = ((cl_int *)b->buffer[0].host)[nodes];
    launch(b, "triangles_clear", RANGE1(round_up(nodes, 256), 256), B(3), V(nodes), B(4));
    launch(b, "triangles_of_edges", RANGE1(round_up(edges, 128), 128), B(0), B(1), B(2), V(edges), B(3), B(4));
}

/* Marks what a node has edges to, and looks at the edges of those. */
static int triangle_count_check(struct clbench *b) {
    const cl_int *starts = b->buffer[0].host, *targets = b->buffer[1].host;
    const cl_uint *got = b->buffer[3].host;
    long nodes = b->size, total = 0;
    cl_uint *want = calloc((size_t)nodes, sizeof *want);
    char *marked = calloc((size_t)nodes, 1);
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long u = 0; u < nodes; u++) {
        for (cl_int e = starts[u]; e < starts[u + 1]; e++) {
            marked[targets[e]] = 1;
        }
        for (cl_int e = starts[u]; e < starts[u + 1]; e++) {
            for (cl_int f = starts[targets[e]]; f < starts[targets[e] + 1]; f++) {
                if (marked[targets[f]]) {
                    want[u]++, want[targets[e]]++, want[targets[f]]++, total++;
                }
            }
        }
        for (cl_int e = starts[u]; e < starts[u + 1]; e++) {
            marked[targets[e]] = 0;
        }
    }
    for (long u = 0; ok && u < nodes; u++) {
        ok = same("of node", u, got[u], want[u]);
    }
    free(want), free(marked);
    return ok && same("total", 0, *(cl_uint *)b->buffer[4].host, total) && same("some", 0, total > nodes, 1);
}

enum { Q = 12289, GENERATOR = 11, TERMS = 512 };

static cl_uint power_of(cl_uint base, cl_uint exponent) {
    cl_uint power = 1;
    for (cl_uint i = 0; i < exponent; i++) {
        power = power * base % Q;
    }
    return power;
}

static void ring_products_prepare(struct clbench *b) {
    long values = b->size * TERMS;
    cl_ushort *left = make(b, 0, (size_t)values * sizeof *left), *right = make(b, 1, (size_t)values * sizeof *right);
    cl_ushort *roots = make(b, 2, TERMS * sizeof *roots), *inverses = make(b, 3, TERMS * sizeof *inverses);
    cl_uint root = power_of(GENERATOR, (Q - 1) / (2 * TERMS)), inverse = power_of(root, Q - 2), state = 995;
    for (long i = 0; i < values; i++) {
        left[i] = (cl_ushort)(random_word(&state) % Q);
        right[i] = (cl_ushort)(random_word(&state) % Q);
    }
    for (cl_uint i = 0; i < TERMS; i++) {
        cl_uint reversed = 0;
        for (cl_uint bit = 1; bit < TERMS; bit *= 2) {
            reversed = reversed * 2 + (i & bit ? 1 : 0);
        }
        roots[i] = (cl_ushort)power_of(root, reversed), inverses[i] = (cl_ushort)power_of(inverse, reversed);
    }
    make(b, 4, (size_t)values * sizeof(cl_ushort));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void ring_products_once(struct clbench *b) {
    cl_uint one_over_terms = power_of(TERMS, Q - 2);
    launch(b, "ring_products", RANGE1((size_t)b->size * TERMS / 2, TERMS / 2), B(0), B(1), B(2), B(3), V(one_over_terms), B(4));
}

/* Term by term; what goes beyond the end comes back with the other sign. */
static int ring_products_check(struct clbench *b) {
    const cl_ushort *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long product = 0; ok && product < b->size; product += b->size / 300 + 1) {
        const cl_ushort *left = (cl_ushort *)b->buffer[0].host + product * TERMS;
        const cl_ushort *right = (cl_ushort *)b->buffer[1].host + product * TERMS;
        for (int k = 0; ok && k < TERMS; k++) {
            int64_t sum = 0;
            for (int i = 0; i < TERMS; i++) {
                sum += (i <= k ? 1 : -1) * (int64_t)left[i] * right[(k - i + TERMS) % TERMS];
            }
            ok = same("term", product * TERMS + k, got[product * TERMS + k], (long)((sum % Q + Q) % Q));
        }
    }
    return ok;
}

const struct workload round9_numbers_workloads[] = {
    WORKLOAD(round9_numbers, least_squares, 7, 301, 1201, 8009),
    WORKLOAD(round9_numbers, triangle_count, 301, 10007, 50021, 300007),
    WORKLOAD(round9_numbers, ring_products, 5, 501, 2003, 10007),
    END_OF_WORKLOADS,
};

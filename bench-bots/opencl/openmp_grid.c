/* The kernels of stencil.cl in C with OpenMP. */
#include "openmp.h"
#include "parameters.h"

void stencil2d_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size;
    size_t row_bytes = (size_t)n * sizeof(float);
    begin(b);
#pragma omp parallel for schedule(static)
    for (long y = 0; y < n; y++) {
        const float *here = in + y * n, *above = here - n, *below = here + n;
        float *to = out + y * n;
        if (y == 0 || y == n - 1) {
            memcpy(to, here, row_bytes);
            continue;
        }
        to[0] = here[0];
#pragma omp simd
        for (long x = 1; x < n - 1; x++) {
            float sides = here[x - 1] + here[x + 1] + above[x] + below[x];
            float corners = above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1];
            to[x] = 0.25f * here[x] + 0.15f * sides + 0.0375f * corners;
        }
        to[n - 1] = here[n - 1];
    }
    end(b);
}

void stencil3d_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size, plane = n * n;
    size_t row_bytes = (size_t)n * sizeof(float);
    begin(b);
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < n; z++) {
        for (long y = 0; y < n; y++) {
            const float *here = in + z * plane + y * n;
            float *to = out + z * plane + y * n;
            if (z == 0 || y == 0 || z == n - 1 || y == n - 1) {
                memcpy(to, here, row_bytes);
                continue;
            }
            to[0] = here[0];
#pragma omp simd
            for (long x = 1; x < n - 1; x++) {
                to[x] = 0.4f * here[x] + 0.1f * (here[x - 1] + here[x + 1] + here[x - n] + here[x + n] + here[x - plane] +
                                                 here[x + plane]);
            }
            to[n - 1] = here[n - 1];
        }
    }
    end(b);
}

/* Without the columns that the kernel keeps in registers and the planes that it keeps in local memory: caches have them. */
void fdtd_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0), *restrict weights = memory(b, 2);
    float *restrict out = memory(b, 1);
    long n = b->size, row = n + 2 * RADIUS, plane = row * row;
    const float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3], w4 = weights[4];
    begin(b);
#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < n; z++) {
        for (long y = 0; y < n; y++) {
            const float *p = in + (z + RADIUS) * plane + (y + RADIUS) * row + RADIUS;
            float *to = out + (z + RADIUS) * plane + (y + RADIUS) * row + RADIUS;
#define AROUND(x, r) (p[x - r] + p[x + r] + p[x - r * row] + p[x + r * row] + p[x - r * plane] + p[x + r * plane])
#pragma omp simd
            for (long x = 0; x < n; x++) {
                to[x] = w0 * p[x] + w1 * AROUND(x, 1) + w2 * AROUND(x, 2) + w3 * AROUND(x, 3) + w4 * AROUND(x, 4);
            }
        }
    }
    end(b);
}

/* Directions as in stencil.cl: 0 stays; 1 to 4 go east, north, west, south; 5 to 8 north-east, north-west, south-west, south-east. */
enum { DIRECTIONS = 9 };

/* Where a row takes each direction from, and where its own begins. */
struct row {
    const float *from[DIRECTIONS];
    float *to[DIRECTIONS];
};

static struct row row_at(long n, long y, const float *in, float *out) {
    static const int flow_y[DIRECTIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    struct row row;
    for (long d = 0; d < DIRECTIONS; d++) {
        row.from[d] = in + d * n * n + (y - flow_y[d] + n) % n * n;
        row.to[d] = out + d * n * n + y * n;
    }
    return row;
}

static inline float relaxed(float f, float share, float density, float along, float square) {
    float rest = share * density * (1.0f + along + 0.5f * along * along - square);
    return f + relaxation * (rest - f);
}

/* The point `x` of a row, and its neighbours to the west and east. */
static inline void relax_point(const struct row *row, long west, long x, long east) {
    const float straight = 1.0f / 9, aslant = 1.0f / 36;
    float f0 = row->from[0][x], f1 = row->from[1][west], f2 = row->from[2][x], f3 = row->from[3][east], f4 = row->from[4][x];
    float f5 = row->from[5][west], f6 = row->from[6][east], f7 = row->from[7][east], f8 = row->from[8][west];
    float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float vx = (f1 - f3 + f5 - f6 - f7 + f8) / density, vy = (f2 - f4 + f5 + f6 - f7 - f8) / density;
    float square = 1.5f * (vx * vx + vy * vy);
    row->to[0][x] = relaxed(f0, 4.0f / 9, density, 0.0f, square);
    row->to[1][x] = relaxed(f1, straight, density, 3.0f * vx, square);
    row->to[2][x] = relaxed(f2, straight, density, 3.0f * vy, square);
    row->to[3][x] = relaxed(f3, straight, density, -3.0f * vx, square);
    row->to[4][x] = relaxed(f4, straight, density, -3.0f * vy, square);
    row->to[5][x] = relaxed(f5, aslant, density, 3.0f * (vx + vy), square);
    row->to[6][x] = relaxed(f6, aslant, density, 3.0f * (vy - vx), square);
    row->to[7][x] = relaxed(f7, aslant, density, -3.0f * (vx + vy), square);
    row->to[8][x] = relaxed(f8, aslant, density, 3.0f * (vx - vy), square);
}

void lattice_boltzmann_openmp(struct clbench *b) {
    long n = b->size;
    up(b, 0);
    begin(b);
    for (int step = 0; step < STEPS; step++) {
        const float *in = memory(b, step % 2);
        float *out = memory(b, (step + 1) % 2);
#pragma omp parallel for schedule(static)
        for (long y = 0; y < n; y++) {
            const struct row row = row_at(n, y, in, out);
            relax_point(&row, n - 1, 0, 1);
#pragma omp simd
            for (long x = 1; x < n - 1; x++) {
                relax_point(&row, x - 1, x, x + 1);
            }
            relax_point(&row, n - 2, n - 1, 0);
        }
    }
    end(b);
}

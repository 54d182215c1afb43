/* The kernels of body.cl in C with OpenMP. */
#include "openmp.h"
#include "parameters.h"
#include "workloads.h"

/* The bodies' x, y, z and masses, each in an array of their own behind one another: all of a body's kind are read together. */
static float *apart(long n, const float *restrict body) {
    float *parts = aligned_alloc(64, round_up(4 * n * (long)sizeof(float), 64));
    for (long i = 0; i < n; i++) {
        for (long c = 0; c < 4; c++) {
            parts[c * n + i] = body[4 * i + c];
        }
    }
    return parts;
}

void nbody_openmp(struct clbench *b) {
    float *restrict force = memory(b, 1);
    long n = b->size;
    begin(b);
    float *parts = apart(n, memory(b, 0));
    const float *restrict x = parts, *restrict y = parts + n, *restrict z = parts + 2 * n, *restrict mass = parts + 3 * n;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (long j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            float strength = mass[j] * inverse * inverse * inverse;
            fx += dx * strength;
            fy += dy * strength;
            fz += dz * strength;
        }
        force[4 * i] = fx, force[4 * i + 1] = fy, force[4 * i + 2] = fz, force[4 * i + 3] = 0.0f;
    }
    free(parts);
    end(b);
}

/* A charge is added to all points of a row, which stays in the first cache. */
void cutoff_openmp(struct clbench *b) {
    const float *restrict charge = memory(b, 0);
    float *restrict potential = memory(b, 1);
    const float limit = reach * reach;
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long y = 0; y < n; y++) {
        float *restrict sum = potential + y * n;
        memset(sum, 0, (size_t)n * sizeof(float));
        for (long i = 0; i < CHARGES; i++) {
            const float *q = charge + 4 * i;
            float dy = q[1] - 0.1f * (float)y, across = dy * dy + q[2] * q[2];
#pragma omp simd
            for (int x = 0; x < n; x++) {
                float dx = q[0] - 0.1f * (float)x, square = dx * dx + across;
                if (square < limit) {
                    float fade = 1.0f - square / limit;
                    sum[x] += q[3] / sqrtf(square) * fade * fade;
                }
            }
        }
    }
    end(b);
}

enum { VOXELS = 256 }; /* whose sums stay in the first cache */

void mriq_openmp(struct clbench *b) {
    const float *restrict sample = memory(b, 0);
    const float *restrict x = memory(b, 1), *restrict y = memory(b, 2), *restrict z = memory(b, 3);
    float *restrict real = memory(b, 4), *restrict imaginary = memory(b, 5);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long from = 0; from < n; from += VOXELS) {
        long to = least_of(from + VOXELS, n);
        memset(real + from, 0, (size_t)(to - from) * sizeof(float));
        memset(imaginary + from, 0, (size_t)(to - from) * sizeof(float));
        for (long k = 0; k < SAMPLES; k++) {
            const float *s = sample + 4 * k;
#pragma omp simd
            for (long i = from; i < to; i++) {
                float angle = 6.2831853f * (s[0] * x[i] + s[1] * y[i] + s[2] * z[i]);
                real[i] += s[3] * cosf(angle);
                imaginary[i] += s[3] * sinf(angle);
            }
        }
    }
    end(b);
}

enum { POINTS = 64 }; /* that go through the features together; sizes are multiples of it */

/* The squares of the distances of POINTS points, `step` apart from feature to feature, to a place. */
static inline void distances(long features, long step, const float *restrict point, const float *restrict place,
                             float *restrict distance) {
    memset(distance, 0, POINTS * sizeof(float));
    for (long f = 0; f < features; f++) {
#pragma omp simd
        for (long i = 0; i < POINTS; i++) {
            float apart = point[f * step + i] - place[f];
            distance[i] += apart * apart;
        }
    }
}

void kmeans_openmp(struct clbench *b) {
    const float *restrict point = memory(b, 0), *restrict centre = memory(b, 1);
    int *restrict nearest = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long from = 0; from < n; from += POINTS) {
        float distance[POINTS], least[POINTS];
        int best[POINTS];
        for (int c = 0; c < CENTRES; c++) {
            distances(FEATURES, n, point + from, centre + c * FEATURES, distance);
#pragma omp simd
            for (long i = 0; i < POINTS; i++) {
                int nearer = c == 0 || distance[i] < least[i];
                best[i] = nearer ? c : best[i];
                least[i] = nearer ? distance[i] : least[i];
            }
        }
        memcpy(nearest + from, best, sizeof best);
    }
    end(b);
}

void streamcluster_openmp(struct clbench *b) {
    const float *restrict point = memory(b, 0), *restrict cost = memory(b, 1);
    float *restrict gain = memory(b, 3), candidate[COORDINATES];
    int *restrict moves = memory(b, 4);
    long n = b->size;
    begin(b);
    for (long f = 0; f < COORDINATES; f++) {
        candidate[f] = point[f * n + CANDIDATE];
    }
#pragma omp parallel for schedule(static)
    for (long from = 0; from < n; from += POINTS) {
        float distance[POINTS];
        distances(COORDINATES, n, point + from, candidate, distance);
#pragma omp simd
        for (long i = 0; i < POINTS; i++) {
            int nearer = distance[i] < cost[from + i];
            gain[from + i] = nearer ? cost[from + i] - distance[i] : 0.0f;
            moves[from + i] = nearer;
        }
    }
    end(b);
}

static void likelihoods(long n, const unsigned char *restrict image, const int *restrict offset, const int *restrict particle,
                        float *restrict likelihood) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        const unsigned char *here = image + particle[2 * i + 1] * IMAGE + particle[2 * i];
        int sum = 0;
        for (int k = 0; k < WINDOW; k++) {
            int value = here[offset[k]];
            sum += (value - 100) * (value - 100) - (value - 228) * (value - 228);
        }
        likelihood[i] = expf((float)sum / (25600.0f * WINDOW));
    }
}

/* Later particles look farther, so that equal parts would not be equal work. */
static void choose(long n, const float *restrict cumulative, int *restrict chosen) {
#pragma omp parallel for schedule(dynamic, 64)
    for (long i = 0; i < n; i++) {
        float wanted = (first_share + (float)i) / (float)n;
        long found = 0;
        while (found < n - 1 && cumulative[found] < wanted) {
            found++;
        }
        chosen[i] = (int)found;
    }
}

void particle_filter_openmp(struct clbench *b) {
    begin(b);
    likelihoods(b->size, memory(b, 0), memory(b, 1), memory(b, 2), memory(b, 3));
    end(b);
    particle_filter_weigh(b);
    begin(b);
    choose(b->size, memory(b, 4), memory(b, 5));
    end(b);
}

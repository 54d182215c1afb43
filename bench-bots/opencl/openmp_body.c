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

enum { STRIP = 32 }; /* points of a row that are passed over together where a charge reaches none; sizes are multiples of it */

/* Adds a charge of strength `q` to the points whose squared distances to it are less than `limit`. */
static inline void add_charge(float q, float limit, const float *restrict square, float *restrict sum) {
#pragma omp simd
    for (long i = 0; i < STRIP; i++) {
        float fade = 1.0f - square[i] / limit;
        float potential = q / sqrtf(square[i]) * fade * fade;
        sum[i] += square[i] < limit ? potential : 0.0f;
    }
}

/* A strip's sums of all charges. `x` is where it begins. */
static void potential_of(int x, float y, float limit, const float *restrict charge, float *restrict sum) {
    for (long i = 0; i < CHARGES; i++) {
        const float *q = charge + 4 * i;
        float square[STRIP], dy = q[1] - y, across = dy * dy + q[2] * q[2];
        int reached = 0;
#pragma omp simd reduction(+ : reached)
        for (int k = 0; k < STRIP; k++) {
            float dx = q[0] - 0.1f * (float)(x + k);
            square[k] = dx * dx + across;
            reached += square[k] < limit;
        }
        if (reached > 0) {
            add_charge(q[3], limit, square, sum);
        }
    }
}

void cutoff_openmp(struct clbench *b) {
    const float *restrict charge = memory(b, 0);
    float *restrict potential = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel for collapse(2) schedule(dynamic, 8)
    for (long y = 0; y < n; y++) {
        for (long x = 0; x < n; x += STRIP) {
            float sum[STRIP] = {0.0f};
            potential_of((int)x, 0.1f * (float)y, reach * reach, charge, sum);
            memcpy(potential + y * n + x, sum, sizeof sum);
        }
    }
    end(b);
}

enum { VOXELS = 256 }; /* whose angles and sums stay in the first cache; sizes are multiples of it */

/* What a sample adds to each voxel. Sines have a loop of their own: gcc makes one call of both, which has no vector form. */
static void add_sample(const float *restrict s, const float *restrict x, const float *restrict y, const float *restrict z,
                       float *restrict real, float *restrict imaginary) {
    float angle[VOXELS];
#pragma omp simd
    for (long i = 0; i < VOXELS; i++) {
        angle[i] = 6.2831853f * (s[0] * x[i] + s[1] * y[i] + s[2] * z[i]);
    }
#pragma omp simd
    for (long i = 0; i < VOXELS; i++) {
        real[i] += s[3] * cosf(angle[i]);
    }
#pragma omp simd
    for (long i = 0; i < VOXELS; i++) {
        imaginary[i] += s[3] * sinf(angle[i]);
    }
}

void mriq_openmp(struct clbench *b) {
    const float *restrict sample = memory(b, 0);
    const float *restrict x = memory(b, 1), *restrict y = memory(b, 2), *restrict z = memory(b, 3);
    float *restrict real = memory(b, 4), *restrict imaginary = memory(b, 5);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long from = 0; from < n; from += VOXELS) {
        float re[VOXELS] = {0.0f}, im[VOXELS] = {0.0f};
        for (long k = 0; k < SAMPLES; k++) {
            add_sample(sample + 4 * k, x + from, y + from, z + from, re, im);
        }
        memcpy(real + from, re, sizeof re);
        memcpy(imaginary + from, im, sizeof im);
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

enum { STRETCH = 32 }; /* places that are looked at together; sizes are multiples of it */

/* The first place of what ascends whose value is not below `wanted`: by stretches, until one has values that are not. */
static inline long first_not_below(long n, const float *restrict ascending, float wanted) {
    for (long k = 0; k < n; k += STRETCH) {
        int below = 0;
#pragma omp simd reduction(+ : below)
        for (long i = 0; i < STRETCH; i++) {
            below += ascending[k + i] < wanted;
        }
        if (below < STRETCH) {
            return k + below;
        }
    }
    return n;
}

/* Later particles look farther, so that equal parts would not be equal work. */
static void choose(long n, const float *restrict cumulative, int *restrict chosen) {
#pragma omp parallel for schedule(dynamic, 64)
    for (long i = 0; i < n; i++) {
        float wanted = (first_share + (float)i) / (float)n;
        chosen[i] = (int)least_of(first_not_below(n, cumulative, wanted), n - 1);
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

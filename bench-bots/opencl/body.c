/* Many against many. Sizes are bodies, points, voxels or particles: multiples of 64. */
#include "parameters.h"
#include "workloads.h"

static void nbody_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * sizeof(cl_float4)), 4 * b->size, 13);
    make(b, 1, (size_t)b->size * sizeof(cl_float4));
    up(b, 0);
}

static void nbody_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "nbody", RANGE1((size_t)n, 64), V(n), V(soft), B(0), B(1));
}

static int nbody_check(struct clbench *b) {
    const float *body = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, stride = n / 200 + 1;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < n; i += stride) {
        double f[3] = {0.0, 0.0, 0.0};
        for (long j = 0; j < n; j++) {
            double d[3], square = (double)soft;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)body[4 * j + c] - body[4 * i + c];
                square += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++) {
                f[c] += d[c] * body[4 * j + 3] / (square * sqrt(square));
            }
        }
        for (int c = 0; ok && c < 3; c++) {
            /* Forces cancel out: what is left may be small beside its parts, of which there are n. */
            ok = near("force", 4 * i + c, got[4 * i + c] / (double)n, f[c] / (double)n, 1e-4);
        }
    }
    return ok;
}

static void cutoff_prepare(struct clbench *b) {
    float *charge = make(b, 0, CHARGES * sizeof(cl_float4));
    fill_unit(charge, 4 * CHARGES, 14);
    for (long i = 0; i < CHARGES; i++) {
        charge[4 * i] *= 0.1f * (float)b->size;
        charge[4 * i + 1] *= 0.1f * (float)b->size;
        charge[4 * i + 2] += 0.1f;
    }
    make(b, 1, (size_t)(b->size * b->size) * sizeof(float));
    up(b, 0);
}

static void cutoff_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, charges = CHARGES;
    launch(b, "cutoff", RANGE2((size_t)n, (size_t)n, 64, 1), V(n), V(charges), V(reach), B(0), B(1));
}

static int cutoff_check(struct clbench *b) {
    const float *charge = b->buffer[0].host, *got = b->buffer[1].host;
    long n = b->size, stride = n * n / 20000 + 1;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < n * n; at += stride) {
        double sum = 0.0;
        for (long i = 0; i < CHARGES; i++) {
            const float *q = charge + 4 * i;
            double dx = q[0] - (double)0.1f * (double)(at % n), dy = q[1] - (double)0.1f * (double)(at / n);
            double square = dx * dx + dy * dy + (double)q[2] * q[2], limit = (double)reach * reach;
            double fade = 1.0 - square / limit;
            sum += square < limit ? q[3] / sqrt(square) * fade * fade : 0.0;
        }
        ok = near("potential", at, got[at], sum, 1e-3);
    }
    return ok;
}

static void mriq_prepare(struct clbench *b) {
    fill_unit(make(b, 0, SAMPLES * sizeof(cl_float4)), 4 * SAMPLES, 15);
    for (int i = 1; i <= 3; i++) {
        fill_unit(make(b, i, (size_t)b->size * sizeof(float)), b->size, 15 + (uint32_t)i);
        up(b, i);
    }
    make(b, 4, (size_t)b->size * sizeof(float));
    make(b, 5, (size_t)b->size * sizeof(float));
    up(b, 0);
}

static void mriq_once(struct clbench *b) {
    cl_int samples = SAMPLES;
    launch(b, "mriq", RANGE1((size_t)b->size, 64), V(samples), B(0), B(1), B(2), B(3), B(4), B(5));
}

static int mriq_check(struct clbench *b) {
    const float *sample = b->buffer[0].host, *x = b->buffer[1].host, *y = b->buffer[2].host, *z = b->buffer[3].host;
    const float *real = b->buffer[4].host, *imaginary = b->buffer[5].host;
    long stride = b->size / 2000 + 1;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i += stride) {
        double re = 0.0, im = 0.0;
        for (long k = 0; k < SAMPLES; k++) {
            const float *s = sample + 4 * k;
            double angle = 6.283185307179586 * ((double)s[0] * x[i] + (double)s[1] * y[i] + (double)s[2] * z[i]);
            re += s[3] * cos(angle), im += s[3] * sin(angle);
        }
        ok = near("real", i, real[i], re, 1e-3) && near("imaginary", i, imaginary[i], im, 1e-3);
    }
    return ok;
}

static void kmeans_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * FEATURES * sizeof(float)), b->size * FEATURES, 20);
    fill_unit(make(b, 1, CENTRES * FEATURES * sizeof(float)), CENTRES * FEATURES, 21);
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void kmeans_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, features = FEATURES, centres = CENTRES;
    launch(b, "kmeans", RANGE1((size_t)n, 64), V(n), V(features), V(centres), B(0), B(1), B(2));
}

static double apart(const struct clbench *b, long point, long centre) {
    const float *p = b->buffer[0].host, *c = b->buffer[1].host;
    double distance = 0.0;
    for (long f = 0; f < FEATURES; f++) {
        double d = (double)p[f * b->size + point] - c[centre * FEATURES + f];
        distance += d * d;
    }
    return distance;
}

static int kmeans_check(struct clbench *b) {
    const cl_int *nearest = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        double least = apart(b, i, 0);
        for (long c = 1; c < CENTRES; c++) {
            least = fmin(least, apart(b, i, c));
        }
        /* Two centres may be equally far but for rounding. */
        ok = nearest[i] >= 0 && nearest[i] < CENTRES && near("distance", i, apart(b, i, nearest[i]), least, 1e-5);
    }
    return ok;
}

static void streamcluster_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * COORDINATES * sizeof(float)), b->size * COORDINATES, 22);
    float *cost = make(b, 1, (size_t)b->size * sizeof(float));
    fill_unit(cost, b->size, 23);
    for (long i = 0; i < b->size; i++) {
        cost[i] *= 12.0f;
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    make(b, 3, (size_t)b->size * sizeof(float));
    make(b, 4, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void streamcluster_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, features = COORDINATES, candidate = CANDIDATE;
    launch(b, "streamcluster", RANGE1((size_t)n, 128), V(n), V(features), V(candidate), B(0), B(1), B(2),
           LOCAL(COORDINATES * sizeof(float)), B(3), B(4));
}

static int streamcluster_check(struct clbench *b) {
    const float *point = b->buffer[0].host, *cost = b->buffer[1].host, *gain = b->buffer[3].host;
    const cl_int *moves = b->buffer[4].host;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double distance = 0.0;
        for (long f = 0; f < COORDINATES; f++) {
            double d = (double)point[f * b->size + i] - point[f * b->size + CANDIDATE];
            distance += d * d;
        }
        double want = fmax(0.0, cost[i] - distance);
        ok = near("gain", i, gain[i], want, 1e-5) && same("moves", i, moves[i], gain[i] > 0.0f);
    }
    return ok;
}

static void particle_filter_prepare(struct clbench *b) {
    uint32_t state = 24;
    unsigned char *image = make(b, 0, IMAGE * IMAGE);
    cl_int *offset = make(b, 1, WINDOW * sizeof(cl_int)), *particle = make(b, 2, (size_t)b->size * sizeof(cl_int2));
    for (int i = 0; i < IMAGE * IMAGE; i++) {
        image[i] = (unsigned char)(random_word(&state) % 256);
    }
    for (int k = 0; k < WINDOW; k++) {
        offset[k] = (k / 8 - 4) * IMAGE + k % 8 - 4;
    }
    for (long i = 0; i < 2 * b->size; i++) {
        particle[i] = 8 + (cl_int)(random_word(&state) % (IMAGE - 16));
    }
    make(b, 3, (size_t)b->size * sizeof(float));
    make(b, 4, (size_t)b->size * sizeof(float));
    make(b, 5, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

void particle_filter_weigh(struct clbench *b) {
    down(b, 3);
    const float *likelihood = b->buffer[3].host;
    float *cumulative = b->buffer[4].host;
    double sum = 0.0, so_far = 0.0;
    for (long i = 0; i < b->size; i++) {
        sum += likelihood[i];
    }
    for (long i = 0; i < b->size; i++) {
        so_far += likelihood[i];
        cumulative[i] = (float)(so_far / sum);
    }
    up(b, 4);
}

static void particle_filter_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, window = WINDOW, width = IMAGE;
    launch(b, "particle_likelihood", RANGE1((size_t)n, 64), V(window), V(width), B(0), B(1), B(2), B(3));
    particle_filter_weigh(b);
    launch(b, "particle_choose", RANGE1((size_t)n, 64), V(n), V(first_share), B(4), B(5));
}

static int particle_filter_check(struct clbench *b) {
    const unsigned char *image = b->buffer[0].host;
    const cl_int *offset = b->buffer[1].host, *particle = b->buffer[2].host, *chosen = b->buffer[5].host;
    const float *likelihood = b->buffer[3].host, *cumulative = b->buffer[4].host;
    long n = b->size;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < n; i++) {
        long sum = 0;
        for (int k = 0; k < WINDOW; k++) {
            long value = image[particle[2 * i + 1] * IMAGE + particle[2 * i] + offset[k]];
            sum += (value - 100) * (value - 100) - (value - 228) * (value - 228);
        }
        long found = 0;
        float wanted = (first_share + (float)i) / (float)n;
        while (found < n - 1 && cumulative[found] < wanted) {
            found++;
        }
        ok = near("likelihood", i, likelihood[i], exp((double)sum / (25600.0 * WINDOW)), 1e-5) &&
             same("chosen", i, chosen[i], found);
    }
    return ok;
}

const struct workload body_workloads[] = {
    WORKLOAD(body, nbody, 256, 4096, 16384, 65536),
    WORKLOAD(body, cutoff, 64, 192, 512, 1024),
    WORKLOAD(body, mriq, 256, 8192, 65536, 262144),
    WORKLOAD(body, kmeans, 512, 131072, 524288, 2097152),
    WORKLOAD(body, streamcluster, 512, 131072, 524288, 2097152),
    WORKLOAD(body, particle_filter, 256, 8192, 16384, 65536),
    END_OF_WORKLOADS,
};

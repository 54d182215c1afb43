/* The kernels of walk.cl, collective.cl and formula.cl in C with OpenMP. */
#include "openmp.h"
#include "parameters.h"

#include <omp.h>

void row_walk_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; row++) {
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (long k = 0; k < n; k++) {
            sum += in[row * n + k];
        }
        out[row] = sum;
    }
    end(b);
}

enum { BAND = 512 }; /* columns that are summed together: their sums stay in the first cache */

void column_walk_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long left = 0; left < n; left += BAND) {
        long right = least_of(left + BAND, n);
        memset(out + left, 0, (size_t)(right - left) * sizeof(float));
        for (long k = 0; k < n; k++) {
#pragma omp simd
            for (long column = left; column < right; column++) {
                out[column] += in[k * n + column];
            }
        }
    }
    end(b);
}

enum { LANES = 32 }; /* places that are searched beside each other */

/* The largest of a row of a multiple of LANES, and its first place. */
static long largest_of(long n, const float *restrict row) {
    float largest[LANES];
    int place[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        largest[lane] = row[lane];
        place[lane] = lane;
    }
    for (int k = LANES; k < n; k += LANES) {
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) {
            float value = row[k + lane];
            place[lane] = value > largest[lane] ? k + lane : place[lane];
            largest[lane] = value > largest[lane] ? value : largest[lane];
        }
    }
    int best = 0;
    for (int lane = 1; lane < LANES; lane++) {
        int earlier = largest[lane] == largest[best] && place[lane] < place[best];
        best = largest[lane] > largest[best] || earlier ? lane : best;
    }
    return place[best];
}

void row_walk_branch_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *restrict out = memory(b, 1);
    int *restrict where = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; row++) {
        long place = largest_of(n, in + row * n);
        out[row] = in[row * n + place];
        where[row] = (int)place;
    }
    end(b);
}

void vector_add_openmp(struct clbench *b) {
    const float *restrict x = memory(b, 0), *restrict y = memory(b, 1);
    float *restrict out = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++) {
        out[i] = x[i] + y[i];
    }
    end(b);
}

void gather_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    const int *restrict index = memory(b, 1);
    float *restrict out = memory(b, 2);
    long n = b->size;
    begin(b);
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++) {
        out[i] = in[index[i]];
    }
    end(b);
}

enum { MOST_THREADS = 1024 };

/* Each thread sums its part, then goes through it again from what is before it. */
void scan_openmp(struct clbench *b) {
    const int *restrict in = memory(b, 0);
    int *restrict out = memory(b, 1);
    static int total[MOST_THREADS];
    long n = b->size;
    begin(b);
#pragma omp parallel
    {
        long thread = omp_get_thread_num(), threads = omp_get_num_threads();
        long from = n * thread / threads, to = n * (thread + 1) / threads;
        int sum = 0;
#pragma omp simd reduction(+ : sum)
        for (long i = from; i < to; i++) {
            sum += in[i];
        }
        total[thread] = sum;
#pragma omp barrier
        sum = 0;
        for (long before = 0; before < thread; before++) {
            sum += total[before];
        }
        for (long i = from; i < to; i++) {
            sum += in[i];
            out[i] = sum;
        }
    }
    end(b);
}

enum { PART = 4096 }; /* elements that are summed by themselves, so that few small ones are added to a large sum */

/* One sum, where the kernel leaves one for each of its groups. */
void tree_reduction_openmp(struct clbench *b) {
    const float *restrict in = memory(b, 0);
    float *out = memory(b, 1);
    long n = b->size;
    float sum = 0.0f;
    memset(out, 0, b->buffer[1].bytes);
    begin(b);
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long from = 0; from < n; from += PART) {
        long to = least_of(from + PART, n);
        float part = 0.0f;
#pragma omp simd reduction(+ : part)
        for (long i = from; i < to; i++) {
            part += in[i];
        }
        sum += part;
    }
    out[0] = sum;
    end(b);
}

static inline float normal_share(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float sum = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

void black_scholes_openmp(struct clbench *b) {
    const float *restrict price = memory(b, 0), *restrict strike = memory(b, 1), *restrict years = memory(b, 2);
    float *restrict call = memory(b, 3), *restrict put = memory(b, 4);
    long n = b->size;
    begin(b);
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
        float d2 = d1 - volatility * root;
        float later = strike[i] * expf(-rate * years[i]);
        call[i] = price[i] * normal_share(d1) - later * normal_share(d2);
        put[i] = later * normal_share(-d2) - price[i] * normal_share(-d1);
    }
    end(b);
}

enum { ORBITS = 32 }; /* that are followed together, until all have left; sizes are multiples of it */

/* The steps of the points from `x` on. What has left is computed on, but counts no more. */
static void follow(long x, float scale, float ci, int *restrict steps) {
    float cr[ORBITS], re[ORBITS], im[ORBITS];
    int count[ORBITS];
    for (long i = 0; i < ORBITS; i++) {
        cr[i] = (float)(x + i) * scale - 2.0f;
        re[i] = im[i] = 0.0f;
        count[i] = 0;
    }
    int going = ORBITS;
    for (int step = 0; step < LIMIT && going > 0; step++) {
        going = 0;
#pragma omp simd reduction(+ : going)
        for (long i = 0; i < ORBITS; i++) {
            int inside = count[i] == step && re[i] * re[i] + im[i] * im[i] <= 4.0f;
            float next = re[i] * re[i] - im[i] * im[i] + cr[i];
            im[i] = 2.0f * re[i] * im[i] + ci;
            re[i] = next;
            count[i] += inside;
            going += inside;
        }
    }
    memcpy(steps, count, sizeof count);
}

void mandelbrot_set_openmp(struct clbench *b) {
    int *restrict steps = memory(b, 0);
    long n = b->size;
    float scale = 2.5f / (float)n;
    begin(b);
#pragma omp parallel for schedule(dynamic, 4)
    for (long y = 0; y < n; y++) {
        for (long x = 0; x < n; x += ORBITS) {
            follow(x, scale, (float)y * scale - 1.25f, steps + y * n + x);
        }
    }
    end(b);
}

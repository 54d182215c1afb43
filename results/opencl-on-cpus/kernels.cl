/* Kernels of results/opencl-on-cpus: what the paper varies, in our own words. Where a kernel has `n`, an item does the work of n
 * neighbours in a loop, and a launch has 1 / n of the items. */

kernel void square(global const float *a, global float *c, int n) {
    int first = (int)get_global_id(0) * n;
    for (int i = first; i < first + n; i++)
        c[i] = a[i] * a[i];
}

kernel void vector_add(global const float *a, global const float *b, global float *c, int n) {
    int first = (int)get_global_id(0) * n;
    for (int i = first; i < first + n; i++)
        c[i] = a[i] + b[i];
}

/* The same without a loop, as a programmer writes it who knows nothing of coalescing. */
kernel void square_plain(global const float *a, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i] * a[i];
}

kernel void vector_add_plain(global const float *a, global const float *b, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

/* In the manner of MRI-Q: the sum over all samples of a sine and a cosine of a phase. */
kernel void phases(global const float *x, global const float4 *samples, global float2 *sums, int count, int n) {
    int first = (int)get_global_id(0) * n;
    for (int i = first; i < first + n; i++) {
        float re = 0.0f, im = 0.0f;
        for (int k = 0; k < count; k++) {
            float4 s = samples[k];
            float angle = 6.2831853f * (s.x * x[i] + s.y * x[i] * 0.5f + s.z * 0.25f);
            re += s.w * cos(angle);
            im += s.w * sin(angle);
        }
        sums[i] = (float2)(re, im);
    }
}

/* In the manner of CP: the potential of all atoms at the points of a grid, n points of a row in an item. */
kernel void potential(global const float4 *atoms, global float *grid, int count, int n) {
    int x = (int)get_global_id(0) * n, y = get_global_id(1), width = (int)get_global_size(0) * n;
    for (int i = x; i < x + n; i++) {
        float sum = 0.0f;
        for (int k = 0; k < count; k++) {
            float4 atom = atoms[k];
            float dx = atom.x - 0.1f * i, dy = atom.y - 0.1f * y;
            sum += atom.w * rsqrt(dx * dx + dy * dy + atom.z * atom.z);
        }
        grid[y * width + i] = sum;
    }
}

/* Four numbers come in, 1536 operations follow in one to four chains, four numbers are summed: all else is the same. */
#define STEP(x) x = x * 0.999f + 0.001f;
#define CHAINS(name, STEPS)                                                                        \
    kernel void name(global const float *a, global float *c) {                                     \
        int i = get_global_id(0), size = get_global_size(0);                                       \
        float p = a[i], q = a[size + i], r = a[2 * size + i], s = a[3 * size + i];                  \
        for (int k = 0; k < 128; k++) {                                                            \
            STEPS                                                                                  \
        }                                                                                          \
        c[i] = p + q + r + s;                                                                      \
    }
#define TWICE(x) x x
#define THRICE(x) x x x
CHAINS(chains1, THRICE(TWICE(STEP(p) STEP(p))))
CHAINS(chains2, THRICE(STEP(p) STEP(q) STEP(p) STEP(q)))
CHAINS(chains3, TWICE(TWICE(STEP(p) STEP(q) STEP(r))))
CHAINS(chains4, THRICE(STEP(p) STEP(q) STEP(r) STEP(s)))

float normal_below(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228f * exp(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212560f + k * 1.3302744f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

/* Prices of options, by rows of a square. */
kernel void black_scholes(global const float *price, global const float *strike, global float *call, global float *put) {
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float s = price[i], x = strike[i], root = sqrt(2.0f);
    float d1 = (log(s / x) + (0.02f + 0.5f * 0.09f) * 2.0f) / (0.3f * root), d2 = d1 - 0.3f * root;
    float later = x * exp(-0.02f * 2.0f), n1 = normal_below(d1), n2 = normal_below(d2);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1.0f - n2) - s * (1.0f - n1);
}

kernel void product_naive(global const float *a, global const float *b, global float *c, int inner) {
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < inner; k++)
        sum += a[y * inner + k] * b[k * width + x];
    c[y * width + x] = sum;
}

/* Kernels whose neighbours along x are far apart in memory. */

kernel void reads_columns(global const float *a, global float *c) {
    int x = get_global_id(0), y = get_global_id(1);
    c[y * get_global_size(0) + x] = a[x * get_global_size(1) + y];
}

kernel void writes_columns(global const float *a, global float *c) {
    int x = get_global_id(0), y = get_global_id(1);
    c[x * get_global_size(1) + y] = a[y * get_global_size(0) + x];
}

kernel void bytes_of_columns(global const uchar *a, global uchar *c) {
    int x = get_global_id(0), y = get_global_id(1);
    c[y * get_global_size(0) + x] = a[x * get_global_size(1) + y];
}

kernel void turned_planes(global const float *a, global float *c) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int width = get_global_size(0), height = get_global_size(1), depth = get_global_size(2);
    c[(z * height + y) * width + x] = a[(x * height + y) * depth + z];
}

/* Seven points of a field whose last index is the fastest, as in C's arrays. */
kernel void last_fastest(global const float *a, global float *c) {
    int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    int height = get_global_size(1), depth = get_global_size(2), at = (i * height + j) * depth + k;
    if (i < 1 || j < 1 || k < 1 || i > get_global_size(0) - 2 || j > height - 2 || k > depth - 2) {
        c[at] = a[at];
        return;
    }
    int row = depth, plane = height * depth;
    c[at] = 0.4f * a[at] + 0.1f * (a[at - 1] + a[at + 1] + a[at - row] + a[at + row] + a[at - plane] + a[at + plane]);
}

/* Kernels that stand beside loops of OpenMP (loops.c). */

/* Six multiplications of one element, each of which needs the one before it. */
kernel void chain(global const float *a, global const float *b, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i];
    c[i] *= b[i];
    c[i] *= b[i];
    c[i] *= b[i];
    c[i] *= b[i];
    c[i] *= b[i];
    c[i] *= b[i];
}

kernel void strided(global const float *a, global const float *b, global float *c, int stride) {
    int i = get_global_id(0) * stride;
    c[i] = a[i] * b[i];
}

/* Two kernels on the same elements. */
kernel void sum_of(global const float *a, global const float *b, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

kernel void product_of(global const float *b, global const float *c, global float *d) {
    int i = get_global_id(0);
    d[i] = b[i] * c[i];
}

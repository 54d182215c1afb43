// Small versions of well-known kernels.

// run 16x16 / 4x4 16x1 8x2: out float 256, in float 256, in float 256, value int 16
kernel void product(global float *c, global const float *a, global const float *b, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

// run 16x16 / 4x4 16x1: out float 256, in float 256
kernel void transpose(global float *out, global const float *in) { out[get_global_id(0) * 16 + get_global_id(1)] = in[get_global_id(1) * 16 + get_global_id(0)]; }

// run 16x16 / 4x4 16x1: out float 256, in float 256
kernel void stencil(global float *out, global const float *in) {
    int x = get_global_id(0), y = get_global_id(1), at = y * 16 + x;
    if (x == 0 || y == 0 || x == 15 || y == 15) { out[at] = in[at]; return; }
    out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - 16] + in[at + 16]);
}

// run 16 / 4 16: out float 16, in int 17, in int 64, in float 64
kernel void sparse(global float *y, global const int *rows, global const int *columns, global const float *values) {
    int r = get_global_id(0);
    float sum = 0.0f;
    for (int e = r * 3; e < r * 3 + (rows[r] & 7); e++) sum += values[e] * values[columns[e] & 63];
    y[r] = sum;
}

// run 32x8 / 8x4 32x1: out int 256
kernel void mandelbrot(global int *out) {
    float cr = get_global_id(0) * 0.08f - 2.0f, ci = get_global_id(1) * 0.25f - 1.0f, re = 0, im = 0;
    int i = 0;
    while (i < 50 && re * re + im * im < 4.0f) { float t = re * re - im * im + cr; im = 2 * re * im + ci; re = t; i++; }
    out[get_global_id(1) * 32 + get_global_id(0)] = i;
}

// run 32 / 8 16: out float4 32, in float4 32, value int 32
kernel void bodies(global float4 *force, global const float4 *body, int n) {
    float4 here = body[get_global_id(0)], f = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 d = body[j] - here;
        d.w = 0.0f;
        float r = sqrt(dot(d, d) + 0.5f);
        f += d * (body[j].w / (r * r * r));
    }
    force[get_global_id(0)] = f;
}

// run 32 / 8 16: out int 32, in int 64
kernel void search(global int *out, global const int *in) {
    int wanted = in[get_global_id(0)] + 100, low = 0, high = 64;
    while (low < high) { int middle = (low + high) / 2; if (middle * 3 < wanted) low = middle + 1; else high = middle; }
    out[get_global_id(0)] = low;
}

// run 32 / 8 16: out int 32, in float 32, in float 128
kernel void nearest(global int *out, global const float *point, global const float *centre) {
    int g = get_global_id(0), best = -1;
    float least = MAXFLOAT;
    for (int c = 0; c < 16; c++) {
        float d = 0.0f;
        for (int f = 0; f < 8; f++) { float t = point[(g + f * 4) % 32] - centre[c * 8 + f]; d += t * t; }
        if (d < least) { least = d; best = c; }
    }
    out[g] = best;
}

// run 8x8 / 8x8: out float 64, in float 64, in float 64
kernel void cosines(global float *out, global const float *in, global const float *basis) {
    local float a[8][8], b[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    a[y][x] = in[y * 8 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) sum += a[y][k] * basis[x * 8 + k];
    b[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++) sum += b[k][x] * basis[y * 8 + k];
    out[y * 8 + x] = sum;
}

// run 16 / 16: out int 289, in int 16, in int 16
kernel void alignment(global int *score, global const int *a, global const int *b) {
    local int cell[17][17];
    int x = get_local_id(0);
    cell[0][x + 1] = -x - 1;
    cell[x + 1][0] = -x - 1;
    if (x == 0) cell[0][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < 31; step++) {
        int y = step - x;
        if (y >= 0 && y < 16) cell[y + 1][x + 1] = max(cell[y][x] + ((a[y] & 3) == (b[x] & 3) ? 2 : -1), max(cell[y][x + 1], cell[y + 1][x]) - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < 17; y++) score[y * 17 + x + 1] = cell[y][x + 1];
}

// run 16 / 4 16: inout float 256, value int 3
kernel void elimination(global float *a, int k) {
    int row = get_global_id(0);
    if (row <= k) return;
    float factor = a[row * 16 + k] / (fabs(a[k * 16 + k]) + 1.0f);
    for (int c = k; c < 16; c++) a[row * 16 + c] -= factor * a[k * 16 + c];
}

// run 32 / 8 16: inout int 32, in int 64, value int 1
kernel void breadth_first(global int *depth, global const int *edge, int level) {
    int g = get_global_id(0);
    if ((depth[g] & 3) == level) for (int e = 0; e < 2; e++) if (edge[g * 2 + e] == 1000) depth[g] = level + 1;
}

// run 48 / 8 16: out float 48, in float 48
kernel void convolution(global float *out, global const float *in) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = -3; k <= 3; k++) { int at = clamp(g + k, 0, 47); sum += in[at] * (4 - abs(k)); }
    out[g] = sum;
}

// run 16 / 8 16: out int 16, in uchar 256
kernel void string_match(global int *out, global const uchar *text) {
    int g = get_global_id(0), count = 0;
    for (int at = g * 16; at < g * 16 + 12; at++) {
        int i = 0;
        while (i < 3 && (text[at + i] & 1) == (i & 1)) i++;
        if (i == 3) count++;
    }
    out[g] = count;
}

// run 16 / 8 16: out uint 16, in uint! 16
kernel void random_walk(global uint *out, global const uint *in) {
    uint state = in[get_global_id(0)] | 1, inside = 0;
    for (int i = 0; i < 50; i++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * 0x1p-24f;
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * 0x1p-24f;
        if (x * x + y * y < 1.0f) inside++;
    }
    out[get_global_id(0)] = inside;
}

// Local memory: arrays of the kernel, arguments, vectors and structures in it, pointers to it.

// run 64 / 8 16: out int 64, in int 64, local int 64
kernel void argument(global int *out, global const int *in, local int *t) {
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1];
}

// run 64 / 8 16: out int 64, in int 64, local int 64, value int 3, local short 64
kernel void two_arguments(global int *out, global const int *in, local int *t, int k, local short *u) {
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    u[l] = (short)(l * k);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1] + u[l ^ 2];
}

// run 64 / 8 16: out float 64, in float 64, local float4 64
kernel void vectors(global float *out, global const float *in, local float4 *t) {
    int l = get_local_id(0);
    t[l] = (float4)(in[get_global_id(0)], l, 1.0f, -2.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = t[l ^ 1] * t[l].yxwz;
    out[get_global_id(0)] = v.x + v.y + v.z * v.w;
}

struct pair { int key; float value; };

// run 64 / 8 16: out float 64, in float 64
kernel void structures(global float *out, global const float *in) {
    local struct pair t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l].key = (l * 5 + 1) % n;
    t[l].value = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pair p = t[t[l].key];
    out[get_global_id(0)] = p.value + p.key;
}

// run 64 / 8 16: out int 64, in int 64
kernel void pointer_chosen(global int *out, global const int *in) {
    local int a[64], b[64];
    int l = get_local_id(0);
    a[l] = in[get_global_id(0)];
    b[l] = -in[get_global_id(0)] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = l % 3 == 0 ? a : b;
    p += l ^ 1;
    out[get_global_id(0)] = *p;
}

// run 64 / 8 16: out int 64, in int 64
kernel void bytes_of_words(global int *out, global const int *in) {
    local uint t[64];
    int l = get_local_id(0);
    t[l] = (uint)in[get_global_id(0)] * 0x01020304u;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uchar *b = (local uchar *)&t[l ^ 1];
    out[get_global_id(0)] = b[0] | b[3] << 8 | b[1] << 16;
}

// run 64 / 8 16: out int 64, in int 64
kernel void padded_rows(global int *out, global const int *in) {
    local int t[4][17];
    int l = get_local_id(0);
    t[l % 4][l / 4] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = l ^ 3;
    out[get_global_id(0)] = t[k % 4][k / 4];
}

// run 64 / 8 16: out int 64, in int 64
kernel void histogram(global int *out, global const int *in) {
    local int bins[8];
    int l = get_local_id(0), n = get_local_size(0);
    if (l < 8) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[l & 7];
}

// run 64 / 8 16: out int 64, in int 64
kernel void item_by_item(global int *out, global const int *in) {
    local int turn;
    int l = get_local_id(0), n = get_local_size(0);
    if (l == 0) turn = in[get_global_id(0)];
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == l) { turn = turn * 3 + in[get_global_id(0)] % 7; out[get_global_id(0)] = turn; }
    }
}

// run 64 / 8 16: out double 64, in double 64
kernel void doubles_and_chars(global double *out, global const double *in) {
    local char c[64];
    local double d[64];
    local char e[3];
    int l = get_local_id(0);
    c[l] = (char)l;
    d[l] = in[get_global_id(0)];
    if (l == 0) { e[0] = 1; e[1] = 2; e[2] = 3; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = d[l ^ 1] * c[l ^ 2] + e[l % 3];
}

// run 64 / 16 32: out float 64, in float 64
kernel void stencil(global float *out, global const float *in) {
    local float t[66];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    t[l + 1] = in[g];
    if (l == 0) t[0] = g > 0 ? in[g - 1] : 0.0f;
    if (l == n - 1) t[n + 1] = g < 63 ? in[g + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = 0.25f * t[l] + 0.5f * t[l + 1] + 0.25f * t[l + 2];
}

// run 16x16 / 4x4 8x8 16x4: out float 256, in float 256, in float 256, value int 16
kernel void product_tiled(global float *c, global const float *a, global const float *b, int n) {
    local float left[256], right[256];
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 4) {
        if (x < 4) left[y * 4 + x] = a[row * n + tile + x];
        if (y < 4) right[y * w + x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 4; k++) sum += left[y * 4 + k] * right[k * w + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

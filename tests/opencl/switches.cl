// Switches several of whose labels lead to one place: a value that comes from there comes once, however many labels do.

// run 64 / 16 64: inout int 128
kernel void labels_around_barrier(global int *a) {
    int g = get_global_id(0), l = get_local_id(0);
    local int t[64];
    int v = a[g], s = a[g + 64];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    switch (t[l ^ 1]) {
    case 0: case 1: case 2: break;
    default: v = convert_int_sat((float)s * 0.25f);
    }
    a[g] = v;
}

// run 64 / 16 64: out uint 64, in uint 256, value uint 12
kernel void labels_between_loops(global uint *out, global const uint *in, uint n) {
    uint g = get_global_id(0), v = in[g], p[16];
    for (uint i = 0; i < n; ++i) p[i & 15] = i * 7u + (g & v);
    switch (in[v & 255u] % 4u) {
    case 0:
    case 1: break;
    default: v = convert_uint_sat_rtp(floor((float)(v & 0xfffu) * 0.25f) + (float)(int)(n & 0x7ffu) - 700.0f);
    }
    uint z = v;
    for (uint i = 0; i < n; ++i) z = z * 17u + p[i & 15];
    out[g] = z;
}

// run 64 / 16 64: out uint 64, in uint 256, value uint 9
kernel void labels_behind_gathers(global uint *out, global const uint *in, uint n) {
    uint g = get_global_id(0), v = in[g], w = 0;
    for (uint i = 0; i < n; ++i) w = w * 3u + in[(g + i * w) & 255u];
    switch (in[w & 255u]) {
    case 0: case 1: case 2: break;
    default: v = convert_uint_sat((float)(int)v * 0.25f);
    }
    for (uint i = 0; i < n; ++i) w = w * 17u + in[(g + i * v) & 255u];
    out[g] = w + v;
}

// run 64 / 16 64: inout float4 128, in int 64
kernel void labels_past_vectors(global float4 *a, global const int *in) {
    int g = get_global_id(0), l = get_local_id(0);
    local int t[64];
    float4 v = a[g], s = a[g + 64];
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    switch (t[l ^ 1] % 5) {
    case 0: case 1: case -3: break;
    case 2: case -2: v = sqrt(fabs(s)); break;
    default: v = rint(s * 0.25f);
    }
    a[g] = v;
}

// run 64 / 16 64: out int 64, in int 64, value int 40
kernel void labels_that_leave_loop(global int *out, global const int *in, int n) {
    int g = get_global_id(0), v = in[g], w = 0;
    for (int i = 0; i < n; i++) {
        w += v;
        switch ((v + i) & 15) {
        case 3: case 5: case 11: v = w; goto out;
        case 7: case 8: continue;
        case 12: case 13: w ^= i; break;
        default: v = v * 5 + in[(v + i) & 63];
        }
        w += i;
    }
out:
    out[g] = v * 31 + w;
}

// run 64 / 16 64: out int 64, in int 64, value int 20
kernel void labels_around_loop(global int *out, global const int *in, int n) {
    int g = get_global_id(0), v = in[g], w = in[63 - g];
    switch (v & 7) {
    case 1: case 2: break;
    case 3: case 4: case 5: w += 3; break;
    default:
        for (int i = 0; i < n; i++) w = w * 3 + in[(g + i * 16) & 63];
    }
    out[g] = v * 31 + w;
}

// run 64 / 16 64: out int 64, in int 64, value int 20
kernel void labels_into_loop(global int *out, global const int *in, int n) {
    int g = get_global_id(0), v = in[g], w = 1;
    switch (v & 7) {
    case 1: case 2: w = v; break;
    case 3: case 4: out[g] = w; return;
    default: w = v + 7;
    }
    for (int i = 0; i < n; i++) w = w * 3 + in[(g * 3 + i * 16) & 63];
    out[g] = v * 31 + w;
}

// run 64 / 16 64: out int 64, in int 64, value int 9
kernel void labels_decide_for_all(global int *out, global const int *in, int n) {
    int g = get_global_id(0), l = get_local_id(0), w = in[g];
    local int t[64];
    for (int i = 0; i < n; i++) {
        switch (in[i] & 7) {
        case 0: case 1: case 2: break;
        case 3: case 4: w += i; continue;
        default: w ^= in[g];
        }
        t[l] = w;
        barrier(CLK_LOCAL_MEM_FENCE);
        w += t[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = w;
}

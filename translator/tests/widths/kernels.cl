// What must become a vector, at which width: one kernel for each reason why it might not.

kernel void floats(global float *a, global const float *b) {
    size_t g = get_global_id(0);
    a[g] = a[g] * 3.0f + b[g];
}

kernel void doubles(global double *a, global const double *b) {
    size_t g = get_global_id(0);
    a[g] = a[g] * 3.0 + b[g];
}

kernel void bytes(global uchar *a, global const uchar *b) {
    size_t g = get_global_id(0);
    a[g] = (a[g] >> 1) ^ b[g];
}

kernel void vectors_of_the_program(global float4 *a, global const float4 *b) {
    size_t g = get_global_id(0);
    a[g] = a[g] * 3.0f + b[g];
}

kernel void guarded(global float *a, global const float *b, int n) {
    int g = get_global_id(0);
    if (g < n && b[g] > 0.5f) a[g] = a[g] * 3.0f + b[g];
}

kernel void gathered(global float *a, global const float *b, global const int *at) {
    size_t g = get_global_id(0);
    a[g] = b[at[g]];
}

kernel void mathematics(global float *a) {
    size_t g = get_global_id(0);
    a[g] = exp(a[g]) + sqrt(a[g]);
}

kernel void library_calls(global float *a) {
    size_t g = get_global_id(0);
    a[g] = sin(a[g]);
}

kernel void divided(global int *a, global const int *b) {
    size_t g = get_global_id(0);
    a[g] = a[g] / b[g];
}

kernel void columns(global float *a, global const float *b, int n) {
    size_t g = get_global_id(0), w = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += b[k * w + g];
    a[g] = sum;
}

kernel void steps(global float *a, global const float *b, global const int *count) {
    size_t g = get_global_id(0), w = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < count[g]; k++) sum += b[k * w + g];
    a[g] = sum;
}

kernel void shared(global float *a, local float *t) {
    size_t g = get_global_id(0), l = get_local_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[g] = t[l ^ 1] + 1.0f;
}

kernel void departed(global float *a, local float *t, int n) {
    int g = get_global_id(0), l = get_local_id(0);
    if (g >= n) return;
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[g] = t[l / 2] + 1.0f;
}

kernel void atomics(global int *a, local int *t) {
    size_t g = get_global_id(0);
    atomic_inc(&a[g & 3]);
}

kernel void histogram(global const uchar *in, global uint *bins, local uint *own, uint n) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[in[i]]);
}

kernel void compacted(global const int *in, global int *out, global int *count) {
    int number = in[get_global_id(0)];
    if (number > 0) out[atomic_inc(count)] = number;
}

kernel void filled(global const uint *in, global uint *keys, global uint *counts) {
    uint key = in[get_global_id(0)] * 5 + 1, at = key & 255;
    while (true) {
        uint found = atomic_cmpxchg(&keys[at], 0, key);
        if (found == 0 || found == key) break;
        at = (at + 1) & 255;
    }
}

kernel void locked(global float *sum, global int *lock, local int *own) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {}
    *sum += get_global_id(0);
    atomic_xchg(lock, 0);
}

// Atomics of both generations, where the result does not depend on the order of items; fences.

// run 64 / 8 16: inout int 4, in int 64
kernel void add_and_sub(global int *x, global const int *in) {
    int g = get_global_id(0);
    atomic_add(&x[0], in[g]);
    atomic_sub(&x[1], in[g]);
    atomic_inc(&x[2]);
    atomic_dec(&x[3]);
}

// run 64 / 8 16: inout int 4, in int 64
kernel void limits(global int *x, global const int *in) {
    int g = get_global_id(0);
    atomic_min(&x[0], in[g]);
    atomic_max(&x[1], in[g]);
    atomic_min((global uint *)&x[2], (uint)in[g]);
    atomic_max((global uint *)&x[3], (uint)in[g]);
}

// run 64 / 8 16: inout int 3, in int! 64
kernel void bits(global int *x, global const int *in) {
    int g = get_global_id(0);
    atomic_and(&x[0], in[g] | 0xffff);
    atomic_or(&x[1], in[g] & 0x1111);
    atomic_xor(&x[2], in[g]);
}

// run 64 / 8 16: inout int 8, in int 64
kernel void histogram(global int *bins, global const int *in) {
    for (int i = 0; i < 3; i++) atomic_inc(&bins[(in[get_global_id(0)] + i) & 7]);
}

// run 64 / 8 16: inout float 2, in float 64
kernel void float_by_exchange(global float *x, global const float *in) {
    global volatile int *word = (global volatile int *)x;
    int old, seen = *word;
    do {
        old = seen;
        seen = atomic_cmpxchg(word, old, as_int(as_float(old) + floor(in[get_global_id(0)])));
    } while (seen != old);
}

// run 64 / 8 16: out int 64, in int 64
kernel void in_local_memory(global int *out, global const int *in) {
    local int sum, most;
    int l = get_local_id(0), g = get_global_id(0);
    if (l == 0) { sum = 0; most = -1000; }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[g]);
    atomic_max(&most, in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = sum * 1000 + most;
}

// run 64 / 8 16: inout int 4, in int 64
kernel void explicit_orders(global atomic_int *x, global const int *in) {
    int g = get_global_id(0);
    atomic_fetch_add_explicit(&x[0], in[g], memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&x[1], in[g], memory_order_acq_rel, memory_scope_device);
    atomic_fetch_xor_explicit(&x[2], in[g], memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub(&x[3], 1);
}

// run 64 / 8 16: inout long 2, in long 64
kernel void longs(global long *x, global const long *in) {
    global atomic_long *a = (global atomic_long *)x;
    atomic_fetch_add(&a[0], in[get_global_id(0)] * 10000000000);
    atomic_fetch_or(&a[1], 1L << get_global_id(0) % 60);
}

// run 64 / 8 16: out float 64, inout float 3, in int 64
kernel void floats(global float *out, global float *x, global const int *in) {
    global atomic_float *a = (global atomic_float *)x;
    local atomic_float sum, least;
    int g = get_global_id(0);
    if (get_local_id(0) == 0) { atomic_init(&sum, 0.0f); atomic_init(&least, 1000.0f); }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&sum, in[g] * 0.5f);
    atomic_fetch_min(&least, (float)in[g]);
    atomic_fetch_sub_explicit(&a[0], in[g] * 0.25f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(&a[1], (float)in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = atomic_load(&sum) + 1000.0f * atomic_load(&least);
    if (get_local_id(0) == 0) atomic_fetch_add(&a[2], atomic_load(&sum));
}

// run 64 / 8 16: inout int 2, in int 64
kernel void compare_exchange(global atomic_int *x, global const int *in) {
    int old = atomic_load(&x[0]);
    while (!atomic_compare_exchange_weak(&x[0], &old, old + in[get_global_id(0)])) {}
}

// run 64 / 8 16: inout int 1, out int 64
kernel void tickets_are_all_different(global int *next, global int *seen) { seen[(atomic_inc(next) - *next * 0) & 63] = 1; }

// run 64 / 8 16: out int 64, in int 64
kernel void flags_and_fences(global int *out, global const int *in) {
    local int t[64];
    local atomic_int arrived;
    int l = get_local_id(0);
    if (l == 0) atomic_init(&arrived, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = in[get_global_id(0)];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&arrived, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1] + (atomic_load(&arrived) == (int)get_local_size(0));
}

// run 64 / 8 16 64: inout int 16, in int! 64, value int 53
kernel void in_loops_that_items_leave(global int *x, global const int *in, int n) {
    local int own[8], most;
    int l = get_local_id(0), s = get_local_size(0);
    for (int i = l; i < 8; i += s) own[i] = 0;
    if (l == 0) most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0) & 15; i < n; i += s) {
        if (in[i] & 1) continue;
        atomic_add(&own[in[i] >> 1 & 7], i);
        atomic_max(&most, in[i] & 1023);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 8; i += s) atomic_add(&x[i], own[i]);
    if (l == 0) atomic_max(&x[8], most);
}

// run 64 / 8 16 64: out int 64, inout int 2, in int 64
kernel void places_in_a_list(global int *out, global int *count, global const int *in) {
    local int room[2];
    int g = get_global_id(0), l = get_local_id(0);
    if (l < 2) room[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[g] % 3) {
        int at = atomic_inc(&room[0]);
        atomic_add(&room[1], at * at);
        atomic_xor(&count[0], atomic_sub(&count[1], 2));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = room[0] * 10000 + room[1];
}

// run 64 / 8 16 64: out int 64, inout int 32, in int 64
kernel void keys_of_a_table(global int *out, global int *x, global const int *in) {
    local uint keys[32];
    local uint counts[32];
    int g = get_global_id(0), l = get_local_id(0), s = get_local_size(0);
    for (int i = l; i < 32; i += s) { keys[i] = 0; counts[i] = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint key = (uint)(in[g] * 7) % 23 + 1, at = key * 11 & 31;
    while (true) {
        uint found = atomic_cmpxchg(&keys[at], 0, key);
        if (found == 0 || found == key) break;
        at = (at + 1) & 31;
    }
    atomic_inc(&counts[at]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 32; i += s) if (keys[i]) atomic_add(&x[keys[i]], counts[i] * keys[i]);
    out[g] = key;
}

// Sums of floating-point numbers by compare and exchange, as programs make them: retried until nobody came between.
inline void sum_local(volatile local float *p, float v) {
    union { uint u; float f; } old, new;
    do {
        old.f = *p;
        new.f = old.f + v;
    } while (atomic_cmpxchg((volatile local uint *)p, old.u, new.u) != old.u);
}

inline float sum_and_tell(volatile global float *p, float v) {
    int old = as_int(*p), assumed;
    do {
        assumed = old;
        old = atomic_cmpxchg((volatile global int *)p, assumed, as_int(as_float(assumed) + v));
    } while (assumed != old);
    return as_float(assumed);
}

#define TRY { expected.f = current.f; next.f = expected.f + v; \
    current.u = atomic_cmpxchg((volatile local uint *)p, expected.u, next.u); \
    if (current.u == expected.u) return; }
void sum_by_attempts(local float *p, float v) {
    union { uint u; float f; } next, expected, current;
    current.f = *p;
    TRY TRY TRY
    do {
        expected.f = current.f;
        next.f = expected.f + v;
        current.u = atomic_cmpxchg((volatile local uint *)p, expected.u, next.u);
    } while (current.u != expected.u);
}

float largest(volatile global float *p, float v) {
    uint old = as_uint(*p), before;
    do {
        before = old;
        old = atomic_cmpxchg((volatile global uint *)p, before, as_uint(fmax(as_float(before), v)));
    } while (old != before);
    return fmax(as_float(old), v);
}

// run 64 / 8 16 64: inout float 12, out float 64, in int 64
kernel void retried_sums(global float *x, global float *out, global const int *in) {
    local float sums[8];
    int g = get_global_id(0), l = get_local_id(0), s = get_local_size(0);
    for (int i = l; i < 8; i += s) sums[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < (in[g] & 3); k++) {
        sum_local(&sums[in[g] >> 2 & 3], k + 1);
        if (in[g] & 16) sum_by_attempts(&sums[4 + (l & 3)], in[g] & 7);
    }
    out[g] = largest(&x[9], g) >= g;
    sum_and_tell(&x[10 + (g & 1)], in[g] & 31);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 8; i += s) sum_and_tell(&x[i], sums[i]);
}

// Items go one after the other where each tells what it has found.
// run 16 / 16 8: out float 16, in int 16
kernel void found_by_retries(global float *out, global const int *in) {
    local float sum;
    int l = get_local_id(0);
    if (l == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float most = 0;
    if (in[l] & 1) {
        int old = as_int(sum), assumed;
        do {
            assumed = old;
            old = atomic_cmpxchg((volatile local int *)&sum, assumed, as_int(as_float(assumed) + 1));
        } while (assumed != old);
        most = as_float(assumed) < 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = most * 100 + sum;
}

// run 64 / 8 16: inout double 4, in int 64
kernel void retried_doubles(global double *x, global const int *in) {
    int g = get_global_id(0);
    volatile global ulong *p = (volatile global ulong *)&x[in[g] & 3];
    ulong old, new;
    do {
        old = *p;
        new = as_ulong(as_double(old) + g);
    } while (atom_cmpxchg(p, old, new) != old);
}

// What was loaded before, and changed meanwhile, is what it was.
// run 64 / 8 16: out int 64, in int 64
kernel void loaded_before(global int *out, global const int *in) {
    local int places[64];
    int l = get_local_id(0), v = in[get_global_id(0)];
    places[l] = v;
    int first = places[l], next = first + 7;
    places[l] = v ^ 1;
    int old = atomic_cmpxchg(&places[l], first, next);
    if (old != first) {
        int before;
        do {
            before = old;
            old = atomic_cmpxchg(&places[l], before, before + 7);
        } while (old != before);
    }
    out[get_global_id(0)] = first * 1000 + places[l];
}

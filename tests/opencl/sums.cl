// Sums that programs keep in memory, in loops that may or may not keep them in registers.

// run 64 / 8 16: inout float 64, in float 640, value int 10
kernel void sum(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[g] += in[g * n + k] * in[k];
}

// No iteration: what lies behind the buffer must not be touched.
// run 64 / 8 16: inout int 64, in int 64, value int 1000000000, value int 0
kernel void sum_of_nothing(global int *out, global const int *in, int far, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[g + far] += in[k];
    out[g] += 1;
}

// Some items have no iteration, and others one.
// run 64 / 8 16: inout int 64, in int 64
kernel void sum_of_few(global int *out, global const int *in) {
    int g = get_global_id(0), far = in[g] > 20 ? 0 : 1000000000;
    for (int k = 0; k < in[g] - 20; k++)
        out[g + far] += in[k & 63] + k;
}

// run 64 / 8 16: out float 64, in float 640, value int 10
kernel void sum_from_zero(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    out[g] = 0.0f;
    for (int k = 0; k < n; k++)
        if (in[g * n + k] > in[k])
            out[g] += in[k];
}

// run 16 / 4 16: out float 256, in float 160, value int 16, value int 10
kernel void covariance(global float *out, global const float *in, int m, int n) {
    int j = get_global_id(0);
    for (int k = j; k < m; k++) {
        out[j * m + k] = 0.0f;
        for (int i = 0; i < n; i++)
            out[j * m + k] += in[i * m + j] * in[i * m + k];
        out[k * m + j] = out[j * m + k];
    }
}

// run 64 / 8 16: inout int 64, in int 64
kernel void sum_until(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] ^= 3;
    for (int k = 0; k < 64; k++) {
        out[g] += in[k];
        if (out[g] > in[g] * 4)
            break;
        out[g] -= k;
    }
}

// run 64 / 8 16: inout int 64, in int 64
kernel void sum_at_least_one(global int *out, global const int *in) {
    int g = get_global_id(0), k = 0;
    do {
        out[g] += in[k];
        if (in[k] == 7)
            continue;
        out[g] ^= k;
    } while (k++ < in[g] / 4);
}

struct four { float v, x, y, z; };

// run 64 / 8 16: inout float 256, in float 256, value int 9
kernel void sums_of_members(global struct four *out, global const struct four *in, int n) {
    int g = get_global_id(0);
    for (int j = 0; j < n; j++) {
        float d = in[g].x * in[j].x + in[g].y * in[j].y;
        out[g].v += d;
        out[g].x += d * in[j].z;
        out[g].y -= d;
        out[g].z += in[j].v;
    }
}

// Each of two places is read where the other one is written.
// run 32 / 8 16: inout int 64, value int 5
kernel void neighbours(global int *out, int n) {
    int g = 2 * get_global_id(0);
    for (int k = 0; k < n; k++) {
        out[g] += out[g + 1] + k;
        out[g + 1] ^= out[g];
    }
}

// The place is also read by another index.
// run 32 / 8 16: inout int 64, value int 5
kernel void same_by_another_index(global int *out, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++) {
        out[g] += k + 1;
        out[32 + g] += out[g + (k & 1) * 32];
    }
}

// The place is also written as bytes.
// run 64 / 8 16: inout int 64, value int 5
kernel void same_as_bytes(global int *out, int n) {
    int g = get_global_id(0);
    global char *bytes = (global char *)(out + g);
    for (int k = 0; k < n; k++) {
        out[g] += 1000 + k;
        bytes[k & 3] ^= k;
    }
}

// run 64 / 8 16: out int 64, in int 64, value int 5
kernel void local_sum(global int *out, global const int *in, int n) {
    local int s[64];
    int l = get_local_id(0), size = get_local_size(0);
    s[l] = l;
    for (int k = 0; k < n; k++)
        s[l] += in[get_global_id(0)] * k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[size - 1 - l];
}

// Others see every sum.
// run 64 / 8 16: out int 64, in int 64, value int 5
kernel void seen_sum(global int *out, global const int *in, int n) {
    local int s[64];
    int l = get_local_id(0), size = get_local_size(0), seen = 0;
    s[l] = l;
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        seen ^= s[size - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] += in[get_global_id(0)] * k;
    }
    out[get_global_id(0)] = seen;
}

// Whoever did not write in the loop must leave what another item wrote since.
// run 64 / 8 16 64: inout int 64, in int 64, value int 5
kernel void written_by_another(global int *out, global const int *in, int n) {
    int g = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    int other = g - l + (size - 1 - l);
    out[g] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int wanted = in[l] > 20 && l < size / 2;
    if (wanted)
        out[other] = 1000 + l;
    for (int k = 0; k < n; k++)
        if (l < size / 2)
            out[g] += k;
}

// run 16 / 4 16: inout int 16, in int 160, value int 10
kernel void sums_of_sums(global int *out, global const int *in, int n) {
    int g = get_global_id(0);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            out[g] += in[i * n + k] * (g + 1);
}

// run 64 / 8 16: inout float4 64, in float4 64, value int 7
kernel void sum_of_vectors(global float4 *out, global const float4 *in, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[g] += in[k] * in[g].x;
}

// run 64 / 8 16: inout int 64, in int 64, value int 7
kernel void promised(global int *restrict out, global const int *restrict in, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[g] = out[g] * 3 + in[k];
}

// run 64 / 8 16: inout int 64, inout int 1, in int 64
kernel void sum_beside_atomics(global int *out, global int *all, global const int *in) {
    int g = get_global_id(0);
    for (int k = 0; k < 5; k++) {
        out[g] += in[k];
        atomic_add(all, 1);
    }
}

// run 64 / 8 16: inout int 64, in int 64
kernel void several_ways_out(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] += 1;
    for (int k = 0;; k++) {
        switch (in[(g + k) & 63] & 3) {
        case 0: out[g] += k; break;
        case 1: if (k > 9) return; out[g] ^= 1; break;
        case 2: if (k > 5) goto done; break;
        default: out[g] -= 2;
        }
        if (k == 20) break;
    }
done:
    out[g] *= 2;
}

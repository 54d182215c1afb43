/* Groups that work together through local memory. */

/* A group adds 512 elements, of which there may be fewer: every item two, then halves upon halves. */
__kernel void group_sum(uint n, __global const float *in, __global float *out, __local float *part) {
    uint item = get_local_id(0);
    uint i = get_group_id(0) * (get_local_size(0) * 2) + item;
    part[item] = (i < n ? in[i] : 0.0f) + (i + get_local_size(0) < n ? in[i + get_local_size(0)] : 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (item < s) {
            part[item] += part[item + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        out[get_group_id(0)] = part[0];
    }
}

/* Running sums of each group's elements by doubling steps, in place: two barriers a step. */
__kernel void scan_hillis(int n, __global const int *in, __global int *out, __local int *sum) {
    int item = get_local_id(0), i = get_global_id(0);
    sum[item] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < (int)get_local_size(0); offset <<= 1) {
        int add = 0;
        if (item >= offset) {
            add = sum[item - offset];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[item] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) {
        out[i] = sum[item];
    }
}

/* The same without the element itself, two elements an item, up a tree and down again. */
__kernel void scan_blelloch(__global const int *in, __global int *out, __local int *tree) {
    int item = get_local_id(0), items = get_local_size(0), n = 2 * items;
    int first = get_group_id(0) * n;
    tree[2 * item] = in[first + 2 * item];
    tree[2 * item + 1] = in[first + 2 * item + 1];
    int offset = 1;
    for (int d = items; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < d) {
            int a = offset * (2 * item + 1) - 1, c = offset * (2 * item + 2) - 1;
            tree[c] += tree[a];
        }
        offset *= 2;
    }
    if (item == 0) {
        tree[n - 1] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < d) {
            int a = offset * (2 * item + 1) - 1, c = offset * (2 * item + 2) - 1;
            int left = tree[a];
            tree[a] = tree[c];
            tree[c] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + 2 * item] = tree[2 * item];
    out[first + 2 * item + 1] = tree[2 * item + 1];
}

/* One step of a bitonic sort: an item compares two elements that are `apart`. */
__kernel void bitonic_step(uint stage, uint apart, __global uint *key) {
    uint i = get_global_id(0);
    uint left = (i / apart) * 2 * apart + i % apart;
    uint right = left + apart;
    uint a = key[left], b = key[right];
    bool upwards = (left & stage) == 0;
    if ((a > b) == upwards) {
        key[left] = b;
        key[right] = a;
    }
}

/* A group counts its bytes in local memory, then adds its counts to everybody's. */
__kernel void byte_histogram(uint n, __global const uchar *in, __global uint *count) {
    __local uint mine[256];
    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0)) {
        mine[bin] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_inc(&mine[in[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0)) {
        if (mine[bin] != 0) {
            atomic_add(&count[bin], mine[bin]);
        }
    }
}

/* Work-groups that work together through local memory. */

/* The running sums of every group's 256 elements (Hillis and Steele), and the groups' totals. */
__kernel void scan_groups(__global const int *in, __global int *out, __global int *total) {
    __local int sum[2][256];
    int item = get_local_id(0), now = 0;
    sum[0][item] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 1; reach < 256; reach *= 2) {
        sum[1 - now][item] = item >= reach ? sum[now][item] + sum[now][item - reach] : sum[now][item];
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum[now][item];
    if (item == 255) {
        total[get_group_id(0)] = sum[now][item];
    }
}

__kernel void scan_add(__global int *out, __global const int *before) {
    out[get_global_id(0)] += before[get_group_id(0)];
}

/* A tree of sums in every group. */
__kernel void tree_reduction(int n, __global const float *in, __global float *out) {
    __local float part[256];
    int item = get_local_id(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum += in[i];
    }
    part[item] = sum;
    for (int reach = 128; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach) {
            part[item] += part[item + reach];
        }
    }
    if (item == 0) {
        out[get_group_id(0)] = part[0];
    }
}

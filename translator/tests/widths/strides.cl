/* Loops by which items stride through a range: with a tree behind them or without. */

#define TREE(part, number)                                                      \
    part[get_local_id(0)] = number;                                             \
    for (uint reach = get_local_size(0) / 2; reach > 0; reach /= 2) {           \
        barrier(CLK_LOCAL_MEM_FENCE);                                           \
        if (get_local_id(0) < reach) {                                          \
            part[get_local_id(0)] += part[get_local_id(0) + reach];             \
        }                                                                       \
    }                                                                           \
    if (get_local_id(0) == 0) out[get_group_id(0)] = part[0]

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sum(int n, __global const float *in, __global float *out) {
    __local float part[256];
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    TREE(part, sum);
}

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void range_of(uint n, __global const float *in, __global float *out) {
    __local float part[256];
    float least = INFINITY, most = -INFINITY;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        least = fmin(least, in[i]);
        most = fmax(most, in[i]);
    }
    TREE(part, most - least);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void row_sum(int n, __global const double *in, __global double *out) {
    __local double part[64];
    double sum = 0;
    for (int k = get_local_id(0); k < n; k += get_local_size(0)) sum += in[get_group_id(0) * n + k];
    TREE(part, sum);
}

/* Some items read a second number. */
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void two_at_a_time(uint n, __global const float *in, __global float *out) {
    __local float part[256];
    float sum = 0;
    for (uint i = get_group_id(0) * 512 + get_local_id(0); i < n; i += 512 * get_num_groups(0)) {
        sum += in[i];
        if (i + 256 < n) sum += in[i + 256];
    }
    TREE(part, sum);
}

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void map(ulong n, __global const float *in, __global float *out) {
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = 2 * in[i] + 1;
}

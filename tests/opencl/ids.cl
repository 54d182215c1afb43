// Where an item is: all functions of it, in all dimensions, with offsets and sizes that do not divide.

// run 40 / 8 16 40 7: out int 40
kernel void global_id(global int *out) { out[get_global_id(0)] = get_global_id(0) * 10 + 1; }

// run 40 / 8 16 7: out int 40
kernel void local_and_group(global int *out) {
    out[get_global_id(0)] = get_group_id(0) * 10000 + get_local_id(0) * 100 + get_local_size(0);
}

// run 40 / 8 16 7: out int 40
kernel void sizes(global int *out) {
    out[get_global_id(0)] = get_global_size(0) * 1000 + get_num_groups(0) * 10 + get_work_dim();
}

// run 12x10 / 4x5 5x3 12x1 1x10: out int 120
kernel void two_dimensions(global int *out) {
    int g = get_global_id(1) * 12 + get_global_id(0);
    out[g] = get_local_id(0) + get_local_id(1) * 20 + get_group_id(0) * 400 + get_group_id(1) * 8000 +
             get_local_size(0) * 100000 + get_local_size(1) * 2000000;
}

// run 6x4x5 / 3x2x5 4x3x2 1x1x1: out int 120
kernel void three_dimensions(global int *out) {
    int g = (get_global_id(2) * 4 + get_global_id(1)) * 6 + get_global_id(0);
    out[g] = get_local_id(2) * 100 + get_group_id(2) * 10 + get_num_groups(2) + get_local_size(2) * 1000;
}

// run 30 from 5 / 10 8: out int 40
kernel void offset(global int *out) {
    out[get_global_id(0)] = get_global_id(0) * 100 + get_global_offset(0) * 10 + get_group_id(0);
}

// run 6x5 from 2x1 / 3x5 4x2: out int 200
kernel void offset_2d(global int *out) {
    out[get_global_id(1) * 20 + get_global_id(0)] = get_global_linear_id() * 100 + get_local_linear_id();
}

// run 40 / 16 7: out int 40
kernel void enqueued_size(global int *out) {
    out[get_global_id(0)] = get_enqueued_local_size(0) * 100 + get_local_size(0);
}

// run 40 / 8: out int 40
kernel void dimensions_that_are_not(global int *out) {
    uint d = get_global_id(0) % 5;
    out[get_global_id(0)] = get_global_size(d) * 1000 + get_local_size(d) * 10 + get_group_id(7) + get_local_id(9) + get_global_offset(4);
}

// run 40 / 8 16: out int 40
kernel void dimension_varies(global int *out) {
    int sum = 0;
    for (uint d = 0; d < 3; d++) sum = sum * 100 + get_global_id(d) + get_num_groups(d);
    out[get_global_id(0)] = sum;
}

// run 40 / 8 16: out long 40
kernel void wide_arithmetic(global long *out) {
    size_t g = get_global_id(0);
    out[g] = (long)g * 5000000000 - (long)(get_global_size(0) - g);
}

// run 64 / 16 8: out int 64, in int 64
kernel void modulus_and_division(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = in[g / 4 * 4 + g % 4] + in[g % 8 * 8 + g / 8] * 2 + in[(g + 3) % 64] * 3;
}

// run 64 / 16 8: out int 64, in int 64
kernel void backwards(global int *out, global const int *in) {
    out[63 - get_global_id(0)] = in[get_global_id(0)] - in[63 - get_global_id(0)];
}

// run 32 / 16 8: out int 64, in int 64
kernel void strided(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[2 * g] = in[2 * g + 1];
    out[2 * g + 1] = -in[2 * g];
}

// run 64 / 16 8: out int 64, in int 64
kernel void shifted_index(global int *out, global const int *in) {
    uint g = get_global_id(0);
    out[g] = in[g >> 1] + in[(g << 1) & 63] + in[g ^ 5] + in[g & ~7u] + in[63u - g];
}

// run 8192 / 4096 64: out int 8192
kernel void largest_group(global int *out) {
    int item = get_local_id(0), items = get_local_size(0), at = get_global_id(0);
    local int part[4096];
    part[item] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = item >= items / 2 ? part[item] + part[item - items / 2] : part[item] - item * 100;
}

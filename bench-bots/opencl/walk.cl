/* The access patterns by themselves: what an item reads in a loop, and what its neighbours read meanwhile. */

__kernel void row_walk(int n, __global const float *in, __global float *out) {
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += in[row * n + k];
    }
    out[row] = sum;
}

__kernel void column_walk(int n, __global const float *in, __global float *out) {
    int column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += in[k * n + column];
    }
    out[column] = sum;
}

/* The largest of a row, and where it is. */
__kernel void row_walk_branch(int n, __global const float *in, __global float *out, __global int *where) {
    int row = get_global_id(0), place = 0;
    float largest = in[row * n];
    for (int k = 1; k < n; k++) {
        float value = in[row * n + k];
        if (value > largest) {
            largest = value;
            place = k;
        }
    }
    out[row] = largest;
    where[row] = place;
}

__kernel void vector_add(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void gather(__global const float *in, __global const int *index, __global float *out) {
    size_t i = get_global_id(0);
    out[i] = in[index[i]];
}

/* Irregular access: graphs, sparse rows, histograms, searches, and an alignment along its diagonals. */

/* One level of a breadth-first search: nodes of the front reach their neighbours. */
__kernel void bfs_level(int nodes, int level, __global const int *first, __global const int *neighbour,
                        __global int *depth, __global int *again) {
    int node = get_global_id(0);
    if (node < nodes && depth[node] == level) {
        for (int e = first[node]; e < first[node + 1]; e++) {
            if (depth[neighbour[e]] < 0) {
                depth[neighbour[e]] = level + 1;
                *again = 1;
            }
        }
    }
}

__kernel void spmv(int rows, __global const int *first, __global const int *column, __global const float *value,
                   __global const float *x, __global float *y) {
    int row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        for (int e = first[row]; e < first[row + 1]; e++) {
            sum += value[e] * x[column[e]];
        }
        y[row] = sum;
    }
}

__kernel void histogram_global(__global const uint *in, __global uint *bins) {
    atomic_inc(&bins[in[get_global_id(0)] & 255]);
}

__kernel void histogram_local(int per_item, __global const uint *in, __global uint *bins) {
    __local uint own[256];
    int item = get_local_id(0), items = get_local_size(0);
    for (int i = item; i < 256; i += items) {
        own[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int start = get_group_id(0) * items * per_item + item;
    for (int i = 0; i < per_item; i++) {
        atomic_inc(&own[in[start + i * items] & 255]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < 256; i += items) {
        atomic_add(&bins[i], own[i]);
    }
}

__kernel void binary_search(int n, __global const uint *sorted, __global const uint *wanted, __global int *place) {
    int i = get_global_id(0), low = 0, high = n;
    uint value = wanted[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    place[i] = low;
}

#define BLOCK 16

/* The scores of aligning two sequences, a block of 16 by 16 a group, blocks of one diagonal at a time; inside
 * a block the items go along its diagonals. `score` has a row and a column more than the sequences. */
__kernel void wavefront(int n, int diagonal, int first, int gap, __global const uchar *a, __global const uchar *b,
                        __global int *score) {
    __local int cell[BLOCK + 1][BLOCK + 1];
    int x = get_local_id(0), block_x = first + get_group_id(0), block_y = diagonal - block_x;
    int left = block_x * BLOCK, top = block_y * BLOCK, row = n + 1;
    cell[0][x + 1] = score[top * row + left + x + 1];
    cell[x + 1][0] = score[(top + x + 1) * row + left];
    if (x == 0) {
        cell[0][0] = score[top * row + left];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < 2 * BLOCK - 1; step++) {
        int y = step - x;
        if (y >= 0 && y < BLOCK) {
            int match = cell[y][x] + (a[top + y] == b[left + x] ? 3 : -2);
            cell[y + 1][x + 1] = max(match, max(cell[y][x + 1], cell[y + 1][x]) - gap);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < BLOCK; y++) {
        score[(top + y + 1) * row + left + x + 1] = cell[y + 1][x + 1];
    }
}

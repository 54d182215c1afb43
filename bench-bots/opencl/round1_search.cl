/* Searches, sparse rows, shortest paths, the nearest of some: what an item does depends on its data. */

/* Where each value first is in the list, or -1: the first match ends the search. */
__kernel void linear_search(int n, int length, __global const int *wanted, __global const int *list,
                            __global int *place) {
    int i = get_global_id(0);
    if (i < n) {
        int found = -1;
        for (int k = 0; k < length; k++) {
            if (list[k] == wanted[i]) {
                found = k;
                break;
            }
        }
        place[i] = found;
    }
}

/* The first place whose value is not smaller. */
__kernel void lower_bound(uint n, uint length, __global const float *wanted, __global const float *sorted,
                          __global uint *place) {
    uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    float value = wanted[i];
    uint low = 0, count = length;
    while (count > 0) {
        uint half_of = count / 2;
        if (sorted[low + half_of] < value) {
            low += half_of + 1;
            count -= half_of + 1;
        } else {
            count = half_of;
        }
    }
    place[i] = low;
}

/* Compressed sparse rows, an item a row. */
__kernel void csr_scalar(uint rows, __global const uint *start, __global const uint *column,
                         __global const float *value, __global const float *x, __global float *y) {
    uint row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        uint end = start[row + 1];
        for (uint k = start[row]; k < end; k++) {
            sum += value[k] * x[column[k]];
        }
        y[row] = sum;
    }
}

/* Shortest paths between all pairs: those that may go by node k as well. */
__kernel void floyd_step(uint n, uint k, __global uint *distance) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n) {
        uint here = distance[y * n + x];
        uint by_k = distance[y * n + k] + distance[k * n + x];
        if (by_k < here) {
            distance[y * n + x] = by_k;
        }
    }
}

/* The nearest centre of points whose coordinates lie side by side. */
__kernel void nearest_centre(int points, int centres, int features, __global const float *point,
                             __constant float *centre, __global int *nearest) {
    int i = get_global_id(0);
    if (i >= points) {
        return;
    }
    float least = MAXFLOAT;
    int which = 0;
    for (int c = 0; c < centres; c++) {
        float sum = 0.0f;
        for (int f = 0; f < features; f++) {
            float d = point[i * features + f] - centre[c * features + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            which = c;
        }
    }
    nearest[i] = which;
}

/* How long a point stays near the middle. */
__kernel void escape_time(int width, int height, float left, float top, float step, int most, __global uchar *time) {
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height) {
        return;
    }
    float x0 = left + px * step, y0 = top + py * step, x = 0.0f, y = 0.0f;
    int i;
    for (i = 0; i < most; i++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) {
            break;
        }
        y = 2.0f * x * y + y0;
        x = xx - yy + x0;
    }
    time[py * width + px] = (uchar)i;
}

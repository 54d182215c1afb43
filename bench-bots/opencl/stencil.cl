/* Grids whose points are computed from their neighbours. */

__kernel void stencil2d(int width, int height, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[at] = in[at];
        return;
    }
    float sides = in[at - 1] + in[at + 1] + in[at - width] + in[at + width];
    float corners = in[at - width - 1] + in[at - width + 1] + in[at + width - 1] + in[at + width + 1];
    out[at] = 0.25f * in[at] + 0.15f * sides + 0.0375f * corners;
}

__kernel void stencil3d(int n, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * n + y) * n + x;
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
        out[at] = 0.4f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] +
                                          in[at - n * n] + in[at + n * n]);
    } else {
        out[at] = in[at];
    }
}

#define RADIUS 4

/* A finite difference in time of eighth order in space: an item goes through all planes, its column of
 * points in private memory, the plane of its group in local memory. `step` is the padded row. */
__kernel void fdtd(int n, int row, int plane, __constant float *weight, __global const float *in,
                   __global float *out) {
    __local float tile[16 + 2 * RADIUS][16 + 2 * RADIUS];
    int x = get_local_id(0), y = get_local_id(1);
    int at = (get_global_id(1) + RADIUS) * row + get_global_id(0) + RADIUS;
    float behind[RADIUS], front[RADIUS], current;
    for (int i = 0; i < RADIUS; i++) {
        behind[i] = in[at + (RADIUS - 1 - i) * plane];
    }
    current = in[at + RADIUS * plane];
    for (int i = 0; i < RADIUS; i++) {
        front[i] = in[at + (RADIUS + 1 + i) * plane];
    }
    at += RADIUS * plane;
    for (int z = 0; z < n; z++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[y + RADIUS][x + RADIUS] = current;
        if (y < RADIUS) {
            tile[y][x + RADIUS] = in[at - RADIUS * row];
            tile[y + 16 + RADIUS][x + RADIUS] = in[at + 16 * row];
        }
        if (x < RADIUS) {
            tile[y + RADIUS][x] = in[at - RADIUS];
            tile[y + RADIUS][x + 16 + RADIUS] = in[at + 16];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = weight[0] * current;
        for (int i = 1; i <= RADIUS; i++) {
            sum += weight[i] * (front[i - 1] + behind[i - 1] + tile[y + RADIUS - i][x + RADIUS] +
                                tile[y + RADIUS + i][x + RADIUS] + tile[y + RADIUS][x + RADIUS - i] +
                                tile[y + RADIUS][x + RADIUS + i]);
        }
        out[at] = sum;
        for (int i = RADIUS - 1; i > 0; i--) {
            behind[i] = behind[i - 1];
        }
        behind[0] = current;
        current = front[0];
        for (int i = 0; i < RADIUS - 1; i++) {
            front[i] = front[i + 1];
        }
        at += plane;
        if (z + 1 < n) {
            front[RADIUS - 1] = in[at + RADIUS * plane];
        }
    }
}

/* Lattice Boltzmann in two dimensions with nine directions: each point takes what flows to it and
 * relaxes. Directions are arrays of their own; the borders wrap. */
__constant int flow_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int flow_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant float share[9] = {4.0f / 9, 1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                             1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

__kernel void lattice(int n, float rate, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1), cells = n * n;
    float f[9], density = 0.0f, vx = 0.0f, vy = 0.0f;
    for (int d = 0; d < 9; d++) {
        int from_x = (x - flow_x[d] + n) % n, from_y = (y - flow_y[d] + n) % n;
        f[d] = in[d * cells + from_y * n + from_x];
        density += f[d];
        vx += f[d] * flow_x[d];
        vy += f[d] * flow_y[d];
    }
    vx /= density;
    vy /= density;
    float square = 1.5f * (vx * vx + vy * vy);
    for (int d = 0; d < 9; d++) {
        float along = 3.0f * (flow_x[d] * vx + flow_y[d] * vy);
        float rest = share[d] * density * (1.0f + along + 0.5f * along * along - square);
        out[d * cells + y * n + x] = f[d] + rate * (rest - f[d]);
    }
}

/* Grids whose points are computed from their neighbours, which a group shares in local memory. */

#define SIDE 16

/* Nine points. The grid has a border of one point all around, which stays as it is; `row` is its width with the border. Items at
 * the edges of a group load the points around it. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void stencil9_halo(int row, float centre, float beside, float corner, __global const float *in, __global float *out) {
    __local float tile[SIDE + 2][SIDE + 2];
    int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
    int gx = get_global_id(0), gy = get_global_id(1);
    int at = (gy + 1) * row + gx + 1;
    tile[y][x] = in[at];
    if (y == 1) {
        tile[0][x] = in[at - row];
    }
    if (y == SIDE) {
        tile[SIDE + 1][x] = in[at + row];
    }
    if (x == 1) {
        tile[y][0] = in[at - 1];
        if (y == 1) {
            tile[0][0] = in[at - row - 1];
        }
        if (y == SIDE) {
            tile[SIDE + 1][0] = in[at + row - 1];
        }
    }
    if (x == SIDE) {
        tile[y][SIDE + 1] = in[at + 1];
        if (y == 1) {
            tile[0][SIDE + 1] = in[at - row + 1];
        }
        if (y == SIDE) {
            tile[SIDE + 1][SIDE + 1] = in[at + row + 1];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sides = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
    float corners = tile[y - 1][x - 1] + tile[y - 1][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x + 1];
    out[at] = centre * tile[y][x] + beside * sides + corner * corners;
}

#define RADIUS 16
#define WIDE 32
#define HIGH 32

/* One step of a finite difference in time. An item goes through all planes of its column: the points in front and behind are its
 * own, those of the plane its group's. The grid has a border of RADIUS points; `row` and `plane` are its widths with the border. */
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH, 1)))
void fdtd3d_planes(int planes, int row, int plane, __constant float *weight, __global const float *in, __global float *out) {
    __local float tile[HIGH + 2 * RADIUS][WIDE + 2 * RADIUS];
    int x = get_local_id(0), y = get_local_id(1);
    int tx = x + RADIUS, ty = y + RADIUS;
    int gx = get_global_id(0), gy = get_global_id(1);
    int next = (gy + RADIUS) * row + gx + RADIUS;
    float front[RADIUS], behind[RADIUS], current;
    for (int i = RADIUS - 2; i >= 0; i--) {
        behind[i] = in[next];
        next += plane;
    }
    current = in[next];
    int at = next;
    next += plane;
    for (int i = 0; i < RADIUS; i++) {
        front[i] = in[next];
        next += plane;
    }
    for (int z = 0; z < planes; z++) {
        for (int i = RADIUS - 1; i > 0; i--) {
            behind[i] = behind[i - 1];
        }
        behind[0] = current;
        current = front[0];
        for (int i = 0; i < RADIUS - 1; i++) {
            front[i] = front[i + 1];
        }
        front[RADIUS - 1] = in[next];
        next += plane;
        at += plane;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y < RADIUS) {
            tile[y][tx] = in[at - RADIUS * row];
            tile[y + HIGH + RADIUS][tx] = in[at + HIGH * row];
        }
        if (x < RADIUS) {
            tile[ty][x] = in[at - RADIUS];
            tile[ty][x + WIDE + RADIUS] = in[at + WIDE];
        }
        tile[ty][tx] = current;
        barrier(CLK_LOCAL_MEM_FENCE);
        float value = weight[0] * current;
        for (int i = 1; i <= RADIUS; i++) {
            value += weight[i] * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] +
                                  tile[ty][tx + i]);
        }
        out[at] = value;
    }
}

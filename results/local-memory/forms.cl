/* What keeps the arrays of the suite `local-memory`, one form at a time. A name that ends in `_goes` is of a kernel whose array is
 * removed; the one behind it differs in what its comment says. */
#define SIDE 16
#define SIZED __kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
#define PLACE                                                                                                                    \
    __local float tile[SIDE + 2][SIDE + 2];                                                                                      \
    int x = get_local_id(0) + 1, y = get_local_id(1) + 1, gx = get_global_id(0), gy = get_global_id(1);
#define EDGES                                                                                                                    \
    tile[y][x] = in[at];                                                                                                         \
    if (y == 1) tile[0][x] = in[at - row];                                                                                       \
    if (y == SIDE) tile[SIDE + 1][x] = in[at + row];                                                                             \
    if (x == 1) tile[y][0] = in[at - 1];                                                                                         \
    if (x == SIDE) tile[y][SIDE + 1] = in[at + 1];
#define SIDES (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1])

/* Five points, without corners. */
SIZED void sides_goes(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (gy + 1) * row + gx + 1;
    EDGES
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES;
}

/* The index is computed with the ids' own 64 bits, and becomes an int behind that. */
SIZED void sides_wide(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (get_global_id(1) + 1) * row + get_global_id(0) + 1;
    EDGES
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES;
}

/* A corner by the last of the items. */
SIZED void corner_goes(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (gy + 1) * row + gx + 1;
    EDGES
    if (x == SIDE && y == SIDE) tile[SIDE + 1][SIDE + 1] = in[at + row + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES + tile[y + 1][x + 1];
}

/* A corner by the first of the items: LLVM asks for both ids at once, (x | y) == 0. */
SIZED void first_corner(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (gy + 1) * row + gx + 1;
    EDGES
    if (x == 1 && y == 1) tile[0][0] = in[at - row - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES + tile[y - 1][x - 1];
}

/* A corner by a test inside of that of an edge. */
SIZED void nested_corner_goes(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (gy + 1) * row + gx + 1;
    EDGES
    if (x == SIDE) {
        if (y == SIDE) tile[SIDE + 1][SIDE + 1] = in[at + row + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES + tile[y + 1][x + 1];
}

/* A corner of the first edge so: LLVM leads its items past the test of the other edge. */
SIZED void nested_first_corner(int row, __global const float *in, __global float *out) {
    PLACE
    int at = (gy + 1) * row + gx + 1;
    tile[y][x] = in[at];
    if (y == 1) tile[0][x] = in[at - row];
    if (y == SIDE) tile[SIDE + 1][x] = in[at + row];
    if (x == 1) {
        tile[y][0] = in[at - 1];
        if (y == SIDE) tile[SIDE + 1][0] = in[at + row - 1];
    }
    if (x == SIDE) tile[y][SIDE + 1] = in[at + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = tile[y][x] + SIDES + tile[y + 1][x - 1];
}

/* The array of rows of a product; the loop counts from 0. */
SIZED void rows_goes(int n, __global const float *a, __global float *c) {
    __local float of_a[SIDE][SIDE];
    int x = get_local_id(0), y = get_local_id(1), across = get_group_id(0), down = get_group_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += SIDE) {
        of_a[y][x] = a[n * SIDE * down + t + n * y + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++) {
            sum += of_a[y][k] * k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[(SIDE * down + y) * n + SIDE * across + x] = sum;
}

/* The loop counts from the group's first row. */
SIZED void rows_from_first(int n, __global const float *a, __global float *c) {
    __local float of_a[SIDE][SIDE];
    int x = get_local_id(0), y = get_local_id(1), across = get_group_id(0), down = get_group_id(1);
    int first = n * SIDE * down, last = first + n - 1;
    float sum = 0.0f;
    for (int at = first; at <= last; at += SIDE) {
        of_a[y][x] = a[at + n * y + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++) {
            sum += of_a[y][k] * k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[(SIDE * down + y) * n + SIDE * across + x] = sum;
}

/* A line of a stencil in two dimensions, loaded in the iteration that stores it. */
__kernel __attribute__((reqd_work_group_size(SIDE, 1, 1)))
void line_goes(int lines, int line, __global const float *in, __global float *out) {
    __local float tile[SIDE];
    int x = get_local_id(0), gx = get_global_id(0);
    for (int z = 0; z < lines; z++) {
        int at = z * line + gx;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[x] = in[at];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = x > 0 ? tile[x] + tile[x - 1] : tile[x];
    }
}

/* The index grows from iteration to iteration. */
__kernel __attribute__((reqd_work_group_size(SIDE, 1, 1)))
void line_grows(int lines, int line, __global const float *in, __global float *out) {
    __local float tile[SIDE];
    int x = get_local_id(0), at = get_global_id(0);
    for (int z = 0; z < lines; z++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[x] = in[at];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = x > 0 ? tile[x] + tile[x - 1] : tile[x];
        at += line;
    }
}

/* Loaded one iteration before, in a register meanwhile. */
__kernel __attribute__((reqd_work_group_size(SIDE, 1, 1)))
void line_in_register(int lines, int line, __global const float *in, __global float *out) {
    __local float tile[SIDE];
    int x = get_local_id(0), gx = get_global_id(0);
    float current = in[gx];
    for (int z = 0; z < lines; z++) {
        int at = z * line + gx;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[x] = current;
        current = in[at + line];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = x > 0 ? tile[x] + tile[x - 1] : tile[x];
    }
}

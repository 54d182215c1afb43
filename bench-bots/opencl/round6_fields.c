/* Fields. Sizes are voxels along a side, fours of spins in a row, rows of blocks. */
#include "workloads.h"

enum { VIEWS = 3, ACROSS = 320, DOWN = 240 };

/* As the kernel has it. */
struct view {
    cl_float4 row[3];
    cl_float fx, fy, cx, cy;
    cl_int width, height;
};

static const float room = 3.0f, truncation = 0.12f;

static cl_int3 grid_of(const struct clbench *b) {
    cl_int side = (cl_int)b->size;
    return (cl_int3){{side, side - side / 7, side + side / 9, 0}};
}

static float voxel_of(const struct clbench *b) { return room / (float)b->size; }

/* Cameras before the room, turned a bit, each to another side. */
static struct view view_of(int which) {
    double turn = 0.17 * (which - 1), away[3] = {-1.4 - 0.5 * (which - 1), -1.25, 0.7 + 0.1 * which};
    return (struct view){.row = {{{(float)cos(turn), 0.0f, (float)-sin(turn), (float)(cos(turn) * away[0])}},
                                 {{0.0f, 1.0f, 0.0f, (float)away[1]}},
                                 {{(float)sin(turn), 0.0f, (float)cos(turn), (float)(away[2] + sin(turn) * away[0])}}},
                         .fx = 262.5f, .fy = 263.25f, .cx = 159.5f, .cy = 119.25f, .width = ACROSS, .height = DOWN};
}

/* A ball before a wall with waves; no depth is known where a shadow would be. */
static cl_ushort depth_at(const struct view *view, long pixel, uint32_t *state) {
    double u = ((double)(pixel % ACROSS) - view->cx) / view->fx, v = ((double)(pixel / ACROSS) - view->cy) / view->fy;
    double squares = u * u + v * v + 1.0, along = (0.1 * u - 0.05 * v + 2.0) / squares;
    double miss = 0.1 * 0.1 + 0.05 * 0.05 + 4.0 - along * along * squares, wall = 3.1 + 0.15 * sin(9.0 * u) * cos(7.0 * v);
    double depth = miss < 0.36 ? along - sqrt((0.36 - miss) / squares) : wall;
    return miss > 0.36 && miss < 0.39 ? 0 : (cl_ushort)(1000.0 * depth + 4.0 * random_unit(state));
}

static void tsdf_fuse_prepare(struct clbench *b) {
    cl_int3 grid = grid_of(b);
    uint32_t state = 611;
    for (int which = 0; which < VIEWS; which++) {
        struct view view = view_of(which);
        cl_ushort *depth = make(b, which, ACROSS * DOWN * sizeof *depth);
        for (long i = 0; i < ACROSS * DOWN; i++) {
            depth[i] = depth_at(&view, i, &state);
        }
        up(b, which);
    }
    make(b, VIEWS, (size_t)grid.s[0] * (size_t)grid.s[1] * (size_t)grid.s[2] * sizeof(cl_short2));
}

static void tsdf_fuse_once(struct clbench *b) {
    cl_int3 grid = grid_of(b);
    cl_float voxel = voxel_of(b);
    memset(b->buffer[VIEWS].host, 0, b->buffer[VIEWS].bytes);
    up(b, VIEWS);
    for (int which = 0; which < VIEWS; which++) {
        struct view view = view_of(which);
        launch(b, "tsdf_fuse", RANGE3(round_up(grid.s[0], 16), round_up(grid.s[1], 4), round_up(grid.s[2], 4), 16, 4, 4), V(view),
               B(which), V(grid), V(voxel), V(truncation), B(VIEWS));
    }
}

/* One voxel of all pictures: what is behind a surface is not seen. */
static cl_short2 fused(struct clbench *b, const double *at) {
    double mean = 0.0;
    int seen = 0;
    for (int which = 0; which < VIEWS; which++) {
        struct view view = view_of(which);
        const cl_ushort *depth = b->buffer[which].host;
        double c[3], away;
        for (int k = 0; k < 3; k++) {
            const float *row = view.row[k].s;
            c[k] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3];
        }
        long u = lrint(c[0] / c[2] * view.fx + view.cx), v = lrint(c[1] / c[2] * view.fy + view.cy);
        if (c[2] < 0.1 || u < 0 || v < 0 || u >= ACROSS || v >= DOWN || depth[v * ACROSS + u] == 0) {
            continue;
        }
        away = (depth[v * ACROSS + u] / 1000.0 / c[2] - 1.0) * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) / truncation;
        if (away >= -1.0) {
            mean = rint((mean * seen + 32767.0 * fmin(1.0, away)) / (seen + 1));
            seen++;
        }
    }
    return (cl_short2){{(cl_short)mean, (cl_short)seen}};
}

/* Every fifth voxel. Rounding may decide which pixel a voxel is in, so one of 500 may differ. */
static int tsdf_fuse_check(struct clbench *b) {
    const cl_short2 *got = b->buffer[VIEWS].host;
    cl_int3 grid = grid_of(b);
    long voxels = (long)grid.s[0] * grid.s[1] * grid.s[2], count = 0, differ = 0, near_surface = 0;
    down(b, VIEWS);
    for (long i = 0; i < voxels; i += 5, count++) {
        long place[3] = {i % grid.s[0], i / grid.s[0] % grid.s[1], i / grid.s[0] / grid.s[1]};
        double at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = ((double)place[k] + 0.5) * voxel_of(b);
        }
        cl_short2 want = fused(b, at);
        differ += got[i].s[1] != want.s[1] || abs(got[i].s[0] - want.s[0]) > 2;
        near_surface += want.s[1] > 0 && abs(want.s[0]) < 32000;
    }
    if (differ * 500 > count || near_surface * 100 < count) {
        fprintf(stderr, "voxels: %ld of %ld differ, %ld are near a surface\n", differ, count, near_surface);
    }
    return differ * 500 <= count && near_surface * 100 >= count;
}

enum { SWEEPS = 4 };
static const cl_uint2 key = {{0x243f6a88u, 0x85a308d3u}};

static cl_uint half_width(const struct clbench *b) { return (cl_uint)(4 * b->size); }
/* Colours go round, so it is even. */
static cl_uint spin_rows(const struct clbench *b) { return (cl_uint)(6 * b->size - 2); }

static void ising_sweep_prepare(struct clbench *b) {
    size_t spins = (size_t)half_width(b) * spin_rows(b);
    uint32_t state = 612;
    for (int colour = 0; colour < 2; colour++) {
        signed char *spin = make(b, colour, spins);
        for (size_t i = 0; i < spins; i++) {
            spin[i] = random_unit(&state) < 0.3f ? -1 : 1;
        }
    }
    cl_uint *accept = make(b, 2, 5 * sizeof *accept);
    for (int i = 0; i < 5; i++) {
        accept[i] = (cl_uint)(4294967295.0 * fmin(1.0, exp(-0.43 * 2.0 * (2 * i - 4))));
    }
    make(b, 3, 2 * sizeof(cl_int));
    up(b, 2);
}

static void ising_sweep_once(struct clbench *b) {
    cl_uint columns = half_width(b), rows = spin_rows(b);
    memset(b->buffer[3].host, 0, b->buffer[3].bytes);
    up(b, 0), up(b, 1), up(b, 3);
    for (cl_uint half = 0; half < 2 * SWEEPS; half++) {
        cl_uint colour = half % 2, sweep = half / 2;
        launch(b, "ising_sweep", RANGE2(round_up(b->size, 32), round_up(rows, 4), 32, 4), B((int)colour), B((int)(1 - colour)),
               V(columns), V(rows), V(colour), V(sweep), V(key), B(2));
    }
    launch(b, "ising_totals", RANGE1(64 * 128, 128), B(0), B(1), V(columns), V(rows), B(3), LOCAL(128 * sizeof(cl_int2)));
}

/* The word of a counter that belongs to one of four spins. */
static uint32_t dice(uint32_t quad, uint32_t row, uint32_t sweep, uint32_t colour, int which) {
    uint32_t c[4] = {quad, row, sweep, colour}, k[2] = {key.s[0], key.s[1]};
    for (int round = 0; round < 10; round++) {
        uint64_t first = 0xd2511f53ull * c[0], second = 0xcd9e8d57ull * c[2];
        uint32_t next[4] = {(uint32_t)(second >> 32) ^ c[1] ^ k[0], (uint32_t)second, (uint32_t)(first >> 32) ^ c[3] ^ k[1],
                            (uint32_t)first};
        memcpy(c, next, sizeof c);
        k[0] += 0x9e3779b9u, k[1] += 0xbb67ae85u;
    }
    return c[which];
}

static int around(const signed char *board, long row, long column, long rows, long columns) {
    return board[(row + 1) % rows * columns + column] + board[(row + rows - 1) % rows * columns + column] +
           board[row * columns + (column + 1) % columns] + board[row * columns + (column + columns - 1) % columns];
}

/* The same on the whole board. */
static int ising_sweep_check(struct clbench *b) {
    long rows = spin_rows(b), half = half_width(b), columns = 2 * half, sums[2] = {0, 0};
    const cl_uint *accept = b->buffer[2].host;
    const cl_int *totals = b->buffer[3].host;
    signed char *board = malloc((size_t)(rows * columns));
    int ok = 1;
    for (long i = 0; i < rows * columns; i++) {
        long colour = (i % columns + i / columns) % 2;
        board[i] = ((signed char *)b->buffer[colour].host)[i / 2];
    }
    for (long step = 0; step < 2 * SWEEPS * rows * half; step++) {
        long colour = step / (rows * half) % 2, row = step / half % rows, at = step % half, column = 2 * at + (row + colour) % 2;
        signed char *spin = &board[row * columns + column];
        int index = (*spin * around(board, row, column, rows, columns) + 4) / 2;
        uint32_t sweep = (uint32_t)(step / (2 * rows * half));
        uint32_t word = dice((uint32_t)at / 4, (uint32_t)row, sweep, (uint32_t)colour, (int)(at % 4));
        *spin = (signed char)(word <= accept[index] ? -*spin : *spin);
    }
    down(b, 0), down(b, 1), down(b, 3);
    for (long i = 0; i < rows * columns; i++) {
        long colour = (i % columns + i / columns) % 2;
        ok = ok && same("spin", i, ((signed char *)b->buffer[colour].host)[i / 2], board[i]);
        sums[0] += board[i];
        sums[1] += colour == 0 ? board[i] * around(board, i / columns, i % columns, rows, columns) : 0;
    }
    free(board);
    return ok && same("total", 0, totals[0], sums[0]) && same("total", 1, totals[1], sums[1]);
}

static const float alpha = 1.25f, beta = -0.5f;

/* Blocks near the diagonal, some farther away, and a few rows with many. */
static void block_sparse_prepare(struct clbench *b) {
    cl_int *begin = make(b, 0, (size_t)(b->size + 1) * sizeof *begin);
    uint32_t state = 613;
    for (long row = 0; row < b->size; row++) {
        begin[row + 1] = begin[row] + (cl_int)(random_word(&state) % 19) + (row % 97 == 5 ? 150 : 4);
    }
    cl_int blocks = begin[b->size], *columns = make(b, 1, (size_t)blocks * sizeof *columns);
    fill_between(make(b, 2, 16 * (size_t)blocks * sizeof(float)), 16L * blocks, 614, -1.0f, 1.0f);
    fill_between(make(b, 3, 4 * (size_t)b->size * sizeof(float)), 4 * b->size, 615, -1.0f, 1.0f);
    fill_between(make(b, 4, 4 * (size_t)b->size * sizeof(float)), 4 * b->size, 616, -1.0f, 1.0f);
    for (long row = 0; row < b->size; row++) {
        for (cl_int i = begin[row]; i < begin[row + 1]; i++) {
            long reach = i % 3 == 0 ? b->size : 41, step = (long)(random_word(&state) % (uint32_t)reach) - reach / 2;
            columns[i] = (cl_int)((row + step + b->size) % b->size);
        }
    }
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void block_sparse_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    up(b, 4);
    launch(b, "block_sparse", RANGE1(round_up(rows, 4) * 16, 64), V(rows), B(0), B(1), B(2), V(alpha), B(3), V(beta), B(4));
}

static int block_sparse_check(struct clbench *b) {
    const cl_int *begin = b->buffer[0].host, *columns = b->buffer[1].host;
    const float *blocks = b->buffer[2].host, *x = b->buffer[3].host;
    float *y = b->buffer[4].host, *before = malloc(b->buffer[4].bytes);
    int ok = 1;
    memcpy(before, y, b->buffer[4].bytes);
    down(b, 4);
    for (long at = 0; ok && at < 4 * b->size; at++) {
        double sum = 0.0;
        for (long i = begin[at / 4]; i < begin[at / 4 + 1]; i++) {
            for (int k = 0; k < 4; k++) {
                sum += (double)blocks[16 * i + 4 * k + at % 4] * x[4 * columns[i] + k];
            }
        }
        ok = near("y", at, y[at], alpha * sum + beta * before[at], 1e-4);
    }
    free(before);
    return ok;
}

const struct workload round6_fields_workloads[] = {
    WORKLOAD(round6_fields, tsdf_fuse, 21, 121, 253, 401),
    WORKLOAD(round6_fields, ising_sweep, 7, 151, 401, 1001),
    WORKLOAD(round6_fields, block_sparse, 77, 40009, 100003, 300007),
    END_OF_WORKLOADS,
};

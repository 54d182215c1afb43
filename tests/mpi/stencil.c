/* Gauss-Seidel iterations over a grid whose rows are divided among ranks: each point becomes the mean of its neighbours, of which
 * two are new already. `phases` does one step after the other: receive, compute (tasks over blocks), send. `tasks` has a task for
 * every message too, so that steps overlap. Arguments: phases or tasks, columns, rows of a rank, block, steps. Small grids are
 * compared with the same steps by one rank. */
#include "check.h"

#include <string.h>
#include <time.h>

static int rank, ranks, columns, rows, block, steps, blocks_down, blocks_across;
/* Rows 0 and rows + 1 are the neighbours'; columns 0 and columns + 1 the boundary. */
static double *grid;

static double *row(int i) { return grid + (size_t)i * (columns + 2); }

static double initial(int i, int j) { return (i * 31 + j * 17) % 101 / 101.0; }

static void sweep(double *above, int width, int height, int stride) {
    for (int i = 1; i <= height; i++) {
        double *up = above + (size_t)(i - 1) * stride, *here = up + stride, *down = here + stride;
        for (int j = 0; j < width; j++) here[j] = 0.25 * (up[j] + here[j - 1] + here[j + 1] + down[j]);
    }
}

static void compute(int r, int c) {
    double *above = row(r * block) + 1 + c * block;
    sweep(above, block, block, columns + 2);
}

/* Tags: a column of blocks, downwards or upwards. */
static void receive(int i, int c, int from, int tag, int count) {
    if (from >= 0 && from < ranks)
        OK(MPI_Recv(row(i) + 1 + c * block, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void send(int i, int c, int to, int tag, int count) {
    if (to >= 0 && to < ranks) OK(MPI_Send(row(i) + 1 + c * block, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD));
}

/* What tasks depend on: a byte for each block, with those of the neighbours around them. */
static char *marks;

static char *mark(int r, int c) { return marks + (size_t)(r + 1) * (blocks_across + 2) + c + 1; }

static void compute_tasks(void) {
    for (int r = 0; r < blocks_down; r++)
        for (int c = 0; c < blocks_across; c++) {
#pragma omp task firstprivate(r, c) depend(in : *mark(r - 1, c), *mark(r, c - 1), *mark(r, c + 1), *mark(r + 1, c)) \
    depend(inout : *mark(r, c))
            compute(r, c);
        }
}

static void by_phases(void) {
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < steps; step++) {
        if (step > 0) receive(rows + 1, 0, rank + 1, 1, columns);
        receive(0, 0, rank - 1, 0, columns);
        compute_tasks();
#pragma omp taskwait
        send(rows, 0, rank + 1, 0, columns);
        if (step < steps - 1) send(1, 0, rank - 1, 1, columns);
    }
}

static void by_tasks(void) {
    int up = blocks_across;
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < steps; step++) {
        for (int c = 0; c < blocks_across; c++) {
            if (step > 0 && rank + 1 < ranks) {
#pragma omp task firstprivate(c) depend(out : *mark(blocks_down, c))
                receive(rows + 1, c, rank + 1, up + c, block);
            }
            if (rank > 0) {
#pragma omp task firstprivate(c) depend(out : *mark(-1, c))
                receive(0, c, rank - 1, c, block);
            }
        }
        compute_tasks();
        for (int c = 0; c < blocks_across; c++) {
            if (rank + 1 < ranks) {
#pragma omp task firstprivate(c) depend(in : *mark(blocks_down - 1, c))
                send(rows, c, rank + 1, c, block);
            }
            if (step < steps - 1 && rank > 0) {
#pragma omp task firstprivate(c) depend(in : *mark(0, c))
                send(1, c, rank - 1, up + c, block);
            }
        }
    }
}

/* One rank computes all, and compares its rows. */
static void compare(void) {
    int all = rows * ranks;
    double *whole = calloc((size_t)(all + 2) * (columns + 2), sizeof *whole);
    CHECK(whole != NULL);
    for (int i = 1; i <= all; i++)
        for (int j = 1; j <= columns; j++) whole[(size_t)i * (columns + 2) + j] = initial(i, j);
    for (int step = 0; step < steps; step++) sweep(whole + 1, columns, all, columns + 2);
    for (int i = 1; i <= rows; i++)
        CHECK(memcmp(row(i) + 1, whole + (size_t)(rank * rows + i) * (columns + 2) + 1, columns * sizeof *whole) == 0);
    free(whole);
}

int main(int argc, char **argv) {
    begin(&argc, &argv, &rank, &ranks);
    CHECK(argc == 6);
    int tasks = strcmp(argv[1], "tasks") == 0;
    CHECK(tasks || strcmp(argv[1], "phases") == 0);
    columns = atoi(argv[2]), rows = atoi(argv[3]), block = atoi(argv[4]), steps = atoi(argv[5]);
    blocks_down = rows / block, blocks_across = columns / block;
    CHECK(blocks_down * block == rows && blocks_across * block == columns && steps > 0);
    grid = calloc((size_t)(rows + 2) * (columns + 2), sizeof *grid);
    marks = calloc((size_t)(blocks_down + 2) * (blocks_across + 2), 1);
    CHECK(grid != NULL && marks != NULL);
    for (int i = 0; i <= rows + 1; i++)
        for (int j = 1; j <= columns; j++)
            if (rank * rows + i > 0 && rank * rows + i <= rows * ranks) row(i)[j] = initial(rank * rows + i, j);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    double start = MPI_Wtime();
    if (tasks)
        by_tasks();
    else
        by_phases();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) printf("stencil %s %.3f s\n", argv[1], MPI_Wtime() - start);
    if ((size_t)rows * ranks * columns * steps <= 50000000) compare();
    pass(rank);
    return 0;
}

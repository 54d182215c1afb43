/* The Cholesky factorisation of a matrix in blocks; columns of blocks are dealt to ranks in turn. `phases` factors a column,
 * broadcasts it and updates the others, one column after the other; `tasks` has a task for every block, and one for every message.
 * The matrix is min(i, j) + 1, whose factor is one everywhere. Arguments: phases or tasks, blocks, their size. */
#include "check.h"

#include <math.h>
#include <string.h>

static int rank, ranks, blocks, size;
/* The lower half by blocks: own ones, and what the others sent. */
static double **lower;

static double **at(int i, int j) { return &lower[(size_t)i * blocks + j]; }

static int owner(int j) { return j % ranks; }

static int is_mine(int j) { return owner(j) == rank; }

static void factor(double *a) {
    for (int j = 0; j < size; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < size; i++) a[i * size + j] -= a[i * size + k] * a[j * size + k];
        double root = sqrt(a[j * size + j]);
        for (int i = j; i < size; i++) a[i * size + j] /= root;
    }
}

/* x := x * inverse of the transposed l */
static void solve(const double *l, double *x) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double sum = x[i * size + j];
            for (int k = 0; k < j; k++) sum -= x[i * size + k] * l[j * size + k];
            x[i * size + j] = sum / l[j * size + j];
        }
}

/* c := c - a * transposed b */
static void update(const double *a, const double *b, double *c) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0;
            for (int k = 0; k < size; k++) sum += a[i * size + k] * b[j * size + k];
            c[i * size + j] -= sum;
        }
}

static void by_phases(void) {
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < blocks; k++) {
        if (is_mine(k)) {
            factor(*at(k, k));
            for (int i = k + 1; i < blocks; i++) {
#pragma omp task firstprivate(i, k)
                solve(*at(k, k), *at(i, k));
            }
#pragma omp taskwait
        }
        for (int i = k; i < blocks; i++) OK(MPI_Bcast(*at(i, k), size * size, MPI_DOUBLE, owner(k), MPI_COMM_WORLD));
        for (int j = k + 1; j < blocks; j++) {
            if (!is_mine(j)) continue;
            for (int i = j; i < blocks; i++) {
#pragma omp task firstprivate(i, j, k)
                update(*at(i, k), *at(j, k), *at(i, j));
            }
        }
#pragma omp taskwait
    }
}

static void send_to_all(double *data, int tag) {
    for (int to = 0; to < ranks; to++)
        if (to != rank) OK(MPI_Send(data, size * size, MPI_DOUBLE, to, tag, MPI_COMM_WORLD));
}

static void by_tasks(void) {
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < blocks; k++) {
        for (int i = k; i < blocks; i++) {
            int tag = i * blocks + k;
            if (!is_mine(k)) {
#pragma omp task firstprivate(i, k, tag) depend(out : *at(i, k))
                OK(MPI_Recv(*at(i, k), size * size, MPI_DOUBLE, owner(k), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                continue;
            }
            if (i == k) {
#pragma omp task firstprivate(k) depend(inout : *at(k, k)) priority(2)
                factor(*at(k, k));
            } else {
#pragma omp task firstprivate(i, k) depend(in : *at(k, k)) depend(inout : *at(i, k)) priority(1)
                solve(*at(k, k), *at(i, k));
            }
#pragma omp task firstprivate(i, k, tag) depend(in : *at(i, k)) priority(1)
            send_to_all(*at(i, k), tag);
        }
        for (int j = k + 1; j < blocks; j++) {
            if (!is_mine(j)) continue;
            for (int i = j; i < blocks; i++) {
#pragma omp task firstprivate(i, j, k) depend(in : *at(i, k), *at(j, k)) depend(inout : *at(i, j))
                update(*at(i, k), *at(j, k), *at(i, j));
            }
        }
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv, &rank, &ranks);
    CHECK(argc == 4);
    int tasks = strcmp(argv[1], "tasks") == 0;
    CHECK(tasks || strcmp(argv[1], "phases") == 0);
    blocks = atoi(argv[2]), size = atoi(argv[3]);
    CHECK(blocks > 0 && size > 0);
    lower = calloc((size_t)blocks * blocks, sizeof *lower);
    CHECK(lower != NULL);
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j <= i; j++) {
            double *data = *at(i, j) = calloc((size_t)size * size, sizeof *data);
            CHECK(data != NULL);
            for (int y = 0; is_mine(j) && y < size; y++)
                for (int x = 0; x < size; x++) {
                    int down = i * size + y, across = j * size + x;
                    data[y * size + x] = (down < across ? down : across) + 1;
                }
        }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    double start = MPI_Wtime();
    if (tasks)
        by_tasks();
    else
        by_phases();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) printf("cholesky %s %.3f s\n", argv[1], MPI_Wtime() - start);
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j <= i; j++)
            for (int y = 0; is_mine(j) && y < size; y++)
                for (int x = 0; x < size; x++)
                    CHECK(i * size + y < j * size + x || (*at(i, j))[y * size + x] == 1.0);
    pass(rank);
    return 0;
}

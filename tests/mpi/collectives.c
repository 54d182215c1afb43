/* Every collective operation that waits, in tasks: each has a communicator of its own, and ranks make them in different orders. */
#include "check.h"

enum { TASKS = 40, MOST = 8 };

static int rank, ranks;
static MPI_Comm comms[TASKS];

static int sum_of_ranks(void) { return ranks * (ranks - 1) / 2; }

static void one_root(MPI_Comm comm, int root) {
    int data = rank == root ? 41 : 0, all[MOST], counts[MOST], places[MOST], in = -1, mine = rank;
    for (int i = 0; i < ranks; i++) counts[i] = 1, places[i] = ranks - 1 - i;
    OK(MPI_Bcast(&data, 1, MPI_INT, root, comm));
    CHECK(data == 41);
    OK(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm));
    for (int i = 0; rank == root && i < ranks; i++) CHECK(all[i] == i);
    OK(MPI_Gatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, root, comm));
    for (int i = 0; rank == root && i < ranks; i++) CHECK(all[i] == ranks - 1 - i);
    OK(MPI_Scatter(all, 1, MPI_INT, &in, 1, MPI_INT, root, comm));
    CHECK(in == ranks - 1 - rank);
    OK(MPI_Scatterv(all, counts, places, MPI_INT, &in, 1, MPI_INT, root, comm));
    CHECK(in == rank);
    OK(MPI_Reduce(&mine, &in, 1, MPI_INT, MPI_SUM, root, comm));
    CHECK(rank != root || in == sum_of_ranks());
}

static void all_to_all(MPI_Comm comm) {
    int all[MOST], out[MOST], counts[MOST], places[MOST], bytes[MOST], mine = rank;
    MPI_Datatype types[MOST];
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1, places[i] = i, bytes[i] = i * (int)sizeof(int), types[i] = MPI_INT;
        out[i] = 100 * rank + i;
    }
    OK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm));
    for (int i = 0; i < ranks; i++) {
        CHECK(all[i] == i);
        all[i] = -1;
    }
    OK(MPI_Allgatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, comm));
    for (int i = 0; i < ranks; i++) {
        CHECK(all[i] == i);
        all[i] = -1;
    }
    OK(MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, comm));
    for (int i = 0; i < ranks; i++) {
        CHECK(all[i] == 100 * i + rank);
        all[i] = -1;
    }
    OK(MPI_Alltoallv(out, counts, places, MPI_INT, all, counts, places, MPI_INT, comm));
    for (int i = 0; i < ranks; i++) {
        CHECK(all[i] == 100 * i + rank);
        all[i] = -1;
    }
    OK(MPI_Alltoallw(out, counts, bytes, types, all, counts, bytes, types, comm));
    for (int i = 0; i < ranks; i++) CHECK(all[i] == 100 * i + rank);
}

static void sums(MPI_Comm comm) {
    int mine = rank, in = -1, ones[MOST], counts[MOST];
    for (int i = 0; i < ranks; i++) ones[i] = i, counts[i] = 1;
    OK(MPI_Allreduce(&mine, &in, 1, MPI_INT, MPI_SUM, comm));
    CHECK(in == sum_of_ranks());
    OK(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, comm));
    CHECK(mine == sum_of_ranks());
    mine = rank;
    OK(MPI_Scan(&mine, &in, 1, MPI_INT, MPI_SUM, comm));
    CHECK(in == rank * (rank + 1) / 2);
    OK(MPI_Exscan(&mine, &in, 1, MPI_INT, MPI_SUM, comm));
    CHECK(rank == 0 || in == rank * (rank - 1) / 2);
    OK(MPI_Reduce_scatter_block(ones, &in, 1, MPI_INT, MPI_SUM, comm));
    CHECK(in == rank * ranks);
    OK(MPI_Reduce_scatter(ones, &in, counts, MPI_INT, MPI_SUM, comm));
    CHECK(in == rank * ranks);
}

int main(int argc, char **argv) {
    begin(&argc, &argv, &rank, &ranks);
    CHECK(ranks <= MOST);
    for (int i = 0; i < TASKS; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    int done = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i) shared(done)
        {
            int task = (i * (2 * rank + 1) + 7 * rank) % TASKS;
            if ((2 * rank + 1) % 5 == 0) task = TASKS - 1 - i;
            OK(MPI_Barrier(comms[task]));
            one_root(comms[task], task % ranks);
            all_to_all(comms[task]);
            sums(comms[task]);
#pragma omp atomic
            done++;
        }
    }
    CHECK(done == TASKS);
    for (int i = 0; i < TASKS; i++) OK(MPI_Comm_free(&comms[i]));
    pass(rank);
    return 0;
}

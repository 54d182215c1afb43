/* Many tasks, each of which exchanges a halo with both neighbours in a ring, by one of several calls that wait. All tasks of a
 * rank wait before the first message comes, on however few threads. Arguments: how many tasks. */
#include "check.h"

static int rank, ranks;

static int value(int of, int task) { return of * 1000003 + task; }

static void by_sendrecv(int task, int left, int right, int in[2]) {
    int out = value(rank, task);
    MPI_Status status;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, right, task, &in[0], 1, MPI_INT, left, task, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == left && status.MPI_TAG == task);
    OK(MPI_Sendrecv(&out, 1, MPI_INT, left, task, &in[1], 1, MPI_INT, right, task, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
}

static void by_waitall(int task, int left, int right, int in[2]) {
    int out = value(rank, task);
    MPI_Request requests[5] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[5];
    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, task, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&in[1], 1, MPI_INT, right, task, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Isend(&out, 1, MPI_INT, left, task, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Isend(&out, 1, MPI_INT, right, task, MPI_COMM_WORLD, &requests[4]));
    OK(MPI_Waitall(5, requests, statuses));
    for (int i = 0; i < 5; i++) CHECK(requests[i] == MPI_REQUEST_NULL);
    CHECK(statuses[0].MPI_SOURCE == left && statuses[1].MPI_SOURCE == right && statuses[0].MPI_TAG == task);
}

static void by_ssend(int task, int left, int right, int in[2]) {
    int out = value(rank, task);
    MPI_Request request;
    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, task, MPI_COMM_WORLD, &request));
    OK(MPI_Ssend(&out, 1, MPI_INT, right, task, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Irecv(&in[1], 1, MPI_INT, right, task, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&out, 1, MPI_INT, left, task, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void by_probe(int task, int left, int right, int in[2]) {
    int out = value(rank, task), count;
    MPI_Status status;
    MPI_Message message;
    OK(MPI_Send(&out, 1, MPI_INT, right, task, MPI_COMM_WORLD));
    OK(MPI_Probe(left, task, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 1);
    OK(MPI_Recv(&in[0], 1, MPI_INT, left, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(&out, 1, MPI_INT, left, task, MPI_COMM_WORLD));
    OK(MPI_Mprobe(right, task, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Mrecv(&in[1], 1, MPI_INT, &message, &status));
}

static void by_waitany(int task, int left, int right, int in[2]) {
    int out = value(rank, task), index, first, done = 0, indices[2];
    MPI_Request requests[2], sends[2];
    MPI_Status statuses[2];
    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, task, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&in[1], 1, MPI_INT, right, task, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Isend(&out, 1, MPI_INT, left, task, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Isend(&out, 1, MPI_INT, right, task, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE));
    CHECK(requests[first] == MPI_REQUEST_NULL);
    OK(MPI_Waitsome(2, requests, &done, indices, statuses));
    CHECK(done == 1 && indices[0] == 1 - first);
    OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == MPI_UNDEFINED);
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
}

static void by_replace(int task, int left, int right, int in[2]) {
    in[0] = in[1] = value(rank, task);
    OK(MPI_Sendrecv_replace(&in[0], 1, MPI_INT, right, task, left, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(&in[1], 1, MPI_INT, left, task, right, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

typedef void exchange(int task, int left, int right, int in[2]);
static exchange *const ways[] = {by_sendrecv, by_waitall, by_ssend, by_probe, by_waitany, by_replace};
enum { WAYS = sizeof ways / sizeof *ways };

/* Ranks of a block make its tasks in opposite orders. */
enum { BLOCK = 64 };

static int at(int made) { return rank % 2 == 0 ? made : made / BLOCK * BLOCK + BLOCK - 1 - made % BLOCK; }

int main(int argc, char **argv) {
    int tasks = argc > 1 ? atoi(argv[1]) / BLOCK * BLOCK : 6400, done = 0;
    begin(&argc, &argv, &rank, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Comm comm = MPI_COMM_WORLD;
#pragma omp parallel
#pragma omp single
    for (int made = 0; made < tasks; made++) {
#pragma omp task firstprivate(made) shared(done)
        {
            int task = at(made), in[2] = {-1, -1};
            ways[task % WAYS](task, left, right, in);
            CHECK(in[0] == value(left, task) && in[1] == value(right, task));
#pragma omp atomic
            done++;
        }
    }
    CHECK(done == tasks);
    OK(MPI_Barrier(comm));
    pass(rank);
    return 0;
}

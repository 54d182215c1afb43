/* arrows: messages of known number, for the trace: from the initial thread and from tasks, blocking and not, of several communicators
 * with the same ranks, of any source and tag, and received in another order than sent. Every message is its number, so each
 * receive knows which send it got. Says how many there were. Two ranks. */
#include "check.h"

#include <omp.h>

static int received(int value, int from) {
    CHECK(value / 1000 == from);
    return value;
}

int main(int argc, char **argv) {
    int rank, other, sum = 0, in[4], out[4], left;
    MPI_Request requests[4];
    MPI_Status status;
    MPI_Comm one, two, same;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &two);
    MPI_Comm_dup(MPI_COMM_WORLD, &same);

    /* One blocking message each way. */
    out[0] = rank * 1000;
    if (rank == 0) MPI_Send(out, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == 7);
    sum += received(in[0], other);
    if (rank == 1) MPI_Send(out, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);

    /* Four at once of two communicators, completed in two ways and without statuses. In `two` ranks are the other way round. */
    for (int i = 0; i < 4; i++) {
        out[i] = rank * 1000 + i;
        MPI_Irecv(&in[i], 1, MPI_INT, i < 2 ? other : rank, 0, i < 2 ? one : two, &requests[i]);
    }
    for (int i = 3; i >= 0; i--) MPI_Send(&out[i], 1, MPI_INT, i < 2 ? other : rank, 0, i < 2 ? one : two);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Waitany(3, requests, &left, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) MPI_Waitany(3, requests, &left, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++) sum += received(in[i], other);
    CHECK(in[0] % 1000 == 1 && in[2] % 1000 == 3);

    /* Both at once, and one to nobody. */
    MPI_Sendrecv(&out[0], 1, MPI_INT, other, 2, &in[0], 1, MPI_INT, other, 2, same, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 2, same);
    sum += received(in[0], other);

    /* Tasks that wait, more than threads. */
    int values[8];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) shared(values)
        {
            MPI_Request request;
            int own = rank * 1000 + i;
            MPI_Irecv(&values[i], 1, MPI_INT, other, 10 + i, one, &request);
            MPI_Send(&own, 1, MPI_INT, other, 10 + i, one);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < 8; i++) sum += received(values[i], other);
    CHECK(sum == other * 14000 + 6 + 28);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("PASS\n");
    MPI_Finalize();
    return 0;
}

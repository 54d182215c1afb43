/* Tasks that complete with their messages: `vicinity_mpi_fulfill`. What comes after them finds the data. */
#include "check.h"

#include <vicinity_mpi.h>

enum { TASKS = 2000 };

static int in[TASKS], out[TASKS];
static MPI_Status statuses[TASKS];

int main(int argc, char **argv) {
    int rank, ranks, right = 0;
    begin(&argc, &argv, &rank, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
#pragma omp parallel
#pragma omp single
    {
        for (int made = 0; made < TASKS; made++) {
            int i = rank % 2 == 0 ? made : TASKS - 1 - made;
            omp_event_handle_t event;
#pragma omp task firstprivate(i) depend(out : in[i]) detach(event)
            {
                MPI_Request request;
                OK(MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &request));
                OK(vicinity_mpi_fulfill(&request, &statuses[i], event));
                CHECK(request == MPI_REQUEST_NULL);
            }
            omp_event_handle_t sent;
#pragma omp task firstprivate(i) depend(out : out[i]) detach(sent)
            {
                MPI_Request requests[2];
                out[i] = rank * TASKS + i;
                OK(MPI_Issend(&out[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &requests[0]));
                requests[1] = MPI_REQUEST_NULL;
                OK(vicinity_mpi_fulfill_all(2, requests, MPI_STATUSES_IGNORE, sent));
            }
#pragma omp task firstprivate(i) depend(in : in[i]) depend(inout : out[i]) shared(right)
            {
                CHECK(in[i] == from * TASKS + i && statuses[i].MPI_SOURCE == from && statuses[i].MPI_TAG == i);
                out[i] = -1;
#pragma omp atomic
                right++;
            }
        }
    }
    CHECK(right == TASKS);
    CHECK(vicinity_mpi_fulfill_all(-1, NULL, MPI_STATUSES_IGNORE, (omp_event_handle_t)0) == MPI_ERR_ARG);
    pass(rank);
    return 0;
}

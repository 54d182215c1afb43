/* What goes wrong while tasks wait. Arguments: which fault. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *fault;

/* `level`: an MPI that gives no more than one thread at a time. */
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int (*next)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "PMPI_Init_thread");
    int error = next(argc, argv, required, provided);
    if (strcmp(fault, "level") == 0) *provided = MPI_THREAD_SERIALIZED;
    return error;
}

/* An error of a call, or of its message, is what the call returns. */
static void errors_come_back(int rank) {
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i)
        {
            int error, class, data[2] = {i, i};
            MPI_Status statuses[2];
            MPI_Request requests[2];
            error = MPI_Recv(data, 1, MPI_INT, 77, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            OK(MPI_Error_class(error, &class));
            CHECK(class == MPI_ERR_RANK);
            /* A message that is too long. */
            int other = 1 - rank;
            OK(MPI_Isend(data, 2, MPI_INT, other, 100 + i, MPI_COMM_WORLD, &requests[0]));
            error = MPI_Recv(data, 1, MPI_INT, other, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            OK(MPI_Error_class(error, &class));
            CHECK(class == MPI_ERR_TRUNCATE);
            OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
            OK(MPI_Isend(data, 2, MPI_INT, other, 200 + i, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Irecv(data, 1, MPI_INT, other, 200 + i, MPI_COMM_WORLD, &requests[1]));
            error = MPI_Waitall(2, requests, statuses);
            CHECK(error == MPI_ERR_IN_STATUS);
            OK(MPI_Error_class(statuses[1].MPI_ERROR, &class));
            CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
        }
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    CHECK(argc == 2);
    fault = argv[1];
    if (strcmp(fault, "level") == 0) {
        OK(MPI_Init(&argc, &argv));
        OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    } else {
        begin(&argc, &argv, &rank, &ranks);
    }
    if (strcmp(fault, "errors") == 0) errors_come_back(rank);
    if (strcmp(fault, "communicator") == 0) {
#pragma omp parallel
#pragma omp single
#pragma omp task
        MPI_Barrier(MPI_COMM_NULL);
    }
    if (strcmp(fault, "kill") == 0) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i)
            {
                int data;
                if (rank == 1 && i == 19) kill(getpid(), SIGKILL);
                MPI_Recv(&data, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
    }
    pass(rank);
    return 0;
}

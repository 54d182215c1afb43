/* What the programs of this folder share. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                             \
        }                                                                             \
    } while (0)

#define OK(call) CHECK((call) == MPI_SUCCESS)

/* Begins MPI, and says who is who. */
static inline void begin(int *argc, char ***argv, int *rank, int *ranks) {
    int provided;
    OK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, ranks));
}

/* Ends it; rank 0 says so. */
static inline void pass(int rank) {
    OK(MPI_Finalize());
    if (rank == 0) puts("PASS");
}

#endif

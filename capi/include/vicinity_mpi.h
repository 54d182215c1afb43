/* vicinity_mpi.h: tasks that complete with messages, beside plain MPI. For C99 and C++.
 *
 * docs/mpi.md is the manual. Link with -lvicinity-mpi-openmpi or -lvicinity-mpi-mpich, whichever
 * MPI the program is built for. */
#ifndef VICINITY_MPI_H
#define VICINITY_MPI_H

#include <mpi.h>
#include <omp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fulfills the event of a task with a detach clause when the request is complete, and returns at
 * once. The request is MPI_REQUEST_NULL then. The status is written before the event is fulfilled,
 * with MPI_ERROR; it may be MPI_STATUS_IGNORE. Returns an MPI error code; unless it is MPI_SUCCESS
 * the event is not fulfilled. */
int vicinity_mpi_fulfill(MPI_Request *request, MPI_Status *status, omp_event_handle_t event);

/* The same when all requests are complete; statuses may be MPI_STATUSES_IGNORE. */
int vicinity_mpi_fulfill_all(int count, MPI_Request requests[], MPI_Status statuses[],
                             omp_event_handle_t event);

#ifdef __cplusplus
}
#endif

#endif

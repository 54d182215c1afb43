// A rank ends without a word, while another waits for its message and has a message for it under way.
#include <mpi.h>
#include "check.h"
#include <CL/cl_vicinity.h>
#include <signal.h>

int main(int count, char **arguments)
{
    int level, rank;
    size_t bytes = 32 << 20;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin();
    cl_mem buffer = clCreateBuffer(context, 0, bytes, NULL, &error);
    if (rank == 1) {
        OK(clEnqueueRecvBuffer(queue, buffer, CL_TRUE, 0, 1, 0, 1, MPI_COMM_WORLD, 0, NULL, NULL));
        raise(SIGKILL);
    }
    OK(clEnqueueSendBuffer(queue, buffer, CL_TRUE, 0, 1, 1, 1, MPI_COMM_WORLD, 0, NULL, NULL));
    OK(clEnqueueSendBuffer(queue, buffer, CL_FALSE, 0, bytes, 1, 2, MPI_COMM_WORLD, 0, NULL, NULL));
    cl_int status = clEnqueueRecvBuffer(queue, buffer, CL_TRUE, 0, 1, 1, 3, MPI_COMM_WORLD, 0, NULL, NULL);
    printf("the message ended with %d\n", status);
    fflush(stdout);
    _Exit(3);
}

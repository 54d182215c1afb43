// Where MPI is not ready for messages (not initialized, not for all threads, finalized), commands say so; so does one line of the driver.
#include <mpi.h>
#include "check.h"
#include <CL/cl_vicinity.h>

static void refused(cl_mem buffer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    cl_event event = clCreateUserEvent(context, &error);
    IS(CL_INVALID_OPERATION, clEnqueueSendBuffer(queue, buffer, CL_TRUE, 0, 1, 0, 0, MPI_COMM_WORLD, 0, NULL, NULL));
    IS(CL_INVALID_OPERATION, clCreateMPIRequestFromEvent(event, &request));
    CHECK(clCreateEventFromMPIRequest(context, &request, &error) == NULL);
    IS(CL_INVALID_OPERATION, error);
    OK(clReleaseEvent(event));
}

int main(int count, char **arguments)
{
    int level;
    begin();
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &error);
    if (count == 2 && strcmp(arguments[1], "uninitialized") == 0)
        refused(buffer);
    MPI_Init_thread(NULL, NULL, count == 2 && strcmp(arguments[1], "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE,
                    &level);
    if (level < MPI_THREAD_MULTIPLE)
        refused(buffer);
    MPI_Finalize();
    if (count == 2 && strcmp(arguments[1], "finalized") == 0)
        refused(buffer);
    OK(clReleaseMemObject(buffer));
    end();
    return verdict();
}

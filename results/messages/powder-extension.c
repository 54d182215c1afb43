/* With commands: everything is enqueued at once, and events say what waits for what. */
#include "powder.h"

static void steps(void)
{
    cl_event made, used[2] = {NULL, NULL}, moved[2] = {NULL, NULL};
    for (int at = 0; at < STEPS; at++) {
        cl_event *free_again = rank == 0 ? &moved[at % 2] : &used[at % 2], last = *free_again;
        if (rank == 0) {
            make(at, last != NULL, last != NULL ? &last : NULL, &made);
            for (int to = 1; to < ranks; to++)
                OK(clEnqueueSendBuffer(messages, c[at % 2], CL_FALSE, to * bytes, bytes, to, 0, MPI_COMM_WORLD, 1, &made,
                                       to == ranks - 1 ? &moved[at % 2] : NULL));
            OK(clReleaseEvent(made));
            use(at, 0, NULL, NULL);
        } else {
            OK(clEnqueueRecvBuffer(messages, c[at % 2], CL_FALSE, 0, bytes, 0, 0, MPI_COMM_WORLD, last != NULL,
                                   last != NULL ? &last : NULL, &made));
            use(at, 1, &made, &used[at % 2]);
            OK(clReleaseEvent(made));
        }
        if (last != NULL)
            OK(clReleaseEvent(last));
    }
    OK(clFinish(queue));
    OK(clFinish(messages));
    for (int at = 0; at < 2; at++)
        OK(clReleaseEvent(rank == 0 ? moved[at] : used[at]));
}

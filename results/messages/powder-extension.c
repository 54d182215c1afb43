/* With commands, of one queue without an order of its own. Everything is enqueued at once; what stands between two barriers runs at the
 * same time: what uses a step's coefficients, and what makes the next ones. Of two ranks or more. */
#include "powder.h"

static void steps(void)
{
    for (int at = 0; at < STEPS; at++) {
        if (rank == 0)
            make(queue_any, at, NULL);
        else
            OK(clEnqueueRecvBuffer(queue_any, c[at % 2], CL_FALSE, 0, bytes, 0, 0, MPI_COMM_WORLD, 0, NULL, NULL));
        OK(clEnqueueBarrierWithWaitList(queue_any, 0, NULL, NULL));
        for (int to = 1; to < ranks && rank == 0; to++)
            OK(clEnqueueSendBuffer(queue_any, c[at % 2], CL_FALSE, to * bytes, bytes, to, 0, MPI_COMM_WORLD, 0, NULL, NULL));
        use(queue_any, at, NULL);
    }
    OK(clFinish(queue_any));
}

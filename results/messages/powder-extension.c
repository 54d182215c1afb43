/* With commands: everything is enqueued at once, and events say what waits for what. */
#include "powder.h"

static void steps(void)
{
    /* When the coefficients of a step are there, and when there is room for them. Of two ranks or more. */
    static cl_event made[STEPS], room[STEPS + 2];
    for (int at = 0; at < STEPS; at++) {
        if (rank == 0)
            make(at, at > 1, at > 1 ? &room[at] : NULL, &made[at]);
        else
            OK(clEnqueueRecvBuffer(messages, c[at % 2], CL_FALSE, 0, bytes, 0, 0, MPI_COMM_WORLD, at > 1, at > 1 ? &room[at] : NULL,
                                   &made[at]));
        for (int to = 1; to < ranks && rank == 0; to++)
            OK(clEnqueueSendBuffer(messages, c[at % 2], CL_FALSE, to * bytes, bytes, to, 0, MPI_COMM_WORLD, 1, &made[at],
                                   to == ranks - 1 ? &room[at + 2] : NULL));
        use(at, 1, &made[at], rank > 0 ? &room[at + 2] : NULL);
    }
    OK(clFinish(queue));
    OK(clFinish(messages));
    release(made, STEPS);
    release(room + 2, STEPS);
}

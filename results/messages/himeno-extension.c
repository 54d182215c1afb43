/* With commands: everything is enqueued at once, and events say what waits for what. */
#include "himeno.h"

static void steps(void)
{
    static cl_event done[STEPS + 1][2];
    for (int at = 0; at < STEPS; at++) {
        cl_mem next = p[(at + 1) % 2];
        compute(queue_a, at, 1, half, at > 0, at > 0 ? &done[at][1] : NULL, &done[at + 1][0]);
        compute(queue_b, at, half + 1, planes - half, at > 0, at > 0 ? &done[at][0] : NULL, &done[at + 1][1]);
        OK(clEnqueueSendrecvBuffer(queue_a, next, CL_FALSE, PLANE_BYTES, PLANE_BYTES, below, 0, next, 0, PLANE_BYTES, below, 1,
                                   MPI_COMM_WORLD, 0, NULL, NULL));
        OK(clEnqueueSendrecvBuffer(queue_b, next, CL_FALSE, (size_t)planes * PLANE_BYTES, PLANE_BYTES, above, 1, next,
                                   (size_t)(planes + 1) * PLANE_BYTES, PLANE_BYTES, above, 0, MPI_COMM_WORLD, 0, NULL, NULL));
    }
    OK(clFinish(queue_a));
    OK(clFinish(queue_b));
    release(done[1], 2 * STEPS);
}

/* With commands: everything is enqueued at once, and events say what waits for what. */
#include "himeno.h"

static void steps(void)
{
    cl_event done[2][2] = {{NULL}};
    for (int at = 0; at < STEPS; at++) {
        cl_mem next = p[(at + 1) % 2];
        cl_event *now = done[at % 2], *before = done[(at + 1) % 2];
        compute(queue_a, at, 1, half, at > 0, at > 0 ? &before[1] : NULL, &now[0]);
        compute(queue_b, at, half + 1, planes - half, at > 0, at > 0 ? &before[0] : NULL, &now[1]);
        OK(clEnqueueSendrecvBuffer(queue_a, next, CL_FALSE, PLANE_BYTES, PLANE_BYTES, below, 0, next, 0, PLANE_BYTES, below, 1,
                                   MPI_COMM_WORLD, 0, NULL, NULL));
        OK(clEnqueueSendrecvBuffer(queue_b, next, CL_FALSE, (size_t)planes * PLANE_BYTES, PLANE_BYTES, above, 1, next,
                                   (size_t)(planes + 1) * PLANE_BYTES, PLANE_BYTES, above, 0, MPI_COMM_WORLD, 0, NULL, NULL));
        for (int is_b = 0; is_b < 2 && at > 0; is_b++)
            OK(clReleaseEvent(before[is_b]));
    }
    OK(clFinish(queue_a));
    OK(clFinish(queue_b));
    OK(clReleaseEvent(done[(STEPS - 1) % 2][0]));
    OK(clReleaseEvent(done[(STEPS - 1) % 2][1]));
}

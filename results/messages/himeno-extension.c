/* With commands: the same halves in the same order, of one queue without an order of its own. Everything is enqueued at once; what stands
 * between two barriers runs at the same time: the halo of one half, and the kernel of the other. */
#include "himeno.h"

static void steps(void)
{
    for (int turn = 0; turn < 2 * STEPS; turn++) {
        int at = turn / 2, is_b = turn % 2, other = is_b ? above : below;
        size_t own = is_b ? (size_t)planes * PLANE_BYTES : PLANE_BYTES, theirs = is_b ? own + PLANE_BYTES : 0;
        cl_mem next = p[(at + 1) % 2];
        compute(queue_any, at, is_b ? half + 1 : 1, is_b ? planes - half : half, 0, NULL, NULL);
        OK(clEnqueueBarrierWithWaitList(queue_any, 0, NULL, NULL));
        OK(clEnqueueSendrecvBuffer(queue_any, next, CL_FALSE, own, PLANE_BYTES, other, is_b, next, theirs, PLANE_BYTES, other, !is_b,
                                   MPI_COMM_WORLD, 0, NULL, NULL));
    }
    OK(clFinish(queue_any));
}

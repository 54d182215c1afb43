/* By hand: the halo of one half is exchanged while the other half is computed, in the mapped buffers themselves. The program's thread
 * has to be there at each turn. */
#include "himeno.h"

static void exchange(int at, int is_b, MPI_Request requests[2], char *mapped[2])
{
    char *memory = mapped[(at + 1) % 2];
    size_t own = is_b ? (size_t)planes * PLANE_BYTES : PLANE_BYTES, theirs = is_b ? own + PLANE_BYTES : 0;
    int other = is_b ? above : below;
    MPI_Irecv(memory + theirs, PLANE_BYTES, MPI_BYTE, other, !is_b, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(memory + own, PLANE_BYTES, MPI_BYTE, other, is_b, MPI_COMM_WORLD, &requests[1]);
}

static void steps(void)
{
    MPI_Request requests[2][2] = {{MPI_REQUEST_NULL, MPI_REQUEST_NULL}, {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    MPI_Status statuses[2];
    cl_event done[2] = {NULL, NULL}, before[2] = {NULL, NULL};
    char *mapped[2];
    for (int at = 0; at < 2; at++)
        mapped[at] = clEnqueueMapBuffer(queue_a, p[at], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                        (size_t)(planes + 2) * PLANE_BYTES, 0, NULL, NULL, NULL);
    for (int at = 0; at < STEPS; at++) {
        cl_uint waits = at > 0 ? 2 : 0;
        for (int is_b = 0; is_b < 2; is_b++) {
            cl_command_queue queue = is_b ? queue_b : queue_a;
            MPI_Waitall(2, requests[is_b], statuses);
            compute(queue, at, is_b ? half + 1 : 1, is_b ? planes - half : half, waits, waits ? before : NULL, &done[is_b]);
            OK(clFlush(queue));
        }
        for (int is_b = 0; is_b < 2; is_b++) {
            OK(clWaitForEvents(1, &done[is_b]));
            exchange(at, is_b, requests[is_b], mapped);
            if (before[is_b] != NULL)
                OK(clReleaseEvent(before[is_b]));
        }
        before[0] = done[0];
        before[1] = done[1];
    }
    for (int is_b = 0; is_b < 2; is_b++) {
        MPI_Waitall(2, requests[is_b], statuses);
        OK(clReleaseEvent(before[is_b]));
    }
    for (int at = 0; at < 2; at++)
        OK(clEnqueueUnmapMemObject(queue_a, p[at], mapped[at], 0, NULL, NULL));
    OK(clFinish(queue_a));
}

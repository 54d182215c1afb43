/* commands: messages of OpenCL commands, of known number, for the trace: between commands, with plain calls on either side, of
 * any source, both ways at once, an event of a request, and one that fails beside them. Two ranks. */
#include "check.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_vicinity.h>

enum { BYTES = 4096, MANY = 8 };
static cl_command_queue queue;
static cl_mem buffer;
static int rank, other;

static void send_command(size_t bytes, int tag, MPI_Comm comm) {
    CHECK(clEnqueueSendBuffer(queue, buffer, CL_TRUE, 0, bytes, other, tag, comm, 0, NULL, NULL) == CL_SUCCESS);
}

static cl_int receive_command(size_t bytes, int source, int tag, MPI_Comm comm) {
    return clEnqueueRecvBuffer(queue, buffer, CL_TRUE, 0, bytes, source, tag, comm, 0, NULL, NULL);
}

/* A command on one side, a plain call on the other; then the other way round: 2 messages. */
static void with_plain_calls(void) {
    char bytes[BYTES] = {0};
    if (rank == 0) {
        send_command(101, 1, MPI_COMM_WORLD);
        MPI_Send(bytes, 102, MPI_CL_MEM, other, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(bytes, BYTES, MPI_CL_MEM, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(receive_command(BYTES, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD) == CL_SUCCESS);
    }
}

/* One each way, by one command of each rank: 2 messages. */
static void both_ways(MPI_Comm comm) {
    CHECK(clEnqueueSendrecvBuffer(queue, buffer, CL_TRUE, 0, 103, other, 3, buffer, 1000, 103, other, 3, comm, 0, NULL, NULL) ==
          CL_SUCCESS);
}

/* A request that becomes an event: 1 message. */
static void by_request(cl_context context) {
    char bytes[BYTES];
    MPI_Request request;
    cl_event event;
    cl_int error;
    if (rank == 1) return send_command(104, 4, MPI_COMM_WORLD);
    MPI_Irecv(bytes, BYTES, MPI_CL_MEM, other, 4, MPI_COMM_WORLD, &request);
    event = clCreateEventFromMPIRequest(context, &request, &error);
    CHECK(error == CL_SUCCESS && clWaitForEvents(1, &event) == CL_SUCCESS);
    clReleaseEvent(event);
}

/* Many at once, in a queue that keeps no order, while one is too long for its receiver: MANY messages each way. MPI gives the
 * failed request's name to others. */
static void beside_a_failure(cl_context context, cl_device_id device, MPI_Comm comm) {
    const cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue unordered = clCreateCommandQueueWithProperties(context, device, any_order, NULL);
    if (rank == 0) {
        send_command(200, 5, comm);
    } else {
        CHECK(receive_command(100, other, 5, comm) == CL_MPI_ERROR_VICINITY - MPI_ERR_TRUNCATE);
    }
    for (int i = 0; i < MANY; i++) {
        size_t at = BYTES / 2 + (size_t)i * 100;
        CHECK(clEnqueueRecvBuffer(unordered, buffer, CL_FALSE, at, 100, other, 10 + i, MPI_COMM_WORLD, 0, NULL, NULL) == CL_SUCCESS);
    }
    for (int i = 0; i < MANY; i++)
        CHECK(clEnqueueSendBuffer(unordered, buffer, CL_FALSE, 0, 10 + (size_t)i, other, 10 + i, MPI_COMM_WORLD, 0, NULL, NULL) ==
              CL_SUCCESS);
    CHECK(clFinish(unordered) == CL_SUCCESS);
    clReleaseCommandQueue(unordered);
}

int main(int argc, char **argv) {
    int level;
    cl_platform_id platform;
    cl_device_id device;
    MPI_Comm comm;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    buffer = clCreateBuffer(context, 0, BYTES, NULL, NULL);
    with_plain_calls();
    both_ways(comm);
    by_request(context);
    beside_a_failure(context, device, comm);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("PASS\n");
    MPI_Finalize();
    return 0;
}

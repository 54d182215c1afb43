// Commands that send and receive, events of requests and requests of events, on an even number of ranks: what arrives, in which order,
// every failure and every error. Communicators have MPI's default handler, which ends the program at the first error.
#include <mpi.h>
#include "check.h"
#include <CL/cl_vicinity.h>

#define BYTES ((8u << 20) + 5)

static unsigned char from[BYTES], to[BYTES];
static cl_mem source, target;
static cl_command_queue unordered;
static int rank, ranks, other;

static cl_int status_of(cl_event event)
{
    cl_int status = 1;
    clWaitForEvents(1, &event);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    OK(clReleaseEvent(event));
    return status;
}

static unsigned char byte_of(int of, size_t at) { return (unsigned char)((at + 977u * of) * 2654435761u >> 24); }

/* Whether bytes of the target are those of a rank's source. */
static int is_of(int of, size_t offset, size_t source_offset, size_t bytes)
{
    OK(clEnqueueReadBuffer(queue, target, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
    for (size_t at = 0; at < bytes; at++)
        if (to[at] != byte_of(of, source_offset + at))
            return 0;
    return 1;
}

static void clear(void)
{
    cl_event done;
    unsigned char zero = 0;
    OK(clEnqueueFillBuffer(queue, target, &zero, 1, 0, BYTES, 0, NULL, &done));
    OK(status_of(done));
}

/* Around the ring, by one command. */
static void both_ways(MPI_Comm communicator)
{
    const size_t sizes[] = {0, 1, 1000, 100003, BYTES - 7};
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int at = 0; at < 5; at++) {
        clear();
        OK(clEnqueueSendrecvBuffer(queue, source, CL_TRUE, 7, sizes[at], next, 1, target, 3, sizes[at], last, 1,
                                   communicator, 0, NULL, NULL));
        CHECK(is_of(last, 3, 7, sizes[at]));
    }
}

/* What is filled is sent, and what is received is copied on, without the host; the event tells when. */
static void by_events(void)
{
    cl_event filled, sent, received, copied;
    cl_command_type kind = 0;
    cl_ulong times[4];
    unsigned char pattern = (unsigned char)(rank + 1);
    cl_mem block = clCreateBuffer(context, 0, 1 << 20, NULL, &error);
    clear();
    OK(clEnqueueRecvBuffer(unordered, target, CL_FALSE, 0, 1 << 20, other, 2, MPI_COMM_WORLD, 0, NULL, &received));
    OK(clEnqueueCopyBuffer(unordered, target, target, 0, 1 << 20, 1 << 20, 1, &received, &copied));
    OK(clEnqueueFillBuffer(unordered, block, &pattern, 1, 0, 1 << 20, 0, NULL, &filled));
    OK(clEnqueueSendBuffer(unordered, block, CL_FALSE, 0, 1 << 20, other, 2, MPI_COMM_WORLD, 1, &filled, &sent));
    OK(clReleaseMemObject(block));
    OK(clReleaseEvent(filled));
    OK(status_of(copied));
    OK(clEnqueueReadBuffer(queue, target, CL_TRUE, 1 << 20, 1 << 20, to, 0, NULL, NULL));
    CHECK(to[0] == other + 1 && memcmp(to, to + 1, (1 << 20) - 1) == 0);
    OK(clGetEventInfo(received, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == CL_COMMAND_RECV_BUFFER_VICINITY);
    for (int at = 0; at < 4; at++)
        OK(clGetEventProfilingInfo(received, CL_PROFILING_COMMAND_QUEUED + at, sizeof times[at], &times[at], NULL));
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    OK(status_of(received));
    OK(status_of(sent));
}

/* Plain calls of MPI on one side, commands on the other. */
static void with_plain_calls(void)
{
    size_t bytes = 200000;
    if (rank % 2 == 0) {
        OK(clEnqueueSendBuffer(queue, source, CL_TRUE, 0, bytes, other, 3, MPI_COMM_WORLD, 0, NULL, NULL));
        MPI_Send(from, (int)bytes, MPI_CL_MEM, other, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(to, (int)bytes, MPI_CL_MEM, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(to[0] == byte_of(other, 0) && to[bytes - 1] == byte_of(other, bytes - 1));
        clear();
        /* Less than there is room for. */
        OK(clEnqueueRecvBuffer(queue, target, CL_TRUE, 0, BYTES, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, 0, NULL, NULL));
        CHECK(is_of(other, 0, 0, bytes));
    }
}

/* More receives than workers wait while commands run, and end in whichever order the messages come. */
static void many(void)
{
    enum { MANY = 1000, EACH = 4000 };
    static cl_event events[MANY];
    clear();
    for (int at = 0; at < MANY; at++)
        OK(clEnqueueRecvBuffer(unordered, target, CL_FALSE, at * EACH, EACH, other, 1000 + at, MPI_COMM_WORLD, 0, NULL, &events[at]));
    both_ways(MPI_COMM_WORLD);
    clear();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int at = MANY - 1; at >= 0; at--)
        OK(clEnqueueSendBuffer(unordered, source, CL_FALSE, at * EACH, EACH, other, 1000 + at, MPI_COMM_WORLD, 0, NULL, NULL));
    for (int at = 0; at < MANY; at++)
        OK(status_of(events[at]));
    OK(clFinish(unordered));
    CHECK(is_of(other, 0, 0, MANY * EACH));
}

/* A queue of messages that are done when they begin is no deeper than one. */
static void chain(void)
{
    cl_event gate = clCreateUserEvent(context, &error);
    OK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
    for (int at = 0; at < 30000; at++)
        OK(clEnqueueSendBuffer(queue, source, CL_FALSE, 0, 8, MPI_PROC_NULL, 0, MPI_COMM_WORLD, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    OK(clReleaseEvent(gate));
}

static void events_of_requests(void)
{
    MPI_Request requests[2];
    cl_event events[2];
    cl_command_type kind = 0;
    MPI_Irecv(to, 100000, MPI_BYTE, other, 5, MPI_COMM_WORLD, &requests[0]);
    events[0] = clCreateEventFromMPIRequest(context, &requests[0], &error);
    OK(error);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    events[1] = clCreateEventFromMPIRequest(context, &requests[0], &error);
    OK(error);
    OK(status_of(events[1]));
    OK(clGetEventInfo(events[0], CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == CL_COMMAND_MPI_REQUEST_VICINITY);
    IS(CL_INVALID_EVENT, clSetUserEventStatus(events[0], CL_COMPLETE));
    OK(clEnqueueWriteBuffer(unordered, target, CL_FALSE, 0, 100000, to, 1, &events[0], NULL));
    MPI_Isend(from, 100000, MPI_BYTE, other, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    OK(clFinish(unordered));
    OK(status_of(events[0]));
    CHECK(is_of(other, 0, 0, 100000));
    CHECK(clCreateEventFromMPIRequest(NULL, &requests[0], &error) == NULL);
    IS(CL_INVALID_CONTEXT, error);
    CHECK(clCreateEventFromMPIRequest(context, NULL, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
}

static void requests_of_events(void)
{
    MPI_Request requests[3];
    MPI_Status status, statuses[2];
    cl_event gate = clCreateUserEvent(context, &error), wrong = clCreateUserEvent(context, &error), read;
    int is_done = 1, error_class = 0;
    OK(clEnqueueReadBuffer(queue, source, CL_FALSE, 0, BYTES, to, 1, &gate, &read));
    OK(clCreateMPIRequestFromEvent(read, &requests[0]));
    MPI_Irecv(to, 0, MPI_BYTE, other, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(from, 0, MPI_BYTE, other, 6, MPI_COMM_WORLD);
    MPI_Test(&requests[0], &is_done, &status);
    CHECK(!is_done);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    MPI_Waitall(2, requests, statuses);
    CHECK(memcmp(from, to, BYTES) == 0);
    IS(CL_INVALID_EVENT, clCreateMPIRequestFromEvent(NULL, &requests[2]));
    IS(CL_INVALID_VALUE, clCreateMPIRequestFromEvent(read, NULL));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    OK(clCreateMPIRequestFromEvent(wrong, &requests[2]));
    OK(clSetUserEventStatus(wrong, -7));
    MPI_Error_class(MPI_Wait(&requests[2], &status), &error_class);
    CHECK(error_class == MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(wrong));
    OK(clReleaseEvent(read));
}

/* A message that is too long is the receiver's failure, and that of what waits for it. Other messages go on. */
static void truncated(MPI_Comm communicator)
{
    for (size_t bytes = 100; bytes <= BYTES; bytes += BYTES - 100) {
        cl_event received, dependent, sent;
        OK(clEnqueueRecvBuffer(queue, target, CL_FALSE, 0, bytes - 1, other, 7, communicator, 0, NULL, &received));
        OK(clEnqueueMarkerWithWaitList(queue, 1, &received, &dependent));
        OK(clEnqueueSendBuffer(unordered, source, CL_FALSE, 0, bytes, other, 7, communicator, 0, NULL, &sent));
        cl_int status = status_of(received);
        IS(CL_MPI_ERROR_VICINITY - MPI_ERR_TRUNCATE, status);
        CHECK(CL_MPI_ERROR_CLASS_VICINITY(status) == MPI_ERR_TRUNCATE);
        IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(dependent));
        OK(status_of(sent));
        MPI_Barrier(communicator);
    }
}

static void misuse(void)
{
    int *most_tag, has_most = 0;
    cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(second, 0, 64, NULL, &error);
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most_tag, &has_most);
#define SEND(queue, buffer, offset, size, to, tag, communicator, count) \
    clEnqueueSendBuffer(queue, buffer, CL_TRUE, offset, size, to, tag, communicator, count, NULL, NULL)
    IS(CL_INVALID_COMMAND_QUEUE, SEND(NULL, source, 0, 1, other, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_MEM_OBJECT, SEND(queue, NULL, 0, 1, other, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_CONTEXT, SEND(queue, foreign, 0, 1, other, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_EVENT_WAIT_LIST, SEND(queue, source, 0, 1, other, 0, MPI_COMM_WORLD, 1));
    IS(CL_INVALID_VALUE, SEND(queue, source, BYTES, 1, other, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, ranks, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, other, MPI_ANY_TAG, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, other, -5, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, other, 0, none, 0));
    IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, 1, 0, MPI_COMM_SELF, 0));
    if (has_most && *most_tag < 0x7fffffff)
        IS(CL_INVALID_VALUE, SEND(queue, source, 0, 1, other, *most_tag + 1, MPI_COMM_WORLD, 0));
    IS(CL_INVALID_VALUE, clEnqueueRecvBuffer(queue, target, CL_TRUE, 0, 1, -77, 0, MPI_COMM_WORLD, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueSendrecvBuffer(queue, source, CL_TRUE, 0, 10, other, 0, source, 9, 10, other, 0,
                                                    MPI_COMM_WORLD, 0, NULL, NULL));
    clEnqueueSendBuffer_fn by_itself =
        (clEnqueueSendBuffer_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSendBuffer");
    cl_mpi_handle_vicinity nobody = {NULL, 0}, small = clHandleOfCommunicatorVicinity(MPI_COMM_WORLD);
    cl_mpi_vicinity older = *small.mpi;
    older.size = 8;
    small.mpi = &older;
    IS(CL_INVALID_VALUE, by_itself(queue, source, CL_TRUE, 0, 1, other, 0, nobody, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, by_itself(queue, source, CL_TRUE, 0, 1, other, 0, small, 0, NULL, NULL));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseContext(second));
}

int main(int count, char **arguments)
{
    int level;
    MPI_Comm part, copy;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    other = rank ^ 1;
    begin();
    cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES,
                                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    unordered = clCreateCommandQueueWithProperties(context, device, wanted, &error);
    for (size_t at = 0; at < BYTES; at++)
        from[at] = byte_of(rank, at);
    source = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, from, &error);
    target = clCreateBuffer(context, 0, BYTES, NULL, &error);
    OK(error);
    misuse();
    both_ways(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    both_ways(copy);
    by_events();
    with_plain_calls();
    many();
    chain();
    events_of_requests();
    requests_of_events();
    truncated(copy);
    /* Two ranks each, with numbers of their own. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &part);
    OK(clEnqueueSendrecvBuffer(queue, source, CL_TRUE, 0, 100, other % 2, 1, target, 0, 100, other % 2, 1, part, 0, NULL, NULL));
    CHECK(is_of(other, 0, 0, 100));
    both_ways(MPI_COMM_WORLD);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
    OK(clReleaseMemObject(source));
    OK(clReleaseMemObject(target));
    OK(clReleaseCommandQueue(unordered));
    end();
    MPI_Finalize();
    return verdict();
}

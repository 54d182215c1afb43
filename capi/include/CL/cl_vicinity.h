/* CL/cl_vicinity.h: cl_vicinity_data_transfer: files and messages as commands of OpenCL queues.
 *
 * For C99 and C++. docs/opencl-mpi.md is the manual. The functions are found by
 * clGetExtensionFunctionAddressForPlatform under the names below, with the types below. The inline
 * functions of these names do that at each call, so programs may just call them; they return
 * CL_INVALID_OPERATION where the queue's platform has no such function. With
 * CL_NO_EXTENSION_PROTOTYPES there are none of them. Those of messages are at the end, and there
 * only where mpi.h comes before this file. */
#ifndef CL_VICINITY_H
#define CL_VICINITY_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_vicinity_data_transfer 1
#define CL_VICINITY_DATA_TRANSFER_EXTENSION_NAME "cl_vicinity_data_transfer"

/* What CL_EVENT_COMMAND_TYPE answers. */
#define CL_COMMAND_READ_BUFFER_TO_FILE_VICINITY 0x5F10
#define CL_COMMAND_WRITE_BUFFER_FROM_FILE_VICINITY 0x5F11

#define CL_COMMAND_SEND_BUFFER_VICINITY 0x5F12
#define CL_COMMAND_RECV_BUFFER_VICINITY 0x5F13
#define CL_COMMAND_SENDRECV_BUFFER_VICINITY 0x5F14
#define CL_COMMAND_MPI_REQUEST_VICINITY 0x5F15

/* Files ------------------------------------------------------------------------------------- */

/* Events of commands that failed end with this less the system's error number (ENOSPC, EPIPE), and
 * with this itself where a file has less bytes than were to be read. */
#define CL_FILE_ERROR_VICINITY (-10000)
#define CL_FILE_TOO_SHORT_VICINITY CL_FILE_ERROR_VICINITY
/* The system's error number of such a status; 0 for a file that is too short. */
#define CL_FILE_ERRNO_VICINITY(status) (CL_FILE_ERROR_VICINITY - (status))

/* In place of an offset: where the descriptor is when the command begins, which is moved. */
#define CL_FILE_POSITION_VICINITY (-1)

/* Bytes of a buffer to a stream, or from one, at its position when the command begins. The stream
 * is open, and not used by others, until the command is over. */
typedef cl_int(CL_API_CALL *clEnqueueReadBufferToStdioFile_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, FILE *file,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *clEnqueueWriteBufferFromStdioFile_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, FILE *file,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event);

/* The same with a descriptor, which may be closed after the call. */
typedef cl_int(CL_API_CALL *clEnqueueReadBufferToFile_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int file,
    cl_long file_offset, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event);
typedef cl_int(CL_API_CALL *clEnqueueWriteBufferFromFile_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int file,
    cl_long file_offset, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event);

/* Messages ---------------------------------------------------------------------------------- */

/* Events of messages that failed end with this less MPI's error class (MPI_ERR_TRUNCATE). */
#define CL_MPI_ERROR_VICINITY (-20000)
#define CL_MPI_ERROR_CLASS_VICINITY(status) (CL_MPI_ERROR_VICINITY - (status))

/* What the driver calls: the program's MPI, by functions that are compiled with its mpi.h, below.
 * So the driver knows nothing of any MPI. Handles are the first bytes of a cl_ulong. */
typedef struct {
    size_t size; /* sizeof(cl_mpi_vicinity) */
    /* One of the states below. */
    cl_int (*state)(void);
    /* CL_SUCCESS, or CL_INVALID_VALUE for what no message can have. */
    cl_int (*check)(cl_ulong communicator, int rank, int tag, int receives);
    /* Begin; CL_SUCCESS and a request, or an error. */
    cl_int (*send)(const void *bytes, size_t size, int destination, int tag, cl_ulong communicator,
                   cl_ulong *request);
    cl_int (*receive)(void *bytes, size_t size, int source, int tag, cl_ulong communicator,
                      cl_ulong *request);
    /* Of each request of CL_MPI_TESTS_VICINITY at most: CL_COMPLETE, CL_RUNNING or an error. */
    void (*test)(int count, cl_ulong *requests, cl_int *statuses);
} cl_mpi_vicinity;

#define CL_MPI_TESTS_VICINITY 64
#define CL_MPI_READY_VICINITY 0
#define CL_MPI_NOT_INITIALIZED_VICINITY 1
#define CL_MPI_FINALIZED_VICINITY 2
#define CL_MPI_NOT_MULTIPLE_VICINITY 3

/* A communicator or a request, and whose. The driver calls the functions of the first one that it
 * is ever given, for all: a process has one MPI. */
typedef struct {
    const cl_mpi_vicinity *mpi;
    cl_ulong handle;
} cl_mpi_handle_vicinity;

/* A buffer's bytes to another rank, from one, and both at once. */
typedef cl_int(CL_API_CALL *clEnqueueSendBuffer_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
    int destination, int tag, cl_mpi_handle_vicinity communicator, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *clEnqueueRecvBuffer_fn)(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int source,
    int tag, cl_mpi_handle_vicinity communicator, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event);
typedef cl_int(CL_API_CALL *clEnqueueSendrecvBuffer_fn)(
    cl_command_queue queue, cl_mem send_buffer, cl_bool blocking, size_t send_offset,
    size_t send_size, int destination, int send_tag, cl_mem recv_buffer, size_t recv_offset,
    size_t recv_size, int source, int recv_tag, cl_mpi_handle_vicinity communicator,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event);

/* An event that completes with a request, which is the driver's from then on. */
typedef cl_event(CL_API_CALL *clCreateEventFromMPIRequest_fn)(
    cl_context context, cl_mpi_handle_vicinity request, cl_int *errcode_ret);

/* CL_SUCCESS where messages are possible. Otherwise one line on standard error says why not. */
typedef cl_int(CL_API_CALL *clCheckMPIVicinity_fn)(const cl_mpi_vicinity *mpi);

#ifndef CL_NO_EXTENSION_PROTOTYPES

/* The function of a name, of a device's platform. */
static inline cl_int clFindOfDeviceVicinity(cl_device_id device, const char *name, void *function)
{
    cl_platform_id platform;
    cl_int status = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    void *found;
    if (status != CL_SUCCESS)
        return status;
    found = clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(function, &found, sizeof found);
    return found != NULL ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* The same, of a queue's platform. */
static inline cl_int clFindOfQueueVicinity(cl_command_queue queue, const char *name, void *function)
{
    cl_device_id device;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    return status != CL_SUCCESS ? status : clFindOfDeviceVicinity(device, name, function);
}

static inline cl_int clEnqueueReadBufferToStdioFile(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, FILE *file,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    clEnqueueReadBufferToStdioFile_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueReadBufferToStdioFile", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, file, num_events_in_wait_list,
                   event_wait_list, event);
}

static inline cl_int clEnqueueWriteBufferFromStdioFile(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, FILE *file,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    clEnqueueWriteBufferFromStdioFile_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueWriteBufferFromStdioFile", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, file, num_events_in_wait_list,
                   event_wait_list, event);
}

static inline cl_int clEnqueueReadBufferToFile(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int file,
    cl_long file_offset, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event)
{
    clEnqueueReadBufferToFile_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueReadBufferToFile", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, file, file_offset,
                   num_events_in_wait_list, event_wait_list, event);
}

static inline cl_int clEnqueueWriteBufferFromFile(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int file,
    cl_long file_offset, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event)
{
    clEnqueueWriteBufferFromFile_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueWriteBufferFromFile", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, file, file_offset,
                   num_events_in_wait_list, event_wait_list, event);
}

#endif /* CL_NO_EXTENSION_PROTOTYPES */

#ifdef __cplusplus
}
#endif

#endif /* CL_VICINITY_H */

#if defined(MPI_VERSION) && !defined(CL_VICINITY_MPI_H) && !defined(CL_NO_EXTENSION_PROTOTYPES)
#define CL_VICINITY_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* The program's MPI -------------------------------------------------------------------------- */

/* A buffer is bytes of the process, so plain calls of MPI are the other side of commands. */
#define MPI_CL_MEM MPI_BYTE

/* This thread calls MPI for the driver: errors are answers, whatever the communicator's handler. */
static __thread int clIsInMPIVicinity;

static inline cl_int clStateOfMPIVicinity(void)
{
    int is_so = 0, level = MPI_THREAD_SINGLE;
    if (MPI_Initialized(&is_so) != MPI_SUCCESS || !is_so)
        return CL_MPI_NOT_INITIALIZED_VICINITY;
    if (MPI_Finalized(&is_so) != MPI_SUCCESS || is_so)
        return CL_MPI_FINALIZED_VICINITY;
    if (MPI_Query_thread(&level) != MPI_SUCCESS || level < MPI_THREAD_MULTIPLE)
        return CL_MPI_NOT_MULTIPLE_VICINITY;
    return CL_MPI_READY_VICINITY;
}

/* What an event ends with. */
static inline cl_int clStatusOfMPIVicinity(int code)
{
    int error_class = MPI_ERR_OTHER;
    if (code == MPI_SUCCESS)
        return CL_COMPLETE;
    if (MPI_Error_class(code, &error_class) != MPI_SUCCESS || error_class >= 10000)
        error_class = MPI_ERR_OTHER;
    return CL_MPI_ERROR_VICINITY - error_class;
}

/* In place of MPI_ERRORS_ARE_FATAL: the same, but for what the driver calls. */
static inline void clHandleMPIErrorVicinity(MPI_Comm *communicator, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    if (clIsInMPIVicinity)
        return;
    MPI_Error_string(*code, text, &length);
    fprintf(stderr, "MPI: %s\n", text);
    MPI_Abort(*communicator, *code);
}

static inline void clGuardCommunicatorVicinity(MPI_Comm communicator)
{
    MPI_Errhandler before, ours;
    if (MPI_Comm_get_errhandler(communicator, &before) != MPI_SUCCESS)
        return;
    if (before == MPI_ERRORS_ARE_FATAL &&
        MPI_Comm_create_errhandler(clHandleMPIErrorVicinity, &ours) == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(communicator, ours);
        MPI_Errhandler_free(&ours);
    }
    MPI_Errhandler_free(&before);
}

static inline cl_ulong clBytesOfCommunicatorVicinity(MPI_Comm communicator)
{
    cl_ulong handle = 0;
    memcpy(&handle, &communicator, sizeof communicator);
    return handle;
}

static inline MPI_Comm clCommunicatorVicinity(cl_ulong handle)
{
    MPI_Comm communicator;
    memcpy(&communicator, &handle, sizeof communicator);
    return communicator;
}

static inline cl_ulong clBytesOfRequestVicinity(MPI_Request request)
{
    cl_ulong handle = 0;
    memcpy(&handle, &request, sizeof request);
    return handle;
}

static inline cl_int clCheckMessageVicinity(cl_ulong handle, int rank, int tag, int receives)
{
    MPI_Comm communicator = clCommunicatorVicinity(handle);
    int is_inter = 0, ranks = 0, has_most = 0, code;
    int *most_tag = NULL;
    if (communicator == MPI_COMM_NULL)
        return CL_INVALID_VALUE;
    clIsInMPIVicinity++;
    /* Errors that belong to no communicator are raised on one of these. */
    clGuardCommunicatorVicinity(MPI_COMM_WORLD);
    clGuardCommunicatorVicinity(MPI_COMM_SELF);
    code = MPI_Comm_test_inter(communicator, &is_inter);
    if (code == MPI_SUCCESS)
        code = is_inter ? MPI_Comm_remote_size(communicator, &ranks)
                        : MPI_Comm_size(communicator, &ranks);
    if (code == MPI_SUCCESS) {
        clGuardCommunicatorVicinity(communicator);
        code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most_tag, &has_most);
    }
    clIsInMPIVicinity--;
    if (code != MPI_SUCCESS || (has_most && tag > *most_tag))
        return CL_INVALID_VALUE;
    if (tag < 0 && !(receives && tag == MPI_ANY_TAG))
        return CL_INVALID_VALUE;
    if (rank == MPI_PROC_NULL || (receives && rank == MPI_ANY_SOURCE))
        return CL_SUCCESS;
    return rank >= 0 && rank < ranks ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* A type of so many bytes, where they are too many for a count. */
static inline int clMakeTypeVicinity(size_t size, MPI_Datatype *type)
{
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int lengths[2] = {(int)(size >> 30), (int)(size & ((1u << 30) - 1))};
    MPI_Aint places[2] = {0, (MPI_Aint)(size >> 30 << 30)};
    int code = MPI_Type_contiguous(1 << 30, MPI_BYTE, &parts[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Type_create_struct(2, lengths, places, parts, type);
    MPI_Type_free(&parts[0]);
    return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

static inline cl_int clBeginMessageVicinity(void *bytes, size_t size, int rank, int tag,
                                            cl_ulong handle, cl_ulong *request, int receives)
{
    MPI_Comm communicator = clCommunicatorVicinity(handle);
    MPI_Request begun = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_BYTE;
    int is_large = size > 0x7fffffff, count = is_large ? 1 : (int)size, code = MPI_SUCCESS;
    clIsInMPIVicinity++;
    if (is_large)
        code = clMakeTypeVicinity(size, &type);
    if (code == MPI_SUCCESS)
        code = receives ? MPI_Irecv(bytes, count, type, rank, tag, communicator, &begun)
                        : MPI_Isend(bytes, count, type, rank, tag, communicator, &begun);
    if (is_large && type != MPI_BYTE)
        MPI_Type_free(&type);
    clIsInMPIVicinity--;
    *request = clBytesOfRequestVicinity(begun);
    return clStatusOfMPIVicinity(code);
}

static inline cl_int clBeginToSendVicinity(const void *bytes, size_t size, int destination, int tag,
                                           cl_ulong communicator, cl_ulong *request)
{
    return clBeginMessageVicinity((void *)bytes, size, destination, tag, communicator, request, 0);
}

static inline cl_int clBeginToReceiveVicinity(void *bytes, size_t size, int source, int tag,
                                              cl_ulong communicator, cl_ulong *request)
{
    return clBeginMessageVicinity(bytes, size, source, tag, communicator, request, 1);
}

static inline void clTestMessagesVicinity(int count, cl_ulong *handles, cl_int *statuses)
{
    MPI_Request requests[CL_MPI_TESTS_VICINITY];
    MPI_Status found[CL_MPI_TESTS_VICINITY];
    int which[CL_MPI_TESTS_VICINITY], done = 0, code, at;
    if (clStateOfMPIVicinity() != CL_MPI_READY_VICINITY) {
        for (at = 0; at < count; at++)
            statuses[at] = CL_MPI_ERROR_VICINITY - MPI_ERR_OTHER;
        return;
    }
    for (at = 0; at < count; at++) {
        memcpy(&requests[at], &handles[at], sizeof requests[at]);
        statuses[at] = requests[at] == MPI_REQUEST_NULL ? CL_COMPLETE : CL_RUNNING;
    }
    clIsInMPIVicinity++;
    code = MPI_Testsome(count, requests, &done, which, found);
    clIsInMPIVicinity--;
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
        for (at = 0; at < count; at++)
            if (statuses[at] == CL_RUNNING)
                statuses[at] = clStatusOfMPIVicinity(code);
    } else if (done == MPI_UNDEFINED) {
        /* Requests that nobody has begun. */
        for (at = 0; at < count; at++)
            statuses[at] = CL_COMPLETE;
    } else {
        for (at = 0; at < done; at++)
            statuses[which[at]] =
                clStatusOfMPIVicinity(code == MPI_SUCCESS ? code : found[at].MPI_ERROR);
    }
    for (at = 0; at < count; at++)
        handles[at] = clBytesOfRequestVicinity(requests[at]);
}

static inline const cl_mpi_vicinity *clMPIVicinity(void)
{
    static const cl_mpi_vicinity mpi = {sizeof(cl_mpi_vicinity), clStateOfMPIVicinity,
                                        clCheckMessageVicinity,  clBeginToSendVicinity,
                                        clBeginToReceiveVicinity, clTestMessagesVicinity};
    return &mpi;
}

/* What the functions above take for a communicator, for programs that find them by themselves. */
static inline cl_mpi_handle_vicinity clHandleOfCommunicatorVicinity(MPI_Comm communicator)
{
    cl_mpi_handle_vicinity handle;
    handle.mpi = clMPIVicinity();
    handle.handle = clBytesOfCommunicatorVicinity(communicator);
    return handle;
}

/* Messages of the program --------------------------------------------------------------------- */

static inline cl_int clEnqueueSendBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
    int destination, int tag, MPI_Comm communicator, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event)
{
    clEnqueueSendBuffer_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueSendBuffer", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, destination, tag,
                   clHandleOfCommunicatorVicinity(communicator), num_events_in_wait_list,
                   event_wait_list, event);
}

static inline cl_int clEnqueueRecvBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, int source,
    int tag, MPI_Comm communicator, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event)
{
    clEnqueueRecvBuffer_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueRecvBuffer", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, buffer, blocking, offset, size, source, tag,
                   clHandleOfCommunicatorVicinity(communicator), num_events_in_wait_list,
                   event_wait_list, event);
}

static inline cl_int clEnqueueSendrecvBuffer(
    cl_command_queue queue, cl_mem send_buffer, cl_bool blocking, size_t send_offset,
    size_t send_size, int destination, int send_tag, cl_mem recv_buffer, size_t recv_offset,
    size_t recv_size, int source, int recv_tag, MPI_Comm communicator,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    clEnqueueSendrecvBuffer_fn enqueue;
    cl_int status = clFindOfQueueVicinity(queue, "clEnqueueSendrecvBuffer", &enqueue);
    if (status != CL_SUCCESS)
        return status;
    return enqueue(queue, send_buffer, blocking, send_offset, send_size, destination, send_tag,
                   recv_buffer, recv_offset, recv_size, source, recv_tag,
                   clHandleOfCommunicatorVicinity(communicator), num_events_in_wait_list,
                   event_wait_list, event);
}

/* The function of a name, of a context's platform. */
static inline cl_int clFindOfContextVicinity(cl_context context, const char *name, void *function)
{
    size_t size = 0;
    cl_device_id *devices;
    cl_int status = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    if (status != CL_SUCCESS)
        return status;
    devices = (cl_device_id *)malloc(size);
    if (devices == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    status = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL);
    if (status == CL_SUCCESS)
        status = clFindOfDeviceVicinity(devices[0], name, function);
    free(devices);
    return status;
}

/* The request is null afterwards. It must not be a persistent one. */
static inline cl_event clCreateEventFromMPIRequest(cl_context context, MPI_Request *request,
                                                   cl_int *errcode_ret)
{
    clCreateEventFromMPIRequest_fn create = NULL;
    cl_mpi_handle_vicinity handle;
    cl_event event = NULL;
    cl_int status = clFindOfContextVicinity(context, "clCreateEventFromMPIRequest", &create);
    if (status == CL_SUCCESS && request == NULL)
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS) {
        handle.mpi = clMPIVicinity();
        handle.handle = clBytesOfRequestVicinity(*request);
        event = create(context, handle, &status);
    }
    if (event != NULL)
        *request = MPI_REQUEST_NULL;
    if (errcode_ret != NULL)
        *errcode_ret = status;
    return event;
}

typedef struct {
    MPI_Request request;
    cl_int status;
} cl_mpi_event_vicinity;

static inline int clQueryEventVicinity(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return ((cl_mpi_event_vicinity *)state)->status < 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static inline int clForgetEventVicinity(void *state)
{
    free(state);
    return MPI_SUCCESS;
}

static inline int clCancelEventVicinity(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

static inline void CL_CALLBACK clEventEndedVicinity(cl_event event, cl_int status, void *data)
{
    cl_mpi_event_vicinity *state = (cl_mpi_event_vicinity *)data;
    (void)event;
    state->status = status;
    MPI_Grequest_complete(state->request);
}

/* A request that completes with an event, for MPI_Wait and its kin; with MPI_ERR_OTHER, if the
 * event ends with an error. */
static inline cl_int clCreateMPIRequestFromEvent(cl_event event, MPI_Request *request)
{
    cl_mpi_event_vicinity *state;
    clCheckMPIVicinity_fn check;
    cl_context context;
    cl_int status = clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    if (status == CL_SUCCESS)
        status = clFindOfContextVicinity(context, "clCheckMPIVicinity", &check);
    if (status == CL_SUCCESS)
        status = request != NULL ? check(clMPIVicinity()) : CL_INVALID_VALUE;
    if (status != CL_SUCCESS)
        return status;
    state = (cl_mpi_event_vicinity *)malloc(sizeof *state);
    if (state == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    state->status = CL_COMPLETE;
    if (MPI_Grequest_start(clQueryEventVicinity, clForgetEventVicinity, clCancelEventVicinity,
                           state, &state->request) != MPI_SUCCESS) {
        free(state);
        return CL_OUT_OF_RESOURCES;
    }
    *request = state->request;
    status = clSetEventCallback(event, CL_COMPLETE, clEventEndedVicinity, state);
    if (status != CL_SUCCESS) {
        MPI_Grequest_complete(*request);
        MPI_Request_free(request);
    }
    return status;
}

#ifdef __cplusplus
}
#endif

#endif /* CL_VICINITY_MPI_H */

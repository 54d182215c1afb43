/* CL/cl_vicinity.h: cl_vicinity_data_transfer: files as commands of OpenCL queues.
 *
 * For C99 and C++. docs/opencl.md, Files, is the manual. The functions are found by
 * clGetExtensionFunctionAddressForPlatform under the names below, with the types below. The inline
 * functions of these names do that at each call, so programs may just call them; they return
 * CL_INVALID_OPERATION where the queue's platform has no such function. With
 * CL_NO_EXTENSION_PROTOTYPES there are none of them. */
#ifndef CL_VICINITY_H
#define CL_VICINITY_H

#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_vicinity_data_transfer 1
#define CL_VICINITY_DATA_TRANSFER_EXTENSION_NAME "cl_vicinity_data_transfer"

/* What CL_EVENT_COMMAND_TYPE answers. */
#define CL_COMMAND_READ_BUFFER_TO_FILE_VICINITY 0x5F10
#define CL_COMMAND_WRITE_BUFFER_FROM_FILE_VICINITY 0x5F11

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

#endif

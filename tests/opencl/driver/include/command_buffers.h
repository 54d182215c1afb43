/* cl_khr_command_buffer 0.9.8 and cl_khr_command_buffer_mutable_dispatch 0.9.5, whichever versions the system's headers have: of the
   first, those before 0.9.5 lack an argument. */
#ifndef COMMAND_BUFFERS_H
#define COMMAND_BUFFERS_H
#include "check.h"

typedef void *recording;
typedef cl_uint point;

enum {
    CAPABILITIES = 0x12A9, SUPPORTED_PROPERTIES = 0x129A, REQUIRED_PROPERTIES = 0x12AA,
    FLAGS = 0x1293, SIMULTANEOUS_USE = 1, MUTABLE = 2, DEVICE_SIDE_SYNC = 4, BUFFER_ASSERTS = 0x12B7,
    INFO_QUEUES = 0x1294, INFO_NUM_QUEUES = 0x1295, INFO_REFERENCE_COUNT = 0x1296,
    INFO_STATE = 0x1297, INFO_PROPERTIES_ARRAY = 0x1298, INFO_CONTEXT = 0x1299,
    STATE_RECORDING = 0, STATE_EXECUTABLE = 1, STATE_FINALIZED = 2,
    MUTABLE_CAPABILITIES = 0x12B0, UPDATABLE_FIELDS = 0x12B1, DISPATCH_ASSERTS = 0x12B8,
    OFFSET = 1, GLOBAL_SIZE = 2, LOCAL_SIZE = 4, ARGUMENTS = 8, EXEC_INFO = 16,
    COMMAND_QUEUE = 0x12A0, COMMAND_BUFFER = 0x12A1, COMMAND_TYPE = 0x12AD, COMMAND_PROPERTIES = 0x12A2,
    COMMAND_KERNEL = 0x12A3, COMMAND_DIMENSIONS = 0x12A4, COMMAND_OFFSET = 0x12A5, COMMAND_GLOBAL_SIZE = 0x12A6,
    COMMAND_LOCAL_SIZE = 0x12A7,
    COMMAND_COMMAND_BUFFER = 0x12A8,
    INVALID_COMMAND_BUFFER = -1138, INVALID_SYNC_POINT_WAIT_LIST = -1139,
    INVALID_MUTABLE_COMMAND = -1141,
};

struct argument {
    cl_uint index;
    size_t size;
    const void *value;
};

struct exec_info {
    cl_uint name;
    size_t size;
    const void *value;
};

/* What a launch is to become. */
struct change {
    void *command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const struct argument *args, *svm_args;
    const struct exec_info *exec_infos;
    const size_t *offset, *global_size, *local_size;
};

/* What all recorded commands begin and end with. */
#define HEAD recording, cl_command_queue, const cl_ulong *
#define TAIL cl_uint, const point *, point *, void **
#define BUFFER_FUNCTIONS(USE)                                                                              \
    USE(recording, clCreateCommandBufferKHR, (cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *)) \
    USE(cl_int, clRetainCommandBufferKHR, (recording))                                                     \
    USE(cl_int, clReleaseCommandBufferKHR, (recording))                                                    \
    USE(cl_int, clFinalizeCommandBufferKHR, (recording))                                                   \
    USE(cl_int, clGetCommandBufferInfoKHR, (recording, cl_uint, size_t, void *, size_t *))                 \
    USE(cl_int, clEnqueueCommandBufferKHR,                                                                 \
        (cl_uint, cl_command_queue *, recording, cl_uint, const cl_event *, cl_event *))                   \
    USE(cl_int, clCommandBarrierWithWaitListKHR, (HEAD, TAIL))                                             \
    USE(cl_int, clCommandCopyBufferKHR, (HEAD, cl_mem, cl_mem, size_t, size_t, size_t, TAIL))              \
    USE(cl_int, clCommandCopyBufferRectKHR,                                                                \
        (HEAD, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, TAIL)) \
    USE(cl_int, clCommandCopyBufferToImageKHR, (HEAD, cl_mem, cl_mem, size_t, const size_t *, const size_t *, TAIL)) \
    USE(cl_int, clCommandCopyImageKHR,                                                                     \
        (HEAD, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, TAIL))                      \
    USE(cl_int, clCommandCopyImageToBufferKHR, (HEAD, cl_mem, cl_mem, const size_t *, const size_t *, size_t, TAIL)) \
    USE(cl_int, clCommandFillBufferKHR, (HEAD, cl_mem, const void *, size_t, size_t, size_t, TAIL))        \
    USE(cl_int, clCommandFillImageKHR, (HEAD, cl_mem, const void *, const size_t *, const size_t *, TAIL)) \
    USE(cl_int, clCommandSVMMemcpyKHR, (HEAD, void *, const void *, size_t, TAIL))                         \
    USE(cl_int, clCommandSVMMemFillKHR, (HEAD, void *, const void *, size_t, size_t, TAIL))                \
    USE(cl_int, clCommandNDRangeKernelKHR,                                                                 \
        (HEAD, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, TAIL))                  \
    USE(cl_int, clUpdateMutableCommandsKHR, (recording, cl_uint, const cl_uint *, const void **))          \
    USE(cl_int, clGetMutableCommandInfoKHR, (void *, cl_uint, size_t, void *, size_t *))

/* Each function under its name with an underscore before it: headers may declare the name itself. */
#define DECLARE(type, name, arguments) static type(CL_API_CALL *_##name) arguments;
BUFFER_FUNCTIONS(DECLARE)

#define FIND_FUNCTION(type, name, arguments)                                                   \
    _##name = (type(CL_API_CALL *) arguments)clGetExtensionFunctionAddressForPlatform(platform, #name); \
    CHECK(_##name != NULL);

static inline void find_functions(void)
{
    BUFFER_FUNCTIONS(FIND_FUNCTION)
    if (failures)
        exit(1);
}

/* What a command without properties begins with, and what one ends with that waits for nothing and that nobody waits for. */
#define INTO(buffer) buffer, NULL, NULL
#define ALONE 0, NULL, NULL, NULL

static inline recording record(cl_command_queue into)
{
    recording buffer = _clCreateCommandBufferKHR(1, &into, NULL, &error);
    OK(error);
    return buffer;
}

/* Enqueues it where it was recorded, and waits. */
static inline void replay(recording buffer)
{
    OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(queue));
}

#endif

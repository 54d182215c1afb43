// Unified shared memory, and addresses of buffers: what they hold, how they are used, and every error.
#include "check.h"
#include <sched.h>
#include <stdatomic.h>

#define MAPPED(name) static name##_fn p_##name
MAPPED(clHostMemAllocINTEL);
MAPPED(clDeviceMemAllocINTEL);
MAPPED(clSharedMemAllocINTEL);
MAPPED(clMemFreeINTEL);
MAPPED(clMemBlockingFreeINTEL);
MAPPED(clGetMemAllocInfoINTEL);
MAPPED(clSetKernelArgMemPointerINTEL);
MAPPED(clEnqueueMemFillINTEL);
MAPPED(clEnqueueMemcpyINTEL);
MAPPED(clEnqueueMigrateMemINTEL);
MAPPED(clEnqueueMemAdviseINTEL);
static cl_int(CL_API_CALL *set_address)(cl_kernel, cl_uint, cl_ulong);

#define DEVICE_PRIVATE_ADDRESS 0x5000
#define DEVICE_ADDRESS 0x5001
#define INFO_DEVICE_PTRS 0x5002

static void *find(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    CHECK(function != NULL);
    return function;
}

#define FIND(name) p_##name = (name##_fn)find(#name)

static void find_all(void)
{
    FIND(clHostMemAllocINTEL);
    FIND(clDeviceMemAllocINTEL);
    FIND(clSharedMemAllocINTEL);
    FIND(clMemFreeINTEL);
    FIND(clMemBlockingFreeINTEL);
    FIND(clGetMemAllocInfoINTEL);
    FIND(clSetKernelArgMemPointerINTEL);
    FIND(clEnqueueMemFillINTEL);
    FIND(clEnqueueMemcpyINTEL);
    FIND(clEnqueueMigrateMemINTEL);
    FIND(clEnqueueMemAdviseINTEL);
    set_address = (cl_int(CL_API_CALL *)(cl_kernel, cl_uint, cl_ulong))find("clSetKernelArgDevicePointerEXT");
    for (cl_device_info name = CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL; name <= CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL;
         name++) {
        cl_bitfield can = 0;
        OK(clGetDeviceInfo(device, name, sizeof can, &can, NULL));
        CHECK(can == 15);
    }
    char names[4096];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_intel_unified_shared_memory") && strstr(names, "cl_ext_buffer_device_address"));
}

static void expect(const void *pointer, cl_uint type, void *begin, size_t bytes, cl_device_id owner, cl_bitfield flags)
{
    cl_uint told_type = 0;
    void *told_begin = &told_type;
    size_t told_bytes = 42, size = 0;
    cl_device_id told_owner = (cl_device_id)&told_type;
    cl_bitfield told_flags = 42;
    OK(p_clGetMemAllocInfoINTEL(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof told_type, &told_type, &size));
    CHECK(told_type == type && size == sizeof told_type);
    OK(p_clGetMemAllocInfoINTEL(context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof told_begin, &told_begin, &size));
    CHECK(told_begin == begin && size == sizeof told_begin);
    OK(p_clGetMemAllocInfoINTEL(context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof told_bytes, &told_bytes, &size));
    CHECK(told_bytes == bytes && size == sizeof told_bytes);
    OK(p_clGetMemAllocInfoINTEL(context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof told_owner, &told_owner, &size));
    CHECK(told_owner == owner && size == sizeof told_owner);
    OK(p_clGetMemAllocInfoINTEL(context, pointer, CL_MEM_ALLOC_FLAGS_INTEL, sizeof told_flags, &told_flags, &size));
    CHECK(told_flags == flags && size == sizeof told_flags);
}

static void allocations(void)
{
    cl_mem_properties_intel combined[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    cl_mem_properties_intel first[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    char *host = p_clHostMemAllocINTEL(context, combined, 1000, 0, &error);
    OK(error);
    char *own = p_clDeviceMemAllocINTEL(context, device, NULL, 1, 64, &error);
    OK(error);
    char *shared = p_clSharedMemAllocINTEL(context, device, first, 1 << 20, 8, &error);
    OK(error);
    char *nobodys = p_clSharedMemAllocINTEL(context, NULL, NULL, 128, 128, NULL);
    CHECK(host && own && shared && nobodys);
    CHECK((size_t)host % 128 == 0 && (size_t)own % 64 == 0 && (size_t)nobodys % 128 == 0);
    memset(shared, 1, 1 << 20);
    expect(host, CL_MEM_TYPE_HOST_INTEL, host, 1000, NULL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    expect(host + 999, CL_MEM_TYPE_HOST_INTEL, host, 1000, NULL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    expect(own, CL_MEM_TYPE_DEVICE_INTEL, own, 1, device, 0);
    expect(shared + 4711, CL_MEM_TYPE_SHARED_INTEL, shared, 1 << 20, device, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
    expect(nobodys, CL_MEM_TYPE_SHARED_INTEL, nobodys, 128, NULL, 0);
    expect(host + 1000, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    expect(own + 1, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    expect(&host, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    expect(NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    void *other_kind = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    expect(other_kind, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    IS(CL_INVALID_VALUE, p_clMemFreeINTEL(context, other_kind));
    clSVMFree(context, other_kind);
    size_t size = 0;
    cl_uint type = 0;
    IS(CL_INVALID_CONTEXT, p_clGetMemAllocInfoINTEL(NULL, host, CL_MEM_ALLOC_TYPE_INTEL, 4, &type, NULL));
    IS(CL_INVALID_VALUE, p_clGetMemAllocInfoINTEL(context, host, CL_MEM_ALLOC_TYPE_INTEL, 3, &type, NULL));
    IS(CL_INVALID_VALUE, p_clGetMemAllocInfoINTEL(context, host, 0x4180, 0, NULL, &size));

    // Another context knows nothing of them.
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    OK(p_clGetMemAllocInfoINTEL(other, host, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    CHECK(type == CL_MEM_TYPE_UNKNOWN_INTEL);
    IS(CL_INVALID_VALUE, p_clMemFreeINTEL(other, host));
    OK(clReleaseContext(other));

    IS(CL_INVALID_CONTEXT, p_clMemFreeINTEL((cl_context)queue, host));
    IS(CL_INVALID_VALUE, p_clMemFreeINTEL(context, host + 1));
    IS(CL_INVALID_VALUE, p_clMemBlockingFreeINTEL(context, &size));
    OK(p_clMemFreeINTEL(context, NULL));
    OK(p_clMemBlockingFreeINTEL(context, NULL));
    OK(p_clMemFreeINTEL(context, host));
    IS(CL_INVALID_VALUE, p_clMemFreeINTEL(context, host));
    expect(host, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    OK(p_clMemFreeINTEL(context, own));
    OK(p_clMemFreeINTEL(context, nobodys));
    OK(p_clMemBlockingFreeINTEL(context, shared));
}

#define FAILS(expected, call)                       \
    do {                                            \
        error = CL_SUCCESS;                         \
        CHECK((call) == NULL);                      \
        IS(expected, error);                        \
    } while (0)

static void wrong_allocations(void)
{
    cl_mem_properties_intel both[] = {CL_MEM_ALLOC_FLAGS_INTEL, 6, 0}, twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
    cl_mem_properties_intel odd[] = {0x1234, 0, 0}, first[] = {CL_MEM_ALLOC_FLAGS_INTEL, 2, 0}, bit[] = {CL_MEM_ALLOC_FLAGS_INTEL, 64, 0};
    cl_ulong most = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    FAILS(CL_INVALID_CONTEXT, p_clHostMemAllocINTEL(NULL, NULL, 8, 0, &error));
    FAILS(CL_INVALID_VALUE, p_clHostMemAllocINTEL(context, NULL, 8, 3, &error));
    FAILS(CL_INVALID_VALUE, p_clHostMemAllocINTEL(context, NULL, 8, 256, &error));
    FAILS(CL_INVALID_BUFFER_SIZE, p_clHostMemAllocINTEL(context, NULL, 0, 0, &error));
    FAILS(CL_INVALID_BUFFER_SIZE, p_clHostMemAllocINTEL(context, NULL, most + 1, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clHostMemAllocINTEL(context, odd, 8, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clHostMemAllocINTEL(context, twice, 8, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clHostMemAllocINTEL(context, first, 8, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clHostMemAllocINTEL(context, bit, 8, 0, &error));
    FAILS(CL_INVALID_CONTEXT, p_clDeviceMemAllocINTEL((cl_context)device, device, NULL, 8, 0, &error));
    FAILS(CL_INVALID_DEVICE, p_clDeviceMemAllocINTEL(context, NULL, NULL, 8, 0, &error));
    FAILS(CL_INVALID_DEVICE, p_clDeviceMemAllocINTEL(context, (cl_device_id)queue, NULL, 8, 0, &error));
    FAILS(CL_INVALID_VALUE, p_clDeviceMemAllocINTEL(context, device, NULL, 8, 96, &error));
    FAILS(CL_INVALID_BUFFER_SIZE, p_clDeviceMemAllocINTEL(context, device, NULL, 0, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clDeviceMemAllocINTEL(context, device, first, 8, 0, &error));
    FAILS(CL_INVALID_CONTEXT, p_clSharedMemAllocINTEL(NULL, device, NULL, 8, 0, &error));
    FAILS(CL_INVALID_DEVICE, p_clSharedMemAllocINTEL(context, (cl_device_id)context, NULL, 8, 0, &error));
    FAILS(CL_INVALID_PROPERTY, p_clSharedMemAllocINTEL(context, device, both, 8, 0, &error));
    FAILS(CL_INVALID_BUFFER_SIZE, p_clSharedMemAllocINTEL(context, NULL, NULL, 0, 0, &error));
    CHECK(p_clHostMemAllocINTEL(NULL, NULL, 8, 0, NULL) == NULL);
}

static cl_kernel kernel_of(const char *code)
{
    cl_program program = build(code, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    OK(clReleaseProgram(program));
    return kernel;
}

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    OK(clReleaseEvent(event));
    return type;
}

// A list in shared memory: each node knows the next.
static void kernels(void)
{
    typedef struct node { struct node *next; cl_long value; } node;
    cl_kernel kernel = kernel_of("typedef struct node { global struct node *next; long value; } node;\n"
                                 "kernel void f(global node *list, global long *sum, local int *l, long n) {\n"
                                 "    for (*sum = 0; list; list = list->next) *sum += list->value;\n"
                                 "}\n");
    node *list = NULL, *nodes[100];
    for (int at = 0; at < 100; at++) {
        nodes[at] = at % 2 ? p_clSharedMemAllocINTEL(context, device, NULL, sizeof(node), 0, &error)
                           : p_clHostMemAllocINTEL(context, NULL, sizeof(node), 16, &error);
        OK(error);
        *nodes[at] = (node){list, at};
        list = nodes[at];
    }
    cl_long *sum = p_clDeviceMemAllocINTEL(context, device, NULL, 16, 0, &error), on_stack = 0;
    cl_bool yes = CL_TRUE;
    OK(p_clSetKernelArgMemPointerINTEL(kernel, 0, list));
    OK(p_clSetKernelArgMemPointerINTEL(kernel, 1, sum + 1));
    OK(clSetKernelArg(kernel, 2, 4, NULL));
    OK(clSetKernelArg(kernel, 3, 8, &on_stack));
    IS(CL_INVALID_KERNEL, p_clSetKernelArgMemPointerINTEL((cl_kernel)queue, 0, list));
    IS(CL_INVALID_ARG_INDEX, p_clSetKernelArgMemPointerINTEL(kernel, 4, list));
    IS(CL_INVALID_ARG_VALUE, p_clSetKernelArgMemPointerINTEL(kernel, 2, list));
    IS(CL_INVALID_ARG_VALUE, p_clSetKernelArgMemPointerINTEL(kernel, 3, list));
    for (cl_kernel_exec_info name = CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL;
         name <= CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL; name++) {
        OK(clSetKernelExecInfo(kernel, name, sizeof yes, &yes));
        IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, name, 1, &yes));
        IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, name, sizeof yes, NULL));
    }
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof nodes, nodes));
    IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 7, nodes));
    size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(p_clEnqueueMemcpyINTEL(queue, CL_TRUE, &on_stack, sum + 1, sizeof on_stack, 0, NULL, NULL));
    CHECK(on_stack == 4950);
    // Any pointer will do, and none.
    OK(p_clSetKernelArgMemPointerINTEL(kernel, 0, NULL));
    OK(p_clSetKernelArgMemPointerINTEL(kernel, 1, &on_stack));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(on_stack == 0);
    OK(clReleaseKernel(kernel));
    for (int at = 0; at < 100; at++)
        OK(p_clMemFreeINTEL(context, nodes[at]));
    OK(p_clMemFreeINTEL(context, sum));
}

// Five sums of b[0] and what has been added to it, where b is other memory, or lies in that of a.
static void allocations_that_overlap(void)
{
    cl_kernel kernel = kernel_of("kernel void f(global int *a, global int *b, int n) {\n"
                                 "    for (int i = 0; i < n; i++) a[1] += b[0] + i;\n"
                                 "}\n");
    int *one = p_clDeviceMemAllocINTEL(context, device, NULL, 64, 0, &error);
    OK(error);
    int *other = p_clSharedMemAllocINTEL(context, device, NULL, 64, 0, &error);
    OK(error);
    int on_stack[2] = {100, 0}, n = 5, alone = 0, both = 0;
    for (int i = 0; i < n; i++) {
        alone += 100 + i;
        both += both + i;
    }
    int *seconds[] = {other, on_stack, one + 1, one};
    for (int at = 0; at < 4; at++) {
        one[0] = other[0] = 100;
        one[1] = 0;
        OK(p_clSetKernelArgMemPointerINTEL(kernel, 0, one));
        OK(p_clSetKernelArgMemPointerINTEL(kernel, 1, seconds[at]));
        OK(clSetKernelArg(kernel, 2, sizeof n, &n));
        size_t items = 1;
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(one[1] == (seconds[at] == one + 1 ? both : alone));
    }
    OK(clReleaseKernel(kernel));
    OK(p_clMemFreeINTEL(context, one));
    OK(p_clMemFreeINTEL(context, other));
}

static void commands(void)
{
    enum { BYTES = 4096 };
    unsigned char *a = p_clSharedMemAllocINTEL(context, device, NULL, BYTES, 0, &error);
    unsigned char *b = p_clDeviceMemAllocINTEL(context, device, NULL, BYTES, 0, &error), host[BYTES];
    cl_event event, filled;
    const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    OK(p_clEnqueueMemFillINTEL(queue, a, pattern, 16, BYTES, 0, NULL, &filled));
    OK(p_clEnqueueMemcpyINTEL(queue, CL_FALSE, b, a, BYTES, 1, &filled, &event));
    OK(p_clEnqueueMemcpyINTEL(queue, CL_TRUE, host, b, BYTES, 1, &event, NULL));
    for (int at = 0; at < BYTES; at++)
        CHECK(host[at] == at % 16 + 1);
    CHECK(type_of(filled) == CL_COMMAND_MEMFILL_INTEL);
    CHECK(type_of(event) == CL_COMMAND_MEMCPY_INTEL);
    OK(p_clEnqueueMigrateMemINTEL(queue, a, BYTES, 0, 0, NULL, NULL));
    OK(p_clEnqueueMigrateMemINTEL(queue, a, BYTES, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &event));
    CHECK(type_of(event) == CL_COMMAND_MIGRATEMEM_INTEL);
    OK(p_clEnqueueMemAdviseINTEL(queue, a, BYTES, 0, 0, NULL, &event));
    CHECK(type_of(event) == CL_COMMAND_MEMADVISE_INTEL);

    IS(CL_INVALID_COMMAND_QUEUE, p_clEnqueueMemFillINTEL(NULL, a, pattern, 1, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, NULL, pattern, 1, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a + 2, pattern, 4, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a, NULL, 4, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a, pattern, 3, 9, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a, pattern, 0, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a, pattern, 256, 256, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemFillINTEL(queue, a, pattern, 4, 10, 0, NULL, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, p_clEnqueueMemFillINTEL(queue, a, pattern, 4, 8, 1, NULL, NULL));
    IS(CL_INVALID_COMMAND_QUEUE, p_clEnqueueMemcpyINTEL((cl_command_queue)context, CL_TRUE, a, b, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemcpyINTEL(queue, CL_TRUE, NULL, b, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemcpyINTEL(queue, CL_TRUE, a, NULL, 8, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, p_clEnqueueMemcpyINTEL(queue, CL_TRUE, a + 7, a, 8, 0, NULL, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, p_clEnqueueMemcpyINTEL(queue, CL_TRUE, a, b, 8, 1, NULL, NULL));
    IS(CL_INVALID_COMMAND_QUEUE, p_clEnqueueMigrateMemINTEL(NULL, a, 8, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMigrateMemINTEL(queue, a, 8, 64, 0, NULL, NULL));
    IS(CL_INVALID_COMMAND_QUEUE, p_clEnqueueMemAdviseINTEL(NULL, a, 8, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, p_clEnqueueMemAdviseINTEL(queue, a, 8, 0x9999, 0, NULL, NULL));
    cl_event failed = clCreateUserEvent(context, &error);
    OK(clSetUserEventStatus(failed, -1));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, p_clEnqueueMemcpyINTEL(queue, CL_TRUE, a, b, 8, 1, &failed, NULL));
    OK(clReleaseEvent(failed));
    OK(p_clMemFreeINTEL(context, a));
    OK(p_clMemFreeINTEL(context, b));
}

static cl_event gate;
/* How often it was called; it may be after the event is complete for others. */
static atomic_int opened;

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    atomic_fetch_add((atomic_int *)data, 1);
}

// A blocking free waits for what is in every queue of the context, also in one that was released.
static void blocking(void)
{
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    char *memory = p_clSharedMemAllocINTEL(context, device, NULL, 1 << 20, 0, &error);
    cl_kernel kernel = kernel_of("kernel void f(global volatile char *x, int n) {\n"
                                 "    for (int i = 0; i < n; i++) x[get_global_id(0)] += 1;\n"
                                 "}\n");
    cl_int times = 100000;
    size_t items = 64;
    OK(p_clSetKernelArgMemPointerINTEL(kernel, 0, memory));
    OK(clSetKernelArg(kernel, 1, sizeof times, &times));
    OK(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &items, NULL, 0, NULL, &gate));
    OK(clSetEventCallback(gate, CL_COMPLETE, open_gate, &opened));
    OK(clReleaseCommandQueue(second));
    OK(p_clMemBlockingFreeINTEL(context, memory));
    cl_int status = 42;
    OK(clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_COMPLETE);
    OK(clWaitForEvents(1, &gate));
    while (atomic_load(&opened) == 0)
        sched_yield();
    CHECK(atomic_load(&opened) == 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseKernel(kernel));
}

static void addresses(void)
{
    cl_mem_properties asks[] = {DEVICE_PRIVATE_ADDRESS, CL_TRUE, 0}, not[] = {DEVICE_PRIVATE_ADDRESS, CL_FALSE, 0};
    cl_mem_properties odd[] = {DEVICE_PRIVATE_ADDRESS, 2, 0}, twice[] = {DEVICE_PRIVATE_ADDRESS, 1, DEVICE_PRIVATE_ADDRESS, 1, 0};
    cl_ulong address = 0, part_address = 0;
    size_t size = 0;
    cl_int value = 77, found = 0;
    FAILS(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, odd, 0, 256, NULL, &error));
    FAILS(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, twice, 0, 256, NULL, &error));
    cl_mem plain = clCreateBufferWithProperties(context, not, 0, 256, NULL, &error);
    OK(error);
    IS(CL_INVALID_OPERATION, clGetMemObjectInfo(plain, DEVICE_ADDRESS, sizeof address, &address, NULL));
    cl_mem told = clCreateBufferWithProperties(context, asks, 0, 256, NULL, &error);
    OK(error);
    OK(clGetMemObjectInfo(told, DEVICE_ADDRESS, sizeof address, &address, &size));
    CHECK(address != 0 && size == sizeof address);
    IS(CL_INVALID_VALUE, clGetMemObjectInfo(told, DEVICE_ADDRESS, 4, &address, NULL));
    cl_buffer_region region = {128, 64};
    cl_mem part = clCreateSubBuffer(told, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(clGetMemObjectInfo(part, DEVICE_ADDRESS, sizeof part_address, &part_address, NULL));
    CHECK(part_address == address + 128);

    cl_kernel kernel = kernel_of("kernel void f(global int *x, global int *out, constant int *c, local int *l, long n) {\n"
                                 "    out[0] = x[-1];\n"
                                 "}\n");
    OK(clEnqueueWriteBuffer(queue, told, CL_TRUE, 124, sizeof value, &value, 0, NULL, NULL));
    IS(CL_INVALID_KERNEL, set_address(NULL, 0, address));
    for (cl_uint at = 2; at < 6; at++)
        IS(CL_INVALID_ARG_INDEX, set_address(kernel, at, address));
    OK(set_address(kernel, 0, part_address));
    OK(clSetKernelArg(kernel, 1, sizeof plain, &plain));
    OK(clSetKernelArg(kernel, 2, sizeof plain, &plain));
    OK(clSetKernelArg(kernel, 3, 4, NULL));
    OK(clSetKernelArg(kernel, 4, 8, &address));
    OK(clSetKernelExecInfo(kernel, INFO_DEVICE_PTRS, sizeof address, &address));
    IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, INFO_DEVICE_PTRS, 3, &address));
    size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
    CHECK(found == 77);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(told));
    OK(clReleaseMemObject(plain));
}

int main(void)
{
    begin();
    find_all();
    allocations();
    wrong_allocations();
    kernels();
    allocations_that_overlap();
    commands();
    blocking();
    addresses();
    end();
    return verdict();
}

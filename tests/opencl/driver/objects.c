// Objects: what they answer, sub-devices and sub-buffers, shared memory, reference counts, last calls.
#include "check.h"
#include <unistd.h>

static char text[8192];

static const char *device_text(cl_device_info name)
{
    OK(clGetDeviceInfo(device, name, sizeof text, text, NULL));
    return text;
}

static void device_answers(void)
{
    CHECK(strncmp(device_text(CL_DEVICE_VERSION), "OpenCL 3.0 ", 11) == 0);
    CHECK(strncmp(device_text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2", 12) == 0);
    CHECK(strcmp(device_text(CL_DEVICE_PROFILE), "FULL_PROFILE") == 0);
    CHECK(strstr(device_text(CL_DEVICE_EXTENSIONS), "cl_khr_fp64") != NULL);
    CHECK(strlen(device_text(CL_DEVICE_NAME)) > 0);
    cl_ulong number = 0;
    size_t size = 0, sizes[3] = {0};
    cl_uint units = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof number, &number, &size));
    CHECK(number == CL_DEVICE_TYPE_CPU && size == 8);
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK(units >= 1);
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    CHECK(sizes[0] >= 1024 && sizes[2] >= 64);
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof number, &number, NULL));
    CHECK(number == (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                     CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS));
    cl_platform_id same = NULL;
    OK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof same, &same, NULL));
    CHECK(same == platform);
    cl_name_version versions[16];
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof versions, versions, &size));
    CHECK(size == 4 * sizeof *versions && versions[3].version == CL_MAKE_VERSION(3, 0, 0));
}

static void sub_devices(void)
{
    cl_uint units = 0, count = 0, references = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2)
        return;
    cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, units / 2, 0}, type[8];
    cl_device_id parts[2];
    OK(clCreateSubDevices(device, halves, 0, NULL, &count));
    CHECK(count == units / (units / 2));
    OK(clCreateSubDevices(device, halves, 2, parts, NULL));
    size_t size;
    OK(clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    CHECK(size == 3 * sizeof *type && memcmp(type, halves, size) == 0);
    cl_device_id parent = NULL;
    OK(clGetDeviceInfo(parts[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    CHECK(parent == device);
    OK(clRetainDevice(parts[0]));
    OK(clGetDeviceInfo(parts[0], CL_DEVICE_REFERENCE_COUNT, 4, &references, NULL));
    CHECK(references == 2);
    OK(clReleaseDevice(parts[0]));
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &error);
    OK(error);
    cl_command_queue part_queue = clCreateCommandQueueWithProperties(both, parts[1], NULL, &error);
    OK(error);
    clCreateCommandQueueWithProperties(both, device, NULL, &error);
    IS(CL_INVALID_DEVICE, error);
    OK(clReleaseDevice(parts[0]));
    OK(clReleaseDevice(parts[1]));
    OK(clFinish(part_queue));
    OK(clReleaseCommandQueue(part_queue));
    OK(clReleaseContext(both));
    IS(CL_INVALID_DEVICE, clReleaseDevice(parts[1]));

    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    OK(clCreateSubDevices(device, counts, 1, parts, &count));
    CHECK(count == 1);
    OK(clGetDeviceInfo(parts[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK(units == 1);
    IS(CL_INVALID_DEVICE_PARTITION_COUNT,
       clCreateSubDevices(parts[0], (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 2, 0},
                          0, NULL, &count));
    OK(clReleaseDevice(parts[0]));

    // Of each domain that is said to divide the device there are parts, whose units are the device's.
    cl_device_affinity_domain domains = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domains, &domains, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    for (int bit = 0; bit < 6; bit++) {
        cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1 << bit, 0};
        cl_device_id near[256];
        cl_uint total = 0;
        cl_int made = clCreateSubDevices(device, by, 256, near, &count);
        IS(domains & (1 << bit) ? CL_SUCCESS : CL_DEVICE_PARTITION_FAILED, made);
        for (cl_uint at = 0; made == CL_SUCCESS && at < count; at++) {
            cl_uint part = 0;
            OK(clGetDeviceInfo(near[at], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof part, &part, NULL));
            total += part;
            OK(clReleaseDevice(near[at]));
        }
        CHECK(made != CL_SUCCESS || (count >= 2 && total == units));
    }
}

static int calls[8], call_count;

static void CL_CALLBACK on_buffer(cl_mem memory, void *data)
{
    (void)memory;
    calls[call_count++] = *(int *)data;
}

static void CL_CALLBACK on_context(cl_context it, void *data)
{
    (void)it;
    calls[call_count++] = *(int *)data;
}

static void buffers(void)
{
    char *host = aligned_alloc(4096, 4096), *moved = host + 1;
    cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, host, &error);
    OK(error);
    cl_mem odd = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 4000, moved, &error);
    OK(error);
    void *mapped = clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &error);
    OK(error);
    CHECK(mapped == host + 16);
    cl_uint count = 0;
    OK(clGetMemObjectInfo(used, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 1);
    OK(clEnqueueUnmapMemObject(queue, used, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clGetMemObjectInfo(used, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 0);
    void *pointer = NULL;
    OK(clGetMemObjectInfo(odd, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    CHECK(pointer == moved);
    OK(clReleaseMemObject(odd));

    cl_buffer_region region = {1024, 512};
    cl_mem part = clCreateSubBuffer(used, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    cl_mem whole = NULL;
    size_t offset = 0, size = 0;
    OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL));
    OK(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    OK(clGetMemObjectInfo(part, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK(whole == used && offset == 1024 && size == 512);
    clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    IS(CL_INVALID_MEM_OBJECT, error);
    memset(host, 7, 4096);
    char seen[512] = {0};
    // The sub-buffer keeps its buffer.
    OK(clReleaseMemObject(used));
    OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, 512, seen, 0, NULL, NULL));
    CHECK(seen[0] == 7 && seen[511] == 7);
    OK(clReleaseMemObject(part));
    free(host);

    cl_mem closed = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &error);
    OK(error);
    IS(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, closed, 1, 0, 4, seen, 0, NULL, NULL));
    IS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, closed, 1, 0, 4, seen, 0, NULL, NULL));
    cl_mem_flags flags = 0;
    OK(clGetMemObjectInfo(closed, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK(flags == (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
    int numbers[2] = {1, 2};
    OK(clSetMemObjectDestructorCallback(closed, on_buffer, &numbers[0]));
    OK(clSetMemObjectDestructorCallback(closed, on_buffer, &numbers[1]));
    OK(clReleaseMemObject(closed));
    CHECK(call_count == 2 && calls[0] == 2 && calls[1] == 1);
}

static void references(void)
{
    cl_uint count = 0;
    OK(clRetainContext(context));
    OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK(count == 2);
    OK(clReleaseContext(context));
    // A context lives as long as what was made in it.
    int number = 3;
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(clSetContextDestructorCallback(own, on_context, &number));
    cl_mem memory = clCreateBuffer(own, 0, 64, NULL, &error);
    OK(clReleaseContext(own));
    IS(CL_INVALID_CONTEXT, clReleaseContext(own));
    cl_context same = NULL;
    OK(clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof same, &same, NULL));
    OK(clGetContextInfo(same, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    CHECK(same == own && count == 1);
    call_count = 0;
    OK(clReleaseMemObject(memory));
    CHECK(call_count == 1 && calls[0] == 3);
    IS(CL_INVALID_CONTEXT, clGetContextInfo(own, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    // Handles are not used again at once.
    for (int round = 0; round < 200; round++) {
        cl_mem next = clCreateBuffer(context, 0, 64, NULL, &error);
        CHECK((void *)next != (void *)memory);
        OK(clReleaseMemObject(next));
        IS(CL_INVALID_MEM_OBJECT, clRetainMemObject(memory));
    }
}

static void shared_memory(void)
{
    for (cl_uint alignment = 1; alignment <= 128; alignment *= 2) {
        char *memory = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 1000,
                                  alignment);
        CHECK(memory != NULL && (size_t)memory % alignment == 0);
        int pattern = 0x01020304, value = 0;
        if (alignment >= 4) {
            OK(clEnqueueSVMMemFill(queue, memory, &pattern, 4, 1000, 0, NULL, NULL));
            OK(clEnqueueSVMMemcpy(queue, CL_TRUE, &value, memory + 996, 4, 0, NULL, NULL));
            CHECK(value == pattern);
        }
        clSVMFree(context, memory);
    }
    void *memory = clSVMAlloc(context, 0, 1 << 20, 0);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, 1 << 20, 0, NULL, NULL));
    memset(memory, 1, 1 << 20);
    OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    const void *pointers[] = {memory};
    OK(clEnqueueSVMMigrateMem(queue, 1, pointers, NULL, 0, 0, NULL, NULL));
    OK(clEnqueueSVMFree(queue, 1, &memory, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
}

static cl_bool is_shared(cl_mem memory)
{
    cl_bool answer = 7;
    OK(clGetMemObjectInfo(memory, CL_MEM_USES_SVM_POINTER, sizeof answer, &answer, NULL));
    return answer;
}

// Memory of clSVMAlloc is told from other memory of the program, from wherever in it a buffer begins.
static void buffers_in_shared_memory(void)
{
    char *shared = clSVMAlloc(context, 0, 4096, 0), *own = malloc(4096);
    cl_mem of_own = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, own, &error);
    OK(error);
    cl_mem none = clCreateBuffer(context, 0, 4096, NULL, &error);
    OK(error);
    CHECK(!is_shared(of_own) && !is_shared(none));
    for (size_t offset = 0; offset < 4096; offset += 2048) {
        cl_mem whole = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 2048, shared + offset, &error);
        OK(error);
        cl_buffer_region region = {128, 128};
        cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        OK(error);
        CHECK(is_shared(whole) && is_shared(part));
        OK(clReleaseMemObject(part));
        OK(clReleaseMemObject(whole));
    }
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4097, shared, &error);
    IS(CL_INVALID_BUFFER_SIZE, error);
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 2049, shared + 2048, &error);
    IS(CL_INVALID_BUFFER_SIZE, error);
    OK(clReleaseMemObject(of_own));
    OK(clReleaseMemObject(none));
    clSVMFree(context, shared);
    free(own);
}

// a[0] after five sums of b[0] and what has been added to it, where b is a, a part of it, or the program's own pointer to it.
static void arguments_that_overlap(void)
{
    const char *source = "kernel void k(global int *a, global int *b, int n) {"
                         "  for (int i = 0; i < n; i++) a[0] += b[0] + i; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    OK(error);
    int *shared = clSVMAlloc(context, 0, 4096, 0), n = 5, alone = 0, both = 0;
    for (int i = 0; i < n; i++) {
        alone += 100 + i;
        both += both + i;
    }
    cl_mem whole = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, shared, &error);
    OK(error);
    cl_mem other = clCreateBuffer(context, 0, 4096, NULL, &error);
    OK(error);
    cl_buffer_region region = {0, 128};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    int hundred = 100;
    OK(clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, 4, &hundred, 0, NULL, NULL));
    cl_mem seconds[] = {whole, other, part, NULL};
    for (int at = 0; at < 4; at++) {
        OK(clSetKernelArg(kernel, 0, sizeof whole, &whole));
        if (seconds[at])
            OK(clSetKernelArg(kernel, 1, sizeof whole, &seconds[at]));
        else
            OK(clSetKernelArgSVMPointer(kernel, 1, shared));
        OK(clSetKernelArg(kernel, 2, sizeof n, &n));
        *shared = 0;
        size_t one = 1;
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(*shared == (seconds[at] == other ? alone : both));
    }
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(whole));
    OK(clReleaseMemObject(other));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    clSVMFree(context, shared);
}

int main(void)
{
    begin();
    device_answers();
    sub_devices();
    buffers();
    references();
    shared_memory();
    buffers_in_shared_memory();
    arguments_that_overlap();
    end();
    /* The worker that has just finished the last command may have the queue for another moment. */
    for (int look = 0; look < 5000 && clFinish(queue) == CL_SUCCESS; look++) {
        usleep(1000);
    }
    IS(CL_INVALID_COMMAND_QUEUE, clFinish(queue));
    return verdict();
}

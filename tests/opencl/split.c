// One kernel, split by hand among the sub-devices of a context: each has a queue, a part of the indices, a buffer of its own and a part
// of one that all have. Where there is one node, there is nothing to divide.
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

enum { MOST = 64, ITEMS = 1 << 16 };

static const char *source = "kernel void step(global int *to, int from) {\n"
                            "    int i = get_global_id(0);\n"
                            "    to[i - from] = 3 * i + 1;\n"
                            "}\n";

static int place_of(const void *memory, size_t size) {
    int (*locate)(const void *, size_t, size_t *, size_t) =
        (int (*)(const void *, size_t, size_t *, size_t))dlsym(dlopen("libvicinity.so.1", RTLD_NOW | RTLD_NOLOAD), "vicinity_locate");
    size_t bytes[MOST] = {0};
    int place = 0;
    CHECK(locate != NULL);
    OK(locate(memory, size, bytes, MOST));
    while (place < MOST && bytes[place] != size) place++;
    return place;
}

static void launch(cl_command_queue queue, cl_kernel kernel, cl_mem to, int from, size_t first, size_t count) {
    OK(clSetKernelArg(kernel, 0, sizeof to, &to));
    OK(clSetKernelArg(kernel, 1, sizeof from, &from));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, &first, &count, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
}

static void check(cl_command_queue queue, cl_mem buffer, size_t first, size_t count) {
    static int result[ITEMS];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof *result, result, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++) EQUAL(result[i], 3 * (first + i) + 1);
}

/* Of all nodes, memory is where a sub-device's commands touch it first; of some, it goes to their places in turn. */
static void split(cl_device_id *parts, cl_uint count, int takes_turns) {
    cl_int code;
    cl_context context = clCreateContext(NULL, count, parts, NULL, NULL, &code);
    OK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, count, parts, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "step", &code);
    OK(code);
    cl_command_queue queues[MOST] = {NULL};
    cl_mem own[MOST], all = clCreateBuffer(context, 0, ITEMS * sizeof(int), NULL, &code);
    OK(code);
    size_t each = ITEMS / count, size = each * sizeof(int);
    int seen[MOST + 1] = {0};
    for (cl_uint i = 0; i < count; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, parts[i], NULL, &code);
        OK(code);
        own[i] = clCreateBuffer(context, 0, size, NULL, &code);
        OK(code);
        launch(queues[i], kernel, own[i], (int)(i * each), i * each, each);
        launch(queues[i], kernel, all, 0, i * each, each);
    }
    for (cl_uint i = 0; i < count; i++) OK(clFinish(queues[i]));
    check(queues[0], all, 0, each * count);
    for (cl_uint i = 0; i < count; i++) {
        check(queues[i], own[i], i * each, each);
        void *mapped = clEnqueueMapBuffer(queues[i], own[i], CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
        OK(code);
        seen[place_of(mapped, size)]++;
        OK(clEnqueueUnmapMemObject(queues[i], own[i], mapped, 0, NULL, NULL));
        OK(clFinish(queues[i]));
        OK(clReleaseMemObject(own[i]));
        OK(clReleaseCommandQueue(queues[i]));
    }
    for (cl_uint i = 0; i < count && takes_turns; i++) EQUAL(seen[i], 1);
    OK(clReleaseMemObject(all));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
}

int main(void) {
    cl_device_id device = our_device(), parts[MOST];
    const cl_device_partition_property by_node[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_affinity_domain domains = 0;
    cl_uint count = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domains, &domains, NULL));
    if (!(domains & CL_DEVICE_AFFINITY_DOMAIN_NUMA)) return 0;
    OK(clCreateSubDevices(device, by_node, MOST, parts, &count));
    CHECK(count > 1);
    split(parts, count, 0);
    split(parts, count - 1, 1);
    return 0;
}

/* Times the kernels of any OpenCL program, by the profiling of its queues: LD_PRELOAD=kernel_times.so PROGRAM.
 *
 * Programs that want a GPU get what there is. Every queue becomes one with profiling, and every launch is waited for and its time between start and end added. In the end
 * the file that KERNEL_TIMES names gets a line for each kernel: its name, launches, and the sum of their times in ms.
 * A program may ask for the sums so far, and begin anew.
 *
 *     gcc -O2 -shared -fPIC -o kernel_times.so kernel_times.c -Wl,--no-as-needed -lOpenCL -ldl
 */
#define _GNU_SOURCE
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 512, MOST_PROPERTIES = 16 };

static struct {
    char name[128];
    long launches;
    double ms;
} kernels[MOST_KERNELS];
static int known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void write_times(void) {
    const char *path = getenv("KERNEL_TIMES");
    FILE *out = path ? fopen(path, "w") : stderr;
    for (int i = 0; out != NULL && i < known; i++) {
        fprintf(out, "%s %ld %.6f\n", kernels[i].name, kernels[i].launches, kernels[i].ms);
    }
    if (out != NULL && path) {
        fclose(out);
    }
}

/* The time of all launches since the last `kernel_times_forget`, in ms, and how many they were. */
double kernel_times_total(long *launches) {
    double ms = 0;
    *launches = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < known; i++) {
        ms += kernels[i].ms;
        *launches += kernels[i].launches;
    }
    pthread_mutex_unlock(&lock);
    return ms;
}

void kernel_times_forget(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < known; i++) {
        kernels[i].ms = 0;
        kernels[i].launches = 0;
    }
    pthread_mutex_unlock(&lock);
}

static void add(cl_kernel kernel, double ms) {
    char name[128] = "";
    REAL(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < known && strcmp(kernels[i].name, name) != 0) {
        i++;
    }
    if (i == known && known < MOST_KERNELS) {
        strcpy(kernels[known++].name, name);
        if (known == 1) {
            atexit(write_times);
        }
    }
    if (i < known) {
        kernels[i].launches++;
        kernels[i].ms += ms;
    }
    pthread_mutex_unlock(&lock);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *devices, cl_uint *count) {
    (void)type;
    return REAL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, most, devices, count);
}

cl_context clCreateContextFromType(const cl_context_properties *wish, cl_device_type type,
                                   void(CL_CALLBACK *told)(const char *, const void *, size_t, void *), void *user, cl_int *code) {
    (void)type;
    return REAL(clCreateContextFromType)(wish, CL_DEVICE_TYPE_ALL, told, user, code);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties wish, cl_int *code) {
    return REAL(clCreateCommandQueue)(context, device, wish | CL_QUEUE_PROFILING_ENABLE, code);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties *wish,
                                                    cl_int *code) {
    cl_queue_properties all[MOST_PROPERTIES + 3] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE};
    int count = 2;
    for (; wish != NULL && *wish != 0 && count < MOST_PROPERTIES; wish += 2) {
        if (wish[0] == CL_QUEUE_PROPERTIES) {
            all[1] |= wish[1];
        } else {
            all[count++] = wish[0];
            all[count++] = wish[1];
        }
    }
    all[count] = 0;
    return REAL(clCreateCommandQueueWithProperties)(context, device, all, code);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
                              cl_event *event) {
    cl_event own;
    cl_ulong start = 0, end = 0;
    cl_int code =
        REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, waits, wait_list, &own);
    if (code != CL_SUCCESS) {
        fprintf(stderr, "kernel_times: a launch failed: %d\n", (int)code);
        return code;
    }
    REAL(clWaitForEvents)(1, &own);
    REAL(clGetEventProfilingInfo)(own, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    REAL(clGetEventProfilingInfo)(own, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    add(kernel, (double)(end - start) * 1e-6);
    if (event != NULL) {
        *event = own;
    } else {
        REAL(clReleaseEvent)(own);
    }
    return code;
}

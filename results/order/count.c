/* Under callgrind, counts from the launch on that COUNT_FROM has the number of: what comes before, the compilation of kernels above all, goes
 * much faster uncounted. LD_PRELOAD=count.so COUNT_FROM=0 valgrind --tool=callgrind --instr-atstart=no PROGRAM. How many launches
 * there were is left in the file that LAUNCHES names.
 *
 *     gcc -O2 -shared -fPIC -o count.so count.c -ldl
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

static long launches;

__attribute__((destructor)) static void leave_number(void) {
    const char *name = getenv("LAUNCHES");
    FILE *out = name == NULL || launches == 0 ? NULL : fopen(name, "w");
    if (out != NULL) {
        fprintf(out, "%ld\n", launches);
        fclose(out);
    }
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
                              cl_event *event) {
    const char *from = getenv("COUNT_FROM");
    long number = launches++;
    if (from != NULL && atol(from) == number) {
        CALLGRIND_START_INSTRUMENTATION;
    }
    __typeof__(&clEnqueueNDRangeKernel) enqueue =
        (__typeof__(enqueue))dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    return enqueue(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}

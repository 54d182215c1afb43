/* Under callgrind, counts the launches from the one that COUNT_FROM has the number of up to COUNT_TO: what comes before,
 * the compilation of kernels above all, and what comes behind go much faster uncounted.
 *
 *     LD_PRELOAD=count.so COUNT_FROM=1 COUNT_TO=2 valgrind --tool=callgrind --instr-atstart=no PROGRAM
 *
 * What was counted is in the first part that callgrind writes; without COUNT_TO, it is all of the program.
 * How many launches there were is left in the file that LAUNCHES names, and in the one that MAPS names what is mapped
 * where when counting ends: code in memory that no file is mapped into was made by the process, and is kernels.
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

static void copy_maps(void) {
    const char *name = getenv("MAPS");
    FILE *in = name == NULL ? NULL : fopen("/proc/self/maps", "r");
    FILE *out = in == NULL ? NULL : fopen(name, "w");
    for (int c; out != NULL && (c = getc(in)) != EOF;) {
        putc(c, out);
    }
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
}

static int is_number(const char *variable, long number) {
    const char *text = getenv(variable);
    return text != NULL && atol(text) == number;
}

__attribute__((destructor)) static void leave_maps(void) {
    if (launches > 0 && is_number("COUNT_TO", -1)) {
        copy_maps();
    }
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
                              cl_event *event) {
    __typeof__(&clEnqueueNDRangeKernel) enqueue =
        (__typeof__(enqueue))dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    __typeof__(&clFinish) finish = (__typeof__(finish))dlsym(RTLD_NEXT, "clFinish");
    if (is_number("COUNT_FROM", launches)) {
        finish(queue);
        CALLGRIND_START_INSTRUMENTATION;
    }
    cl_int code = enqueue(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
    launches++;
    if (is_number("COUNT_TO", launches)) {
        finish(queue);
        /* Stopping loses some of what a later summary would have. */
        CALLGRIND_DUMP_STATS;
        CALLGRIND_STOP_INSTRUMENTATION;
        copy_maps();
    }
    return code;
}

/* Processor time and instructions of kernels that apply one function to 1024 floats: measure FOLDER LEAST MOST NAME...
 *
 * FOLDER has what `vicinity-translate build` made of kernels.cl. The best of 3000 runs counts, in cycles of the time-stamp counter, and
 * the instructions of ten, as the processor counts them, where it may be asked; both by 8 floats. docs/kernel-abi.md has the interface. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

enum { COUNT = 1024, RUNS = 3000, COUNTED = 10 };

struct launch {
    uint64_t work_dim, offset[3], size[3], local[3], groups[3], context;
    const void *services;
};
typedef void kernel(const struct launch *, const void *, void *, uint64_t, uint64_t);

static _Alignas(128) float from[COUNT + 16], to[COUNT + 16];
static _Alignas(128) char scratch[1 << 20];
static _Alignas(64) struct { void *from, *to; float divisor; } arguments = {from, to, 3};
static const uint64_t services[3] = {sizeof services};
static const struct launch launch = {1, {0}, {COUNT, 1, 1}, {COUNT, 1, 1}, {1, 1, 1}, 0, services};

static int count_instructions(void) {
    struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE, .size = sizeof what, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
}

int main(int count, char **words) {
    if (count < 5) return fputs("usage: measure FOLDER LEAST MOST NAME...\n", stderr), 2;
    char path[4096], symbol[256];
    snprintf(path, sizeof path, "%s/program.so", words[1]);
    void *program = dlopen(path, RTLD_NOW);
    if (!program) return fprintf(stderr, "%s\n", dlerror()), 1;
    double least = atof(words[2]), most = atof(words[3]);
    for (int i = 0; i < COUNT + 16; i++) from[i] = (float)(least + (most - least) * rand() / RAND_MAX);
    int counter = count_instructions();
    for (int at = 4; at < count; at++) {
        snprintf(symbol, sizeof symbol, "vicinity_kernel_map_%s", words[at]);
        kernel *run = (kernel *)dlsym(program, symbol);
        if (!run) return fprintf(stderr, "%s: no such kernel\n", words[at]), 1;
        uint64_t best = UINT64_MAX, before = 0, after = 0;
        for (int i = 0; i < RUNS; i++) {
            unsigned processor;
            uint64_t start = __rdtscp(&processor);
            run(&launch, &arguments, scratch, 0, 1);
            uint64_t took = __rdtscp(&processor) - start;
            if (took < best) best = took;
        }
        int is_counted = read(counter, &before, sizeof before) > 0;
        for (int i = 0; i < COUNTED; i++) run(&launch, &arguments, scratch, 0, 1);
        is_counted = is_counted && read(counter, &after, sizeof after) > 0;
        double groups = COUNT / 8;
        printf("%-8s %6.1f cycles", words[at], (double)best / groups);
        if (is_counted) printf(" %6.1f instructions", (double)(after - before) / (groups * COUNTED));
        puts("");
    }
}

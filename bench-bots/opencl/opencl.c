/* OpenCL workloads: one a process.
 *
 *     opencl [--class test|small|medium|large] [--size N] [--warm-up S] [--runs N] WORKLOAD
 *
 * prints one line of key=value pairs, of which `seconds` is the median over the runs of the kernels' own
 * time, after a tenth of a second of runs that do not count. Exit status: 0 the result is right, 1 it is wrong or OpenCL failed, 2 the command line was not
 * understood. A size is in the workload's own terms (see its file) and must be a multiple of its work-groups, as those of the
 * classes are. The first device of the first platform is used: OCL_ICD_VENDORS chooses it.
 */
#include "workloads.h"

#include <time.h>

#define USAGE "usage: opencl [--class test|small|medium|large] [--size N] [--warm-up S] [--runs N] WORKLOAD"

static const struct workload *const tables[] = {dense_workloads,   stencil_workloads, walk_workloads,
                                                body_workloads,    graph_workloads,   collective_workloads,
                                                formula_workloads};

static const struct workload *find(const char *name) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const struct workload *w = tables[t]; w->name != NULL; w++) {
            if (strcmp(w->name, name) == 0) {
                return w;
            }
        }
    }
    return NULL;
}

static int usage(const char *what) {
    fprintf(stderr, "opencl: %s\n" USAGE "\nworkloads:", what);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const struct workload *w = tables[t]; w->name != NULL; w++) {
            fprintf(stderr, " %s", w->name);
        }
    }
    fprintf(stderr, "\n");
    return 2;
}

static int class_index(const char *text) {
    static const char *const names[4] = {"test", "small", "medium", "large"};
    for (int i = 0; i < 4; i++) {
        if (text != NULL && strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs, those of the warm-up not counted, and gives the medians. After the warm-up caches, clocks, and drivers that learn from runs
 * are as they will be; it has one run at least. */
static double measure(struct clbench *b, const struct workload *w, double warm_up_s, int runs, double *cpu_s) {
    double times[64], cpu_times[64];
    double begun_s = now_s();
    do {
        w->once(b);
    } while (now_s() < begun_s + warm_up_s);
    for (int run = 0; run < runs; run++) {
        b->kernel_s = b->cpu_s = 0.0;
        w->once(b);
        times[run] = b->kernel_s;
        cpu_times[run] = b->cpu_s;
    }
    *cpu_s = median(cpu_times, runs);
    return median(times, runs);
}

int main(int argc, char **argv) {
    const struct workload *workload = NULL;
    int class = 1, runs = 5;
    long size = 0;
    double warm_up_s = 0.1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--class") == 0) {
            class = class_index(argv[++i]);
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--warm-up") == 0 && i + 1 < argc) {
            warm_up_s = atof(argv[++i]);
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            size = atol(argv[++i]);
        } else if ((workload = find(argv[i])) == NULL) {
            return usage("no such workload");
        }
    }
    if (workload == NULL || class < 0 || runs < 1 || runs > 64 || size < 0) {
        return usage("a workload, a class or a size, and 1 to 64 runs are needed");
    }
    struct clbench b = {.size = size > 0 ? size : workload->sizes[class]};
    clbench_open(&b);
    b.program = clbench_build(&b, workload->source, (size_t)(workload->source_end - workload->source));
    workload->prepare(&b);
    double cpu_s, seconds = measure(&b, workload, warm_up_s, runs, &cpu_s);
    int ok = workload->check(&b);
    printf("name=%s size=%ld runs=%d seconds=%.9f cpu_seconds=%.9f platform=%s result=%s\n", workload->name,
           b.size, runs, seconds, cpu_s, b.platform, ok ? "ok" : "wrong");
    clbench_close(&b);
    return ok ? 0 : 1;
}

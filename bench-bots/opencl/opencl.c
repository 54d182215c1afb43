/* OpenCL workloads: one a process.
 *
 *     opencl [--class test|small|medium|large] [--size N] [--warm-up S] [--runs N] [--least] WORKLOAD
 *
 * prints one line of key=value pairs, of which `seconds` is the median over the runs of the kernels' own
 * time, after a tenth of a second of runs that do not count. With --least, for machines that others use too, it is the least of those
 * runs that fit into a quarter of a second, but of 3 at least. `cpu_seconds` stays a median: the system tells the processor time of
 * a thread that still runs only up to its last tick, so the least of it says nothing.
 * Exit status: 0 the result is right, 1 it is wrong or OpenCL failed, 2 the command line was not understood. A size is in the
 * workload's own terms (see its file), and in the suite `opencl` a multiple of its work-groups, as those of the classes are.
 * The first device of the first platform is used: OCL_ICD_VENDORS chooses it.
 */
#include "workloads.h"

#define USAGE "usage: opencl [--class test|small|medium|large] [--size N] [--warm-up S] [--runs N] [--least] WORKLOAD"

static const struct workload *find(const char *name) {
    for (const struct workload *const *table = workload_tables; *table != NULL; table++) {
        for (const struct workload *w = *table; w->name != NULL; w++) {
            if (strcmp(w->name, name) == 0) {
                return w;
            }
        }
    }
    return NULL;
}

static int usage(const char *what) {
    fprintf(stderr, "opencl: %s\n" USAGE "\nworkloads:", what);
    for (const struct workload *const *table = workload_tables; *table != NULL; table++) {
        for (const struct workload *w = *table; w->name != NULL; w++) {
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

/* The median, or the least. */
static double typical(double *values, int count, int least) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return least ? values[0] : count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

#define LEAST_RUNS 3
#define LEAST_S 0.25

struct plan {
    int runs, least;
    double warm_up_s;
};

/* Runs, those of the warm-up not counted, and gives the typical times. After the warm-up caches, clocks, and drivers that learn from runs
 * are as they will be; it has one run at least. `plan->runs` becomes how many there were. */
static double measure(struct clbench *b, const struct workload *w, struct plan *plan, double *cpu_s) {
    double times[64], cpu_times[64];
    double begun_s = now_s();
    do {
        w->once(b);
    } while (now_s() < begun_s + plan->warm_up_s);
    begun_s = now_s();
    int run = 0;
    for (; run < plan->runs && !(plan->least && run >= LEAST_RUNS && now_s() > begun_s + LEAST_S); run++) {
        b->kernel_s = b->cpu_s = 0.0;
        w->once(b);
        times[run] = b->kernel_s;
        cpu_times[run] = b->cpu_s;
    }
    plan->runs = run;
    *cpu_s = typical(cpu_times, run, 0);
    return typical(times, run, plan->least);
}

int main(int argc, char **argv) {
    const struct workload *workload = NULL;
    int class = 1;
    long size = 0;
    struct plan plan = {.runs = 5, .warm_up_s = 0.1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--class") == 0) {
            class = class_index(argv[++i]);
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            plan.runs = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--warm-up") == 0 && i + 1 < argc) {
            plan.warm_up_s = atof(argv[++i]);
        } else if (strcmp(argv[i], "--least") == 0) {
            plan.least = 1;
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            size = atol(argv[++i]);
        } else if ((workload = find(argv[i])) == NULL) {
            return usage("no such workload");
        }
    }
    if (workload == NULL || class < 0 || plan.runs < 1 || plan.runs > 64 || size < 0) {
        return usage("a workload, a class or a size, and 1 to 64 runs are needed");
    }
    struct clbench b = {.size = size > 0 ? size : workload->sizes[class]};
    clbench_open(&b);
    b.program = clbench_build(&b, workload->source, (size_t)(workload->source_end - workload->source));
    workload->prepare(&b);
    double cpu_s, seconds = measure(&b, workload, &plan, &cpu_s);
    int ok = workload->check(&b);
    printf("name=%s size=%ld runs=%d seconds=%.9f cpu_seconds=%.9f platform=%s result=%s\n", workload->name,
           b.size, plan.runs, seconds, cpu_s, b.platform, ok ? "ok" : "wrong");
    clbench_close(&b);
    return ok ? 0 : 1;
}

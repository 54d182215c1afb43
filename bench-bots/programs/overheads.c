/* The main program of the overhead measures.
 *
 *     overheads [--operations N] [--width N] MEASURE...      overheads --list
 *
 * One line of key=value pairs a measure, for example
 *
 *     name=producer size=1000000 width=0 threads=2 seconds=0.039 cpu_seconds=0.078
 *         ns_per_op=39.1 growth_kib=512 result=ok
 *
 * Peak memory is the process's: measure `producer` in a process of its own. Exit status: 0 all is
 * well, 1 a construct did not do what it should, 2 the command line was not understood.
 */
#include "overheads.h"

#include <string.h>

struct entry {
    const char *name;
    measure *run;
    long operations; /* the default */
    long width;      /* the default; 0 where the measure has no second number */
    const char *what;
};

static const struct entry table[] = {
    {"producer", producer, 1000000, 0, "one thread makes empty tasks, all help to run them"},
    {"nested_producer", nested_producer, 1000000, 1000, "tasks that make WIDTH empty tasks each"},
    {"taskloop", taskloop, 1000000, 0, "a taskloop of chunks of one iteration"},
    {"taskwait", taskwait, 200000, 0, "one empty task, then taskwait"},
    {"deps_chain", deps_chain, 200000, 0, "tasks that follow each other on one address"},
    {"deps_independent", deps_independent, 200000, 64, "one chain on each of WIDTH addresses"},
    {"deps_stencil", deps_stencil, 200000, 256, "a three-point stencil over WIDTH cells"},
    {"deps_diamond", deps_diamond, 40000, 2000, "a writer, WIDTH readers, a writer, and so on"},
    {"deps_diamond_wide", deps_diamond, 40000, 20000, "the same with many more readers"},
    {"deps_two", deps_two, 50000, 64, "two dependences a task, over WIDTH addresses"},
    {"fork_join", fork_join, 20000, 0, "an empty parallel region"},
    {"fork_join_apart", fork_join_apart, 100, 5000, "the same after WIDTH microseconds of serial work"},
    {"fork_join_near", fork_join_apart, 500, 1000, "the same, closer to each other"},
    {"barrier", barrier, 100000, 0, "a barrier"},
    {"dynamic", dynamic, 1000000, 0, "an iteration of a loop with schedule(dynamic, 1)"},
    {"guided", guided, 1000000, 0, "an iteration of a loop with schedule(guided)"},
    {"critical", critical, 200000, 0, "a critical section, entered by all threads"},
    {"single", single, 100000, 0, "a single construct and its barrier"},
    {"reduction", reduction, 20000, 0, "a parallel region that sums one variable"},
};

enum { ENTRIES = sizeof table / sizeof table[0] };

static void usage(const char *what) {
    fprintf(stderr,
            "overheads: %s\n"
            "usage: overheads [--operations N] [--width N] MEASURE... | overheads --list\n",
            what);
    exit(2);
}

static const struct entry *find(const char *name) {
    for (int i = 0; i < ENTRIES; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    fprintf(stderr, "overheads: no measure is called '%s'\n", name);
    usage("see --list");
    return NULL;
}

static void list(void) {
    for (int i = 0; i < ENTRIES; i++) {
        printf("%-18s %s\n", table[i].name, table[i].what);
    }
}

static long number(const char *text) {
    long value = text != NULL ? strtol(text, NULL, 10) : 0;
    if (value <= 0) {
        usage("--operations and --width need a positive number");
    }
    return value;
}

/* Runs one measure and prints its line. */
static int run(const struct entry *entry, long operations, long width) {
    operations = operations > 0 ? operations : entry->operations;
    width = width > 0 && entry->width > 0 ? width : entry->width;
    struct reading reading = entry->run(operations, width);
    printf("name=%s size=%ld width=%ld threads=%d seconds=%.9f cpu_seconds=%.9f ns_per_op=%.2f",
           entry->name, reading.operations, width, omp_get_max_threads(), reading.spent.wall_s,
           reading.spent.cpu_s, reading.spent.wall_s * 1e9 / (double)reading.operations);
    if (reading.growth_kib >= 0) {
        printf(" growth_kib=%ld", reading.growth_kib);
    }
    if (reading.worst_ns >= 0) {
        printf(" worst_ns=%.0f", reading.worst_ns);
    }
    printf(" result=%s\n", reading.ok ? "ok" : "wrong");
    if (!reading.ok) {
        fprintf(stderr, "overheads: %s did not do what it should\n", entry->name);
    }
    return reading.ok;
}

int main(int argc, char **argv) {
    long operations = 0, width = 0;
    int measures = 0, ok = 1;
#pragma omp parallel
    keep(); /* threads are created before any clock starts */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            list();
            return 0;
        } else if (strcmp(argv[i], "--operations") == 0) {
            operations = number(argv[++i]);
        } else if (strcmp(argv[i], "--width") == 0) {
            width = number(argv[++i]);
        } else {
            ok &= run(find(argv[i]), operations, width);
            measures++;
        }
    }
    if (measures == 0) {
        usage("name a measure");
    }
    return ok ? 0 : 1;
}

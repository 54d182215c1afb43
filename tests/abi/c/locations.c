// Tasks and loops on a machine with several locations: data tasks run where their data is, whoever waits gets its own
// tasks from anywhere, and every scheduler runs everything once. The program runs itself with other environments.
// threads: 1 2 8
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>

enum { BLOCKS = 32, SWEEPS = 4, CHILDREN = 4, DEPTH = 5, TRIPS = 3000, COARSE = 2 };
#define BYTES ((size_t)4 << 20)

static char *blocks[BLOCKS];
static int (*num_locations)(void), (*current_location)(void);
static int (*locate)(const void *, size_t, size_t *, size_t);

/* One allocation a block, placed in turn; any memory on other runtimes. */
static void allocate_blocks(void) {
    void *(*allocate)(size_t, int) = (void *(*)(size_t, int))dlsym(RTLD_DEFAULT, "omp_malloc_specific");
    num_locations = (int (*)(void))dlsym(RTLD_DEFAULT, "vicinity_num_locations");
    current_location = (int (*)(void))dlsym(RTLD_DEFAULT, "vicinity_current_location");
    locate = (int (*)(const void *, size_t, size_t *, size_t))dlsym(RTLD_DEFAULT, "vicinity_locate");
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = allocate ? allocate(BYTES, COARSE) : malloc(BYTES);
        CHECK(blocks[i]);
    }
}

static int home_of(const char *block) {
    size_t bytes[64] = {0};
    if (!locate) return 0;
    EQUAL(locate(block, BYTES, bytes, 64), 0);
    int best = 0;
    for (int i = 1; i < 64; i++)
        if (bytes[i] > bytes[best]) best = i;
    return best;
}

static void millisecond(void) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

/* Prints how many of a hundred tasks ran where their block is. They sleep, so that threads that share processors are
 * as fast as others. */
static void print_local(void) {
    int local = 0, ran = 0;
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < BLOCKS; i++) {
            char *block = blocks[i];
            int home = home_of(block);
#pragma omp task depend(inout : block[0:BYTES]) firstprivate(block, home) shared(local, ran)
            {
                millisecond();
                add_int(&local, current_location && current_location() == home);
                add_int(&ran, 1);
            }
        }
    EQUAL(ran, BLOCKS * SWEEPS);
    printf("local %d of %d locations\n", 100 * local / ran, num_locations ? num_locations() : 1);
}

static int visited;

/* A tree whose inner nodes wait for their children, which are dealt all over the machine. */
static void visit(int depth, unsigned seed) {
    for (unsigned child = 0; depth > 0 && child < CHILDREN; child++) {
        unsigned next = (seed * CHILDREN + child + 1) * 2654435761u;
        char *block = blocks[next / 7 % BLOCKS];
        switch (next / 3 % 4) {
        case 0:
#pragma omp task depend(inout : block[0:BYTES]) firstprivate(depth, next)
            visit(depth - 1, next);
            break;
        case 1:
#pragma omp task depend(in : block[0:BYTES]) priority(next % 4) firstprivate(depth, next)
            visit(depth - 1, next);
            break;
        case 2:
#pragma omp task firstprivate(depth, next)
            visit(depth - 1, next);
            break;
        default:
#pragma omp taskgroup
            {
#pragma omp task depend(out : block[0:BYTES]) untied firstprivate(depth, next)
                visit(depth - 1, next);
            }
        }
    }
    if (seed / 5 % 4) {
#pragma omp taskwait
    }
    add_int(&visited, 1);
}

static void stress(void) {
    int nodes = 0;
    for (int level = 0, width = 1; level <= DEPTH; level++, width *= CHILDREN) nodes += width;
    for (unsigned round = 0; round < 4; round++) {
        store_int(&visited, 0);
#pragma omp parallel
#pragma omp single nowait
        visit(DEPTH, round);
        EQUAL(visited, nodes);
        store_int(&visited, 0);
#pragma omp parallel
        visit(DEPTH - 2, round + (unsigned)omp_get_thread_num());
        CHECK(visited % (1 + 4 + 16 + 64) == 0);
    }
}

static void loops(void) {
    static int times[TRIPS];
    long sum = 0;
    int last = -1;
#pragma omp parallel
    for (int sweep = 0; sweep < 6; sweep++) {
#pragma omp for schedule(nonmonotonic : dynamic, 7)
        for (int i = 0; i < TRIPS; i++) times[i]++;
#pragma omp for schedule(nonmonotonic : dynamic, 350) lastprivate(last)
        for (int i = 0; i < TRIPS; i++) times[i]++, last = i;
#pragma omp for schedule(auto)
        for (int i = 0; i < TRIPS; i++) times[i]++;
#pragma omp for schedule(nonmonotonic : guided, 3) lastprivate(last)
        for (int i = 0; i < TRIPS; i++) times[i]++, last = i;
#pragma omp single
        {
#pragma omp taskloop grainsize(13) firstprivate(sweep)
            for (int i = 0; i < TRIPS; i++) add_int(&times[i], sweep >= 0);
#pragma omp taskloop num_tasks(40) reduction(+ : sum) lastprivate(last)
            for (int i = TRIPS - 1; i >= 0; i--) sum += i, last = i;
#pragma omp taskloop nogroup
            for (int i = 0; i < TRIPS; i++) add_int(&times[i], 1);
        }
    }
    EQUAL(last, 0);
    EQUAL(sum, 6L * TRIPS * (TRIPS - 1) / 2);
    for (int i = 0; i < TRIPS; i++) EQUAL(times[i], 36);
}

static char text[4000];

static int percent(const char *environment, int *locations) {
    int local = -1;
    EQUAL(run_self(environment, "local", text, sizeof text), 0);
    if (sscanf(text, "local %d of %d", &local, locations) != 2) FAIL("it said: %s", text);
    return local;
}

/* How many percent of tasks are local in the best of three runs: other programs may keep a thread off its processor for so
   long that others take its tasks. */
static int percent_at_best(const char *environment, int *locations) {
    int best = -1;
    for (int run = 0; run < 3 && best < 90; run++) {
        int local = percent(environment, locations);
        best = local > best ? local : best;
    }
    return best;
}

static void run_all(void) {
    static const char *const kinds[] = {
        "VICINITY_SCHEDULER=locality",     "VICINITY_SCHEDULER=locality VICINITY_REACH=1",
        "VICINITY_SCHEDULER=workstealing", "VICINITY_SCHEDULER=central",
        "VICINITY_SCHEDULER=locality OMP_PROC_BIND=close", "VICINITY_SCHEDULER=locality OMP_PROC_BIND=false",
    };
    const char *machine = "HWLOC_SYNTHETIC='numa:4 core:2 pu:1'";
    char environment[400];
    int locations = 1;
    percent(machine, &locations);
    /* Without hwloc the machine itself has several locations at least if every core is one. */
    if (locations == 1) machine = "VICINITY_LOCATIONS=cores";
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        snprintf(environment, sizeof environment, "%s %s OMP_MAX_TASK_PRIORITY=3", machine, kinds[kind]);
        if (run_self(environment, "stress", text, sizeof text) != 0) FAIL("%s: %s", environment, text);
        if (kind > 3) continue;
        int local = percent_at_best(environment, &locations);
        printf("%s: %d %% local\n", environment, local);
        int enough_threads = omp_get_max_threads() >= 8 && locations > 1;
        /* Not all: the initial thread is not bound. */
        if (enough_threads && kind < 2) CHECK(local >= 90);
    }
}

int main(int argc, char **argv) {
    if (argc == 1) {
        run_all();
        return 0;
    }
    allocate_blocks();
    if (strcmp(argv[1], "local") == 0) {
        print_local();
    } else {
        stress();
        loops();
    }
    return 0;
}

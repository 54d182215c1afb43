/* tasks: tasks run where their data is. Every block is at one location; every sweep makes a task a block, and sweeps
 * follow each other without waiting, so that threads are idle at the end only.
 *
 * Arguments: how the tasks name their data (depend, affinity, native), and the least share of bytes, in percent, that
 * has to be local: on a block that is where the task runs. A block at a location without processors is left out of
 * the sum: its tasks run elsewhere anyhow. */
#include "placement.h"

enum { BLOCKS_A_LOCATION = 12, SWEEPS = 4, WORDS = 1024 * 1024 / 8 };

typedef struct {
    double *data;
    int location;
    int ran_at[SWEEPS];
    double sum[SWEEPS];
} block;

static block blocks[BLOCKS_A_LOCATION * MAX_NODES];
static int count, locations;

static void work(block *b, int sweep) {
    b->ran_at[sweep] = here_location();
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < WORDS; i++) sum += b->data[i];
    b->sum[sweep] = sum;
}

static void by_dependences(int sweep) {
    for (int i = 0; i < count; i++) {
        block *b = &blocks[i];
        double *data = b->data;
        (void)data; /* gcc does not see that the clause uses it */
#pragma omp task firstprivate(b) depend(inout : data[0 : WORDS])
        work(b, sweep);
    }
}

static void by_affinity(int sweep) {
    for (int i = 0; i < count; i++) {
        block *b = &blocks[i];
        double *data = b->data;
        (void)data;
#pragma omp task firstprivate(b) affinity(data[0 : WORDS])
        work(b, sweep);
    }
}

typedef struct {
    block *on;
    int sweep;
} part;

static part parts[SWEEPS][BLOCKS_A_LOCATION * MAX_NODES];

static void native_work(void *argument) {
    part *p = argument;
    work(p->on, p->sweep);
}

static void by_native(int sweep) {
    for (int i = 0; i < count; i++) {
        parts[sweep][i] = (part){&blocks[i], sweep};
        vicinity_dependence on = {blocks[i].data, WORDS * sizeof(double), VICINITY_INOUT};
        vicinity_options options = VICINITY_OPTIONS;
        options.dependences = &on;
        options.dependence_count = 1;
        EQUAL(vicinity_task_create(native_work, &parts[sweep][i], &options, NULL), VICINITY_SUCCESS);
    }
}

/* Gives the share of bytes that were local, in percent. */
static double report(const char *how) {
    size_t local = 0, all = 0, elsewhere = 0;
    int ran[MAX_NODES] = {0};
    for (int i = 0; i < count; i++)
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            int at = blocks[i].ran_at[sweep];
            CHECK(blocks[i].sum[sweep] == blocks[i].sum[0]);
            CHECK(at >= 0 && processors_at(at) > 0);
            ran[at]++;
            if (processors_at(blocks[i].location) == 0) {
                elsewhere++;
                continue;
            }
            all++;
            local += at == blocks[i].location;
        }
    double percent = 100.0 * (double)local / (double)all;
    const char *scheduler = getenv("VICINITY_SCHEDULER");
    printf("%s, %s: %.1f%% of bytes local; tasks at each location:", how, scheduler ? scheduler : "locality", percent);
    for (int location = 0; location < locations; location++) printf(" %d", ran[location]);
    if (elsewhere > 0) printf("; %zu with data where no processor is", elsewhere);
    putchar('\n');
    return percent;
}

static void sweep_over_all(const char *how) {
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (strcmp(how, "depend") == 0) by_dependences(sweep);
        else if (strcmp(how, "affinity") == 0) by_affinity(sweep);
        else if (strcmp(how, "native") == 0) by_native(sweep);
        else FAIL("%s: expected depend, affinity or native", how);
    }
}

int main(int argc, char **argv) {
    setlinebuf(stdout);
    const char *how = argc > 1 ? argv[1] : "depend";
    int least_percent = argc > 2 ? atoi(argv[2]) : 0;
    locations = vicinity_num_locations();
    CHECK(locations > 1);
    count = BLOCKS_A_LOCATION * locations;
    for (int i = 0; i < count; i++) {
        blocks[i].data = omp_malloc_specific(WORDS * sizeof(double), OMP_MALLOC_COARSE);
        CHECK(blocks[i].data != NULL);
        for (int word = 0; word < WORDS; word++) blocks[i].data[word] = word;
        blocks[i].location = where(blocks[i].data);
    }
    /* More than once if need be: a processor of the emulator that its host holds up has its tasks stolen. */
    double percent = -1;
    for (int attempt = 0; attempt < 10 && percent < least_percent; attempt++) {
        sweep_over_all(how);
        percent = report(how);
    }
    if (percent < least_percent) FAIL("%.1f%% of bytes local, expected %d%%", percent, least_percent);
    for (int i = 0; i < count; i++) vicinity_free(blocks[i].data);
    return 0;
}

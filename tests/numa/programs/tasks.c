/* tasks: tasks run where their data is. Every block is at one location; every sweep makes a task a block.
 *
 * Arguments: how the tasks name their data (depend, affinity, native), and the least share of bytes, in percent, that
 * has to be local: on a block that is where the task runs. A block at a location without processors is left out of
 * the sum: its tasks run elsewhere anyhow. */
#include "placement.h"

enum { BLOCKS_A_LOCATION = 6, SWEEPS = 4, WORDS = 2 * 1024 * 1024 / 8 };

typedef struct {
    double *data;
    int location;
    int ran_at[SWEEPS];
} block;

static block blocks[BLOCKS_A_LOCATION * MAX_NODES];
static int count, locations;

static void work(block *b, int sweep) {
    b->ran_at[sweep] = here_location();
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < WORDS; i++) {
            sum += b->data[i];
            b->data[i] = sum * 0.5;
        }
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

static int native_sweep;
static void native_work(void *argument) { work(argument, native_sweep); }

static void by_native(int sweep) {
    native_sweep = sweep;
    for (int i = 0; i < count; i++) {
        vicinity_dependence on = {blocks[i].data, WORDS * sizeof(double), VICINITY_INOUT};
        vicinity_options options = VICINITY_OPTIONS;
        options.dependences = &on;
        options.dependence_count = 1;
        EQUAL(vicinity_task_create(native_work, &blocks[i], &options, NULL), VICINITY_SUCCESS);
    }
    EQUAL(vicinity_wait_all(), VICINITY_SUCCESS);
}

static void report(const char *how, int least_percent) {
    size_t local = 0, all = 0, elsewhere = 0;
    int ran[MAX_NODES] = {0};
    for (int i = 0; i < count; i++)
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            int at = blocks[i].ran_at[sweep];
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
    if (percent < least_percent) FAIL("%.1f%% of bytes local, expected %d%%", percent, least_percent);
}

int main(int argc, char **argv) {
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
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (strcmp(how, "depend") == 0) by_dependences(sweep);
        else if (strcmp(how, "affinity") == 0) by_affinity(sweep);
        else if (strcmp(how, "native") == 0) by_native(sweep);
        else FAIL("%s: expected depend, affinity or native", how);
#pragma omp taskwait
    }
    report(how, least_percent);
    for (int i = 0; i < count; i++) vicinity_free(blocks[i].data);
    return 0;
}

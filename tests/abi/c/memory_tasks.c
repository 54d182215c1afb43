// Memory that runs out while tasks are made: the creator runs other tasks until some is free again. Where that is hopeless,
// the program ends after one line.
// peer-fails: libgomp ends the process
// peer-fails: libomp ends the process
// threads: 2 5
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <stdint.h>
#include <sys/resource.h>

enum { TASKS = 60000, PAYLOAD = 4000 };
struct payload {
    char bytes[PAYLOAD];
};

static int created, done;

// Less than a third of what all tasks need.
static void limit_memory(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    rlim_t bytes = (rlim_t)pages * sysconf(_SC_PAGESIZE) + (70 << 20);
    struct rlimit both = {bytes, bytes};
    CHECK(setrlimit(RLIMIT_AS, &both) == 0);
}

// Ends when no task was made for a while: there is memory for no more.
static void wait_for_shortage(void) {
    int before = -1;
    for (int now = load_int(&created); now != before && now < TASKS; now = load_int(&created)) {
        before = now;
        usleep(100000);
    }
}

// All wait for the first one.
static void dependent(void) {
    struct payload payload = {{1}};
    int x = 0;
#pragma omp task depend(out : x) shared(x)
    {
        wait_for_shortage();
        CHECK(load_int(&created) < TASKS);
        x = 1;
    }
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(in : x) firstprivate(payload) shared(x)
        {
            CHECK(x == 1);
            add_int(&done, payload.bytes[0]);
        }
        add_int(&created, 1);
    }
#pragma omp taskwait
    EQUAL(load_int(&done), TASKS);
}

// All wait for what happens after they were made.
static void hopeless(void) {
    struct payload payload = {{1}};
    omp_event_handle_t event;
    int x = 0;
#pragma omp task depend(out : x) detach(event) shared(x)
    x = 1;
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(in : x) firstprivate(payload)
        add_int(&done, payload.bytes[0]);
    }
    omp_fulfill_event(event);
}

static int child(const char *what) {
#pragma omp parallel
    busy(1);
    limit_memory();
    if (what[0] == 'a') {
        volatile size_t most = SIZE_MAX;
        CHECK(omp_alloc(most / 2, omp_null_allocator) == NULL);
        omp_alloctrait_t null = {omp_atk_fallback, omp_atv_null_fb};
        omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &null);
        CHECK(omp_alloc(100 << 20, allocator) == NULL);
        CHECK(omp_calloc(most, 16, allocator) == NULL);
        return 0;
    }
#pragma omp parallel
#pragma omp single
    {
        if (what[0] == 'd') dependent();
        if (what[0] == 'h') hopeless();
    }
    return 0;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(argv[1]);
    static const struct {
        const char *what;
        int status, lines;
    } cases[] = {{"dependent", 0, 0}, {"allocators", 0, 0}, {"hopeless", 128 + 6, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *environment = "RUST_BACKTRACE=1 timeout --signal=KILL 50";
        int status = run_self(environment, cases[i].what, text, sizeof text), lines = 0;
        // The shell may say a word of its own about a program that was aborted.
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) lines += strcmp(line, "Aborted") != 0;
        if (status != cases[i].status || lines != cases[i].lines)
            FAIL("%s: status %d, %d lines, the first: %s", cases[i].what, status, lines, text);
        if (lines) CHECK(strncmp(text, "vicinity: no memory", 19) == 0);
    }
    return 0;
}

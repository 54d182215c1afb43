// num_threads(strict: n): a smaller team ends the program, or costs a warning, with the program's message.
// env: OMP_THREAD_LIMIT=2 OMP_DYNAMIC=false
// threads: 1
// peer-fails: libgomp it has no such calls
// peer-fails: libomp version 19 has no such calls
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>

// What newer compilers call; the runtime is asked, because this one's may not know them.
struct location { int reserved, flags, more[2]; const char *source; };
static struct location here = {0, 2, {0, 0}, ";strict.c;main;7;1;;"};
typedef void outlined(int *, int *, ...);
static void (*fork_call)(struct location *, int, outlined *, ...);
static void (*push_strict)(struct location *, int, int, int, const char *);
static void (*push_list)(struct location *, int, unsigned, const int *, int, const char *);
static int (*number)(struct location *);
enum { WARNING = 1, FATAL = 2 };

static int ran;
static void body(int *gtid, int *bound, ...) {
    (void)gtid, (void)bound;
    add_int(&ran, 1);
}

static void *find(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) FAIL("no %s", name);
    return found;
}

static int region(int threads, int severity, const char *message) {
    ran = 0;
    push_strict(&here, number(&here), threads, severity, message);
    fork_call(&here, 0, body);
    return ran;
}

static int count(const char *text, const char *part) {
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) found++;
    return found;
}

static void parent(void) {
    char text[4000];
    EQUAL(run_self("", "fits", text, sizeof text), 0);
    EQUAL(strlen(text), 0);
    EQUAL(run_self("", "warn", text, sizeof text), 0);
    EQUAL(count(text, "strict.c:7: num_threads(strict: 100): the team has 2: too few"), 1);
    EQUAL(count(text, "num_threads"), 2);
    EQUAL(run_self("", "fatal", text, sizeof text), 1);
    EQUAL(count(text, "num_threads(strict: 3): the team has 2: not enough"), 1);
    EQUAL(count(text, "ran"), 0);
    EQUAL(run_self("", "list", text, sizeof text), 1);
    EQUAL(count(text, "num_threads(strict: 5): the team has 2\n"), 1);
    EQUAL(run_self("OMP_MAX_ACTIVE_LEVELS=0", "warn", text, sizeof text), 0);
    EQUAL(count(text, "the team has 1"), 3);
}

int main(int argc, char **argv) {
    *(void **)&fork_call = find("__kmpc_fork_call");
    *(void **)&push_strict = find("__kmpc_push_num_threads_strict");
    *(void **)&push_list = find("__kmpc_push_num_threads_list_strict");
    *(void **)&number = find("__kmpc_global_thread_num");
    if (argc < 2) {
        parent();
    } else if (!strcmp(argv[1], "fits")) {
        EQUAL(region(2, FATAL, "never said"), 2);
        EQUAL(region(1, FATAL, NULL), 1);
    } else if (!strcmp(argv[1], "warn")) {
        int most = omp_get_max_active_levels() ? 2 : 1;
        EQUAL(region(100, WARNING, "too few"), most);
        EQUAL(region(3, WARNING, NULL), most);
        // It holds for one region.
        ran = 0;
        fork_call(&here, 0, body);
        EQUAL(ran, 1);
        if (most == 1) region(2, WARNING, "");
    } else if (!strcmp(argv[1], "fatal")) {
        region(3, FATAL, "not enough");
        puts("ran");
    } else {
        const int list[] = {5, 2};
        push_list(&here, number(&here), 2, list, FATAL, NULL);
        fork_call(&here, 0, body);
        puts("ran");
    }
    return 0;
}

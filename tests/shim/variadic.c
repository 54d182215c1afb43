// Checks capi/openmp/shim/variadic.c with stand-ins for the Rust side: the right number of
// arguments arrives, in order.

#include <stdio.h>
#include <stdlib.h>

typedef void (*microtask)(int *, int *, ...);
void __kmpc_fork_call(const void *, int, microtask, ...);
void __kmpc_fork_teams(const void *, int, microtask, ...);
void GOMP_doacross_wait(long, ...);
void GOMP_doacross_ull_wait(unsigned long long, ...);

int main(void);

static unsigned dims;
static int forks, teams, waits, ull_waits;

static void check(int holds, const char *what)
{
    if (!holds) {
        puts(what);
        exit(1);
    }
}

static void pointers(int count, void **arguments)
{
    for (int i = 0; i < count; i++)
        check(arguments[i] == (void *)(long)(i + 1), "argument lost");
}

void vicinity_kmp_fork_call(const void *location, int count, microtask body, void **arguments)
{
    check(location == &forks && body == (microtask)main, "fixed argument lost");
    pointers(count, arguments);
    forks += count + 1;
}

void vicinity_kmp_fork_teams(const void *location, int count, microtask body, void **arguments)
{
    check(location == &teams && body == (microtask)main, "fixed argument lost");
    pointers(count, arguments);
    teams += count + 1;
}

unsigned vicinity_doacross_dims(void) { return dims; }

void vicinity_doacross_wait(const long *iteration)
{
    for (unsigned i = 0; i < dims; i++)
        check(iteration[i] == -1 - (long)i, "index lost");
    waits++;
}

void vicinity_doacross_ull_wait(const unsigned long long *iteration)
{
    for (unsigned i = 0; i < dims; i++)
        check(iteration[i] == ~0ull - i, "index lost");
    ull_waits++;
}

#define P(n) ((void *)(long)(n))

int main(void)
{
    microtask body = (microtask)main;
    __kmpc_fork_call(&forks, 0, body);
    __kmpc_fork_call(&forks, 3, body, P(1), P(2), P(3));
    __kmpc_fork_call(&forks, 9, body, P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9));
    __kmpc_fork_teams(&teams, 5, body, P(1), P(2), P(3), P(4), P(5));
    check(forks == 1 + 4 + 10 && teams == 6, "a fork was lost");

    GOMP_doacross_wait(-1);
    check(waits == 0, "waited outside a doacross loop");
    dims = 1;
    GOMP_doacross_wait(-1);
    GOMP_doacross_ull_wait(~0ull);
    dims = 8;
    GOMP_doacross_wait(-1, -2l, -3l, -4l, -5l, -6l, -7l, -8l);
    GOMP_doacross_ull_wait(~0ull, ~1ull, ~2ull, ~3ull, ~4ull, ~5ull, ~6ull, ~7ull);
    check(waits == 2 && ull_waits == 2, "a wait was lost");
    return 0;
}

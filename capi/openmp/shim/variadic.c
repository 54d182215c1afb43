// Entry points with variable argument lists, which stable Rust cannot define.
//
// Each gathers its arguments into an array on its own stack and hands them to Rust; nothing is
// decided here. The array lives until the Rust function returns, which for a fork is when the
// region has ended on every thread.
//
// Sources: libomp's __kmpc_fork_call and __kmpc_fork_teams (all arguments are pointers or integers
// of pointer size), libgomp's GOMP_doacross_wait and GOMP_doacross_ull_wait (one value for each
// loop of the ordered(n) nest; the count is not passed, the innermost doacross loop knows it).

#include <stdarg.h>

typedef void (*microtask)(int *global_thread, int *bound_thread, ...);

// Written in Rust, linked into the same object.
void vicinity_kmp_fork_call(const void *location, int count, microtask body, void **arguments);
void vicinity_kmp_fork_teams(const void *location, int count, microtask body, void **arguments);
unsigned vicinity_doacross_dims(void);
void vicinity_doacross_wait(const long *iteration);
void vicinity_doacross_ull_wait(const unsigned long long *iteration);

// A variable-length array must have at least one element.
#define AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

void __kmpc_fork_call(const void *location, int count, microtask body, ...)
{
    void *arguments[AT_LEAST_ONE(count)];
    va_list list;
    va_start(list, body);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    vicinity_kmp_fork_call(location, count, body, arguments);
}

void __kmpc_fork_teams(const void *location, int count, microtask body, ...)
{
    void *arguments[AT_LEAST_ONE(count)];
    va_list list;
    va_start(list, body);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    vicinity_kmp_fork_teams(location, count, body, arguments);
}

// A thread outside any doacross loop, or alone in its team, has nobody to wait for: it has no
// dimensions, and the call does nothing.
void GOMP_doacross_wait(long first, ...)
{
    unsigned dims = vicinity_doacross_dims();
    if (dims == 0)
        return;
    long iteration[dims];
    iteration[0] = first;
    va_list list;
    va_start(list, first);
    for (unsigned i = 1; i < dims; i++)
        iteration[i] = va_arg(list, long);
    va_end(list);
    vicinity_doacross_wait(iteration);
}

void GOMP_doacross_ull_wait(unsigned long long first, ...)
{
    unsigned dims = vicinity_doacross_dims();
    if (dims == 0)
        return;
    unsigned long long iteration[dims];
    iteration[0] = first;
    va_list list;
    va_start(list, first);
    for (unsigned i = 1; i < dims; i++)
        iteration[i] = va_arg(list, unsigned long long);
    va_end(list);
    vicinity_doacross_ull_wait(iteration);
}

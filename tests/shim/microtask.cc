// Checks capi/openmp/shim/microtask.S: every argument count from 0 to 40 arrives, the stack is
// aligned, the argument array is not read past its end, the frame that calls is named, exceptions and backtraces pass
// through.

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*microtask)(int *, int *, ...);
extern "C" void vicinity_invoke_microtask(microtask, int *, int *, int, void **, void **);

static int expected;
static int calls;
static void *frame;

static void fail(const char *what)
{
    std::printf("%s (%d arguments)\n", what, expected);
    std::exit(1);
}

static void *value(int i) { return reinterpret_cast<void *>(0x1000 + 16 * i); }

static void collect(int *global, int *bound, ...)
{
    if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) % 16 != 0) fail("stack misaligned");
    if (*static_cast<void **>(__builtin_frame_address(0)) != frame) fail("frame not named");
    if (*global != 5 || *bound != 7) fail("thread numbers lost");
    va_list list;
    va_start(list, bound);
    for (int i = 0; i < expected; i++)
        if (va_arg(list, void *) != value(i)) fail("argument lost");
    va_end(list);
    calls++;
}

static void raise(int *, int *, ...)
{
    void *frames[64];
    int depth = backtrace(frames, 64);
    bool outside = false;  // _start is below main: the walk passed the shim and ended properly
    char **names = backtrace_symbols(frames, depth);
    for (int i = 0; i < depth; i++)
        for (const char *p = names[i]; *p; p++)
            if (p[0] == '_' && p[1] == 's' && p[2] == 't' && p[3] == 'a') outside = true;
    std::free(names);
    if (!outside) fail("backtrace stops in the shim");
    throw expected;
}

int main()
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages = static_cast<char *>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) fail("no guard page");

    int global = 5, bound = 7;
    for (expected = 0; expected <= 40; expected++) {
        // The last argument touches the guard page: reading one more is a fault.
        void **arguments = reinterpret_cast<void **>(pages + page) - expected;
        for (int i = 0; i < expected; i++) arguments[i] = value(i);
        vicinity_invoke_microtask(collect, &global, &bound, expected, arguments, &frame);

        int caught = -1;
        try {
            vicinity_invoke_microtask(raise, &global, &bound, expected, arguments, &frame);
        } catch (int thrown) {
            caught = thrown;
        }
        if (caught != expected) fail("exception lost");
    }
    return calls == 41 ? 0 : 1;
}

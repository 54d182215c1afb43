/* A program to be traced: each kind of event, and on demand a way to end.
   Usage: work [WAY] */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int chain(void)
{
    int x = 0, y = 0;
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(x) depend(out : x)
        x++;
#pragma omp task shared(x, y) depend(in : x) depend(inout : y)
        y += x;
    }
    return y;
}

static double loop(void)
{
    static double values[256];
    double sum = 0;
#pragma omp for schedule(dynamic, 8)
    for (int i = 0; i < 256; i++)
        values[i] = i;
#pragma omp single
    for (int i = 0; i < 256; i++)
        sum += values[i];
    return sum;
}

__attribute__((noinline)) static int deep(int n)
{
    volatile char block[4096];
    block[0] = (char)n;
    return deep(n + 1) + block[0];
}

static void end(const char *way)
{
    if (!strcmp(way, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(way, "deep"))
        deep(0);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "term"))
        raise(SIGTERM);
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "exit"))
        exit(3);
    if (!strcmp(way, "quick"))
        quick_exit(4);
}

static void own_handler(int signal)
{
    (void)signal;
    static const char text[] = "handled\n";
    if (write(1, text, sizeof text - 1) > 0)
        exit(5);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    long number = 0;
    int chained = 0;
    if (!strcmp(way, "handler"))
        signal(SIGSEGV, own_handler);
#pragma omp parallel
    {
#pragma omp single
        number = fib(15);
#pragma omp single
        chained = chain();
        loop();
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
            if (i == 60)
                end(strcmp(way, "handler") ? way : "segv");
        }
    }
    if (!strcmp(way, "fork")) {
        pid_t child = fork();
        if (child == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
            number = fib(5);
            exit(number == 5 ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0)
            return 1;
    }
    printf("%ld %d\n", number, chained);
    return 0;
}

/* managed: how many threads its regions have: two in a row, one that demands four, one inside of another, and one in a child
 * of fork. */
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int size(void) {
    int threads = 0;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    return threads;
}

int main(void) {
    int first = size(), second = size(), demanded = 0, inner = 0, status = -1;
#pragma omp parallel num_threads(4)
#pragma omp single
    demanded = omp_get_num_threads();
#pragma omp parallel
#pragma omp master
    inner = size();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(size());
    waitpid(child, &status, 0);
    printf("regions %d %d, demanded %d, inner %d, child %d\n", first, second, demanded, inner, WEXITSTATUS(status));
    return 0;
}

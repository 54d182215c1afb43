// A program whose parts come from two compilers: both must see one runtime, with one idea of
// threads and levels, mapped once.

#include <omp.h>
#include <stdio.h>
#include <string.h>

int library_sum(void);
int library_thread_num(void);
int library_level(void);

static int runtimes_mapped(void)
{
    char line[512], last[512] = "";
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (!path || !(strstr(path, "libvicinity") || strstr(path, "libgomp") || strstr(path, "libomp")
                       || strstr(path, "libiomp")))
            continue;
        if (strcmp(path, last) != 0) count++;
        strcpy(last, path);
    }
    return count;
}

int main(void)
{
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    {
        wrong += library_thread_num() != omp_get_thread_num();
        wrong += library_level() != 1;
    }
    int mapped = runtimes_mapped(), sum = library_sum();
    printf("wrong %d, sum %d, runtimes %d\n", wrong, sum, mapped);
    return wrong == 0 && sum == 9 && mapped == 1 ? 0 : 1;
}

// Fills a table while it is loaded, by a loop and by tasks.
static int table[1000], tasks;

__attribute__((constructor)) static void fill(void) {
#pragma omp parallel for schedule(dynamic, 10)
    for (int i = 0; i < 1000; i++) table[i] = i;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : table[i % 10])
        {
#pragma omp atomic
            tasks++;
        }
    }
}

int sum(void) {
    int all = tasks;
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < 1000; i++) all += table[i];
    return all;
}

__attribute__((destructor)) static void empty(void) {
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) table[i] = 0;
}

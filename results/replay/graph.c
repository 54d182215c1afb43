/* A graph of tasks that repeats: in each sweep every cell waits for its neighbours' last sweep. KIND 0 names no dependences, KIND 1
   one a task, KIND 2 three. */
enum { CELLS = 64, SWEEPS = 100 };
static char cell[CELLS + 2];

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int s = 0; s < SWEEPS; s++)
        for (int i = 1; i <= CELLS; i++) {
#if KIND == 0
#pragma omp task firstprivate(i)
#elif KIND == 1
#pragma omp task firstprivate(i) depend(inout : cell[i])
#else
#pragma omp task firstprivate(i) depend(in : cell[i - 1], cell[i + 1]) depend(inout : cell[i])
#endif
            for (volatile int k = 0; k < 40; k++) {}
        }
    return 0;
}

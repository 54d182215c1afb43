/* The smallest OpenMP program: one empty parallel region. The driver times the whole process, so it
 * shows what loading and starting a runtime costs. */
int main(void) {
#pragma omp parallel
    {
        __asm__ volatile("");
    }
    return 0;
}

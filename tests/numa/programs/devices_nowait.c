/* devices_nowait: regions with nowait on locations as devices (VICINITY_DEVICES=locations). devices_nowait COUNT THREADS, of each. */
#include "devices.h"

enum { CELLS = 4096, STEPS = 50 };

/* Each region is on its device, and so are the threads of regions in it. */
static void regions(void) {
    int number[MOST + 2], size[MOST + 2], elsewhere[MOST + 2];
    for (int device = 0; device <= count; device++) {
        number[device] = -1;
        elsewhere[device] = 0;
#pragma omp target nowait device(device) map(tofrom : number, size, elsewhere)
        {
            int mine = omp_get_device_num();
            number[device] = mine;
#pragma omp parallel
            {
#pragma omp single
                size[device] = omp_get_num_threads();
                if (omp_get_device_num() != mine || (mine < count && vicinity_current_location() != mine)) {
#pragma omp atomic
                    elsewhere[device]++;
                }
            }
        }
    }
#pragma omp taskwait
    for (int device = 0; device <= count; device++) {
        EQUAL(number[device], device);
        EQUAL(elsewhere[device], 0);
        if (device < count) EQUAL(size[device], threads);
    }
    int last = -1;
    omp_set_default_device(count - 1);
#pragma omp target nowait map(tofrom : last)
    last = omp_get_device_num();
#pragma omp taskwait
    EQUAL(last, count - 1);
    omp_set_default_device(0);
}

/* A task that is final has no children that go on by themselves: they are over when it goes on. */
static void final_tasks(void) {
    int numbers[MOST] = {0}, in_time = 0;
#pragma omp task final(1) shared(numbers, in_time)
    for (int device = 0; device < count; device++) {
        numbers[device] = -1;
#pragma omp target nowait device(device) map(tofrom : numbers)
        numbers[device] = omp_get_device_num();
        in_time += numbers[device] == device;
    }
#pragma omp taskwait
    EQUAL(in_time, count);
}

/* Regions with nowait run at the same time: each waits for all others. */
static void together(void) {
    int arrived = 0, sum = 0;
    for (int device = 0; device < count; device++) {
        int mine = device + 1;
#pragma omp target nowait device(device) map(tofrom : arrived, sum) firstprivate(mine)
        {
#pragma omp atomic
            arrived++;
            int all = 0;
            while (all < count) {
#pragma omp atomic read
                all = arrived;
            }
#pragma omp atomic
            sum += mine;
        }
    }
#pragma omp taskwait
    EQUAL(sum, count * (count + 1) / 2);
}

/* Heat in a rod: a part for each device, which waits for its neighbours' last step. */
static void heat(void) {
    static double now[2][CELLS + 2], then[2][CELLS + 2];
    static char done[2][MOST + 2];
    (void)done; /* gcc does not see what depend clauses use */
    now[0][0] = now[1][0] = then[0][0] = then[1][0] = 100;
    for (int step = 0; step < STEPS; step++)
        for (int cell = 1; cell <= CELLS; cell++) {
            const double *old = then[step % 2];
            then[(step + 1) % 2][cell] = old[cell] + 0.25 * (old[cell - 1] - 2 * old[cell] + old[cell + 1]);
        }
    for (int step = 0; step < STEPS; step++)
        for (int device = 0; device < count; device++) {
            const double *old = now[step % 2];
            double *new = now[(step + 1) % 2];
            int from = step % 2, to = 1 - from;
            int first = 1 + CELLS * device / count, last = CELLS * (device + 1) / count;
#pragma omp target nowait device(device) map(tofrom : old[0 : CELLS + 2], new[0 : CELLS + 2]) \
    depend(in : done[from][device], done[from][device + 1], done[from][device + 2]) \
    depend(out : done[to][device + 1])
#pragma omp parallel for
            for (int cell = first; cell <= last; cell++)
                new[cell] = old[cell] + 0.25 * (old[cell - 1] - 2 * old[cell] + old[cell + 1]);
        }
#pragma omp taskwait
    for (int cell = 0; cell <= CELLS + 1; cell++)
        if (now[STEPS % 2][cell] != then[STEPS % 2][cell])
            FAIL("cell %d: %g, expected %g", cell, now[STEPS % 2][cell], then[STEPS % 2][cell]);
}

int main(int argc, char **argv) {
    told(argc, argv);
    for (int round = 0; round < 3; round++) {
        regions();
        final_tasks();
        together();
        heat();
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        together();
        heat();
    }
    return 0;
}

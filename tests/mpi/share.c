/* share: what a rank has of the machine, one line each: processors, threads, and the size of a team. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, team = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cpu_set_t mine, all;
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_ZERO(&all);
#pragma omp parallel
    {
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
#pragma omp critical
        CPU_OR(&all, &all, &own);
#pragma omp single
        team = omp_get_num_threads();
    }
    printf("rank %d: may use", rank);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &mine)) printf(" %d", cpu);
    printf("; team of %d, %d processors%s\n", team, omp_get_num_procs(),
           CPU_EQUAL(&mine, &all) ? "" : ", and its threads differ");
    MPI_Finalize();
    return 0;
}

/* A ring of ranks that pass many messages around it, each by a task of its own: see docs/mpi.md.
 *
 *     make ring
 *     mpirun -n 4 vicinity run --mpi ./ring
 *
 * Each task waits for a number from the left, adds its rank and sends it to the right. Rank 0 sends first and receives last. On
 * a plain runtime the tasks hold all threads as soon as there are more of them than threads, and nothing goes on where they
 * begin in different orders. */
#include <mpi.h>
#include <stdio.h>

enum { MESSAGES = 1000 };

int main(int argc, char **argv) {
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
#pragma omp parallel
#pragma omp single
    for (int made = 0; made < MESSAGES; made++) {
        /* Odd ranks make their tasks the other way round. */
        int message = rank % 2 == 0 ? made : MESSAGES - 1 - made;
#pragma omp task firstprivate(message) shared(wrong)
        {
            int number = message;
            if (rank == 0) MPI_Send(&number, 1, MPI_INT, right, message, MPI_COMM_WORLD);
            MPI_Recv(&number, 1, MPI_INT, left, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            number += rank;
            if (rank != 0) MPI_Send(&number, 1, MPI_INT, right, message, MPI_COMM_WORLD);
            if (rank == 0 && number != message + ranks * (ranks - 1) / 2) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    if (rank == 0) puts(wrong == 0 ? "PASS" : "wrong sums");
    MPI_Finalize();
    return wrong != 0;
}

! tasks: more tasks than threads wait for messages of the other rank's, which begin later. Two ranks. One of three
! interfaces of MPI, as the macro says.
program tasks
#if defined(USE_MPIFH)
  implicit none
  include 'mpif.h'
#elif defined(USE_F08)
  use mpi_f08
  implicit none
#else
  use mpi
  implicit none
#endif
  integer :: rank, other, i, err, provided, values(16)
  call mpi_init_thread(MPI_THREAD_MULTIPLE, provided, err)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, err)
  other = 1 - rank
  !$omp parallel shared(values)
  !$omp single
  do i = 1, 16
    !$omp task firstprivate(i) shared(values)
    block
      integer :: own, e
      own = rank * 1000 + i
      ! Receives wait before the other rank's tasks of the other end have begun to send.
      if (mod(i, 2) == rank) then
        call mpi_recv(values(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
        call mpi_send(own, 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, e)
      else
        call mpi_recv(values(i), 1, MPI_INTEGER, other, 17 - i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      end if
    end block
    !$omp end task
  end do
  do i = 16, 1, -1
    !$omp task firstprivate(i)
    block
      integer :: own, e
      own = rank * 1000 + i
      if (mod(i, 2) == rank) then
        call mpi_send(own, 1, MPI_INTEGER, other, 17 - i, MPI_COMM_WORLD, e)
      else
        call mpi_send(own, 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, e)
        call mpi_recv(own, 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      end if
    end block
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (rank == 0) print '(a)', 'PASS'
  call mpi_finalize(err)
end program

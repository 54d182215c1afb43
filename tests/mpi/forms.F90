! forms: what functions for Fortran make of their arguments: statuses and those that are ignored, arrays of requests, indices from 1,
! logical answers, memory in place, errors that are left out, communicators. Two ranks. One of three interfaces of MPI.
program forms
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
#if defined(USE_F08)
  type(MPI_Status) :: status, statuses(4)
  type(MPI_Request) :: requests(4)
  type(MPI_Comm) :: copy
  type(MPI_Message) :: message
  type(MPI_Datatype) :: types(2)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#define EACH(i) statuses(i)
#else
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4), requests(4), copy, message, types(2)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define EACH(i) statuses(:, i)
#endif
  integer :: rank, other, i, err, provided, values(4), own(4), which, count, indices(4), seen
  logical :: done
  call mpi_init_thread(MPI_THREAD_MULTIPLE, provided, err)
  call check(provided == MPI_THREAD_MULTIPLE)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, err)
  other = 1 - rank
  types = [MPI_INTEGER, MPI_INTEGER]
  own = [(10 * rank + i, i = 1, 4)]
  !$omp parallel shared(values, own, requests, statuses, status, copy, message)
  !$omp single
  !$omp task
  call mpi_comm_dup(MPI_COMM_WORLD, copy, err)
  ! All at once, with a status each.
  call begin_all()
  call mpi_waitall(4, requests, statuses, err)
  call check(err == MPI_SUCCESS)
  do i = 1, 4
    status = EACH(i)
    call check(values(i) == 10 * other + i)
    call check(SOURCE_OF(status) == other)
    call check(TAG_OF(status) == i)
  end do
  ! Without statuses; one after the other, by their indices.
  call begin_all()
  call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, err)
  call begin_all()
  seen = 0
  do i = 1, 4
    call mpi_waitany(4, requests, which, status, err)
    call check(TAG_OF(status) == which)
    seen = seen + which
  end do
  call check(seen == 10)
  call mpi_waitany(4, requests, which, MPI_STATUS_IGNORE, err)
  call check(which < 1)
  call begin_all()
  seen = 0
  do while (seen < 10)
    call mpi_waitsome(4, requests, count, indices, statuses, err)
    do i = 1, count
      status = EACH(i)
      call check(TAG_OF(status) == indices(i))
      seen = seen + indices(i)
    end do
  end do
  call begin_all()
  done = .false.
  do while (.not. done)
    call mpi_testall(4, requests, done, statuses, err)
  end do
  call check(all(values == [(10 * other + i, i = 1, 4)]))
  ! One message, in several ways.
  call mpi_sendrecv(own, 1, MPI_INTEGER, other, 5, values, 1, MPI_INTEGER, other, 5, copy, status, err)
  call check(values(1) == 10 * other + 1 .and. TAG_OF(status) == 5)
  call mpi_irecv(values, 1, MPI_INTEGER, MPI_ANY_SOURCE, 6, copy, requests(1), err)
  call mpi_send(own(2), 1, MPI_INTEGER, other, 6, copy, err)
  call mpi_wait(requests(1), status, err)
  call check(values(1) == 10 * other + 2 .and. SOURCE_OF(status) == other)
  call check(requests(1) == MPI_REQUEST_NULL)
  call mpi_isend(own(3), 1, MPI_INTEGER, other, 7, copy, requests(1), err)
  call mpi_mprobe(other, 7, copy, message, status, err)
  call mpi_mrecv(values, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, err)
  call check(values(1) == 10 * other + 3)
  done = .false.
  do while (.not. done)
    call mpi_test(requests(1), done, MPI_STATUS_IGNORE, err)
  end do
  ! Collective ones.
  call mpi_allreduce(MPI_IN_PLACE, own, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, err)
  call check(all(own == [(10 + 2 * i, i = 1, 4)]))
  call mpi_gather(rank, 1, MPI_INTEGER, values, 1, MPI_INTEGER, 1, copy, err)
  call check(rank == 0 .or. all(values(1:2) == [0, 1]))
  call mpi_bcast(values, 2, MPI_INTEGER, 1, copy, err)
  call check(all(values(1:2) == [0, 1]))
  call mpi_alltoallw(own, [1, 1], [0, 4], types, values, [1, 1], [4, 0], types, copy, err)
  call check(all(values(1:2) == own(rank + 1)))
#if defined(USE_F08)
  call mpi_barrier(copy)
#else
  call mpi_barrier(copy, err)
#endif
  !$omp end task
  !$omp end single
  !$omp end parallel
  call mpi_comm_free(copy, err)
  if (rank == 0) print '(a)', 'PASS'
  call mpi_finalize(err)
contains
  subroutine check(is_so)
    logical, intent(in) :: is_so
    integer :: e
    if (.not. is_so) call mpi_abort(MPI_COMM_WORLD, 1, e)
  end subroutine
  subroutine begin_all()
    integer :: e, j
    values = -1
    do j = 1, 4
      call mpi_irecv(values(j), 1, MPI_INTEGER, other, j, copy, requests(j), e)
    end do
    do j = 4, 1, -1
      call mpi_send(own(j), 1, MPI_INTEGER, other, j, copy, e)
    end do
  end subroutine
end program

! Tasks: recursion, firstprivate, dependences, taskgroup, taskloop, reductions, priority, detach, taskyield.
! compilers: gfortran
program tasks
  use omp_lib
  use iso_fortran_env, only: int64
  implicit none
  integer :: i, x, y, total, hits(300), last
  integer(int64) :: sum
  integer(omp_event_handle_kind) :: event
  real :: cells(0:41)
  total = 0
  x = 0
  !$omp parallel
  !$omp single
  if (fib(16) /= 987) error stop 'fib'
  do i = 1, 100
    !$omp task firstprivate(i) shared(total)
    !$omp atomic
    total = total + i
    !$omp end task
  end do
  !$omp taskwait
  if (total /= 5050) error stop 'firstprivate'
  do i = 1, 50
    !$omp task depend(inout: x) firstprivate(i) shared(x)
    if (x /= i - 1) error stop 'chain'
    x = i
    !$omp end task
    !$omp task depend(in: x) firstprivate(i) shared(x) priority(3)
    if (x /= i) error stop 'reader'
    !$omp end task
  end do
  !$omp taskwait
  cells = 0
  do i = 1, 40
    !$omp task depend(in: cells(i - 1)) depend(out: cells(i)) shared(cells) firstprivate(i)
    cells(i) = cells(i - 1) + 1
    !$omp end task
  end do
  !$omp taskwait depend(in: cells(40))
  if (cells(40) /= 40) error stop 'array elements'
  !$omp task depend(mutexinoutset: x) shared(x)
  x = x + 1
  !$omp end task
  !$omp task depend(mutexinoutset: x) shared(x)
  x = x + 1
  !$omp end task
  !$omp taskwait
  if (x /= 52) error stop 'mutexinoutset'
  y = 0
  !$omp taskgroup
  !$omp task shared(y) untied
  !$omp task shared(y)
  !$omp atomic
  y = y + 1
  !$omp end task
  !$omp taskyield
  !$omp end task
  !$omp end taskgroup
  if (y /= 1) error stop 'taskgroup'
  !$omp task if (.false.) shared(y)
  y = 2
  !$omp end task
  if (y /= 2) error stop 'undeferred'
  !$omp task final(.true.) shared(y) mergeable
  if (.not. omp_in_final()) error stop 'final'
  y = 3
  !$omp end task
  !$omp taskwait
  hits = 0
  !$omp taskloop grainsize(7) shared(hits) lastprivate(last)
  do i = 1, 300
    hits(i) = hits(i) + 1
    last = i
  end do
  if (any(hits /= 1) .or. last /= 300) error stop 'taskloop'
  sum = 0
  !$omp taskloop num_tasks(9) reduction(+:sum)
  do i = 1, 300
    sum = sum + i
  end do
  if (sum /= 45150) error stop 'taskloop reduction'
  sum = 0
  !$omp taskgroup task_reduction(+:sum)
  do i = 1, 30
    !$omp task in_reduction(+:sum) firstprivate(i)
    sum = sum + i
    !$omp end task
  end do
  !$omp end taskgroup
  if (sum /= 465) error stop 'task reduction'
  !$omp task detach(event) shared(y) depend(out: y)
  y = 4
  !$omp end task
  !$omp task depend(inout: y) shared(y)
  y = y * 2
  !$omp end task
  call omp_fulfill_event(event)
  !$omp taskwait
  if (y /= 8) error stop 'detach'
  !$omp end single
  !$omp end parallel
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      r = n
      return
    end if
    !$omp task shared(a)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    r = a + b
  end function
end program

! The tasks that both Fortran compilers take: recursion, shared data, scalar dependences, taskgroup, if, final.
program tasks
  use omp_lib
  implicit none
  integer :: i, x, y, total
  total = 0
  x = 0
  y = 0
  !$omp parallel
  !$omp single
  if (fib(15) /= 610) error stop 'fib'
  ! flang 19 copies firstprivate variables when the task begins, so none are used here.
  do i = 1, 100
    !$omp task shared(total)
    !$omp atomic
    total = total + 1
    !$omp end task
  end do
  !$omp taskwait
  if (total /= 100) error stop 'lost tasks'
  do i = 1, 50
    !$omp task depend(inout: x) shared(x, total)
    if (mod(x, 2) /= 0) error stop 'chain'
    x = x + 1
    !$omp end task
    !$omp task depend(in: x) shared(x)
    if (mod(x, 2) /= 1) error stop 'reader'
    !$omp end task
    !$omp task depend(in: x) shared(x)
    if (mod(x, 2) /= 1) error stop 'another reader'
    !$omp end task
    !$omp task depend(out: x) shared(x)
    x = x + 1
    !$omp end task
  end do
  !$omp taskwait
  if (x /= 100) error stop 'chain length'
  !$omp taskgroup
  !$omp task shared(y)
  !$omp task shared(y)
  !$omp atomic
  y = y + 1
  !$omp end task
  !$omp end task
  !$omp end taskgroup
  if (y /= 1) error stop 'taskgroup'
  !$omp task if (.false.) shared(y)
  y = 2
  !$omp end task
  if (y /= 2) error stop 'undeferred'
  !$omp task final(.true.) shared(y)
  y = 3
  !$omp end task
  !$omp taskyield
  !$omp taskwait
  if (y /= 3) error stop 'final'
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

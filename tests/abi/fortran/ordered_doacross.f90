! ordered loops, doacross with sink and source, lastprivate, linear, cancellation, nested regions.
! env: OMP_CANCELLATION=true
! compilers: gfortran
program ordered_doacross
  use omp_lib
  implicit none
  integer :: i, j, next, last, done(0:100), grid(0:12, 0:12), found, inner
  next = 1
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, 100
    !$omp ordered
    if (next /= i) error stop 'order'
    next = next + 1
    !$omp end ordered
  end do
  !$omp parallel do ordered schedule(static, 3)
  do i = 100, 1, -1
    !$omp ordered
    next = next - 1
    if (next /= i) error stop 'reverse order'
    !$omp end ordered
  end do
  done = 0
  done(0) = 1
  !$omp parallel do ordered(1) schedule(dynamic, 2) shared(done)
  do i = 1, 100
    !$omp ordered depend(sink: i - 1)
    if (done(i - 1) /= 1) error stop 'doacross'
    done(i) = 1
    !$omp ordered depend(source)
  end do
  grid = 0
  !$omp parallel do ordered(2) shared(grid)
  do i = 1, 12
    do j = 1, 12
      !$omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
      grid(i, j) = max(grid(i - 1, j), grid(i, j - 1)) + 1
      !$omp ordered depend(source)
    end do
  end do
  if (grid(12, 12) /= 23) error stop 'doacross in two dimensions'
  !$omp parallel do lastprivate(last, i) schedule(dynamic, 3)
  do i = 1, 100
    last = i * 2
  end do
  if (last /= 200 .or. i /= 101) error stop 'lastprivate'
  found = 0
  !$omp parallel shared(found)
  !$omp do schedule(dynamic)
  do i = 1, 5000
    !$omp cancellation point do
    if (i == 77) then
      !$omp atomic write
      found = i
      !$omp cancel do
    end if
  end do
  !$omp end do
  !$omp end parallel
  if (found /= 77) error stop 'cancel'
  call omp_set_max_active_levels(2)
  inner = 0
  !$omp parallel num_threads(2) reduction(+:inner)
  !$omp parallel num_threads(3) reduction(+:inner)
  inner = inner + 1
  !$omp end parallel
  !$omp end parallel
  if (inner /= 6) error stop 'nested'
end program

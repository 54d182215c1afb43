! teams, distribute, target regions on the host and target data.
! compilers: gfortran
program target_teams
  use omp_lib
  implicit none
  integer :: i, total, size, hits(200)
  real(8) :: a(300), b(300)
  hits = 0
  total = 0
  size = 0
  !$omp teams num_teams(3) reduction(+:size)
  size = size + 1
  !$omp end teams
  if (size < 1 .or. size > 3) error stop 'league'
  !$omp teams distribute num_teams(2) dist_schedule(static, 5) shared(hits)
  do i = 1, 200
    hits(i) = hits(i) + 1
  end do
  !$omp teams distribute parallel do reduction(+:total) shared(hits) schedule(dynamic, 4)
  do i = 1, 200
    hits(i) = hits(i) + 1
    total = total + i
  end do
  if (any(hits /= 2) .or. total /= 20100) error stop 'distribute'
  a = 1
  b = 0
  !$omp target data map(to: a) map(from: b)
  !$omp target teams distribute parallel do map(to: a) map(from: b)
  do i = 1, 300
    b(i) = a(i) + i
  end do
  !$omp end target data
  do i = 1, 300
    if (b(i) /= 1 + i) error stop 'target'
  end do
  total = 0
  !$omp target map(tofrom: total)
  total = 5
  !$omp end target
  !$omp target update from(total)
  if (total /= 5) error stop 'target scalar'
  !$omp parallel
  !$omp single
  !$omp target nowait map(tofrom: total) depend(inout: total)
  total = total + 1
  !$omp end target
  !$omp task depend(in: total) shared(total)
  if (total /= 6) error stop 'target nowait'
  !$omp end task
  !$omp end single
  !$omp end parallel
end program

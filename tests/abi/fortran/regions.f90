! Regions, worksharing, sections, single, masters, criticals, barriers, workshare.
program regions
  use omp_lib
  implicit none
  integer :: n, i, count, total, value, hits(500), grid(20, 30)
  real :: a(400), b(400)
  integer(8) :: big
  n = omp_get_max_threads()
  call omp_set_dynamic(.false.)
  count = 0
  !$omp parallel reduction(+:count)
  count = count + omp_get_thread_num() + 1
  if (omp_get_num_threads() /= n) error stop 'team size'
  !$omp end parallel
  if (count /= n * (n + 1) / 2) error stop 'thread numbers'

  hits = 0
  !$omp parallel do schedule(static, 3)
  do i = 1, 500
    hits(i) = hits(i) + 1
  end do
  !$omp parallel do schedule(dynamic, 7)
  do i = 500, 1, -1
    hits(i) = hits(i) + 1
  end do
  !$omp parallel do schedule(guided)
  do i = 1, 500, 2
    hits(i) = hits(i) + 1
  end do
  !$omp parallel do schedule(runtime)
  do i = 2, 500, 2
    hits(i) = hits(i) + 1
  end do
  if (any(hits /= 3)) error stop 'loops'

  grid = 0
  call fill(grid)
  if (any(grid /= 1)) error stop 'collapse'

  big = 0
  call wide(big)
  if (big /= 5000000000_8 * 100 + 4950) error stop '64-bit loop'

  total = 0
  value = 0
  !$omp parallel private(value)
  !$omp sections reduction(+:total)
  !$omp section
  total = total + 1
  !$omp section
  total = total + 10
  !$omp section
  total = total + 100
  !$omp end sections
  !$omp single
  value = 42
  !$omp end single copyprivate(value)
  if (value /= 42) error stop 'copyprivate'
  !$omp master
  if (omp_get_thread_num() /= 0) error stop 'master'
  !$omp end master
  !$omp barrier
  !$omp critical (named)
  total = total + 1000
  !$omp end critical (named)
  !$omp critical
  total = total + 1000
  !$omp end critical
  !$omp end parallel
  if (total == 0) error stop 'sections and criticals'

  !$omp parallel workshare
  a = 2.0
  b = a * 3.0
  where (b > 5.0) a = b
  !$omp end parallel workshare
  if (any(a /= 6.0)) error stop 'workshare'
contains
  subroutine fill(g)
    integer, intent(inout) :: g(20, 30)
    integer :: r, c
    !$omp parallel do collapse(2)
    do c = 1, 30
      do r = 1, 20
        g(r, c) = g(r, c) + 1
      end do
    end do
  end subroutine
  subroutine wide(sum)
    integer(8), intent(inout) :: sum
    integer(8) :: k
    !$omp parallel do reduction(+:sum) schedule(dynamic, 3)
    do k = 5000000000_8, 5000000099_8
      sum = sum + k
    end do
  end subroutine
end program

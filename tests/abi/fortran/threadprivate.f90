! threadprivate variables, common blocks and module data with copyin and copyprivate; allocatable privates.
module data
  implicit none
  integer, save :: kept = 7
  !$omp threadprivate(kept)
end module

program main
  use omp_lib
  use data
  implicit none
  integer :: x, y
  real :: z(10)
  common /block/ x, y, z
  !$omp threadprivate(/block/)
  integer :: n, i, wrong
  n = omp_get_max_threads()
  call omp_set_dynamic(.false.)
  wrong = 0
  !$omp parallel reduction(+:wrong)
  if (kept /= 7) wrong = wrong + 1
  kept = omp_get_thread_num()
  x = 2 * omp_get_thread_num()
  z = real(omp_get_thread_num())
  !$omp end parallel
  if (wrong /= 0) error stop 'initial value'
  do i = 1, 3
    !$omp parallel reduction(+:wrong)
    if (kept /= omp_get_thread_num() .or. x /= 2 * omp_get_thread_num()) wrong = wrong + 1
    if (z(10) /= real(omp_get_thread_num())) wrong = wrong + 1
    !$omp end parallel
  end do
  if (wrong /= 0) error stop 'kept values'
  kept = 99
  x = 1; y = 2; z = 3.5
  !$omp parallel copyin(kept, /block/) reduction(+:wrong)
  if (kept /= 99 .or. x /= 1 .or. y /= 2 .or. any(z /= 3.5)) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) error stop 'copyin'
  !$omp parallel reduction(+:wrong)
  !$omp single
  kept = 1234
  y = 55
  !$omp end single copyprivate(kept, /block/)
  if (kept /= 1234 .or. y /= 55) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) error stop 'copyprivate'
end program

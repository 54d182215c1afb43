! Locks of both kinds through their Fortran names, atomics of every intrinsic type, capture, flush.
! compilers: gfortran
program locks_atomics
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer :: n, i, counted, nested, got, least
  integer(1) :: small
  integer(8) :: wide
  real(4) :: r4
  real(8) :: r8
  real(16) :: r16
  complex(8) :: c8
  complex(4) :: c4
  logical :: flag
  integer, allocatable :: seen(:)
  n = omp_get_max_threads()
  call omp_set_dynamic(.false.)
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  counted = 0; nested = 0; small = 0; wide = 0; r4 = 0; r8 = 0; r16 = 0; c8 = 0; c4 = 0; got = 0
  flag = .false.
  least = huge(1)
  allocate (seen(0:100 * n - 1))
  seen = 0
  !$omp parallel private(i) firstprivate(flag)
  do i = 1, 100
    call omp_set_lock(lock)
    counted = counted + 1
    call omp_unset_lock(lock)
    do while (.not. omp_test_lock(lock))
    !$omp taskyield
    end do
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    if (omp_test_nest_lock(nest) /= 2) error stop 'nest count'
    nested = nested + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    !$omp atomic
    small = small + 1_1
    !$omp atomic
    wide = wide + 10000000000_8
    !$omp atomic
    r4 = r4 + 0.5
    !$omp atomic
    r8 = r8 + 0.25d0
    !$omp atomic
    r16 = r16 + 1.5_16
    !$omp atomic
    c8 = c8 + (1d0, 2d0)
    !$omp atomic
    c4 = c4 + (1.0, -1.0)
    !$omp atomic
    least = min(least, i)
  end do
  !$omp end parallel
  if (counted /= 100 * n .or. nested /= 100 * n) error stop 'locks'
  if (small /= int(mod(100 * n + 128, 256) - 128, 1)) error stop 'integer(1)'
  if (wide /= 1000000000000_8 * n) error stop 'integer(8)'
  if (r4 /= 50 * n .or. r8 /= 25 * n .or. r16 /= 150 * n) error stop 'reals'
  if (c8 /= cmplx(100 * n, 200 * n, 8) .or. c4 /= cmplx(100 * n, -100 * n)) error stop 'complex'
  if (least /= 1) error stop 'min'
  call captured()
  if (any(seen /= 1)) error stop 'capture'
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
contains
  subroutine captured()
    integer :: k, mine
    !$omp parallel private(k, mine)
    do k = 1, 100
      !$omp atomic capture
      mine = got
      got = got + 1
      !$omp end atomic
      seen(mine) = seen(mine) + 1
    end do
    !$omp flush
    !$omp end parallel
  end subroutine
end program

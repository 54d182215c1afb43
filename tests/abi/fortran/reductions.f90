! Reductions: intrinsic operators and functions, complex, logical, arrays, allocatables, user-defined.
! compilers: gfortran
module shapes
  implicit none
  type :: stats
    integer :: count = 0
    real(8) :: most = -1d30
  end type
contains
  function joined(a, b) result(c)
    type(stats), intent(in) :: a, b
    type(stats) :: c
    c%count = a%count + b%count
    c%most = max(a%most, b%most)
  end function
end module

program reductions
  use omp_lib
  use shapes
  implicit none
  integer :: i, n, isum, iprod, imax, imin, band, bor, bxor
  real(8) :: dsum
  real(16) :: qsum
  complex(8) :: csum
  logical :: every, some, same
  integer :: bins(10)
  integer, allocatable :: heap(:)
  type(stats) :: s
  !$omp declare reduction(joining : stats : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = stats())
  n = omp_get_max_threads()
  isum = 5; iprod = 1; imax = -huge(1); imin = huge(1)
  band = not(0); bor = 0; bxor = 0
  dsum = 0; qsum = 0; csum = 0
  every = .true.; some = .false.; same = .true.
  bins = 1
  allocate (heap(7))
  heap = 0
  !$omp parallel do reduction(+:isum, dsum, qsum, csum, bins, heap) reduction(*:iprod) reduction(max:imax) &
  !$omp& reduction(min:imin) reduction(iand:band) reduction(ior:bor) reduction(ieor:bxor) &
  !$omp& reduction(.and.:every) reduction(.or.:some) reduction(.eqv.:same) reduction(joining:s) schedule(dynamic, 4)
  do i = 1, 100
    isum = isum + i
    dsum = dsum + 0.5d0
    qsum = qsum + 0.25_16
    csum = csum + cmplx(i, -i, 8)
    bins(mod(i, 10) + 1) = bins(mod(i, 10) + 1) + 1
    heap(mod(i, 7) + 1) = heap(mod(i, 7) + 1) + i
    if (mod(i, 10) == 0) iprod = iprod * 2
    imax = max(imax, i)
    imin = min(imin, i)
    band = iand(band, not(ishft(1, mod(i, 8))))
    bor = ior(bor, ishft(1, mod(i, 8)))
    bxor = ieor(bxor, i)
    every = every .and. i > 0
    some = some .or. i == 50
    same = same .eqv. .true.
    s%count = s%count + 1
    s%most = max(s%most, real(i, 8))
  end do
  if (isum /= 5055) error stop 'integer sum'
  if (dsum /= 50d0 .or. qsum /= 25) error stop 'real sums'
  if (csum /= cmplx(5050, -5050, 8)) error stop 'complex sum'
  if (any(bins /= 11)) error stop 'array'
  if (sum(heap) /= 5050) error stop 'allocatable'
  if (iprod /= 1024 .or. imax /= 100 .or. imin /= 1) error stop 'product, max, min'
  if (iand(band, 255) /= 0 .or. bor /= 255) error stop 'bits'
  if (.not. every .or. .not. some .or. .not. same) error stop 'logical'
  if (s%count /= 100 .or. s%most /= 100) error stop 'user-defined'
  isum = 0
  !$omp parallel reduction(+:isum)
  isum = isum + 1
  !$omp end parallel
  if (isum /= n) error stop 'region'
end program

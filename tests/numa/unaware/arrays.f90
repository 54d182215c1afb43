! arrays: memory of `allocate` lies as `vicinity run --distribution HOW` says. Argument: HOW.
program arrays
  use iso_c_binding
  implicit none
  interface
    subroutine check_pages(what, how, start, bytes) bind(c)
      import
      character(kind=c_char), intent(in) :: what(*), how(*)
      type(c_ptr), value :: start
      integer(c_size_t), value :: bytes
    end subroutine
  end interface
  integer, parameter :: n = 2**20
  real(c_double), allocatable, target :: x(:), y(:, :)
  character(len=16) :: how
  integer :: i
  real(c_double) :: total

  call get_command_argument(1, how)
  allocate (x(n), y(1024, 1024))
  x = 1
  y = 2
  call check_pages("allocate"//c_null_char, trim(how)//c_null_char, c_loc(x), int(n, c_size_t)*8)
  call check_pages("allocate, two dimensions"//c_null_char, trim(how)//c_null_char, c_loc(y), int(n, c_size_t)*8)
  total = 0
  !$omp parallel do reduction(+ : total)
  do i = 1, n
    total = total + x(i)
  end do
  deallocate (x, y)
  if (total /= n) error stop 1
end program

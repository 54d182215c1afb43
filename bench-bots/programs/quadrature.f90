! Adaptive quadrature in Fortran: recursive tasks, two an interval that is not yet good enough.
!
! The integral of f over [0, SIZE] by Simpson's rule; an interval whose two halves disagree with the
! whole is divided. f has SIZE narrow peaks, near which it needs far more intervals than elsewhere,
! so the tree of tasks is uneven. There is no cut-off.
module quadrature_tasks
   use bench_options
   implicit none
   private
   public :: integrate, count_calls, exact

   real(real64), parameter :: width = 1e-3_real64, peak = 0.3_real64

contains

   ! A peak of the given width, again and again with period one.
   pure real(real64) function f(x)
      real(real64), intent(in) :: x
      f = width/((x - floor(x) - peak)**2 + width**2)
   end function f

   ! The integral of f over one period.
   pure real(real64) function exact()
      exact = atan((1 - peak)/width) + atan(peak/width)
   end function exact

   pure real(real64) function simpson(a, b)
      real(real64), intent(in) :: a, b
      simpson = (b - a)/6*(f(a) + 4*f((a + b)/2) + f(b))
   end function simpson

   pure logical function good_enough(a, b, tolerance)
      real(real64), intent(in) :: a, b, tolerance
      real(real64) :: middle
      good_enough = .false.
      if (b - a > 1) return ! too wide to trust: it may hide a whole peak
      middle = (a + b)/2
      good_enough = abs(simpson(a, middle) + simpson(middle, b) - simpson(a, b)) <= 15*tolerance
   end function good_enough

   recursive subroutine integrate(a, b, tolerance, integral)
      real(real64), intent(in) :: a, b, tolerance
      real(real64), intent(out) :: integral
      real(real64) :: middle, left, right

      middle = (a + b)/2
      if (good_enough(a, b, tolerance)) then
         integral = simpson(a, middle) + simpson(middle, b)
         return
      end if
      !$omp task shared(left) firstprivate(a, middle, tolerance)
      call integrate(a, middle, tolerance/2, left)
      !$omp end task
      !$omp task shared(right) firstprivate(b, middle, tolerance)
      call integrate(middle, b, tolerance/2, right)
      !$omp end task
      !$omp taskwait
      integral = left + right
   end subroutine integrate

   ! The check of the number of tasks: the same recursion without them.
   recursive integer(int64) function count_calls(a, b, tolerance) result(calls)
      real(real64), intent(in) :: a, b, tolerance
      calls = 1
      if (.not. good_enough(a, b, tolerance)) then
         calls = calls + count_calls(a, (a + b)/2, tolerance/2) &
                 + count_calls((a + b)/2, b, tolerance/2)
      end if
   end function count_calls

end module quadrature_tasks

program quadrature
   use bench_options
   use quadrature_tasks
   implicit none

   integer, parameter :: classes(2, 4) = reshape([1, 0, 32, 0, 256, 0, 2048, 0], [2, 4])
   real(real64), parameter :: tolerance = 1e-12_real64 ! a period
   integer :: periods, unused
   integer(int64) :: tasks
   real(real64) :: length, integral
   type(bench_time) :: start, spent

   call bench_start('quadrature', classes, periods, unused)
   length = periods

   start = bench_now()
   !$omp parallel
   !$omp single
   call integrate(0.0_real64, length, tolerance*length, integral)
   !$omp end single
   !$omp end parallel
   spent = bench_since(start)

   tasks = count_calls(0.0_real64, length, tolerance*length) - 1
   call bench_finish('quadrature', periods, 0, tasks, spent, &
                     abs(integral - exact()*length) <= 1e-9_real64*length)
end program quadrature

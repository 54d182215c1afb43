! Conjugate gradients in Fortran: taskloops with reductions, one after the other.
!
! SIZE is the number of unknowns, CUTOFF the unknowns of a task. The matrix is that of a chain of
! springs held at both ends, with a stiff part in the middle; it is applied, never stored. (Hestenes,
! Stiefel 1952.) Few operations an element, so what a taskloop and its reduction cost shows.
program conjugate_gradient
   use bench_options
   implicit none

   integer, parameter :: steps = 25
   integer, parameter :: classes(2, 4) = reshape([4000, 500, 400000, 10000, 2000000, 20000, 20000000, 50000], [2, 4])
   real(real64), allocatable :: x(:), residual(:), direction(:), image(:)
   real(real64) :: old, new, curvature, first, known
   integer :: unknowns, grain, step, i
   integer(int64) :: tasks
   type(bench_time) :: start, spent

   call bench_start('conjugate_gradient', classes, unknowns, grain)
   allocate (x(unknowns), residual(unknowns), direction(0:unknowns + 1), image(unknowns))
   x = 0
   direction = 0
   do i = 1, unknowns
      residual(i) = mod(i, 13) - 6
      direction(i) = residual(i)
   end do
   new = sum(residual**2)
   first = new

   start = bench_now()
   !$omp parallel
   !$omp single
   do step = 1, steps
      curvature = 0
      !$omp taskloop grainsize(grain) reduction(+: curvature)
      do i = 1, unknowns
         image(i) = stiffness(i)*direction(i) - direction(i - 1) - direction(i + 1)
         curvature = curvature + direction(i)*image(i)
      end do
      !$omp end taskloop
      old = new
      new = 0
      !$omp taskloop grainsize(grain) reduction(+: new)
      do i = 1, unknowns
         x(i) = x(i) + old/curvature*direction(i)
         residual(i) = residual(i) - old/curvature*image(i)
         new = new + residual(i)**2
      end do
      !$omp end taskloop
      !$omp taskloop grainsize(grain)
      do i = 1, unknowns
         direction(i) = residual(i) + new/old*direction(i)
      end do
      !$omp end taskloop
   end do
   !$omp end single
   !$omp end parallel
   spent = bench_since(start)

   ! The residual that was carried along must be the one of the solution, and must have fallen.
   direction(1:unknowns) = x
   known = 0
   do i = 1, unknowns
      known = known + (mod(i, 13) - 6 - stiffness(i)*direction(i) + direction(i - 1) + direction(i + 1))**2
   end do
   tasks = 3_int64*steps*((unknowns + grain - 1)/grain)
   call bench_finish('conjugate_gradient', unknowns, grain, tasks, spent, &
                     abs(sqrt(known) - sqrt(new)) <= 1e-9_real64*sqrt(first) .and. new < 1e-6_real64*first)

contains

   ! What holds a point besides its neighbours.
   pure real(real64) function stiffness(i)
      integer, intent(in) :: i
      stiffness = merge(4.0_real64, 2.5_real64, abs(2*i - unknowns) < unknowns/4)
   end function stiffness

end program conjugate_gradient

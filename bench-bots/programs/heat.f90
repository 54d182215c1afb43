! Heat in a plate by blocked Gauss-Seidel sweeps, in Fortran, ordered by dependences alone.
!
! SIZE is the number of blocks a side, CUTOFF the rows and columns of a block. Every block of every
! sweep is a task. It must come after its left and upper neighbours of this sweep and its right and
! lower neighbours of the sweep before, which is what its depend clauses say; several sweeps are
! thus under way at a time, as slanted fronts. There is no barrier between sweeps.
program heat
   use bench_options
   implicit none

   integer, parameter :: sweeps = 20
   integer, parameter :: classes(2, 4) = reshape([4, 8, 24, 32, 48, 64, 64, 128], [2, 4])
   real(real64), allocatable :: plate(:, :), known(:, :)
   integer, allocatable :: done(:, :) ! a token a block, with a frame; only its addresses are used
   integer :: blocks, rows, sweep, i, j
   type(bench_time) :: start, spent

   call bench_start('heat', classes, blocks, rows)
   allocate (plate(0:blocks*rows + 1, 0:blocks*rows + 1), done(0:blocks + 1, 0:blocks + 1))
   call heat_edges(plate)
   known = plate
   done = 0

   start = bench_now()
   !$omp parallel
   !$omp single
   do sweep = 1, sweeps
      do j = 1, blocks
         do i = 1, blocks
            !$omp task firstprivate(i, j) depend(inout: done(i, j)) &
            !$omp& depend(in: done(i - 1, j), done(i + 1, j), done(i, j - 1), done(i, j + 1))
            call relax(plate, (i - 1)*rows + 1, i*rows, (j - 1)*rows + 1, j*rows)
            !$omp end task
         end do
      end do
   end do
   !$omp end single
   !$omp end parallel
   spent = bench_since(start)

   ! The dependences leave no choice that matters, so the plates must agree to the last bit.
   do sweep = 1, sweeps
      do j = 1, blocks
         do i = 1, blocks
            call relax(known, (i - 1)*rows + 1, i*rows, (j - 1)*rows + 1, j*rows)
         end do
      end do
   end do
   call bench_finish('heat', blocks, rows, int(sweeps, int64)*blocks*blocks, spent, &
                     all(abs(plate - known) <= 0))

contains

   ! A cold plate with one hot edge.
   subroutine heat_edges(plate)
      real(real64), intent(out) :: plate(0:, 0:)
      plate = 0
      plate(:, 0) = 100
   end subroutine heat_edges

   ! One Gauss-Seidel step over the points (first_row:last_row, first_column:last_column).
   subroutine relax(plate, first_row, last_row, first_column, last_column)
      real(real64), intent(inout) :: plate(0:, 0:)
      integer, intent(in) :: first_row, last_row, first_column, last_column
      integer :: row, column
      do column = first_column, last_column
         do row = first_row, last_row
            plate(row, column) = 0.25_real64*(plate(row - 1, column) + plate(row + 1, column) &
                                              + plate(row, column - 1) + plate(row, column + 1))
         end do
      end do
   end subroutine relax

end program heat

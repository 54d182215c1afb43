! What the Fortran benchmark programs share: their command line and their one line of output.
!
!     PROGRAM [--class test|small|medium|large] [SIZE [CUTOFF]]
!
! The number of threads comes from OMP_NUM_THREADS alone. The line is that of bench.h; the exit
! status is 0 when the result is right, 1 when it is wrong, 2 for a command line not understood.
module bench_options
   use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
   use omp_lib
   implicit none
   private
   public :: int64, real64, bench_start, bench_time, bench_now, bench_since, bench_finish

   ! Two clocks: the one on the wall, and the processor time of all threads together. The second does
   ! not move while other processes have the processor.
   type :: bench_time
      real(real64) :: wall_s, cpu_s
   end type bench_time

contains

   type(bench_time) function bench_now() result(now)
      integer(int64) :: ticks, ticks_a_second
      call system_clock(ticks, ticks_a_second)
      now%wall_s = real(ticks, real64)/real(ticks_a_second, real64)
      call cpu_time(now%cpu_s)
   end function bench_now

   type(bench_time) function bench_since(start) result(spent)
      type(bench_time), intent(in) :: start
      spent = bench_now()
      spent%wall_s = spent%wall_s - start%wall_s
      spent%cpu_s = spent%cpu_s - start%cpu_s
   end function bench_since

   subroutine usage(name, what)
      character(*), intent(in) :: name, what
      write (error_unit, '(3a)') name, ': ', what
      write (error_unit, '(3a)') 'usage: ', name, &
         ' [--class test|small|medium|large] [SIZE [CUTOFF]]'
      stop 2, quiet=.true.
   end subroutine usage

   ! Reads the command line, then starts the team, so that no clock sees threads being created.
   ! Columns of classes: test, small, medium, large; rows: size and cutoff. Small is the default.
   ! A cutoff of 0 means that the program has none and accepts none.
   subroutine bench_start(name, classes, size, cutoff)
      character(*), intent(in) :: name
      integer, intent(in) :: classes(2, 4)
      integer, intent(out) :: size, cutoff
      character(6), parameter :: names(4) = ['test  ', 'small ', 'medium', 'large ']
      character(64) :: argument
      integer :: numbers(2), count, i, chosen, status

      chosen = 2
      count = 0
      i = 1
      do while (i <= command_argument_count())
         call get_command_argument(i, argument)
         if (argument == '--class') then
            i = i + 1
            argument = ''
            if (i <= command_argument_count()) call get_command_argument(i, argument)
            chosen = findloc(names, argument, dim=1)
            if (chosen == 0) call usage(name, '--class needs one of test, small, medium, large')
         else if (count < merge(2, 1, classes(2, chosen) > 0)) then
            count = count + 1
            read (argument, *, iostat=status) numbers(count)
            if (status /= 0) call usage(name, 'SIZE and CUTOFF must be positive numbers')
            if (numbers(count) <= 0) call usage(name, 'SIZE and CUTOFF must be positive numbers')
         else
            call usage(name, 'too many arguments')
         end if
         i = i + 1
      end do
      size = classes(1, chosen)
      cutoff = classes(2, chosen)
      if (count > 0) size = numbers(1)
      if (count > 1) cutoff = numbers(2)

      count = 0
      !$omp parallel
      !$omp atomic
      count = count + 1
      !$omp end parallel
   end subroutine bench_start

   ! Prints the line and ends the program.
   subroutine bench_finish(name, size, cutoff, tasks, spent, ok)
      character(*), intent(in) :: name
      integer, intent(in) :: size, cutoff
      integer(int64), intent(in) :: tasks
      type(bench_time), intent(in) :: spent
      logical, intent(in) :: ok

      character(32) :: wall, cpu, cost
      write (wall, '(f32.9)') spent%wall_s
      write (cpu, '(f32.9)') spent%cpu_s
      write (cost, '(f32.2)') spent%wall_s*1e9_real64/max(tasks, 1_int64)
      write (*, '(2a,4(a,i0),8a)') 'name=', name, ' size=', size, ' cutoff=', cutoff, &
         ' threads=', omp_get_max_threads(), ' tasks=', tasks, &
         ' seconds=', trim(adjustl(wall)), ' cpu_seconds=', trim(adjustl(cpu)), ' ns_per_task=', trim(adjustl(cost)), &
         ' result=', trim(merge('ok   ', 'wrong', ok))
      if (.not. ok) then
         write (error_unit, '(2a)') name, ': the result is wrong'
         stop 1, quiet=.true.
      end if
   end subroutine bench_finish

end module bench_options

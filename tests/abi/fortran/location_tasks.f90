! Tasks that depend on columns of an array, and taskloops, on a machine with several locations.
! compilers: gfortran
! env: VICINITY_LOCATIONS=cores
! threads: 1 2 8
program location_tasks
    implicit none
    integer, parameter :: blocks = 12, length = 400000, sweeps = 5
    real(8), allocatable :: data(:, :)
    integer :: block, sweep, i
    integer :: seen(1000)
    allocate (data(length, blocks))
    data = 0
    seen = 0
    !$omp parallel
    !$omp single
    do sweep = 1, sweeps
        do block = 1, blocks
            !$omp task depend(inout: data(1, block)) firstprivate(block)
            data(:, block) = data(:, block) + block
            !$omp end task
        end do
        !$omp taskloop num_tasks(30)
        do i = 1, 1000
            seen(i) = seen(i) + 1
        end do
        !$omp end taskloop
    end do
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    do block = 1, blocks
        if (any(data(:, block) /= real(sweeps*block, 8))) error stop "a block missed a task"
    end do
    if (any(seen /= sweeps)) error stop "an iteration did not run once a sweep"
end program

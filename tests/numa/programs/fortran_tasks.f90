! fortran_tasks: Fortran gets memory by distribution, and its tasks run where the memory is.
! Compares with vicinity_locate and vicinity_current_location, which the programs in C compare with the kernel.
! Argument: the least share of bytes, in percent, that has to be local.
program fortran_tasks
    use, intrinsic :: iso_c_binding
    use omp_lib
    use vicinity
    implicit none
    integer, parameter :: words = 1024 * 1024 / 8, blocks = 48, sweeps = 4
    type(c_ptr) :: memory(blocks)
    integer :: home(blocks), ran_at(blocks, sweeps)
    integer :: i, sweep, local, percent
    character(len=8) :: text
    real(c_double), pointer :: data(:)

    if (vicinity_num_locations() < 2) error stop 'one location only'
    do i = 1, blocks
        memory(i) = omp_malloc_specific(int(words * 8, c_size_t), omp_malloc_coarse)
        call c_f_pointer(memory(i), data, [words])
        data = i
        home(i) = location_of(memory(i))
        if (i > 1) then
            if (home(i) /= mod(home(i - 1) + 1, vicinity_num_locations())) error stop 'not in turn'
        end if
    end do

    !$omp parallel
    !$omp single
    do sweep = 1, sweeps
        do i = 1, blocks
            call start(i, sweep)
        end do
    end do
    !$omp end single
    !$omp end parallel

    local = 0
    do sweep = 1, sweeps
        local = local + count(ran_at(:, sweep) == home)
    end do
    percent = 100 * local / (blocks * sweeps)
    print '(a, i0, a)', 'depend: ', percent, '% of bytes local'
    call get_command_argument(1, text)
    i = 0
    if (len_trim(text) > 0) read (text, *) i
    if (percent < i) error stop 'too few'
    do i = 1, blocks
        call vicinity_free(memory(i))
    end do

contains

    subroutine start(block, in_sweep)
        integer, intent(in) :: block, in_sweep
        real(c_double), pointer :: part(:)
        call c_f_pointer(memory(block), part, [words])
        !$omp task firstprivate(block, in_sweep, part) depend(inout: part(1:words))
        ran_at(block, in_sweep) = vicinity_current_location()
        part = 0.5 * part + 1
        !$omp end task
    end subroutine start

    integer function location_of(address)
        type(c_ptr), intent(in) :: address
        integer(c_size_t) :: bytes(64)
        bytes = 0
        if (vicinity_locate(address, int(words * 8, c_size_t), bytes, 64_c_size_t) /= vicinity_success) &
            error stop 'vicinity_locate'
        location_of = maxloc(bytes, 1) - 1
        if (bytes(location_of + 1) /= words * 8) error stop 'a block in pieces'
    end function location_of
end program fortran_tasks

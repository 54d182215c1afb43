! devices_product: the product of two matrices on locations as devices (VICINITY_DEVICES=locations): blocks of columns in turn, and
! blocks to whichever device is free. devices_product COUNT THREADS, of each.
! Where pages are is asked of vicinity_locate, and where threads are of vicinity_current_location, which the programs in C compare with
! the kernel.
program devices_product
    use, intrinsic :: iso_c_binding
    use omp_lib
    use vicinity
    implicit none
    integer, parameter :: side = 128, columns = 8, blocks = side / columns, words = side * columns
    real(c_double), pointer :: a(:, :), b(:, :), c(:, :)
    real(c_double) :: wanted(side, side)
    integer :: owner(blocks), strays, devices, threads, column, row

    devices = argument(1)
    threads = argument(2)
    if (omp_get_num_devices() /= devices) error stop 'another number of devices'
    a => matrix()
    b => matrix()
    c => matrix()
    do column = 1, side
        do row = 1, side
            a(row, column) = 1d0 / (row + column)
            b(row, column) = mod(row * 7 + column, 31) - 15
        end do
    end do
    do column = 1, side
        wanted(:, column) = product_column(a, b(:, column))
    end do

    strays = 0
    c = 0
    call in_turn()
    call check('in turn')
    c = 0
    call to_the_free()
    call check('to the free')

contains

    integer function argument(number)
        integer, intent(in) :: number
        character(len=8) :: text
        call get_command_argument(number, text)
        read (text, *) argument
    end function argument

    ! Whole pages, first touched by the host.
    function matrix() result(made)
        real(c_double), pointer :: made(:, :)
        call c_f_pointer(omp_malloc_specific(int(side * side * 8, c_size_t), omp_malloc_standard), made, [side, side])
    end function matrix

    function product_column(by, from) result(to)
        real(c_double), intent(in) :: by(side, side), from(side)
        real(c_double) :: to(side)
        integer :: k
        to = 0
        do k = 1, side
            to = to + by(:, k) * from(k)
        end do
    end function product_column

    ! A region for a block: its device computes it, and each of its threads is there.
    subroutine compute(block, device)
        integer, intent(in) :: block, device
        integer :: at, first
        first = (block - 1) * columns
        owner(block) = device
        !$omp target nowait device(device) map(to: a, b(:, first + 1:first + columns)) map(from: c(:, first + 1:first + columns)) &
        !$omp & map(tofrom: strays) firstprivate(first, device) depend(inout: owner(block))
        !$omp parallel do
        do at = first + 1, first + columns
            if (omp_get_device_num() /= device .or. vicinity_current_location() /= device) then
                !$omp atomic
                strays = strays + 1
            end if
            c(:, at) = product_column(a, b(:, at))
        end do
        !$omp end target
    end subroutine compute

    subroutine in_turn()
        integer :: block, device, first
        do block = 1, blocks
            device = mod(block - 1, devices)
            first = (block - 1) * columns
            !$omp target enter data device(device) &
            !$omp & map(to: b(:, first + 1:first + columns)) map(alloc: c(:, first + 1:first + columns))
            call compute(block, device)
        end do
        !$omp taskwait
    end subroutine in_turn

    subroutine to_the_free()
        integer :: next, block, device, first
        next = 0
        !$omp parallel num_threads(devices) private(block, device, first)
        device = omp_get_thread_num()
        do
            !$omp atomic capture
            next = next + 1
            block = next
            !$omp end atomic
            if (block > blocks) exit
            first = (block - 1) * columns
            !$omp target data device(device) &
            !$omp & map(to: b(:, first + 1:first + columns)) map(from: c(:, first + 1:first + columns))
            call compute(block, device)
            !$omp taskwait
            !$omp end target data
        end do
        !$omp end parallel
    end subroutine to_the_free

    subroutine check(how)
        character(len=*), intent(in) :: how
        integer :: block, first, device
        integer(c_size_t) :: bytes(64)
        character(len=8) :: truth
        if (strays > 0) error stop 'a thread that is not at its device'
        if (any(c /= wanted)) error stop 'another product'
        call get_environment_variable('VICINITY_TEST_TRUTH', truth)
        do block = 1, blocks
            first = (block - 1) * columns + 1
            bytes = 0
            if (truth /= 'kernel') cycle
            if (vicinity_locate(c_loc(c(1, first)), int(words * 8, c_size_t), bytes, 64_c_size_t) /= vicinity_success) &
                error stop 'vicinity_locate'
            if (bytes(owner(block) + 1) /= words * 8) error stop 'a block that is not at its device'
        end do
        print '(2a, 16i4)', how, ', blocks of each device:', [(count(owner == device), device=0, devices - 1)]
    end subroutine check
end program devices_product

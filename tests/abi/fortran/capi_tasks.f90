! The Fortran module of the C API: tasks, dependences, ranges, groups, memory.
! openmp: no
! flags: -I../../../../capi/include -L../../../dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
include 'vicinity.f90'

module work
    use, intrinsic :: iso_c_binding
    implicit none
contains
    subroutine double_it(argument) bind(c)
        type(c_ptr), value :: argument
        integer(c_int), pointer :: number
        call c_f_pointer(argument, number)
        number = number * 2
    end subroutine double_it

    subroutine add_one(argument) bind(c)
        type(c_ptr), value :: argument
        integer(c_int), pointer :: number
        call c_f_pointer(argument, number)
        number = number + 1
    end subroutine add_one

    subroutine fill(begin, end, argument) bind(c)
        integer(c_size_t), value :: begin, end
        type(c_ptr), value :: argument
        integer(c_int), pointer :: numbers(:)
        integer(c_size_t) :: i
        call c_f_pointer(argument, numbers, [1000])
        do i = begin + 1, end
            numbers(i) = int(i, c_int)
        end do
    end subroutine fill
end module work

program capi_tasks
    use, intrinsic :: iso_c_binding
    use vicinity
    use work
    implicit none
    integer(c_int), target :: number, numbers(1000)
    integer(c_int), pointer :: memory(:)
    integer(c_int) :: ids(4096)
    integer(c_size_t) :: count, bytes(1)
    type(vicinity_dependence), target :: on(1)
    type(vicinity_options), target :: options
    type(c_ptr) :: task, group, block, stream
    integer(c_int32_t), target :: word
    integer :: i

    call check(vicinity_version() == 100, 'version')
    call check(vicinity_num_processors() >= 1, 'processors')
    call check(vicinity_num_locations() >= 1, 'locations')
    call check(vicinity_location_processors(vicinity_current_location(), ids, &
        size(ids, kind=c_size_t), count) == vicinity_success, 'location processors')
    call check(count >= 1, 'count')
    call check(vicinity_wait(c_null_ptr) == vicinity_error_argument, 'null')

    ! Ten times: double, then add one, in the order of creation.
    number = 1
    on(1) = vicinity_dependence(c_loc(number), c_sizeof(number), vicinity_inout)
    call check(vicinity_group_create(group) == vicinity_success, 'group')
    options%dependences = c_loc(on)
    options%dependence_count = 1
    options%group = group
    do i = 1, 10
        call check(vicinity_task_create(c_funloc(double_it), c_loc(number), c_loc(options), task) &
            == vicinity_success, 'double')
        call check(vicinity_release(task) == vicinity_success, 'release')
        call check(vicinity_task_create(c_funloc(add_one), c_loc(number), c_loc(options), task) &
            == vicinity_success, 'add')
        call check(vicinity_release(task) == vicinity_success, 'release')
    end do
    call check(vicinity_group_wait(group) == vicinity_success, 'group wait')
    call check(number == 2047, 'number')
    call check(vicinity_group_destroy(group) == vicinity_success, 'group destroy')

    numbers = 0
    call check(vicinity_task_range(c_funloc(fill), c_loc(numbers), 1000_c_size_t, 7_c_size_t, &
        c_null_ptr, task) == vicinity_success, 'range')
    call check(vicinity_wait(task) == vicinity_success, 'wait')
    do i = 1, 1000
        call check(numbers(i) == i, 'filled')
    end do

    call check(vicinity_run(c_funloc(add_one), c_loc(number), 0) == vicinity_success, 'run')
    call check(number == 2048, 'ran')
    call check(vicinity_wait_all() == vicinity_success, 'wait all')

    call check(vicinity_stream_create(stream) == vicinity_success, 'stream')
    options%group = c_null_ptr
    options%stream = stream
    word = 0
    do i = 1, 10
        call check(vicinity_task_create(c_funloc(add_one), c_loc(number), c_loc(options), task) &
            == vicinity_success, 'in a stream')
        call check(vicinity_release(task) == vicinity_success, 'release')
    end do
    call check(vicinity_stream_wait(stream) == vicinity_success, 'stream wait')
    call check(number == 2058, 'in order')
    call check(vicinity_wait_word(c_loc(word), 1_c_int32_t) == vicinity_success, 'word')
    call check(vicinity_wake_word(c_loc(word)) == vicinity_success, 'wake')
    call check(vicinity_stream_destroy(stream) == vicinity_success, 'stream destroy')

    block = omp_malloc_specific(400_c_size_t, omp_malloc_coarse)
    call check(c_associated(block), 'memory')
    call c_f_pointer(block, memory, [100])
    memory = 1
    call check(vicinity_locate(block, 400_c_size_t, bytes, 1_c_size_t) &
        == vicinity_success, 'locate')
    call vicinity_free(block)

contains
    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (.not. condition) then
            print '(2a)', 'failed: ', what
            stop 1
        end if
    end subroutine check
end program capi_tasks

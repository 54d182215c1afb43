! vicinity: Vicinity's C API for Fortran 2003: tasks without a compiler, memory, topology.
!
! Compile this file with your program and link with -lvicinity. docs/c-api.md is the manual.
! Names, arguments and results are those of vicinity.h. A subroutine that becomes a task is
! bind(c) with one type(c_ptr), value argument; c_funloc gives its address. Handles are
! type(c_ptr); c_null_ptr stands for "none".
module vicinity
    use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int32_t, c_int64_t, &
        c_null_funptr, c_null_ptr, c_ptr, c_size_t
    implicit none
    private :: c_char, c_funptr, c_int, c_int32_t, c_int64_t, c_null_funptr, c_null_ptr, c_ptr, &
        c_size_t

    integer(c_int), parameter :: vicinity_success = 0
    integer(c_int), parameter :: vicinity_error_argument = -1
    integer(c_int), parameter :: vicinity_error_location = -2
    integer(c_int), parameter :: vicinity_error_unsupported = -3

    integer(c_int), parameter :: vicinity_in = 1
    integer(c_int), parameter :: vicinity_out = 2
    integer(c_int), parameter :: vicinity_inout = 3
    integer(c_int), parameter :: vicinity_intensive = 256

    integer(c_int), parameter :: vicinity_anywhere = -1

    integer(c_int), parameter :: omp_malloc_standard = 0
    integer(c_int), parameter :: omp_malloc_fine = 1
    integer(c_int), parameter :: omp_malloc_coarse = 2

    type, bind(c) :: vicinity_dependence
        type(c_ptr) :: address = c_null_ptr
        integer(c_size_t) :: length = 0
        integer(c_int) :: access = vicinity_inout
    end type vicinity_dependence

    ! The default size is that of the structure: six words, the two integers in the fifth.
    type, bind(c) :: vicinity_options
        integer(c_size_t) :: size = 56
        type(c_ptr) :: dependences = c_null_ptr
        integer(c_size_t) :: dependence_count = 0
        type(c_ptr) :: group = c_null_ptr
        integer(c_int) :: priority = 0
        integer(c_int) :: location = vicinity_anywhere
        type(c_ptr) :: stream = c_null_ptr
        type(c_funptr) :: subject = c_null_funptr
    end type vicinity_options

    type, bind(c) :: vicinity_pause
        integer(c_int64_t) :: opaque(2) = 0
    end type vicinity_pause

    interface
        integer(c_int) function vicinity_version() bind(c)
            import :: c_int
        end function vicinity_version

        ! A C string.
        type(c_ptr) function vicinity_strerror(code) bind(c)
            import :: c_int, c_ptr
            integer(c_int), value :: code
        end function vicinity_strerror

        ! options: c_loc of vicinity_options, or c_null_ptr. The handle comes back in task.
        integer(c_int) function vicinity_task_create(func, argument, options, task) bind(c)
            import :: c_funptr, c_int, c_ptr
            type(c_funptr), value :: func
            type(c_ptr), value :: argument, options
            type(c_ptr), intent(out) :: task
        end function vicinity_task_create

        ! func: bind(c), with begin and end (integer(c_size_t), value; from 0, end not included)
        ! and the argument.
        integer(c_int) function vicinity_task_range(func, argument, count, grain, options, task) &
                bind(c)
            import :: c_funptr, c_int, c_ptr, c_size_t
            type(c_funptr), value :: func
            type(c_ptr), value :: argument, options
            integer(c_size_t), value :: count, grain
            type(c_ptr), intent(out) :: task
        end function vicinity_task_range

        integer(c_int) function vicinity_wait(task) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: task
        end function vicinity_wait

        integer(c_int) function vicinity_release(task) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: task
        end function vicinity_release

        integer(c_int) function vicinity_is_finished(task) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: task
        end function vicinity_is_finished

        integer(c_int) function vicinity_wait_all() bind(c)
            import :: c_int
        end function vicinity_wait_all

        integer(c_int) function vicinity_group_create(group) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: group
        end function vicinity_group_create

        integer(c_int) function vicinity_group_wait(group) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: group
        end function vicinity_group_wait

        integer(c_int) function vicinity_group_destroy(group) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: group
        end function vicinity_group_destroy

        integer(c_int) function vicinity_stream_create(stream) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: stream
        end function vicinity_stream_create

        integer(c_int) function vicinity_stream_wait(stream) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: stream
        end function vicinity_stream_wait

        integer(c_int) function vicinity_stream_destroy(stream) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: stream
        end function vicinity_stream_destroy

        ! word: c_loc of an integer(c_int32_t), which others change atomically.
        integer(c_int) function vicinity_wait_word(word, value) bind(c)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), value :: word
            integer(c_int32_t), value :: value
        end function vicinity_wait_word

        integer(c_int) function vicinity_pause_helps() bind(c)
            import :: c_int
        end function vicinity_pause_helps

        integer(c_int) function vicinity_pause_wait(pause) bind(c)
            import :: c_int, vicinity_pause
            type(vicinity_pause), intent(inout) :: pause
        end function vicinity_pause_wait

        integer(c_int) function vicinity_pause_end(pause) bind(c)
            import :: c_int, vicinity_pause
            type(vicinity_pause), intent(inout) :: pause
        end function vicinity_pause_end

        integer(c_int) function vicinity_poll(function, argument) bind(c)
            import :: c_int, c_funptr, c_ptr
            type(c_funptr), value :: function
            type(c_ptr), value :: argument
        end function vicinity_poll

        integer(c_int) function vicinity_poll_wake() bind(c)
            import :: c_int
        end function vicinity_poll_wake

        integer(c_int) function vicinity_wake_word(word) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: word
        end function vicinity_wake_word

        integer(c_int) function vicinity_run(func, argument, threads) bind(c)
            import :: c_funptr, c_int, c_ptr
            type(c_funptr), value :: func
            type(c_ptr), value :: argument
            integer(c_int), value :: threads
        end function vicinity_run

        integer(c_int) function vicinity_num_locations() bind(c)
            import :: c_int
        end function vicinity_num_locations

        integer(c_int) function vicinity_num_processors() bind(c)
            import :: c_int
        end function vicinity_num_processors

        integer(c_int) function vicinity_current_location() bind(c)
            import :: c_int
        end function vicinity_current_location

        integer(c_int) function vicinity_location_processors( &
                location, processors, capacity, count) bind(c)
            import :: c_int, c_size_t
            integer(c_int), value :: location
            integer(c_size_t), value :: capacity
            integer(c_int), intent(out) :: processors(capacity)
            integer(c_size_t), intent(out) :: count
        end function vicinity_location_processors

        integer(c_int) function vicinity_location_node(location) bind(c)
            import :: c_int
            integer(c_int), value :: location
        end function vicinity_location_node

        integer(c_int64_t) function vicinity_trace_now() bind(c)
            import :: c_int64_t
        end function vicinity_trace_now

        integer(c_int) function vicinity_trace_message(message) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: message
        end function vicinity_trace_message

        integer(c_int) function vicinity_is_traced() bind(c)
            import :: c_int
        end function vicinity_is_traced

        integer(c_int) function vicinity_distance(from, to) bind(c)
            import :: c_int
            integer(c_int), value :: from, to
        end function vicinity_distance

        type(c_ptr) function omp_malloc(bytes) bind(c)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: bytes
        end function omp_malloc

        type(c_ptr) function omp_malloc_specific(bytes, distribution) bind(c)
            import :: c_int, c_ptr, c_size_t
            integer(c_size_t), value :: bytes
            integer(c_int), value :: distribution
        end function omp_malloc_specific

        type(c_ptr) function vicinity_malloc_at(bytes, location) bind(c)
            import :: c_int, c_ptr, c_size_t
            integer(c_size_t), value :: bytes
            integer(c_int), value :: location
        end function vicinity_malloc_at

        subroutine vicinity_free(pointer) bind(c)
            import :: c_ptr
            type(c_ptr), value :: pointer
        end subroutine vicinity_free

        integer(c_int) function vicinity_locate(pointer, bytes, bytes_per_location, count) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: pointer
            integer(c_size_t), value :: bytes, count
            integer(c_size_t), intent(inout) :: bytes_per_location(count)
        end function vicinity_locate
    end interface
end module vicinity

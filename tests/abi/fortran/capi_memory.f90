! Memory by distribution in Fortran: every kind, small and large, filled, located and freed, from several threads.
! env: VICINITY_LOCATIONS=cores
! threads: 4
! peer-fails: libgomp it has no such functions
! peer-fails: libomp it has no such functions
! flags: -I../../../../capi/include -L../../../dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
include 'vicinity.f90'

program capi_memory
    use, intrinsic :: iso_c_binding
    use vicinity
    implicit none
    integer(c_int), parameter :: kinds(3) = [omp_malloc_standard, omp_malloc_fine, omp_malloc_coarse]
    integer :: kind, round

    do kind = 1, 3
        !$omp parallel do
        do round = 1, 50
            call one(kinds(kind), 10 + 3 * round)
            call one(kinds(kind), 20000 * round)
        end do
    end do
    call check(.not. c_associated(omp_malloc(huge(1_c_size_t))), 'too large')

contains
    subroutine one(kind, elements)
        integer(c_int), intent(in) :: kind
        integer, intent(in) :: elements
        type(c_ptr) :: block
        real(c_double), pointer :: values(:)
        integer(c_size_t) :: bytes(64), length
        integer :: i
        length = 8_c_size_t * elements
        block = omp_malloc_specific(length, kind)
        call check(c_associated(block), 'memory')
        call c_f_pointer(block, values, [elements])
        values = [(real(i, c_double), i = 1, elements)]
        call check(vicinity_locate(block, length, bytes, 64_c_size_t) == vicinity_success, 'locate')
        call check(sum(bytes) <= length, 'not more than there is')
        if (kind /= omp_malloc_standard) call check(sum(bytes) == length, 'all of it')
        if (kind == omp_malloc_coarse) call check(maxval(bytes) == length, 'together')
        call check(values(elements) == elements, 'kept')
        call vicinity_free(block)
    end subroutine one

    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (.not. condition) then
            print '(2a)', 'failed: ', what
            stop 1
        end if
    end subroutine check
end program capi_memory

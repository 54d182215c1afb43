! Texts that come from and go to Fortran: the affinity format. Blanks at the end of a format count, as for both
! compilers' runtimes; a text that is shorter than its variable is filled up with blanks.
! threads: 1
! env: OMP_AFFINITY_FORMAT=%n-of-%N
! peer-fails: libomp stops at an assertion when a text does not fit
program capi_format
    use omp_lib
    implicit none
    character(len=12) :: text

    text = 'xxxxxxxxxxxx'
    call check(omp_get_affinity_format(text) == 8, 'format length')
    call check(text == '%n-of-%N', 'format')
    call omp_set_affinity_format('thread %n ')
    call check(omp_get_affinity_format(text) == 10, 'blanks at the end count')
    call check(omp_capture_affinity(text, '%n/%N') == 3, 'captured length')
    call check(text == '0/1', 'captured')
    call check(omp_capture_affinity(text, '') == 9, 'empty format')
    call check(text == 'thread 0', 'captured with the default')
    call check(omp_capture_affinity(text(1:4), 'abcdefgh') == 8, 'cut length')
    call check(text == 'abcdad 0', 'cut')
    call check(omp_pause_resource_all(omp_pause_soft) == 0, 'pause')
    call check(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0, 'pause hard')

contains
    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (.not. condition) then
            print '(2a)', 'failed: ', what
            stop 1
        end if
    end subroutine check
end program capi_format

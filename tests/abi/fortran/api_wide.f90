! With 8-byte default integers and logicals the functions of kind 8 are used.
! compilers: gfortran
! flags: -fdefault-integer-8
program api_wide
  use omp_lib
  implicit none
  integer :: n, chunk
  integer(omp_sched_kind) :: kind
  integer(8) :: places(64)
  n = omp_get_max_threads()
  call omp_set_num_threads(4_8)
  if (omp_get_max_threads() /= 4) error stop 'num_threads'
  call omp_set_num_threads(n)
  call omp_set_dynamic(.false._8)
  call omp_set_max_active_levels(2_8)
  if (omp_get_max_active_levels() /= 2) error stop 'max active levels'
  call omp_set_schedule(omp_sched_static, 9_8)
  call omp_get_schedule(kind, chunk)
  if (kind /= omp_sched_static .or. chunk /= 9) error stop 'schedule'
  call omp_set_default_device(0_8)
  if (omp_get_num_places() > 0) call omp_get_place_proc_ids(0_8, places)
  !$omp parallel num_threads(2)
  if (omp_get_ancestor_thread_num(1_8) /= omp_get_thread_num()) error stop 'ancestor'
  if (omp_get_team_size(1_8) /= 2) error stop 'team size'
  !$omp end parallel
end program

! The omp_ functions under their Fortran names: numbers, logicals, strings, kinds of 4 and 8.
! env: OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=6
program api
  use omp_lib
  implicit none
  integer :: n, chunk, i, length, places, got(256)
  integer(omp_sched_kind) :: kind
  integer(omp_proc_bind_kind) :: bind
  character(len=120) :: text, format
  real(8) :: start, tick
  n = omp_get_max_threads()
  call omp_set_dynamic(.true.)
  if (.not. omp_get_dynamic()) error stop 'dynamic'
  call omp_set_dynamic(.false.)
  if (omp_get_dynamic()) error stop 'not dynamic'
  call omp_set_num_threads(5)
  if (omp_get_max_threads() /= 5) error stop 'num_threads'
  call omp_set_num_threads(n)
  if (omp_in_parallel() .or. omp_in_final()) error stop 'outside'
  if (omp_get_level() /= 0 .or. omp_get_active_level() /= 0) error stop 'level'
  if (omp_get_num_threads() /= 1 .or. omp_get_thread_num() /= 0) error stop 'alone'
  if (omp_get_num_procs() < 1) error stop 'procs'
  if (omp_get_thread_limit() < n) error stop 'thread limit'
#ifdef __flang__
  ! flang 19's module says integer.
  if (omp_get_cancellation() == 0) error stop 'cancellation'
#else
  if (.not. omp_get_cancellation()) error stop 'cancellation'
#endif
  if (omp_get_max_task_priority() /= 6) error stop 'priority'
  if (.not. omp_is_initial_device()) error stop 'initial device'
  if (omp_get_num_teams() /= 1 .or. omp_get_team_num() /= 0) error stop 'teams'
  call omp_set_max_active_levels(3)
  if (omp_get_max_active_levels() /= 3) error stop 'max active levels'
  call omp_set_schedule(omp_sched_guided, 6)
  call omp_get_schedule(kind, chunk)
  if (kind /= omp_sched_guided .or. chunk /= 6) error stop 'schedule'
  call omp_set_default_device(0)
  if (omp_get_default_device() /= 0) error stop 'default device'
  if (omp_get_num_devices() < 0) error stop 'devices'
  bind = omp_get_proc_bind()
  if (bind < omp_proc_bind_false) error stop 'proc_bind'
  places = omp_get_num_places()
  if (places > 0) then
    if (omp_get_place_num_procs(0) < 1) error stop 'place procs'
    call omp_get_place_proc_ids(0, got)
    if (omp_get_partition_num_places() > places) error stop 'partition'
  end if
  start = omp_get_wtime()
  tick = omp_get_wtick()
  if (tick <= 0d0 .or. omp_get_wtime() < start) error stop 'clock'

  call omp_set_affinity_format('T=%n|%N')
  length = int(omp_get_affinity_format(format))
  if (length /= 7 .or. format(1:8) /= 'T=%n|%N ') error stop 'affinity format'
  !$omp parallel num_threads(3) private(text, length)
  length = int(omp_capture_affinity(text, 'thread %n of %N'))
  if (length /= 13) error stop 'captured length'
  if (text(1:7) /= 'thread ' .or. text(9:14) /= ' of 3 ') error stop 'captured text'
  if (omp_get_ancestor_thread_num(0) /= 0) error stop 'ancestor'
  if (omp_get_ancestor_thread_num(1) /= omp_get_thread_num()) error stop 'self'
  if (omp_get_team_size(1) /= 3 .or. omp_get_level() /= 1) error stop 'team size'
  if (.not. omp_in_parallel()) error stop 'in parallel'
  !$omp end parallel
  if (omp_pause_resource_all(omp_pause_soft) /= 0) error stop 'pause'
  i = 0
  !$omp parallel reduction(+:i)
  i = i + 1
  !$omp end parallel
  if (i /= n) error stop 'after the pause'
  if (omp_pause_resource(omp_pause_hard, omp_get_initial_device()) /= 0) error stop 'pause one'
end program

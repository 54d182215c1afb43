! Allocators from Fortran: handles, traits, and memory through C pointers.
! compilers: gfortran
program allocators
  use omp_lib
  use iso_c_binding
  implicit none
  integer(omp_allocator_handle_kind) :: mine
  type(omp_alloctrait) :: traits(1)
  type(c_ptr) :: p
  integer(c_int), pointer :: view(:)
  integer :: i
  traits(1) = omp_alloctrait(omp_atk_alignment, 256)
  mine = omp_init_allocator(omp_default_mem_space, 1, traits)
  if (mine == omp_null_allocator) error stop 'init'
  p = omp_alloc(1000_c_size_t, mine)
  if (.not. c_associated(p)) error stop 'alloc'
  if (mod(transfer(p, 0_c_intptr_t), 256_c_intptr_t) /= 0) error stop 'alignment'
  call c_f_pointer(p, view, [250])
  do i = 1, 250
    view(i) = i
  end do
  if (sum(view) /= 31375) error stop 'use'
  call omp_free(p, mine)
  call omp_set_default_allocator(mine)
  if (omp_get_default_allocator() /= mine) error stop 'default'
  call omp_set_default_allocator(omp_default_mem_alloc)
  call omp_destroy_allocator(mine)
  p = omp_calloc(10_c_size_t, 4_c_size_t, omp_default_mem_alloc)
  call c_f_pointer(p, view, [10])
  if (any(view /= 0)) error stop 'calloc'
  p = omp_realloc(p, 80_c_size_t, omp_default_mem_alloc, omp_default_mem_alloc)
  if (.not. c_associated(p)) error stop 'realloc'
  call omp_free(p, omp_null_allocator)
end program

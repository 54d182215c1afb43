# find_package(vicinity) gives the target vicinity::vicinity, the library with vicinity.h.
get_filename_component(_vicinity_prefix "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_vicinity_prefix "${_vicinity_prefix}/../../../.." ABSOLUTE)
if(NOT TARGET vicinity::vicinity)
  add_library(vicinity::vicinity SHARED IMPORTED)
  set_target_properties(vicinity::vicinity PROPERTIES
    IMPORTED_LOCATION "${_vicinity_prefix}/lib/libvicinity.so.1"
    IMPORTED_SONAME "libvicinity.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_vicinity_prefix}/include")
endif()
unset(_vicinity_prefix)

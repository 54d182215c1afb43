//! The OpenMP ABIs (libgomp and libomp) and the C API of vicinity.h.

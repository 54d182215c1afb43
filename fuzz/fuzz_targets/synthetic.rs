//! Machines in hwloc's notation.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vicinity_readers::synthetic(input));

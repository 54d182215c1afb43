//! Files that describe this machine.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vicinity_readers::sysfs(input));

//! One pointer of thread-local storage, read in a single instruction.
//!
//! A shared library's thread-local variables normally cost a call of `__tls_get_addr` (2 to 3 ns). A
//! symbol in `.tbss` read with the initial-exec model costs one load relative to the thread register,
//! also when the library is loaded by dlopen (it takes 8 bytes of the surplus that the loader keeps).
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod slot {
    core::arch::global_asm!(
        ".section .tbss.vicinity_thread,\"awT\",@nobits",
        ".globl vicinity_thread",
        ".hidden vicinity_thread",
        ".type vicinity_thread, @object",
        ".size vicinity_thread, 8",
        ".p2align 3",
        "vicinity_thread:",
        ".zero 8",
        ".text",
    );

    #[inline(always)]
    pub fn get() -> usize {
        let value;
        // SAFETY: reads the calling thread's own 8-byte slot; touches nothing else.
        unsafe {
            core::arch::asm!(
                "mov {value}, qword ptr [rip + vicinity_thread@GOTTPOFF]",
                "mov {value}, qword ptr fs:[{value}]",
                value = out(reg) value,
                options(nostack, readonly, preserves_flags),
            );
        }
        value
    }

    #[inline(always)]
    pub fn set(value: usize) {
        // SAFETY: writes the calling thread's own 8-byte slot; touches nothing else.
        unsafe {
            core::arch::asm!(
                "mov {offset}, qword ptr [rip + vicinity_thread@GOTTPOFF]",
                "mov qword ptr fs:[{offset}], {value}",
                offset = out(reg) _,
                value = in(reg) value,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod slot {
    use std::cell::Cell;
    thread_local! { static SLOT: Cell<usize> = const { Cell::new(0) }; }

    pub fn get() -> usize {
        SLOT.get()
    }

    pub fn set(value: usize) {
        SLOT.set(value);
    }
}

pub use slot::{get, set};

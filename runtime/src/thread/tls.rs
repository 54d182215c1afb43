//! One pointer of thread-local storage, found with two loads.
//!
//! A *thread-local block* of a library is static, at an offset from the thread register that is the same in all threads, or
//! dynamic, at an address of its own in each. The initial-exec model is the quickest: it knows the offset. It also demands
//! that the block is static, and the loader has little room for blocks of libraries that are loaded late: where others
//! have used it up, `dlopen` fails with "cannot allocate memory in static TLS block".
//!
//! So the loader is asked by a TLS descriptor, which demands nothing: it makes the block static if there is room, and a call of the
//! descriptor says where the variable is, from the thread register. The first call finds out which of the two it was, and
//! keeps the offset of a static block: from then on the variable costs what initial-exec costs, and one branch. A
//! dynamic block is asked for at every use.
//!
//! Invariant: the kept offset is zero or that of a static block, which no thread's variable ever leaves.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod slot {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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

    /// Of the variable from the thread register, if it is the same in all threads; else zero.
    /// Relaxed, without a partner: every thread that writes it writes the same, and zero is right as well.
    static OFFSET: AtomicUsize = AtomicUsize::new(0);

    #[inline(always)]
    pub fn get() -> usize {
        match OFFSET.load(Relaxed) {
            // SAFETY: the calling thread's own variable.
            0 => unsafe { *address() },
            offset => at(offset),
        }
    }

    /// The variable where its offset is known; else zero.
    #[inline(always)]
    pub fn at_hand() -> usize {
        match OFFSET.load(Relaxed) {
            0 => 0,
            offset => at(offset),
        }
    }

    #[inline(always)]
    fn at(offset: usize) -> usize {
        let value;
        // SAFETY: reads the calling thread's own 8-byte slot; touches nothing else.
        unsafe {
            core::arch::asm!(
                "mov {value}, qword ptr fs:[{offset}]",
                value = out(reg) value,
                offset = in(reg) offset,
                options(nostack, readonly, preserves_flags),
            );
        }
        value
    }

    #[inline(always)]
    pub fn set(value: usize) {
        // SAFETY: the calling thread's own variable.
        unsafe { *address() = value };
    }

    /// The calling thread's variable. Keeps its offset where all threads have the same. Out of line, so that callers need not
    /// save what the call may change.
    #[cold]
    #[inline(never)]
    fn address() -> *mut usize {
        let (descriptor, offset, thread): (usize, usize, usize);
        // SAFETY: the sequence that the ABI has for TLS descriptors. What is called keeps all registers but `rax`; older
        // loaders lose vector registers, so that all that a call may change is given up.
        unsafe {
            core::arch::asm!(
                "leaq vicinity_thread@tlsdesc(%rip), %rax",
                "movq %rax, %r12",
                "call *vicinity_thread@tlscall(%rax)",
                "movq %fs:0, %r13",
                out("rax") offset,
                out("r12") descriptor,
                out("r13") thread,
                clobber_abi("C"),
                options(att_syntax),
            );
        }
        // In a program the linker writes the offset where the descriptor's address would be. In a library the
        // descriptor's second word is the offset itself if the block is static, else an address: of another size than a
        // distance between two of them.
        // SAFETY: what is not the offset is the address of a descriptor, of two words.
        if descriptor == offset || unsafe { *(descriptor as *const usize).add(1) } == offset {
            OFFSET.store(offset, Relaxed);
        }
        thread.wrapping_add(offset) as *mut usize
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod slot {
    use std::cell::Cell;
    thread_local! { static SLOT: Cell<usize> = const { Cell::new(0) }; }

    pub fn get() -> usize {
        SLOT.get()
    }

    pub fn at_hand() -> usize {
        SLOT.get()
    }

    pub fn set(value: usize) {
        SLOT.set(value);
    }
}

pub use slot::{at_hand, get, set};

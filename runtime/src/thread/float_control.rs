//! How a thread rounds, and what it does with numbers below the normal ones: the control of floating point, which workers of a region
//! take over from the thread that opens it, as in libomp (`KMP_INHERIT_FP_CONTROL`).
//!
//! Workers have it from the thread that starts them, like all threads; but the program may change it later.
#![allow(unsafe_code)]

/// The control registers of floating point, without what they tell of past operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatControl {
    /// MXCSR: of SSE and AVX.
    vectors: u32,
    /// Of the x87 unit, for `long double`.
    x87: u16,
}

impl Default for FloatControl {
    /// As a process begins with it: to the nearest, no exception is a signal.
    fn default() -> FloatControl {
        FloatControl { vectors: 0x1f80, x87: 0x37f }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod registers {
    use super::FloatControl;
    use core::arch::asm;

    /// What has happened, in MXCSR.
    const STATUS: u32 = 0x3f;

    fn vectors() -> u32 {
        let mut register = 0_u32;
        // SAFETY: writes four bytes where it is told to.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut register, options(nostack, preserves_flags))
        };
        register
    }

    impl FloatControl {
        /// The calling thread's.
        #[inline]
        pub fn here() -> FloatControl {
            let mut x87 = 0_u16;
            // SAFETY: writes two bytes where it is told to.
            unsafe { asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack, preserves_flags)) };
            FloatControl { vectors: vectors() & !STATUS, x87 }
        }

        /// Makes it the calling thread's.
        #[inline]
        pub fn take_over(self) {
            if self != FloatControl::here() {
                self.write();
            }
        }

        #[cold]
        fn write(self) {
            let register = self.vectors | vectors() & STATUS;
            // SAFETY: both are what a thread of the program has set, so that no reserved bit is; no operation of the thread is
            // under way that rests on the control as it was.
            unsafe {
                asm!("ldmxcsr [{}]", in(reg) &raw const register, options(nostack, preserves_flags));
                asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack, preserves_flags));
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
impl FloatControl {
    pub fn here() -> FloatControl {
        FloatControl::default()
    }

    pub fn take_over(self) {}
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::FloatControl;

    #[test]
    fn a_thread_takes_over_how_another_one_rounds() {
        let upwards = std::thread::spawn(|| {
            FloatControl { vectors: 0x1f80 | 2 << 13, x87: 0x37f | 2 << 10 }.take_over();
            let sum = std::hint::black_box(1.0_f32) + std::hint::black_box(1e-10);
            (FloatControl::here(), sum)
        });
        let (control, sum) = upwards.join().expect("it ends");
        assert_ne!(control, FloatControl::here());
        assert!(sum > 1.0);
        assert_eq!(FloatControl::here(), FloatControl::default());
    }
}

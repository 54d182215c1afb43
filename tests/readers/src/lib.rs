//! Every reader of text from outside, as a function that takes any bytes and checks what must hold of the answer.
//!
//! Terms: a *reader* is given bytes nobody vouches for. What must hold: it answers, soon; what it complains of is
//! one line a thing. A check that fails panics.
//!
//! The same functions serve twice: `tests/seeded.rs` feeds them mutations of good input in every test run, and the
//! targets in `fuzz/` let libFuzzer look for more.

mod distances;
pub mod mutate;
mod settings;
mod synthetic;
mod sysfs;
mod trace;

pub use distances::distances;
pub use settings::settings;
pub use synthetic::synthetic;
pub use sysfs::sysfs;
pub use trace::trace;

/// A reader and good input to begin with.
#[derive(Clone, Copy)]
pub struct Reader {
    pub name: &'static str,
    pub read: fn(&[u8]),
    pub samples: &'static [&'static str],
}

/// All of them.
pub const READERS: &[Reader] = &[
    Reader { name: "distances", read: distances, samples: distances::SAMPLES },
    Reader { name: "settings", read: settings, samples: settings::SAMPLES },
    Reader { name: "synthetic", read: synthetic, samples: synthetic::SAMPLES },
    Reader { name: "sysfs", read: sysfs, samples: sysfs::SAMPLES },
    Reader { name: "trace", read: trace, samples: trace::SAMPLES },
];

/// A complaint is one line that one can read.
fn check_complaint(text: &str) {
    assert!(!text.trim().is_empty(), "an empty complaint");
    assert!(!text.contains('\n'), "more than one line: {text:?}");
    assert!(text.len() < 2000, "{} bytes of complaint: {text:?}", text.len());
}

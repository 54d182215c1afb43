//! The page of a process: its layout, and how a reader understands a copy of it.
//!
//! Terms: the *head* says what the page is; a *slot* is what one thread says of itself. All numbers are as this machine has
//! them: page and reader are on the same one. A change of the layout changes `VERSION`; readers refuse others.
//! Units: bytes, regions since the thread began.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// By which its file is known.
pub const NAME: &str = "vicinity-top";
pub const MAGIC: u64 = u64::from_ne_bytes(*b"vicintop");
pub const VERSION: u32 = 1;
/// The head is as large as a slot, and comes first.
pub const SLOT_BYTES: usize = 64;
pub const SLOTS: usize = 1023;
pub const BYTES: usize = SLOT_BYTES * (SLOTS + 1);

/// What a thread does, as its slot has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// The slot is nobody's.
    Vacant = 0,
    /// Runs the program's code, in a region or outside.
    Runs = 1,
    /// Waits at a barrier or for tasks, and finds no task to run.
    Waits = 2,
    /// A worker without a region.
    Rests = 3,
}

#[repr(C, align(64))]
pub struct Head {
    pub magic: u64,
    pub version: u32,
    pub slot_bytes: u32,
    pub slots: u32,
    pub process: u32,
    /// Processors that the process may use: its affinity mask and its quota.
    pub processors: u32,
}

#[repr(C, align(64))]
pub struct Slot {
    pub(super) state: AtomicU32,
    /// As `/proc/PID/task` has it.
    pub(super) thread: AtomicU32,
    pub(super) regions_begun: AtomicU64,
    pub(super) regions_ended: AtomicU64,
    pub(super) bytes_local: AtomicU64,
    pub(super) bytes_remote: AtomicU64,
}

/// One thread at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub state: State,
    pub thread: u32,
    pub regions_begun: u64,
    pub regions_ended: u64,
    /// Data of tasks whose data is known, at the location where they ran, and elsewhere.
    pub bytes_local: u64,
    pub bytes_remote: u64,
}

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    pub process: u32,
    pub processors: u32,
    /// By slot: a thread keeps its place.
    pub slots: Vec<Option<Reading>>,
}

/// Understands a copy of a page; an error says why it is none.
pub fn read(bytes: &[u8]) -> Result<Contents, String> {
    if bytes.len() != BYTES {
        return Err(format!("it has {} bytes, not {BYTES}", bytes.len()));
    }
    if number64(bytes, 0) != MAGIC {
        return Err("it does not begin as such a page does".to_owned());
    }
    let version = number32(bytes, 8);
    if version != VERSION || number32(bytes, 12) as usize != SLOT_BYTES {
        return Err(format!(
            "it is of version {version}, and this command reads version {VERSION}"
        ));
    }
    let slots = bytes.chunks_exact(SLOT_BYTES).skip(1).map(reading).collect();
    Ok(Contents { process: number32(bytes, 20), processors: number32(bytes, 24), slots })
}

fn reading(slot: &[u8]) -> Option<Reading> {
    let state = match number32(slot, 0) {
        1 => State::Runs,
        2 => State::Waits,
        3 => State::Rests,
        _ => return None,
    };
    Some(Reading {
        state,
        thread: number32(slot, 4),
        regions_begun: number64(slot, 8),
        regions_ended: number64(slot, 16),
        bytes_local: number64(slot, 24),
        bytes_remote: number64(slot, 32),
    })
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn number64(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn the_reader_knows_where_the_writer_puts_things() {
        assert_eq!((size_of::<Head>(), size_of::<Slot>()), (SLOT_BYTES, SLOT_BYTES));
        assert_eq!((offset_of!(Head, version), offset_of!(Head, slot_bytes)), (8, 12));
        assert_eq!((offset_of!(Head, process), offset_of!(Head, processors)), (20, 24));
        assert_eq!((offset_of!(Slot, thread), offset_of!(Slot, regions_begun)), (4, 8));
        assert_eq!((offset_of!(Slot, regions_ended), offset_of!(Slot, bytes_local)), (16, 24));
        assert_eq!(offset_of!(Slot, bytes_remote), 32);
    }

    fn page() -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        bytes[..8].copy_from_slice(&MAGIC.to_ne_bytes());
        for (at, value) in
            [(8, VERSION), (12, SLOT_BYTES as u32), (20, 77), (24, 4), (128, 2), (132, 78)]
        {
            bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        bytes[136] = 5;
        bytes
    }

    #[test]
    fn a_page_is_read() {
        let contents = read(&page()).expect("it is a page");
        assert_eq!((contents.process, contents.processors, contents.slots[0]), (77, 4, None));
        let reading = contents.slots[1].expect("a thread");
        assert_eq!((reading.state, reading.thread, reading.regions_begun), (State::Waits, 78, 5));
    }

    #[test]
    fn what_is_no_page_is_refused() {
        assert!(read(&[]).unwrap_err().contains("0 bytes"));
        assert!(read(&vec![0; BYTES]).unwrap_err().contains("begin"));
        let mut other = page();
        other[8] = 9;
        assert!(read(&other).unwrap_err().contains("version 9"));
    }
}

//! Bytes of memory to a file, or from one.
//!
//! What lies in storage is done in pieces by the workers: the units are pages of `PAGE_BYTES`. Everything else (pipes, terminals,
//! devices, what is opened to append, streams that read and write) is done in order, by a thread of its own, since nobody knows when
//! its other end takes or gives bytes ([`super::outside`]).
#![allow(unsafe_code)]

use super::command::Work;
use super::copy::grain;
use super::outside::{Begin, Completion};
use super::run::Division;
use crate::core::memory::Address;
use crate::error::{Error, Result};
use crate::os::file::{self, Direction, Mode, Stream};
use crate::os::process::start_thread;
use opencl_sys::cl_int;
use std::fs::File;
use std::io::{self, ErrorKind};

/// What events of files end with: this less the number of the system's error.
pub const FILE_ERROR: cl_int = -10000;
/// The file has less bytes than were wanted.
pub const FILE_TOO_SHORT: cl_int = FILE_ERROR;

const PAGE_BYTES: usize = 4096;

/// Where in the file.
pub enum Place {
    Offset(u64),
    /// Where the descriptor is when the command begins.
    Descriptor,
    /// Where the stream is then.
    Stream(Stream),
}

pub struct FileTransfer {
    pub file: File,
    pub place: Place,
    pub memory: Address,
    pub bytes: usize,
    pub direction: Direction,
}

impl FileTransfer {
    /// The work, by those that it is for.
    pub fn work(self, mode: Mode) -> Work {
        let is_buffered = matches!(self.place, Place::Stream(_)) && mode.is_both();
        match file::is_storage(&self.file) && !mode.appends() && !is_buffered {
            true => Work::File(self),
            false => Work::Outside(Some(self.aside())),
        }
    }

    pub fn division(&self) -> Division {
        let units = self.bytes.div_ceil(PAGE_BYTES).max(1);
        Division { units, grain: grain(units, PAGE_BYTES) }
    }

    /// It begins: its place is an offset from now on.
    pub fn prepare(&mut self) -> Result {
        let offset = match self.place {
            Place::Offset(offset) => Ok(offset),
            Place::Descriptor => file::claim(&self.file, self.bytes),
            Place::Stream(stream) => stream.claim(self.bytes),
        };
        let offset = offset.map_err(status)?;
        if self.direction == Direction::FromFile {
            file::announce(&self.file, offset, self.bytes);
        }
        self.place = Place::Offset(offset);
        Ok(())
    }

    /// The memory of these units.
    pub fn memory_of(&self, begin: usize, end: usize) -> (Address, usize) {
        let (first, last) = (begin * PAGE_BYTES, (end * PAGE_BYTES).min(self.bytes));
        (self.memory.plus(first), last.saturating_sub(first))
    }

    pub fn run(&self, begin: usize, end: usize) -> Result {
        let Place::Offset(offset) = self.place else { return Ok(()) };
        let (memory, bytes) = self.memory_of(begin, end);
        let offset = offset + (begin * PAGE_BYTES) as u64;
        // SAFETY: the entry points checked that the bytes lie in a memory object, which the command keeps.
        let done = unsafe { file::transfer_at(&self.file, offset, memory, bytes, self.direction) };
        done.map_err(status)
    }

    fn aside(self) -> Begin {
        Box::new(move |completion: Completion| {
            // Without a thread the completion is dropped, which ends it with an error.
            _ = start_thread("vicinity-file", move || completion.end(self.run_in_order()));
            None
        })
    }

    fn run_in_order(&self) -> Result {
        let FileTransfer { file, memory, bytes, direction, .. } = self;
        // SAFETY: as in `run`.
        let done = unsafe {
            match self.place {
                Place::Offset(offset) => {
                    file::transfer_at(file, offset, *memory, *bytes, *direction)
                }
                Place::Descriptor => file::transfer(file, *memory, *bytes, *direction),
                Place::Stream(stream) => stream.transfer(*memory, *bytes, *direction),
            }
        };
        done.map_err(status)
    }
}

/// What the event ends with.
fn status(error: io::Error) -> Error {
    Error(match error.kind() {
        ErrorKind::UnexpectedEof => FILE_TOO_SHORT,
        _ => FILE_ERROR - file::number(&error),
    })
}

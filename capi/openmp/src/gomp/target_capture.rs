//! What a target region of libgomp's ABI takes with it.
//!
//! Layout of a stored capture, in words: function, thread limit, device, event, count of addresses, the addresses, then
//! the copies of firstprivate variables, each aligned as its kind says.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, c_void};
use vicinity_runtime::task::detach;
use vicinity_runtime::task::record::Body;
use vicinity_runtime::{devices, teams};

/// Low byte of a kind: the variable is firstprivate. The high byte is the logarithm of its alignment.
const FIRSTPRIVATE: u16 = 0x0c;

/// Words ahead of the addresses.
const HEADER_WORDS: usize = 5;

pub struct Capture<'a> {
    body: Body,
    thread_limit: u32,
    /// None: where the thread is that runs it.
    device: Option<c_int>,
    addresses: &'a [Pointer],
    sizes: &'a [usize],
    kinds: &'a [u16],
}

impl Capture<'_> {
    /// # Safety
    /// The arrays have `count` items and outlive the capture.
    pub unsafe fn new<'a>(
        body: Body,
        thread_limit: u32,
        device: Option<c_int>,
        count: usize,
        addresses: *const Pointer,
        sizes: *const usize,
        kinds: *const u16,
    ) -> Capture<'a> {
        if count == 0 {
            return Capture { body, thread_limit, device, addresses: &[], sizes: &[], kinds: &[] };
        }
        // SAFETY: the caller's contract.
        unsafe {
            Capture {
                body,
                thread_limit,
                device,
                addresses: std::slice::from_raw_parts(addresses, count),
                sizes: std::slice::from_raw_parts(sizes, count),
                kinds: std::slice::from_raw_parts(kinds, count),
            }
        }
    }

    /// (index, bytes, alignment) of each variable to copy.
    fn copies(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let wanted = |&index: &usize| {
            self.kinds[index] & 0xff == FIRSTPRIVATE && !self.addresses[index].is_null()
        };
        (0..self.kinds.len())
            .filter(wanted)
            .map(|index| (index, self.sizes[index], 1 << (self.kinds[index] >> 8).min(31)))
    }

    /// Bytes of a stored capture, wherever it starts.
    pub fn bytes(&self) -> usize {
        let words = HEADER_WORDS + self.addresses.len();
        self.copies().fold(words * 8, |bytes, (_, size, align)| bytes + size + align - 1)
    }

    /// `event` is fulfilled when the region is over; 0: there is none.
    ///
    /// # Safety
    /// `block` is aligned to words and has room for `bytes()`.
    pub unsafe fn store(&self, block: *mut c_void, event: usize) {
        let words = block.cast::<usize>();
        // SAFETY: the caller's contract; each copy lies behind the one before and is as long as its
        // variable, and the sum of all with their alignments is what `bytes` counts.
        unsafe {
            words.write(self.body as usize);
            words.add(1).write(self.thread_limit as usize);
            words.add(2).write(self.device.unwrap_or(0) as usize);
            words.add(3).write(event);
            words.add(4).write(self.addresses.len());
            let addresses = words.add(HEADER_WORDS).cast::<Pointer>();
            let count = self.addresses.len();
            std::ptr::copy_nonoverlapping(self.addresses.as_ptr(), addresses, count);
            let mut free = addresses.add(count).cast::<u8>();
            for (index, size, align) in self.copies() {
                let to = free.map_addr(|address| address.next_multiple_of(align));
                std::ptr::copy_nonoverlapping(self.addresses[index].cast::<u8>(), to, size);
                addresses.add(index).write(to.cast());
                free = to.add(size);
            }
        }
    }

    /// Runs the target region whose capture is stored at `block`.
    ///
    /// # Safety
    /// `store` has written it.
    pub unsafe extern "C" fn run(block: *mut c_void) {
        let words = block.cast::<usize>();
        // SAFETY: the caller's contract; the first word was a `Body`.
        unsafe {
            let body = std::mem::transmute::<usize, Body>(words.read());
            let thread_limit = words.add(1).read() as u32;
            teams::run_target(body, words.add(HEADER_WORDS).cast(), thread_limit);
        }
    }

    /// The same on its device; returns when it is over.
    ///
    /// # Safety
    /// `store` has written it.
    pub unsafe extern "C" fn run_there(block: *mut c_void) {
        // SAFETY: the caller's contract.
        let device = unsafe { block.cast::<usize>().add(2).read() } as c_int;
        let block = block.expose_provenance();
        // SAFETY: as above; the block stays until this returns.
        let run = move || unsafe { Capture::run(std::ptr::with_exposed_provenance_mut(block)) };
        devices::run(device, Box::new(run));
    }

    /// The same, returning at once: the event is fulfilled when it is over.
    ///
    /// # Safety
    /// `store` has written it, and the block stays until the event is fulfilled.
    pub unsafe extern "C" fn send(block: *mut c_void) {
        let words = block.cast::<usize>();
        // SAFETY: the caller's contract.
        let (device, event) = unsafe { (words.add(2).read() as c_int, words.add(3).read()) };
        let block = block.expose_provenance();
        // SAFETY: as above.
        let run = move || unsafe { Capture::run(std::ptr::with_exposed_provenance_mut(block)) };
        // SAFETY: the event is that of the task whose block it is, which is not complete before.
        let job = unsafe { detach::fulfilling(event, run) };
        devices::post(device, devices::Queue::Regions, job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn nothing(_data: *mut c_void) {}

    #[test]
    fn firstprivate_variables_are_copied_and_aligned() {
        let (mut shared, mut small, mut wide) = (1u8, 2u8, [3u64; 4]);
        let addresses: [Pointer; 3] =
            [(&raw mut shared).cast(), (&raw mut small).cast(), (&raw mut wide).cast()];
        let kinds = [3, FIRSTPRIVATE, FIRSTPRIVATE | 6 << 8];
        let sizes = [1, 1, 32];
        // SAFETY: the arrays have three items.
        let capture = unsafe {
            Capture::new(nothing, 0, None, 3, addresses.as_ptr(), sizes.as_ptr(), kinds.as_ptr())
        };
        let mut block = vec![0usize; capture.bytes().div_ceil(8)];
        // SAFETY: the block is large enough.
        unsafe { capture.store(block.as_mut_ptr().cast(), 0) };
        assert_eq!(block[5], addresses[0] as usize);
        assert_ne!(block[6], addresses[1] as usize);
        assert_eq!(block[7] % 64, 0);
        let end = block.as_ptr() as usize + capture.bytes();
        assert!(block[7] + 32 <= end);
        // SAFETY: `store` put a copy there.
        assert_eq!(unsafe { *(block[7] as *const [u64; 4]) }, [3; 4]);
    }
}

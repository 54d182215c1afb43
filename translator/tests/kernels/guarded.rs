//! Items that are not there touch no memory that is not there: buffers that end where a page does that nobody may read.
#![allow(unsafe_code)]

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use crate::program::{Argument, Loaded, Range, translate};

const PAGE: usize = 4096;

/// Memory that ends at a page which may not be touched.
struct Guarded {
    begin: *mut u8,
    bytes: usize,
}

impl Guarded {
    fn new(content: &[u8]) -> Guarded {
        let (bytes, read) = (content.len(), ProtFlags::READ | ProtFlags::WRITE);
        assert!(bytes <= PAGE);
        // SAFETY: new memory, whose second page nobody uses.
        let begin = unsafe {
            let begin = mmap_anonymous(std::ptr::null_mut(), 2 * PAGE, read, MapFlags::PRIVATE);
            let begin = begin.expect("two pages").cast::<u8>();
            mprotect(begin.add(PAGE).cast(), PAGE, MprotectFlags::empty()).expect("a page");
            begin
        };
        let mut made = Guarded { begin, bytes };
        made.content().copy_from_slice(content);
        made
    }

    fn content(&mut self) -> &mut [u8] {
        // SAFETY: the end of the first page, which this value alone has.
        unsafe { std::slice::from_raw_parts_mut(self.begin.add(PAGE - self.bytes), self.bytes) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: what `new` made.
        unsafe { munmap(self.begin.cast(), 2 * PAGE).expect("the pages are there") };
    }
}

const SOURCE: &str = "
kernel void odd(global const uchar *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && (i & 1)) out[i] = in[i] + 1000;
}
kernel void words(global const uchar4 *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && i % 3) out[i] = as_uint(in[i].wzyx);
}
kernel void loaded(global const uchar *in, global uint *out, uint n) {
    uint i = get_global_id(0);
    if (i < n && i % 5) out[i] = as_uint(vload4(i, in));
}
kernel void chosen(global const uchar *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && (i & 2)) out[i] = in[i < 1 ? 5 : i];
}
kernel void mirrored(global const ushort *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && (i & 2)) {
        int left = i - 7, right = i + 7;
        left = left < 0 ? -left : left >= n ? 2 * n - 2 - left : left;
        right = right < 0 ? ~right : right >= n ? 2 * n - 2 - right : right;
        out[i] = in[left] * 65536u + in[right];
    }
}
kernel void counted(global const uchar *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && i % 3) atomic_add(&out[i], in[i]);
}
kernel void least(global const uchar *in, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n && (i & 2)) atomic_max(&out[i], in[i]);
}
kernel void swapped(global const uchar *in, global uint *out, int n) {
    int i = get_global_id(0);
    local uint found[64];
    found[get_local_id(0)] = 7;
    if (i < n && i % 3) atomic_cmpxchg(&found[get_local_id(0)], 7, in[i]);
    if (i < n && i % 3) atomic_cmpxchg(&out[i], 7, found[get_local_id(0)]);
}";

/// Runs a kernel on `content`; gives what it left of numbers that all were 7.
fn run(program: &Loaded, kernel: &str, content: &[u8], count: usize) -> Vec<u32> {
    let mut input = Guarded::new(content);
    let mut output = Guarded::new(&[7, 0, 0, 0].repeat(count));
    let n = (count as u32).to_le_bytes();
    let mut arguments = [
        Argument::Buffer(input.content()),
        Argument::Buffer(output.content()),
        Argument::Value(&n),
    ];
    let whole = count.next_multiple_of(16) as u64;
    program.run(kernel, Range::line(whole, 16), &mut arguments);
    let numbers = output.content().chunks_exact(4);
    numbers.map(|four| u32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
}

/// Checks a kernel against what it is to leave, where it leaves anything.
fn check(program: &Loaded, kernel: &str, each: usize, of: impl Fn(&[u8], usize) -> Option<u32>) {
    for count in [9, 37, 61] {
        let content: Vec<u8> = (0..count * each).map(|at| (at * 37 + at / 7) as u8).collect();
        let expected: Vec<u32> = (0..count).map(|item| of(&content, item).unwrap_or(7)).collect();
        assert_eq!(run(program, kernel, &content, count), expected, "{kernel}, {count}");
    }
}

fn mirrored(bytes: &[u8], item: usize) -> Option<u32> {
    let count = bytes.len() as i64 / 2;
    let at = |index: i64| {
        let index = index as usize;
        u32::from(u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
    };
    let beyond = |index: i64| if index >= count { 2 * count - 2 - index } else { index };
    let (left, right) = (item as i64 - 7, item as i64 + 7);
    let left = if left < 0 { -left } else { beyond(left) };
    (item & 2 != 0).then(|| at(left) * 65536 + at(beyond(right)))
}

#[test]
fn items_that_are_not_there_touch_nothing_and_choose_nothing() {
    let program = translate(SOURCE, "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{log}"));
    let byte = |bytes: &[u8], item: usize| u32::from(bytes[item]);
    check(&program, "odd", 1, |bytes, item| (item % 2 == 1).then(|| byte(bytes, item) + 1000));
    check(&program, "chosen", 1, |bytes, item| (item & 2 != 0).then(|| byte(bytes, item)));
    let word = |bytes: &[u8], item: usize| <[u8; 4]>::try_from(&bytes[4 * item..][..4]).ok();
    let turned = |bytes: &[u8], item| word(bytes, item).map(u32::from_be_bytes);
    check(&program, "words", 4, |bytes, item| turned(bytes, item).filter(|_| item % 3 != 0));
    let plain = |bytes: &[u8], item| word(bytes, item).map(u32::from_le_bytes);
    check(&program, "loaded", 4, |bytes, item| plain(bytes, item).filter(|_| item % 5 != 0));
    check(&program, "mirrored", 2, mirrored);
    let third = |item: usize| !item.is_multiple_of(3);
    check(&program, "counted", 1, |bytes, item| third(item).then(|| byte(bytes, item) + 7));
    check(&program, "least", 1, |bytes, item| (item & 2 != 0).then(|| byte(bytes, item).max(7)));
    check(&program, "swapped", 1, |bytes, item| third(item).then(|| byte(bytes, item)));
}

/// Memory of 4 GiB, of which the first page and the last one may be touched.
struct Edges {
    begin: *mut u8,
}

impl Edges {
    const BYTES: usize = 1 << 32;

    fn new() -> Edges {
        let (nothing, flags) = (ProtFlags::empty(), MapFlags::PRIVATE | MapFlags::NORESERVE);
        let read = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: new memory, two pages of which become readable.
        let begin = unsafe {
            let begin = mmap_anonymous(std::ptr::null_mut(), Edges::BYTES, nothing, flags);
            let begin = begin.expect("addresses").cast::<u8>();
            for at in [0, Edges::BYTES - PAGE] {
                mprotect(begin.add(at).cast(), PAGE, read).expect("a page");
            }
            begin
        };
        for at in 0..PAGE {
            for (from, salt) in [(0, 1), (Edges::BYTES - PAGE, 101)] {
                // SAFETY: in one of the two pages.
                unsafe { begin.add(from + at).write((at * 7 + salt) as u8) };
            }
        }
        Edges { begin }
    }

    /// What an index finds that counts from the middle.
    fn at(&self, index: i32) -> u8 {
        // SAFETY: tests ask for what is in the two pages.
        unsafe { self.begin.add((i64::from(index) + (1 << 31)) as usize).read() }
    }

    fn middle(&mut self) -> &mut [u8] {
        // SAFETY: an address alone, of no bytes.
        unsafe { std::slice::from_raw_parts_mut(self.begin.add(1 << 31), 0) }
    }
}

impl Drop for Edges {
    fn drop(&mut self) {
        // SAFETY: what `new` made.
        unsafe { munmap(self.begin.cast(), Edges::BYTES).expect("the pages are there") };
    }
}

/// An index made of an id as an `int` is wrapped around by one of the items of a vector: both ends of the memory are read.
#[test]
fn indices_that_wrap_around_go_item_by_item() {
    let kernels =
        [(1_u32, 0x7fff_fff0), (2, 0x7fff_ffd0), (3, 0x7fff_ffa3), (0xffff_ffff, 0x8000_0010)];
    for (times, plus) in kernels {
        let source = format!(
            "kernel void k(global const uchar *middle, global uint *out) {{
                uint i = get_global_id(0);
                out[i] = middle[(int)(i * {times}u + {plus}u)];
            }}"
        );
        let program = translate(&source, "").unwrap_or_else(|log| panic!("{log}"));
        let mut edges = Edges::new();
        let mut out = Guarded::new(&[0; 4 * 64]);
        let mut arguments = [Argument::Buffer(edges.middle()), Argument::Buffer(out.content())];
        program.run("k", Range::line(64, 64), &mut arguments);
        for item in 0..64 {
            let index = (item as u32).wrapping_mul(times).wrapping_add(plus) as i32;
            let found = &out.content()[4 * item..][..4];
            assert_eq!(found, u32::from(edges.at(index)).to_le_bytes(), "{times}, {plus}, {item}");
        }
    }
}

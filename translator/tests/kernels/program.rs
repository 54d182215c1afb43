//! Translates sources and runs the kernels, as the driver does.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};

use vicinity_translator::program::command::{execute, parse};
use vicinity_translator::program::options::Options;
use vicinity_translator::report::describe::Program;
use vicinity_translator::{generate, pipeline};

#[path = "copies.rs"]
mod copies;

use copies::Copies;

/// `struct vicinity_launch` of docs/kernel-abi.md.
#[repr(C)]
pub struct Launch {
    pub work_dim: u64,
    pub global_offset: [u64; 3],
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub group_count: [u64; 3],
    pub context_offset: u64,
    pub services: *const Services,
    pub disjoint: u64,
    pub reducing: u64,
}

/// `struct vicinity_services`.
#[repr(C)]
pub struct Services {
    size: u64,
    state: *mut c_void,
    print: Print,
}

type Print =
    unsafe extern "C" fn(*mut c_void, *const c_char, u64, *const u32, *const c_void) -> c_int;

/// One call of printf: its format, and the kind and the bytes of each argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    pub format: String,
    pub arguments: Vec<(u32, Vec<u8>)>,
}

/// Keeps what a kernel prints.
unsafe extern "C" fn print(
    state: *mut c_void,
    format: *const c_char,
    count: u64,
    kinds: *const u32,
    data: *const c_void,
) -> c_int {
    let mut data = data.cast::<u8>();
    // SAFETY: the kernel passes what docs/kernel-abi.md says; `state` is the list that `Loaded::run` gave.
    unsafe {
        let arguments = (0..count as usize)
            .map(|index| {
                let kind = *kinds.add(index);
                let (bytes, elements) = ((kind >> 8 & 0xff) as usize, (kind >> 16) as usize);
                let value = std::slice::from_raw_parts(data, bytes * elements).to_vec();
                let room = if elements == 3 { 4 } else { elements } * bytes;
                data = data.add(room.next_multiple_of(8));
                (kind, value)
            })
            .collect();
        let format = CStr::from_ptr(format).to_string_lossy().into_owned();
        let printed = &mut *state.cast::<Vec<Printed>>();
        printed.push(Printed { format, arguments });
        printed.len() as c_int
    }
}

/// A translated program, loaded.
pub struct Loaded {
    pub description: Program,
    /// Launches do not say that buffers are different memory.
    pub may_overlap: bool,
    library: libloading::Library,
    folder: tempfile::TempDir,
}

/// An argument as `clSetKernelArg` gets it. Not every test program has all kinds.
#[allow(dead_code)]
pub enum Argument<'a> {
    Buffer(&'a mut [u8]),
    Value(&'a [u8]),
    Local(u64),
    Image(Image, &'a mut [u8]),
}

/// `struct vicinity_image` of docs/kernel-abi.md.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Image {
    data: *mut u8,
    pitch_bytes: [u64; 3],
    size: [u32; 3],
    order: u32,
    channel: u32,
}

impl Image {
    /// Of these elements, each behind the one before it; `order` and `channel` are OpenCL's numbers.
    #[allow(dead_code)]
    pub fn new(size: [u32; 3], element_bytes: u64, order: u32, channel: u32) -> Image {
        let row = element_bytes * u64::from(size[0]);
        let pitch_bytes = [element_bytes, row, row * u64::from(size[1])];
        Image { data: std::ptr::null_mut(), pitch_bytes, size, order, channel }
    }
}

/// Where kernels run.
#[derive(Clone, Copy)]
pub struct Range {
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: [u64; 3],
}

impl Range {
    pub fn line(global: u64, local: u64) -> Range {
        Range { offset: [0; 3], global: [global, 1, 1], local: [local, 1, 1] }
    }
}

type Entry = unsafe extern "C" fn(*const Launch, *const u8, *mut u8, u64, u64);

/// Translates `source`; gives the log where it is wrong.
pub fn translate(source: &str, options: &str) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write_source(&folder, source);
    let output = folder.path().join("out");
    let words = ["build", "--output-dir", &output.to_string_lossy(), &file.to_string_lossy()]
        .map(String::from)
        .into_iter()
        .chain(["--".to_string(), options.to_string()]);
    let done = parse(words).and_then(|command| execute(&command));
    let log = fs::read_to_string(output.join("log")).expect("there is always a log");
    if done.is_err() {
        return Err(log);
    }
    let text = fs::read_to_string(output.join("program.json")).expect("a description");
    let description = serde_json::from_str(&text).expect("the description is as we wrote it");
    Ok(load(description, folder, &output))
}

/// Runs a command line; the failure's text where it fails.
pub fn run_command(words: &[&str]) -> Result<(), String> {
    let words = words.iter().map(|word| word.to_string());
    let done = parse(words).and_then(|command| execute(&command));
    done.map_err(|failure| failure.text().to_string())
}

pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What a command left in a folder.
pub fn load_from(output: &Path) -> Loaded {
    let text = fs::read_to_string(output.join("program.json")).expect("a description");
    let description = serde_json::from_str(&text).expect("the description is as we wrote it");
    load(description, tempfile::tempdir().expect("a temporary folder"), output)
}

/// The same without any transformation.
pub fn translate_reference(source: &str, options: &str) -> Result<Loaded, String> {
    translate_with(source, options, |options| options.reference = true)
}

/// The same, with what the environment would say.
pub fn translate_with(
    source: &str,
    options: &str,
    change: fn(&mut Options),
) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write_source(&folder, source);
    let mut options = Options::parse(&[options.to_string()]).expect("options of a test");
    change(&mut options);
    let output = folder.path().to_path_buf();
    let (description, _) = pipeline::compile(&file, None, &[], &options, &output)
        .and_then(|(bitcode, _)| generate::generate(&bitcode, &options, &output, None))
        .map_err(|failure| failure.text().to_string())?;
    Ok(load(description, folder, &output))
}

/// Memory that is freed is filled from now on, so that a translation fails where it is read again.
fn fill_what_is_freed() {
    /// `M_PERTURB` of `mallopt`(3).
    const PERTURB: i32 = -6;
    let this = libloading::os::unix::Library::this();
    // SAFETY: it is glibc's function, with its type; the setting changes nothing but what memory holds that nobody may read.
    let done = unsafe {
        let mallopt = this.get::<extern "C" fn(i32, i32) -> i32>(b"mallopt");
        mallopt.expect("glibc has it")(PERTURB, 0xab)
    };
    assert_eq!(done, 1, "glibc fills memory");
}

fn write_source(folder: &tempfile::TempDir, source: &str) -> PathBuf {
    fill_what_is_freed();
    let file = folder.path().join("test.cl");
    fs::write(&file, source).expect("the source can be written");
    file
}

fn load(description: Program, folder: tempfile::TempDir, output: &Path) -> Loaded {
    // SAFETY: the object is ours and has no constructors.
    let library = unsafe { libloading::Library::new(output.join("program.so")) }.expect("it loads");
    Loaded { description, may_overlap: false, library, folder }
}

impl Loaded {
    /// The code for ids however large.
    fn for_any_ids(&self, kernel: &str) -> Loaded {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let output = folder.path().join("out");
        let (made, generic) = (text(&output), text(&self.folder.path().join("out/program.bc")));
        let words =
            ["specialize", "--kernel", kernel, "--any-ids", "--output-dir", &made, &generic];
        run_command(&words).expect("what was translated is again");
        let may_overlap = self.may_overlap;
        Loaded { folder, may_overlap, ..load_from(&output) }
    }

    /// Runs all groups of `kernel` over `range`, in three parts, each with copies of its own of what they reduce; gives what they
    /// print.
    pub fn run(&self, kernel: &str, range: Range, arguments: &mut [Argument]) -> Vec<Printed> {
        let described =
            self.description.kernels.iter().find(|known| known.name == kernel).expect("the kernel");
        assert_eq!(described.arguments.len(), arguments.len(), "all arguments");
        if described.narrow && (0..2).any(|d| range.offset[d] + range.global[d] > 1 << 30) {
            return self.for_any_ids(kernel).run(kernel, range, arguments);
        }
        let whole = (0..3).all(|d| range.global[d].is_multiple_of(range.local[d]));
        assert!(whole || !described.uniform_groups, "whole groups, or a newer -cl-std");
        let mut packed = vec![0_u8; described.arguments_bytes as usize + 64];
        let packed_start = packed.as_ptr().align_offset(64);
        let mut local = described.local_bytes.next_multiple_of(128);
        let mut images: Vec<Box<Image>> = Vec::new();
        for (argument, at) in arguments.iter_mut().zip(&described.arguments) {
            let place = packed_start + at.offset as usize;
            let mut put = |bytes: &[u8]| packed[place..place + bytes.len()].copy_from_slice(bytes);
            match argument {
                Argument::Buffer(bytes) => put(&(bytes.as_mut_ptr() as u64).to_ne_bytes()),
                Argument::Value(bytes) => put(bytes),
                Argument::Image(image, bytes) => {
                    let image = Box::new(Image { data: bytes.as_mut_ptr(), ..*image });
                    put(&(&raw const *image as u64).to_ne_bytes());
                    images.push(image);
                }
                Argument::Local(size) => {
                    put(&local.to_ne_bytes());
                    local = (local + *size).next_multiple_of(128);
                }
            }
        }
        let items: u64 = range.local.iter().product();
        let context = described.in_turn_bytes + described.context_bytes_per_item * items;
        let mut scratch = vec![0_u8; (local + context) as usize + 128];
        let scratch_start = scratch.as_ptr().align_offset(128);
        let mut printed: Vec<Printed> = Vec::new();
        let state = (&raw mut printed).cast();
        let services = Services { size: size_of::<Services>() as u64, state, print };
        let launch = Launch {
            work_dim: 3,
            global_offset: range.offset,
            global_size: range.global,
            local_size: range.local,
            group_count: [0, 1, 2].map(|d| range.global[d].div_ceil(range.local[d])),
            context_offset: local,
            services: &services,
            disjoint: u64::from(!self.may_overlap),
            reducing: u64::from(!self.may_overlap),
        };
        let count: u64 = launch.group_count.iter().product();
        let (third, next) = (count / 3, (count / 3 + 1).min(count));
        for part in [0..third, third..next, next..count] {
            let mut copies = Copies::of(described, arguments);
            for (argument, at) in copies.places().filter(|_| !self.may_overlap) {
                let place = packed_start + described.arguments[argument].offset as usize;
                packed[place..place + 8].copy_from_slice(&at.to_ne_bytes());
            }
            let (packed, scratch) = (&packed[packed_start..], &mut scratch[scratch_start..]);
            // SAFETY: the symbol is an entry point of this signature; its arguments are packed as its description
            // says, and the scratch memory is as large as it says.
            unsafe {
                let entry =
                    self.library.get::<Entry>(described.symbol.as_bytes()).expect("a symbol");
                let (packed, scratch) = (packed.as_ptr(), scratch.as_mut_ptr());
                entry(&launch, packed, scratch, part.start, part.end);
            }
            copies.merge(arguments);
        }
        printed
    }
}

/// The bytes of plain numbers.
pub fn bytes<T: Copy>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: plain numbers, which any bytes make again.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

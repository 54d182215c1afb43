//! The kernels of `tests/opencl` in every order of loops, by vectors and item by item, and at several local sizes, compared with what their work-items
//! compute without any transformation.
//!
//! A line before a kernel says how it is run:
//! `// run GLOBAL [from OFFSET] / LOCAL LOCAL... [ulp N]: ARGUMENT, ARGUMENT...`; sizes are `16` or `16x8x2`, an argument is
//! `in|out|inout|local TYPE COUNT` or `value TYPE NUMBER`. `out` begins as zeros, `in` and `inout` as small numbers, or
//! with `TYPE!` as any bits. `image TYPE 16x8` is an image of such elements, of small whole numbers or of colors in bytes, for reading
//! and writing. Results are compared bit for bit, or within N units in the last place.
//! A line `// options ...` has the options of the file's compiler in the place of [`OPTIONS`].

use std::fs;
use std::path::PathBuf;

use crate::program::{Argument, Image, Loaded, Range, translate, translate_reference};

const OPTIONS: &str = "-cl-std=CL3.0";

/// What is asked for.
const FORMS: [&str; 8] = [
    "order=auto",
    "order=dfo",
    "order=bfo",
    "order=paper",
    "vectors=always",
    "vectors=half",
    "vectors=double",
    "vectors=never",
];

/// A kernel and how it is run.
struct Case {
    name: String,
    offset: [u64; 3],
    global: [u64; 3],
    locals: Vec<[u64; 3]>,
    ulp: u64,
    arguments: Vec<Given>,
}

/// An argument before it is made.
struct Given {
    role: Role,
    element: Element,
    /// Elements, or the value of each.
    number: f64,
    /// Of an image.
    size: [u64; 3],
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    In,
    Out,
    InOut,
    Local,
    Value,
    Image,
}

/// Numbers of one type, in vectors or not.
struct Element {
    float: bool,
    signed: bool,
    bytes: usize,
    /// How many lie in memory: 4 for a vector of 3.
    lanes: usize,
    any_bits: bool,
}

fn element(text: &str) -> Element {
    let any_bits = text.ends_with('!');
    let text = text.trim_end_matches('!');
    let base = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match text[base.len()..].parse().unwrap_or(1) {
        3 => 4,
        lanes => lanes,
    };
    let bytes = match base.trim_start_matches('u') {
        "char" => 1,
        "short" => 2,
        "int" | "float" => 4,
        "long" | "double" => 8,
        _ => panic!("a test knows no type {text}"),
    };
    let float = matches!(base, "float" | "double");
    Element { float, signed: !base.starts_with('u'), bytes, lanes, any_bits }
}

impl Element {
    fn encode(&self, value: f64) -> Vec<u8> {
        match (self.float, self.bytes) {
            (true, 4) => (value as f32).to_ne_bytes().to_vec(),
            (true, _) => value.to_ne_bytes().to_vec(),
            (false, bytes) => (value as i64).to_ne_bytes()[..bytes].to_vec(),
        }
    }

    /// The bytes of an input; each argument of a kernel gets others.
    fn input(&self, count: usize, argument: usize) -> Vec<u8> {
        let number = |i: usize| {
            let seed = (i as u64 + 1) + ((argument as u64) << 32);
            let mut word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            word ^= word >> 31;
            word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word ^ word >> 29
        };
        let one = |i: usize| match (self.any_bits, self.float, self.signed) {
            (true, ..) => number(i).to_ne_bytes()[..self.bytes].to_vec(),
            (_, true, _) => self.encode((number(i) % 201) as f64 / 16.0 - 6.25),
            (_, _, true) => self.encode((number(i) % 201) as f64 - 100.0),
            _ => self.encode((number(i) % 201) as f64),
        };
        (0..count * self.lanes).flat_map(one).collect()
    }

    /// How far apart two results are: units in the last place of numbers, any difference of other bits.
    fn apart(&self, a: &[u8], b: &[u8]) -> u64 {
        if a == b {
            return 0;
        }
        let ordered = |bytes: &[u8]| -> Option<i64> {
            if self.bytes == 4 {
                let value = f32::from_ne_bytes(bytes.try_into().expect("four bytes"));
                let bits = i64::from(value.abs().to_bits());
                (!value.is_nan()).then_some(if value.is_sign_negative() { -bits } else { bits })
            } else {
                let value = f64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
                let bits = value.abs().to_bits() as i64;
                (!value.is_nan()).then_some(if value.is_sign_negative() { -bits } else { bits })
            }
        };
        match (self.float, self.float.then(|| (ordered(a), ordered(b)))) {
            (true, Some((Some(a), Some(b)))) => a.abs_diff(b),
            (true, Some((None, None))) => 0,
            _ => u64::MAX,
        }
    }
}

fn sizes(text: &str, missing: u64) -> [u64; 3] {
    let mut sizes = [missing; 3];
    for (size, word) in sizes.iter_mut().zip(text.split('x')) {
        *size = word.parse().unwrap_or_else(|_| panic!("a size: {text}"));
    }
    sizes
}

fn given(text: &str) -> Given {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [role, element_word, number] = words[..] else { panic!("an argument: {text}") };
    let role = match role {
        "in" => Role::In,
        "out" => Role::Out,
        "inout" => Role::InOut,
        "local" => Role::Local,
        "value" => Role::Value,
        "image" => Role::Image,
        _ => panic!("an argument: {text}"),
    };
    let size = if role == Role::Image { sizes(number, 1) } else { [1; 3] };
    let number = match role {
        Role::Image => size.iter().product::<u64>() as f64,
        _ => number.parse().expect("a number"),
    };
    Given { role, element: element(element_word), number, size }
}

/// The kernels of a source that are to be run.
fn cases(source: &str) -> Vec<Case> {
    let lines: Vec<&str> = source.lines().collect();
    let directive = |at: usize| Some((lines[at].strip_prefix("// run ")?, lines[at + 1]));
    (0..lines.len() - 1).filter_map(directive).map(|(run, kernel)| case(run, kernel)).collect()
}

fn case(run: &str, kernel: &str) -> Case {
    let (head, arguments) = run.split_once(": ").expect("arguments");
    let (head, ulp) = head.split_once(" ulp ").unwrap_or((head, "0"));
    let (global, locals) = head.split_once(" / ").expect("local sizes");
    let (global, offset) = global.split_once(" from ").unwrap_or((global, "0"));
    let name = kernel.split_once("kernel void ").expect("a kernel follows").1;
    Case {
        name: name.split('(').next().expect("its name").to_string(),
        offset: sizes(offset, 0),
        global: sizes(global, 1),
        locals: locals.split_whitespace().map(|local| sizes(local, 1)).collect(),
        ulp: ulp.parse().expect("a number"),
        arguments: arguments.split(", ").map(given).collect(),
    }
}

/// Bytes that begin at a multiple of 128, as buffers do.
struct Memory {
    room: Vec<u8>,
    start: usize,
}

impl Memory {
    fn new(bytes: &[u8]) -> Memory {
        let mut room = vec![0; bytes.len() + 128];
        let start = room.as_ptr().align_offset(128);
        room[start..start + bytes.len()].copy_from_slice(bytes);
        room.truncate(start + bytes.len());
        Memory { room, start }
    }
}

impl Given {
    /// How an image of such elements is described.
    fn image(&self) -> Image {
        const ORDERS: [u32; 5] = [0, 0x10b0, 0x10b2, 0, 0x10b5]; // CL_R, CL_RG, CL_RGBA by channels
        let Element { float, signed, bytes, lanes, .. } = self.element;
        let channel = match (float, signed, bytes) {
            (true, ..) => 0x10de,    // CL_FLOAT
            (_, true, 4) => 0x10d9,  // CL_SIGNED_INT32
            (_, false, 1) => 0x10d2, // CL_UNORM_INT8
            _ => panic!("a test knows no such image"),
        };
        let size = self.size.map(|elements| elements as u32);
        Image::new(size, (bytes * lanes) as u64, ORDERS[lanes], channel)
    }

    fn pass<'a>(&self, memory: &'a mut Memory) -> Argument<'a> {
        let element_bytes = (self.element.lanes * self.element.bytes) as u64;
        match self.role {
            Role::Local => Argument::Local(self.number as u64 * element_bytes),
            Role::Value => Argument::Value(&memory.room[memory.start..]),
            Role::Image => Argument::Image(self.image(), &mut memory.room[memory.start..]),
            _ => Argument::Buffer(&mut memory.room[memory.start..]),
        }
    }
}

/// What the kernel leaves in its buffers.
fn results(case: &Case, program: &Loaded, local: [u64; 3]) -> Vec<Vec<u8>> {
    let make = |(at, given): (usize, &Given)| match given.role {
        Role::In | Role::InOut | Role::Image => given.element.input(given.number as usize, at),
        Role::Out => vec![0; given.number as usize * given.element.lanes * given.element.bytes],
        Role::Local => Vec::new(),
        Role::Value => given.element.encode(given.number).repeat(given.element.lanes),
    };
    let make_aligned = |given| Memory::new(&make(given));
    let mut memory: Vec<Memory> = case.arguments.iter().enumerate().map(make_aligned).collect();
    let mut arguments: Vec<Argument> =
        case.arguments.iter().zip(&mut memory).map(|(given, memory)| given.pass(memory)).collect();
    let range = Range { offset: case.offset, global: case.global, local };
    program.run(&case.name, range, &mut arguments);
    memory.into_iter().map(|memory| memory.room[memory.start..].to_vec()).collect()
}

/// The first difference, in words.
fn difference(case: &Case, expected: &[Vec<u8>], got: &[Vec<u8>]) -> Option<String> {
    for (at, given) in case.arguments.iter().enumerate() {
        let size = given.element.bytes;
        let pairs = expected[at].chunks(size).zip(got[at].chunks(size));
        for (i, (expected, got)) in pairs.enumerate() {
            if given.element.apart(expected, got) > case.ulp {
                return Some(format!("argument {at}[{i}] is {got:?}, not {expected:?}"));
            }
        }
    }
    None
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/opencl")
}

fn check(file: &str) {
    let source = fs::read_to_string(folder().join(format!("{file}.cl"))).expect("a source");
    let cases = cases(&source);
    assert!(!cases.is_empty(), "{file} has kernels");
    let options = source.lines().find_map(|line| line.strip_prefix("// options "));
    let options = options.unwrap_or(OPTIONS);
    let reference = translate_reference(&source, options)
        .unwrap_or_else(|log| panic!("{file} does not compile\n{log}"));
    let run = |program: &Loaded| -> Vec<Vec<Vec<u8>>> {
        let all = cases.iter().flat_map(|case| case.locals.iter().map(move |&l| (case, l)));
        all.map(|(case, local)| results(case, program, local)).collect()
    };
    let expected = run(&reference);
    let mut wrong = Vec::new();
    for way in FORMS {
        let attribute = format!("__attribute__((annotate(\"vicinity_{way}\"))) kernel void");
        let mut program = translate(&source.replace("kernel void", &attribute), options)
            .unwrap_or_else(|log| panic!("{file} does not compile, {way}\n{log}"));
        // The orders share the launches that do not say that buffers are different memory.
        program.may_overlap = way == "order=dfo";
        let got = run(&program);
        let all = cases.iter().flat_map(|case| case.locals.iter().map(move |&l| (case, l)));
        for ((case, local), (expected, got)) in all.zip(expected.iter().zip(&got)) {
            if let Some(how) = difference(case, expected, got) {
                wrong.push(format!("{file}.cl {}, {way}, {local:?}: {how}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! corpus {
    ($($file:ident)*) => {
        $(
            #[test]
            fn $file() {
                check(stringify!($file));
            }
        )*

        #[test]
        fn every_file_is_run() {
            let listed = [$(concat!(stringify!($file), ".cl")),*];
            for entry in fs::read_dir(folder()).expect("the corpus") {
                let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
                assert!(!name.ends_with(".cl") || listed.contains(&name.as_str()), "{name}");
            }
        }
    };
}

corpus!(atomics barriers bounds called control copies departures divergent families floats groups halves ids images integers local needless pointers private program rows short_rows sums switches turned vectors whole_words);

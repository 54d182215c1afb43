//! Where code is in its source: files and lines of addresses of a trace, from the debug information of the program's files.

use std::cell::RefCell;
use std::collections::HashMap;

use addr2line::Loader;
use vicinity_sim::trace::memory::{Memory, Module};

/// Code of these files is nobody's who asks for advice.
const SYSTEM: [&str; 9] = [
    "libvicinity",
    "libgomp",
    "libomp",
    "libiomp",
    "libstdc++",
    "libgfortran",
    "libc.so",
    "libc-",
    "ld-linux",
];

/// What is known of one return address, or of a function that is inlined there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// `src/heat.c:9`, else `grid in heat`, else `heat+0x11b6`.
    pub text: String,
    /// Neither the system's nor a header's.
    is_own: bool,
}

/// Where a block was allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The innermost place in the program's own source.
    pub place: String,
    /// The call of the function that the place is in, if there is one in the program's own source.
    pub called_from: Option<String>,
    /// The addresses as the next run has them: `heat+0x11b6`.
    pub addresses: Vec<String>,
}

/// Debug information of the files of a process, read when it is needed.
pub struct Lines<'a> {
    memory: &'a Memory,
    loaders: RefCell<HashMap<String, Option<Loader>>>,
}

impl<'a> Lines<'a> {
    pub fn new(memory: &'a Memory) -> Lines<'a> {
        Lines { memory, loaders: RefCell::default() }
    }

    /// Where a call was that allocated a block, from its return addresses.
    pub fn origin(&self, addresses: &[u64]) -> Origin {
        let known: Vec<(&Module, u64)> = addresses
            .iter()
            .filter_map(|&address| Some((self.memory.module_of(address)?, address)))
            .collect();
        // What starts the program or a thread is the C library's, and may be another after an update.
        let starts = |(module, _): &(&Module, u64)| {
            ["libc.so", "libc-"].iter().any(|stem| file_name(&module.file).starts_with(stem))
        };
        let known = &known[..known.iter().position(starts).unwrap_or(known.len())];
        let frames: Vec<Frame> =
            known.iter().flat_map(|&(module, address)| self.frames(module, address)).collect();
        let mut places = frames.iter().filter(|frame| frame.is_own).map(|frame| &frame.text);
        let place = places.next().or(frames.first().map(|frame| &frame.text));
        let called_from = places.find(|&text| Some(text) != place).cloned();
        let address = |&(module, address): &(&Module, u64)| {
            format!("{}+{:#x}", file_name(&module.file), address - module.bias)
        };
        Origin {
            place: place.cloned().unwrap_or_else(|| "an unknown place".to_string()),
            called_from,
            addresses: known.iter().map(address).collect(),
        }
    }

    /// The functions that a return address is in, the innermost inlined one first.
    fn frames(&self, module: &Module, address: u64) -> Vec<Frame> {
        let mut loaders = self.loaders.borrow_mut();
        let loader = loaders
            .entry(module.file.clone())
            .or_insert_with(|| Loader::new(&module.file).ok())
            .as_ref();
        // The call is before the address that it returns to.
        let offset = address - module.bias - 1;
        let name = file_name(&module.file);
        let mut found = Vec::new();
        if let Some(mut frames) = loader.and_then(|loader| loader.find_frames(offset).ok()) {
            while let Ok(Some(frame)) = frames.next() {
                let Some(location) = frame.location else { continue };
                let (Some(file), Some(line)) = (location.file, location.line) else { continue };
                let is_own = !is_system(name) && !is_header(file);
                found.push(Frame { text: format!("{file}:{line}"), is_own });
            }
        }
        if found.is_empty() {
            let symbol = loader.and_then(|loader| loader.find_symbol(offset));
            let text = match symbol {
                Some(symbol) => format!("{symbol} in {name}"),
                None => format!("{name}+{:#x}", address - module.bias),
            };
            found.push(Frame { text, is_own: !is_system(name) });
        }
        found
    }
}

pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_system(name: &str) -> bool {
    SYSTEM.iter().any(|stem| name.starts_with(stem))
}

/// Containers and allocators of C++.
fn is_header(file: &str) -> bool {
    file.starts_with("/usr/include/")
        || file.contains("/include/c++/")
        || file.contains("/lib/gcc/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_found_in_its_source() {
        let here = this_test_is_found_in_its_source as *const () as u64;
        let file = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.ends_with(&file)).unwrap();
        let bias = u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap();
        let module = Module { file, start: bias, end: u64::MAX, bias };
        let memory = Memory { modules: vec![module], ..Memory::default() };
        let origin = Lines::new(&memory).origin(&[here + 4]);
        assert!(origin.place.contains("origin.rs:") || origin.place.contains(" in "), "{origin:?}");
        assert_eq!(origin.addresses.len(), 1);
        let nowhere = Lines::new(&memory).origin(&[1]);
        assert_eq!((nowhere.place.as_str(), nowhere.addresses.len()), ("an unknown place", 0));
    }
}

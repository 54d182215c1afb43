//! Sites: the constructs of the program that events come from, by the functions that compilers made of them.
//!
//! A site is looked up once a thread and function, when its first task or region begins, and not when the
//! trace is written: that may be in the handler of a signal, where nothing can be looked up. Its text is ready
//! to be copied into events. Sites are never deallocated.
//! Sources: the `ident_t` that clang passes (";file;function;line;column;;"), else debug information and symbols.
#![allow(unsafe_code)]

use super::symbols::{self, Place};
use super::text::quoted;
use crate::process_lock::ProcessLock;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// What events say of a site, as JSON.
pub struct Site {
    pub name: String,
    /// `file:line`, or `null`.
    pub line: String,
}

/// Most sites; those of more constructs have no name.
const MOST: usize = 1 << 13;

static SITES: [AtomicPtr<Site>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];
/// The next free number; 0 is the site of what has no function.
static NEXT: AtomicU32 = AtomicU32::new(1);
pub(crate) static NUMBERS: ProcessLock<Option<HashMap<usize, u32>>> = ProcessLock::new(None);

/// The number of a function's site. `location` is an `ident_t` of libomp's ABI, or 0.
pub fn find(function: usize, location: usize) -> u32 {
    if function == 0 {
        return 0;
    }
    let mut numbers = NUMBERS.lock();
    *numbers
        .get_or_insert_default()
        .entry(function)
        .or_insert_with(|| add(describe(function, location)))
}

/// Holder of the lock on the numbers.
fn add(site: Site) -> u32 {
    let number = NEXT.load(Ordering::Relaxed);
    if number as usize >= MOST {
        return 0;
    }
    NEXT.store(number + 1, Ordering::Relaxed);
    // Release: pairs with the Acquire in `get`.
    SITES[number as usize].store(Box::leak(Box::new(site)), Ordering::Release);
    number
}

/// The site with this number, if it has one.
pub fn get(number: u32) -> Option<&'static Site> {
    // Acquire: pairs with the Release in `add`.
    let site = SITES.get(number as usize)?.load(Ordering::Acquire);
    // SAFETY: sites are never deallocated.
    unsafe { site.as_ref() }
}

fn describe(function: usize, location: usize) -> Site {
    let place = ident(location).unwrap_or_else(|| symbols::look_up(function));
    let line = place.line.map(|line| (place.file, line));
    let name = construct(&place.function);
    Site {
        name: match &line {
            Some((_, line)) => quoted(&format!("{name}:{line}")),
            None => quoted(&place.function),
        },
        line: line.map_or("null".into(), |(file, line)| quoted(&format!("{file}:{line}"))),
    }
}

/// The function of the program that a compiler took a construct from: `fib` of `fib._omp_fn.0`.
fn construct(function: &str) -> &str {
    let ends = ["._omp_fn", "_omp_fn", ".omp_outlined", ".omp_task_entry"];
    let end = ends.iter().filter_map(|end| function.find(end)).filter(|&at| at > 0).min();
    function[..end.unwrap_or(function.len())].trim_end_matches('.')
}

/// The place in an `ident_t`, if the compiler put one there.
fn ident(location: usize) -> Option<Place> {
    /// Four words of the compiler's, and the text.
    #[repr(C)]
    struct Ident {
        _unused: [i32; 4],
        text: *const libc::c_char,
    }
    // SAFETY: null, or what the compiler passes as an ident_t, whose text ends with a zero.
    let text = unsafe {
        let ident = (location as *const Ident).as_ref()?;
        (!ident.text.is_null()).then(|| CStr::from_ptr(ident.text))?
    };
    parse_ident(&text.to_string_lossy())
}

fn parse_ident(text: &str) -> Option<Place> {
    let mut fields = text.split(';').skip(1);
    let (file, function, line) = (fields.next()?, fields.next()?, fields.next()?);
    let line = line.parse().ok().filter(|&line: &u32| line > 0)?;
    Some(Place { function: function.to_owned(), file: file.to_owned(), line: Some(line) })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_ident_says_where_a_construct_is() {
        let place = parse_ident(";src/fib.c;fib;12;5;;").unwrap();
        assert_eq!((&*place.function, &*place.file, place.line), ("fib", "src/fib.c", Some(12)));
        assert!(parse_ident(";unknown;unknown;0;0;;").is_none());
        assert!(parse_ident("").is_none() && parse_ident(";;").is_none());
    }

    #[test]
    fn names_are_those_of_the_program() {
        assert_eq!(construct("fib._omp_fn.0"), "fib");
        assert_eq!(construct("main.omp_outlined"), "main");
        assert_eq!(construct("sort"), "sort");
        assert_eq!(construct(".omp_task_entry."), ".omp_task_entry");
    }

    #[test]
    fn a_function_has_one_site() {
        let number = find(an_ident_says_where_a_construct_is as *const () as usize, 0);
        assert_eq!(find(an_ident_says_where_a_construct_is as *const () as usize, 0), number);
        assert!(
            get(number).unwrap().name.contains("an_ident_says"),
            "{}",
            get(number).unwrap().name
        );
        assert!(get(0).is_none() && find(0, 0) == 0);
    }
}

//! `OMP_ALLOCATOR`: a predefined allocator, or a memory space with traits.
//!
//! Numbers are those of `omp.h`, which is what leaves through the C interface.
//! Source: OpenMP 5.2, sections 21.5.1 (OMP_ALLOCATOR) and 6.2 (traits, table 6.2).

use super::kinds::{value_of, word_of};

/// The default allocator, as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocatorSpec {
    /// An `omp_allocator_handle_t` of the specification.
    Predefined(u64),
    /// An allocator to be made: an `omp_memspace_handle_t` and pairs of `omp_alloctrait_key_t` and
    /// value.
    Space { space: u64, traits: Vec<(u32, u64)> },
}

impl AllocatorSpec {
    /// `omp_default_mem_alloc`.
    pub const DEFAULT: AllocatorSpec = AllocatorSpec::Predefined(1);
}

const ALLOCATORS: &[(&str, u64)] = &[
    ("omp_default_mem_alloc", 1),
    ("omp_large_cap_mem_alloc", 2),
    ("omp_const_mem_alloc", 3),
    ("omp_high_bw_mem_alloc", 4),
    ("omp_low_lat_mem_alloc", 5),
    ("omp_cgroup_mem_alloc", 6),
    ("omp_pteam_mem_alloc", 7),
    ("omp_thread_mem_alloc", 8),
];

const SPACES: &[(&str, u64)] = &[
    ("omp_default_mem_space", 0),
    ("omp_large_cap_mem_space", 1),
    ("omp_const_mem_space", 2),
    ("omp_high_bw_mem_space", 3),
    ("omp_low_lat_mem_space", 4),
];

/// How the value of a trait is written.
enum Value {
    Bytes,
    /// A power of two.
    Alignment,
    Allocator,
    Word(&'static [(&'static str, u64)]),
}

struct Trait {
    name: &'static str,
    key: u32,
    value: Value,
}

const BOOLEANS: &[(&str, u64)] = &[("true", 1), ("false", 0)];

const TRAITS: &[Trait] = &[
    Trait {
        name: "sync_hint",
        key: 1,
        value: Value::Word(&[
            ("contended", 3),
            ("uncontended", 4),
            ("serialized", 5),
            ("private", 6),
        ]),
    },
    Trait { name: "alignment", key: 2, value: Value::Alignment },
    Trait {
        name: "access",
        key: 3,
        value: Value::Word(&[("all", 7), ("thread", 8), ("pteam", 9), ("cgroup", 10)]),
    },
    Trait { name: "pool_size", key: 4, value: Value::Bytes },
    Trait {
        name: "fallback",
        key: 5,
        value: Value::Word(&[
            ("default_mem_fb", 11),
            ("null_fb", 12),
            ("abort_fb", 13),
            ("allocator_fb", 14),
        ]),
    },
    Trait { name: "fb_data", key: 6, value: Value::Allocator },
    Trait { name: "pinned", key: 7, value: Value::Word(BOOLEANS) },
    Trait {
        name: "partition",
        key: 8,
        value: Value::Word(&[
            ("environment", 15),
            ("nearest", 16),
            ("blocked", 17),
            ("interleaved", 18),
        ]),
    },
];

/// Parses `omp_high_bw_mem_alloc`, `omp_large_cap_mem_space`,
/// `omp_default_mem_space:alignment=64,pinned=true`.
pub fn parse(text: &str) -> Option<AllocatorSpec> {
    if let Some(handle) = value_of(ALLOCATORS, text) {
        return Some(AllocatorSpec::Predefined(handle));
    }
    let (space, traits) = match text.split_once(':') {
        Some((space, traits)) => (space, Some(traits)),
        None => (text, None),
    };
    let space = value_of(SPACES, space)?;
    let traits: Option<Vec<_>> =
        traits.into_iter().flat_map(|traits| traits.split(',')).map(parse_trait).collect();
    Some(AllocatorSpec::Space { space, traits: traits? })
}

fn parse_trait(text: &str) -> Option<(u32, u64)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let named = TRAITS.iter().find(|it| it.name.eq_ignore_ascii_case(name))?;
    let number = |value: &str| value.trim().parse::<u64>().ok();
    let value = match &named.value {
        Value::Bytes => number(value)?,
        Value::Alignment => number(value).filter(|number| number.is_power_of_two())?,
        Value::Allocator => value_of(ALLOCATORS, value)?,
        Value::Word(words) => value_of(words, value)?,
    };
    Some((named.key, value))
}

/// The text that `parse` understands as this allocator.
pub fn show(spec: &AllocatorSpec) -> String {
    match spec {
        AllocatorSpec::Predefined(handle) => word_of(ALLOCATORS, handle).to_owned(),
        AllocatorSpec::Space { space, traits } => {
            let traits: Vec<_> = traits.iter().map(show_trait).collect();
            let separator = if traits.is_empty() { "" } else { ":" };
            format!("{}{separator}{}", word_of(SPACES, space), traits.join(","))
        }
    }
}

fn show_trait(&(key, value): &(u32, u64)) -> String {
    let Some(named) = TRAITS.iter().find(|it| it.key == key) else {
        return format!("{key}={value}");
    };
    match &named.value {
        Value::Bytes | Value::Alignment => format!("{}={value}", named.name),
        Value::Allocator => format!("{}={}", named.name, word_of(ALLOCATORS, &value)),
        Value::Word(words) => format!("{}={}", named.name, word_of(words, &value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_are_understood_and_shown_alike() {
        for text in [
            "omp_default_mem_alloc",
            "omp_thread_mem_alloc",
            "omp_high_bw_mem_space",
            "omp_default_mem_space:alignment=64,pinned=true,partition=nearest",
            "omp_large_cap_mem_space:pool_size=1048576,fallback=allocator_fb,fb_data=omp_const_mem_alloc",
            "omp_low_lat_mem_space:sync_hint=private,access=pteam",
        ] {
            assert_eq!(parse(text).map(|it| show(&it)).as_deref(), Some(text));
        }
        let blanks = parse(" OMP_DEFAULT_MEM_SPACE : Alignment = 8 ");
        assert_eq!(blanks, Some(AllocatorSpec::Space { space: 0, traits: vec![(2, 8)] }));
        assert_eq!(parse("omp_default_mem_alloc"), Some(AllocatorSpec::DEFAULT));
    }

    #[test]
    fn what_is_no_allocator_is_refused() {
        for text in [
            "",
            "malloc",
            "omp_null_allocator",
            "omp_default_mem_alloc:pinned=true",
            "omp_default_mem_space:",
            "omp_default_mem_space:alignment=3",
            "omp_default_mem_space:alignment=",
            "omp_default_mem_space:pinned",
            "omp_default_mem_space:pinned=true,",
            "omp_default_mem_space:colour=red",
            "omp_default_mem_space:pool_size=-1",
            "omp_default_mem_space:access=me",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

//! Which threads are bound where: `OMP_PROC_BIND`, `OMP_PLACES` and the variables of both runtimes
//! whose programs run here, made one.
//!
//! Precedence, as the owners of the older variables define it: `KMP_AFFINITY` if it names a type,
//! then `OMP_PROC_BIND` and `OMP_PLACES`, then `GOMP_CPU_AFFINITY`. Asking for binding without places
//! means cores; naming places without a policy means binding.
//!
//! Sources: OpenMP 5.2, sections 21.1.6 and 21.1.7; libgomp manual, GOMP_CPU_AFFINITY; LLVM OpenMP
//! documentation, KMP_AFFINITY.

use super::kinds::{ProcBind, value_of};
use super::places::{self, Level, Ordered, PlacesSpec};
use super::reader::Reader;
use super::text::count;

/// Binding as asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affinity {
    /// The policy at each nesting level, the last one for all deeper ones; empty: not bound.
    pub bind: Vec<ProcBind>,
    pub places: Option<PlacesSpec>,
}

impl Affinity {
    fn unbound() -> Affinity {
        Affinity { bind: vec![ProcBind::False], places: None }
    }

    fn bound(places: PlacesSpec, bind: ProcBind) -> Affinity {
        Affinity { bind: vec![bind], places: Some(places) }
    }
}

pub fn read(reader: &mut Reader) -> Affinity {
    if let Some(affinity) = kmp_affinity(reader) {
        reader.set("OMP_PROC_BIND", "KMP_AFFINITY".into());
        reader.set("OMP_PLACES", "KMP_AFFINITY".into());
        return affinity;
    }
    const POLICIES: &str = "true, false, or a list of primary, master, close, spread";
    let bind = reader
        .read("OMP_PROC_BIND", POLICIES, "threads are not bound", proc_bind)
        .unwrap_or_default();
    if bind.first() == Some(&ProcBind::False) {
        return Affinity::unbound();
    }
    const LISTS: &str = "threads, cores, ll_caches, numa_domains or sockets, with an optional (count), \
                         or a list such as {0,1},{2:4:2}";
    let places = reader.read(
        "OMP_PLACES",
        LISTS,
        "what GOMP_CPU_AFFINITY says, else no place list",
        places::places,
    );
    let places = places.or_else(|| gomp_cpu_affinity(reader));
    match (bind.is_empty(), places) {
        (true, None) => Affinity::default(),
        (true, Some(places)) => Affinity::bound(places, ProcBind::True),
        (false, places) => Affinity { bind, places: Some(places.unwrap_or(DEFAULT_PLACES)) },
    }
}

/// The places of a program that asks for binding and names none.
const DEFAULT_PLACES: PlacesSpec = PlacesSpec::Abstract { level: Level::Cores, count: None };

fn gomp_cpu_affinity(reader: &mut Reader) -> Option<PlacesSpec> {
    reader.read_for(
        "OMP_PLACES",
        "GOMP_CPU_AFFINITY",
        "processors and ranges, such as 0 3 1-2 4-15:2",
        "no place list",
        places::cpu_affinity,
    )
}

/// `true`, `false`, or one policy a nesting level.
fn proc_bind(text: &str) -> Option<Vec<ProcBind>> {
    let list: Option<Vec<_>> =
        text.split(',').map(|item| value_of(ProcBind::WORDS, item)).collect();
    list.filter(|list| {
        list.len() == 1 || !list.iter().any(|it| matches!(it, ProcBind::True | ProcBind::False))
    })
}

/// `KMP_AFFINITY`, if it is set and says more than how chatty to be.
fn kmp_affinity(reader: &mut Reader) -> Option<Affinity> {
    const ALLOWED: &str = "[modifier,]... none, disabled, compact, scatter, balanced or explicit \
                           [,permute][,offset]";
    let instead = "OMP_PROC_BIND and OMP_PLACES";
    reader.read_for("KMP_AFFINITY", "KMP_AFFINITY", ALLOWED, instead, parse_kmp).flatten()
}

/// The inner `None` is a list of modifiers without a type.
fn parse_kmp(text: &str) -> Option<Option<Affinity>> {
    let mut kind = None;
    let mut granularity = Level::Cores;
    let mut proc_list = None;
    let mut numbers = Vec::new();
    for item in outside_brackets(text) {
        let word = item.to_ascii_lowercase();
        match word.split_once('=') {
            Some((name, value)) => match name.trim() {
                "granularity" => granularity = value_of(GRANULARITIES, value)?,
                "proclist" => {
                    let inside = value.trim().strip_prefix('[')?.strip_suffix(']')?;
                    proc_list = Some(places::proc_list(inside)?);
                }
                _ => return None,
            },
            None if IGNORED_MODIFIERS.contains(&word.as_str()) => {}
            None => match count(&word, 0) {
                // Numbers follow the type: permute, then offset.
                Some(number) if kind.is_some() && numbers.len() < 2 => numbers.push(number),
                Some(_) => return None,
                None if kind.is_none() => kind = Some(value_of(KMP_TYPES, &word)?),
                None => return None,
            },
        }
    }
    let Some(kind) = kind else {
        return Some(None);
    };
    let permute = numbers.first().copied().unwrap_or(0).min(INNER_LEVELS);
    let offset = numbers.get(1).copied().unwrap_or(0);
    let ordered = |inner_first| PlacesSpec::Ordered(Ordered { inner_first, granularity, offset });
    Some(Some(match kind {
        KmpType::Unbound => Affinity::unbound(),
        KmpType::Compact => Affinity::bound(ordered(permute), ProcBind::True),
        KmpType::Scatter => Affinity::bound(ordered(INNER_LEVELS - permute), ProcBind::True),
        KmpType::Balanced => {
            let places = PlacesSpec::Abstract { level: granularity, count: None };
            Affinity::bound(places, ProcBind::Spread)
        }
        KmpType::Explicit => Affinity::bound(proc_list?, ProcBind::True),
    }))
}

#[derive(Clone, Copy)]
enum KmpType {
    Unbound,
    Compact,
    Scatter,
    Balanced,
    Explicit,
}

const KMP_TYPES: &[(&str, KmpType)] = &[
    ("none", KmpType::Unbound),
    ("disabled", KmpType::Unbound),
    ("compact", KmpType::Compact),
    ("scatter", KmpType::Scatter),
    ("balanced", KmpType::Balanced),
    ("explicit", KmpType::Explicit),
];

/// Levels below the socket: core and thread.
const INNER_LEVELS: u32 = 2;

const GRANULARITIES: &[(&str, Level)] = &[
    ("fine", Level::Threads),
    ("thread", Level::Threads),
    ("core", Level::Cores),
    ("tile", Level::LlCaches),
    ("ll_cache", Level::LlCaches),
    ("l3_cache", Level::LlCaches),
    ("numa", Level::NumaDomains),
    ("node", Level::NumaDomains),
    ("numa_domain", Level::NumaDomains),
    ("die", Level::Sockets),
    ("socket", Level::Sockets),
    ("package", Level::Sockets),
];

/// Modifiers about what to print and about masks other than the process's own, which is always
/// respected here.
const IGNORED_MODIFIERS: &[&str] =
    &["verbose", "noverbose", "warnings", "nowarnings", "respect", "norespect", "reset", "noreset"];

/// The items between commas, where commas in brackets do not count.
fn outside_brackets(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    text.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    })
    .map(str::trim)
}

#[cfg(test)]
#[path = "affinity_tests.rs"]
mod tests;

//! Allocator traits: what a program asks of an allocator, as numbers from `omp.h` and as values.
//!
//! gcc's and clang's `omp.h` give every trait key, trait value and memory space the same number.
//! Traits that steer nothing yet are kept all the same, so that whoever places memory finds them.
//!
//! Source: OpenMP 5.2, section 6.2 (memory allocators), tables 6.1 and 6.2.
//! Units: bytes.

use crate::handle::Handle;

/// An `omp_alloctrait_t`, as C lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawTrait {
    pub key: i32,
    pub value: usize,
}

/// `omp_atv_default`: the value a trait has when it is not given.
pub const DEFAULT_VALUE: usize = usize::MAX;

/// `omp_atk_sync_hint`: how many threads the program expects to use the allocator at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncHint {
    #[default]
    Contended,
    Uncontended,
    Serialized,
    Private,
}

/// `omp_atk_access`: which threads may touch the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    #[default]
    All,
    Thread,
    ParallelTeam,
    ContentionGroup,
}

/// `omp_atk_fallback` with `omp_atk_fb_data`: what happens when a request cannot be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// Try once more in the default memory space, with default traits.
    #[default]
    DefaultMemory,
    /// Return a null pointer.
    Null,
    /// End the program.
    Abort,
    /// Ask this allocator.
    Allocator(Handle),
}

/// `omp_atk_partition`: how an allocation is spread over the places of its memory space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    #[default]
    Environment,
    Nearest,
    Blocked,
    Interleaved,
}

/// All traits of one allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    pub sync_hint: SyncHint,
    /// A power of two, in bytes.
    pub alignment: usize,
    pub access: Access,
    /// Most bytes the allocator may hold at a time; `None` is no limit.
    pub pool_bytes: Option<usize>,
    pub fallback: Fallback,
    /// Memory is never paged out.
    pub pinned: bool,
    pub partition: Partition,
}

impl Default for Traits {
    fn default() -> Traits {
        Traits {
            sync_hint: SyncHint::default(),
            alignment: 1,
            access: Access::default(),
            pool_bytes: None,
            fallback: Fallback::default(),
            pinned: false,
            partition: Partition::default(),
        }
    }
}

impl Traits {
    /// Understands a list of traits; `None` if one has an unknown key or a value it cannot have. The
    /// last of several values for one key counts.
    pub fn parse(list: &[RawTrait]) -> Option<Traits> {
        let mut traits = Traits::default();
        let mut fallback_data = Handle::NULL;
        let mut to_allocator = false;
        for &RawTrait { key, value } in list {
            let given = value != DEFAULT_VALUE;
            match key {
                1 => traits.sync_hint = pick(value, 3, &SYNC_HINTS)?,
                2 => traits.alignment = if given { power_of_two(value)? } else { 1 },
                3 => traits.access = pick(value, 7, &ACCESSES)?,
                4 => traits.pool_bytes = if given { Some(positive(value)?) } else { None },
                5 if value == ALLOCATOR_FALLBACK => to_allocator = true,
                5 => {
                    to_allocator = false;
                    traits.fallback = pick(value, 11, &FALLBACKS)?;
                }
                6 => fallback_data = if given { Handle(value) } else { Handle::NULL },
                7 => traits.pinned = pick(value, 0, &[false, true])?,
                8 => traits.partition = pick(value, 15, &PARTITIONS)?,
                _ => return None,
            }
        }
        if to_allocator {
            // Without data there is no allocator to ask but the default one.
            traits.fallback = match fallback_data {
                Handle::NULL => Fallback::DefaultMemory,
                handle => Fallback::Allocator(handle),
            };
        }
        Some(traits)
    }
}

/// `omp_atv_allocator_fb`.
const ALLOCATOR_FALLBACK: usize = 14;

/// From `omp_atv_contended` (3).
const SYNC_HINTS: [SyncHint; 4] =
    [SyncHint::Contended, SyncHint::Uncontended, SyncHint::Serialized, SyncHint::Private];
/// From `omp_atv_all` (7).
const ACCESSES: [Access; 4] =
    [Access::All, Access::Thread, Access::ParallelTeam, Access::ContentionGroup];
/// From `omp_atv_default_mem_fb` (11).
const FALLBACKS: [Fallback; 3] = [Fallback::DefaultMemory, Fallback::Null, Fallback::Abort];
/// From `omp_atv_environment` (15).
const PARTITIONS: [Partition; 4] =
    [Partition::Environment, Partition::Nearest, Partition::Blocked, Partition::Interleaved];

/// The choice that `value` means where the first choice is numbered `first`.
fn pick<T: Copy + Default>(value: usize, first: usize, choices: &[T]) -> Option<T> {
    if value == DEFAULT_VALUE {
        return Some(T::default());
    }
    choices.get(value.checked_sub(first)?).copied()
}

fn power_of_two(value: usize) -> Option<usize> {
    value.is_power_of_two().then_some(value)
}

fn positive(value: usize) -> Option<usize> {
    (value > 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(list: &[(i32, usize)]) -> Option<Traits> {
        let raw: Vec<_> = list.iter().map(|&(key, value)| RawTrait { key, value }).collect();
        Traits::parse(&raw)
    }

    #[test]
    fn nothing_given_is_all_defaults() {
        assert_eq!(parse(&[]), Some(Traits::default()));
        let all: Vec<_> = (1..=8).map(|key| (key, DEFAULT_VALUE)).collect();
        assert_eq!(parse(&all), Some(Traits::default()));
    }

    #[test]
    fn every_key_is_understood() {
        let list = [(1, 6), (2, 64), (3, 10), (4, 4096), (5, 14), (6, 0x1234), (7, 1), (8, 18)];
        let expected = Traits {
            sync_hint: SyncHint::Private,
            alignment: 64,
            access: Access::ContentionGroup,
            pool_bytes: Some(4096),
            fallback: Fallback::Allocator(Handle(0x1234)),
            pinned: true,
            partition: Partition::Interleaved,
        };
        assert_eq!(parse(&list), Some(expected));
    }

    #[test]
    fn fallback_data_may_come_first_and_may_lack() {
        let traits = parse(&[(6, 5), (5, 14)]).unwrap();
        assert_eq!(traits.fallback, Fallback::Allocator(Handle(5)));
        assert_eq!(parse(&[(5, 14)]).unwrap().fallback, Fallback::DefaultMemory);
        assert_eq!(parse(&[(6, 5), (5, 12)]).unwrap().fallback, Fallback::Null);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let wrong =
            [(0, 1), (9, 1), (1, 2), (1, 7), (2, 0), (2, 24), (3, 6), (3, 11), (4, 0), (5, 10)];
        for (key, value) in wrong.into_iter().chain([(5, 15), (7, 2), (8, 14), (8, 19)]) {
            assert_eq!(parse(&[(key, value)]), None, "{key} {value}");
        }
    }
}

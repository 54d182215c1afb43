//! Allocator traits: what a program asks of an allocator, as numbers from `omp.h` and as values.
//!
//! gcc's and clang's `omp.h` give every trait key and trait value the same number.
//! Traits that steer nothing yet are kept all the same, so that whoever places memory finds them. Those of OpenMP 6.0 about
//! devices are understood: all memory is the host's, whoever accesses it.
//!
//! Sources: OpenMP 5.2, section 6.2 (memory allocators), tables 6.1 and 6.2; 6.0, section 8.2.
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
    /// What lies together where an allocation is divided, at least; `None` is what suits the machine.
    pub part_bytes: Option<usize>,
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
            part_bytes: None,
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
                3 if EVERYBODY.contains(&value) => traits.access = Access::All,
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
                PIN_DEVICE | PREFERRED_DEVICE
                    if given && !HOST_DEVICES.contains(&(value as i32)) =>
                {
                    return None;
                }
                PIN_DEVICE | PREFERRED_DEVICE => {}
                DEVICE_ACCESS | TARGET_ACCESS if given && !REACHES.contains(&value) => return None,
                DEVICE_ACCESS | TARGET_ACCESS => {}
                ATOMIC_SCOPE if given && value != DEVICE && value != ALL => return None,
                ATOMIC_SCOPE => {}
                PART_SIZE => traits.part_bytes = if given { Some(positive(value)?) } else { None },
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

/// Keys of OpenMP 6.0.
const PIN_DEVICE: i32 = 9;
const PREFERRED_DEVICE: i32 = 10;
const DEVICE_ACCESS: i32 = 11;
const TARGET_ACCESS: i32 = 12;
const ATOMIC_SCOPE: i32 = 13;
const PART_SIZE: i32 = 14;

/// The host, by its two numbers.
const HOST_DEVICES: [i32; 2] = [0, -1];
/// `omp_atv_device`, which earlier headers call `omp_atv_all`, and the later one.
const DEVICE: usize = 7;
const ALL: usize = 19;
/// `omp_atv_memspace`.
const MEMSPACE: usize = 22;
/// Later numbers of access by everybody.
const EVERYBODY: [usize; 2] = [ALL, MEMSPACE];
/// All, single, multiple, memspace.
const REACHES: std::ops::RangeInclusive<usize> = ALL..=MEMSPACE;

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
        let all: Vec<_> = (1..=14).map(|key| (key, DEFAULT_VALUE)).collect();
        assert_eq!(parse(&all), Some(Traits::default()));
    }

    #[test]
    fn every_key_is_understood() {
        let list = [(1, 6), (2, 64), (3, 10), (4, 4096), (5, 14), (6, 0x1234), (7, 1), (8, 18)];
        let list: Vec<_> =
            list.into_iter().chain([(9, 0), (11, 20), (13, 7), (14, 1 << 20)]).collect();
        let expected = Traits {
            sync_hint: SyncHint::Private,
            alignment: 64,
            access: Access::ContentionGroup,
            pool_bytes: Some(4096),
            fallback: Fallback::Allocator(Handle(0x1234)),
            pinned: true,
            partition: Partition::Interleaved,
            part_bytes: Some(1 << 20),
        };
        assert_eq!(parse(&list), Some(expected));
    }

    #[test]
    fn everybody_has_a_number_in_earlier_and_in_later_headers() {
        for value in [7, 19, 22] {
            assert_eq!(parse(&[(3, value)]).unwrap().access, Access::All);
        }
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
        let wrong = [
            (0, 1),
            (9, 1),
            (12, 18),
            (13, 8),
            (14, 0),
            (15, 1),
            (1, 2),
            (1, 7),
            (2, 0),
            (2, 24),
            (3, 6),
            (3, 11),
            (4, 0),
            (5, 10),
        ];
        for (key, value) in wrong.into_iter().chain([(5, 15), (7, 2), (8, 14), (8, 19)]) {
            assert_eq!(parse(&[(key, value)]), None, "{key} {value}");
        }
    }
}

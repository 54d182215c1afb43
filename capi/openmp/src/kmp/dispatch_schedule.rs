//! Loop schedules as clang numbers them.
//!
//! Layout: bits 29 and 30 demand monotonic and nonmonotonic chunks; the rest is a number. 32 to 47 are
//! schedules of loops, the same plus 32 of loops with ordered regions, and plus 128 of loops whose
//! schedules must not be merged with others, which makes no difference here. 91 and 92 distribute chunks
//! and blocks over the teams of a league.
//! Source: libomp's `kmp.h` (enum sched_type), and the code clang 19 makes.

use vicinity_runtime::icv;
use vicinity_runtime::worksharing::plan::{How, Kind, Order, Plan, Schedule, Space};

/// Numbers of loop schedules.
pub mod number {
    pub const STATIC_CHUNKED: i32 = 33;
    pub const DYNAMIC: i32 = 35;
    pub const GUIDED: i32 = 36;
    pub const RUNTIME: i32 = 37;
    pub const AUTO: i32 = 38;
    pub const TRAPEZOIDAL: i32 = 39;
    pub const GUIDED_ITERATIVE: i32 = 42;
    pub const GUIDED_ANALYTICAL: i32 = 43;
    pub const STATIC_STEAL: i32 = 44;
    pub const STATIC_BALANCED_CHUNKED: i32 = 45;
    pub const GUIDED_SIMD: i32 = 46;
    pub const RUNTIME_SIMD: i32 = 47;
    pub const DISTRIBUTE_CHUNKED: i32 = 91;
    pub const DISTRIBUTE: i32 = 92;
}

const MONOTONIC: i32 = 1 << 29;
const NONMONOTONIC: i32 = 1 << 30;
const UNMERGED: std::ops::Range<i32> = 160..256;
const ORDERED: std::ops::Range<i32> = 64..80;

/// A number taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// One of `number`, or another value for static blocks.
    pub number: i32,
    pub ordered: bool,
    pub order: Order,
}

/// Takes a number apart.
pub fn parts(schedule: i32) -> Parts {
    let order = match (schedule & MONOTONIC != 0, schedule & NONMONOTONIC != 0) {
        (_, true) => Order::Nonmonotonic,
        (true, false) => Order::Monotonic,
        (false, false) => Order::Unspecified,
    };
    let mut number = schedule & !(MONOTONIC | NONMONOTONIC);
    if UNMERGED.contains(&number) {
        number -= 128;
    }
    let ordered = ORDERED.contains(&number);
    if ordered {
        number -= 32;
    }
    Parts { number, ordered, order }
}

/// What a loop with dynamic dispatch does. `chunk` is 0 or less when not given; under `runtime` with
/// `simd` it is the number of lanes.
pub fn plan(space: Space, schedule: i32, chunk: i64) -> Plan {
    let Parts { number, ordered, order } = parts(schedule);
    let chunk = u64::try_from(chunk).unwrap_or(0).max(1);
    let fixed = |kind| Plan::scheduled(space, Schedule { kind, chunk, order }, ordered);
    let aligned = |how, chunk| Plan { how, chunk, ..fixed(Kind::Static) };
    match number {
        number::STATIC_CHUNKED => fixed(Kind::Static),
        number::DYNAMIC | number::STATIC_STEAL => fixed(Kind::Dynamic),
        number::GUIDED
        | number::GUIDED_ITERATIVE
        | number::GUIDED_ANALYTICAL
        | number::TRAPEZOIDAL => fixed(Kind::Guided),
        number::STATIC_BALANCED_CHUNKED => aligned(How::AlignedBlocks, chunk),
        number::GUIDED_SIMD => aligned(How::AlignedGuided, chunk),
        number::RUNTIME => Plan::scheduled(space, chosen(order), ordered),
        number::RUNTIME_SIMD => {
            let chosen = chosen(order);
            let widened = chosen.chunk.max(1).saturating_mul(chunk);
            match chosen.kind {
                Kind::Static if chosen.chunk == 0 => aligned(How::AlignedBlocks, chunk),
                Kind::Auto => aligned(How::AlignedBlocks, chunk),
                Kind::Guided => aligned(How::AlignedGuided, widened),
                _ => Plan::scheduled(space, Schedule { chunk: widened, ..chosen }, ordered),
            }
        }
        number::AUTO => fixed(Kind::Auto),
        _ => aligned(How::Blocks, chunk),
    }
}

/// run-sched-var, for a clause that demands `order` or leaves it to the variable.
fn chosen(order: Order) -> Schedule {
    let chosen = icv::run_schedule();
    match order {
        Order::Monotonic => Schedule { order, ..chosen },
        _ => chosen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_apart() {
        let is = |schedule, number, ordered, order| {
            assert_eq!(parts(schedule), Parts { number, ordered, order });
        };
        is(34, 34, false, Order::Unspecified);
        is(35 | 1 << 30, number::DYNAMIC, false, Order::Nonmonotonic);
        is(36 | 1 << 29, number::GUIDED, false, Order::Monotonic);
        is(69, number::RUNTIME, true, Order::Unspecified);
        is(163, number::DYNAMIC, false, Order::Unspecified);
        is(195, number::DYNAMIC, true, Order::Unspecified);
        is(92, number::DISTRIBUTE, false, Order::Unspecified);
        is(91 | 1 << 30, number::DISTRIBUTE_CHUNKED, false, Order::Nonmonotonic);
    }

    #[test]
    fn plans_follow_the_numbers() {
        let how = |schedule, chunk| {
            let plan = plan(Space::counted(100), schedule, chunk);
            (plan.how, plan.chunk, plan.ordered)
        };
        assert_eq!(how(35, 4), (How::Lanes, 4, false));
        assert_eq!(how(35 | 1 << 29, 0), (How::Counter, 1, false));
        assert_eq!(how(67, 2), (How::Counter, 2, true));
        assert_eq!(how(66, 0), (How::Blocks, 1, true));
        assert_eq!(how(38, 0), (How::Auto, 1, false));
        assert_eq!(how(70, 0), (How::Blocks, 1, true));
        assert_eq!(how(33, 3), (How::Dealt, 3, false));
        assert_eq!(how(46, 8), (How::AlignedGuided, 8, false));
        assert_eq!(how(45, 8), (How::AlignedBlocks, 8, false));
    }
}

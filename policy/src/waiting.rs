//! How long a thread that waits spins before it sleeps.
//!
//! Terms: a *pause* is one spin-wait hint of the processor, 15 to 50 ns on today's machines.
//! Sources: OpenMP 5.2 section 21.7 (OMP_WAIT_POLICY); libgomp's manual (GOMP_SPINCOUNT); libomp's
//! reference (KMP_BLOCKTIME).

/// The value of wait-policy-var.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Neither active nor passive was asked for.
    Unspecified,
    Active,
    Passive,
}

/// Pauses before sleeping where nothing is said: about as long as creating a small team takes.
const UNSPECIFIED_PAUSES: u32 = 20_000;
/// About ten seconds.
const ACTIVE_PAUSES: u32 = 400_000_000;

/// The spin budget in pauses.
///
/// `asked` is a count from the environment, in pauses. With more runnable threads than processors, a
/// waiting thread gives way at once, unless an active policy or a count was asked for explicitly.
pub fn spin_budget(policy: WaitPolicy, asked: Option<u32>, oversubscribed: bool) -> u32 {
    match (asked, policy, oversubscribed) {
        (Some(pauses), _, false) => pauses,
        (None, WaitPolicy::Passive, _) => 0,
        (None, WaitPolicy::Active, false) => ACTIVE_PAUSES,
        (_, _, true) => 0,
        (None, WaitPolicy::Unspecified, false) => UNSPECIFIED_PAUSES,
    }
}

/// How long a thread that has little stack left hesitates before it runs one more task on top of what waits there, in ticks,
/// some 3 in a nanosecond; `piled_up` are there already. A millisecond, twice as long each time, up to a second.
pub fn hesitation_ticks(piled_up: u32) -> u64 {
    3_000_000 << piled_up.min(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_gives_way_when_processors_are_short() {
        for policy in [WaitPolicy::Unspecified, WaitPolicy::Active, WaitPolicy::Passive] {
            assert_eq!(spin_budget(policy, Some(7), true), 0);
            assert_eq!(spin_budget(policy, None, true), 0);
        }
    }

    #[test]
    fn a_thread_hesitates_longer_and_longer() {
        assert!((0..10).all(|more| hesitation_ticks(more) * 2 == hesitation_ticks(more + 1)));
        assert_eq!(hesitation_ticks(u32::MAX), hesitation_ticks(10));
    }

    #[test]
    fn what_was_asked_for_counts() {
        assert_eq!(spin_budget(WaitPolicy::Passive, Some(7), false), 7);
        assert_eq!(spin_budget(WaitPolicy::Passive, None, false), 0);
        assert!(spin_budget(WaitPolicy::Active, None, false) > 1_000_000);
    }
}

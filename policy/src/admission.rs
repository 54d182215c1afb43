//! What becomes of a new task, as far as its clauses settle it.
//!
//! Terms: an *undeferred* task keeps its creator until its body is over: `if` is false, or the creator is a final
//! task, whose descendants are all *included*. A final task itself is deferred or not like any other. A *detachable*
//! task completes when its body is over and its event is fulfilled; by whom and when nobody knows, so it
//! counts as a child however early its body runs.
//!
//! Source: OpenMP 5.2 section 12.5 (task), 12.3 (final), 12.4 (priority), 12.5.2 (detach).

/// How a new task is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// At once, by its creator: all that it waits for is finished.
    Inline,
    /// By its creator, once its predecessors are finished.
    AfterPredecessors,
    /// By whoever finds it, once it is ready.
    Deferred,
}

/// What the clauses and the creator of a task say of it. The default is a task without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    pub undeferred: bool,
    pub detachable: bool,
    /// As `priority` below gives it.
    pub priority: i32,
    /// It goes to a queue of its own choice, most likely that of another location.
    pub placed: bool,
}

/// What clauses settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    Settled(Admission),
    /// Run at once if nobody else could run it, deferred otherwise.
    Lonely,
    /// Whether there is enough to do decides (`throttle`).
    Open,
}

impl Clauses {
    /// What they settle.
    #[inline(always)]
    pub fn ruling(self) -> Ruling {
        if self.undeferred {
            Ruling::Settled(Admission::AfterPredecessors)
        } else if self.detachable {
            Ruling::Lonely
        } else if self.priority > 0 || self.placed {
            Ruling::Settled(Admission::Deferred)
        } else {
            Ruling::Open
        }
    }
}

/// The priority of a task that asks for `asked`, where `most` is allowed.
pub fn priority(asked: i32, most: u32) -> i32 {
    asked.clamp(0, i32::try_from(most).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_the_creator_stands_above_the_rest() {
        for bits in 0..8 {
            let clauses = Clauses {
                undeferred: true,
                detachable: bits & 1 != 0,
                priority: bits & 2,
                placed: bits & 4 != 0,
            };
            assert_eq!(clauses.ruling(), Ruling::Settled(Admission::AfterPredecessors));
        }
    }

    #[test]
    fn a_plain_task_is_left_to_the_throttle() {
        assert_eq!(Clauses::default().ruling(), Ruling::Open);
    }

    #[test]
    fn an_event_and_a_priority_and_a_place_of_its_own_speak_against_running_at_once() {
        let settled = Ruling::Settled(Admission::Deferred);
        assert_eq!(Clauses { priority: 1, ..Clauses::default() }.ruling(), settled);
        assert_eq!(Clauses { placed: true, ..Clauses::default() }.ruling(), settled);
        let event = Clauses { detachable: true, priority: 1, ..Clauses::default() };
        assert_eq!(event.ruling(), Ruling::Lonely);
    }

    #[test]
    fn priorities_stay_within_what_is_allowed() {
        assert_eq!([-3, 0, 5, 99].map(|asked| priority(asked, 10)), [0, 0, 5, 10]);
        assert_eq!([-3, 5].map(|asked| priority(asked, 0)), [0, 0]);
        assert_eq!(priority(i32::MAX, u32::MAX), i32::MAX);
    }
}

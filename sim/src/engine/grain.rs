//! Tiny tasks with dependences: their creator runs them, as the runtime's accounts say (`policy::grain`).
//!
//! As in `runtime/src/task/admit.rs`, with one difference: only what is known to be tiny is run by its creator, however many tasks
//! are unfinished.

use vicinity_policy::grain::{Grain, Haste};
use vicinity_policy::throttle::is_alone;

use super::Engine;
use super::find::TICKS_PER_NS;
use super::team::Frame;
use crate::program::TaskId;

impl Engine<'_> {
    fn grain(&mut self, task: TaskId) -> &mut Grain {
        &mut self.grains[self.program.tasks[task as usize].name as usize]
    }

    fn is_judged(&self, task: TaskId) -> bool {
        let (before, after) = (self.program.after_of(task), self.program.successors_of(task));
        self.setup.judges && !is_alone(self.team.size()) && !(before.is_empty() && after.is_empty())
    }

    /// Whether its creator should run a task of this kind itself.
    pub(super) fn is_tiny(&mut self, task: TaskId) -> bool {
        self.is_judged(task) && self.grain(task).is_tiny()
    }

    /// A task's body is over: its kind's account is settled.
    pub(super) fn settle(&mut self, frame: Frame) {
        if self.is_judged(frame.task) {
            let ticks = (self.now_ps - frame.start_ps) * TICKS_PER_NS / 1000;
            let is_inline = self.states[frame.task as usize].inline;
            let grain = self.grain(frame.task);
            *grain =
                if is_inline { grain.after_inline(ticks) } else { grain.after_deferred(ticks) };
        }
    }

    /// The creator of a tiny task does what it can for predecessors of it: runs tiny tasks of its own queue, or waits a moment. True
    /// if it has an event to come, after which it looks again.
    pub(super) fn comes_closer(&mut self, thread: u32, child: TaskId) -> bool {
        let program = self.program;
        let unmet = program.after_of(child).iter().find(|&&task| !self.states[task as usize].done);
        let Some(&unmet) = unmet else {
            self.team.threads[thread as usize].haste = Haste::default();
            return false;
        };
        if !self.is_tiny(child) || !self.is_tiny(unmet) {
            return false;
        }
        let (grains, may) = (&self.grains, self.may_take(thread));
        let is_tiny = |task| grains[program.tasks[task as usize].name as usize].is_tiny();
        let own = self.queues.pop_own(thread, |task| may(task) && is_tiny(task));
        if let Some(own) = own {
            let at_ps = self.now_ps + self.setup.costs.pop_ps;
            self.enter(thread, own, None, at_ps);
            self.schedule(thread, at_ps);
            return true;
        }
        let state = &mut self.team.threads[thread as usize];
        state.looks += 1;
        if state.looks > state.haste.looks() {
            (state.haste, state.looks) = (state.haste.after_vain_looks(), 0);
            return false;
        }
        let other = self.states[unmet as usize].thread;
        let line_ps = {
            let at = |thread: u32| self.team.threads[thread as usize].location;
            self.setup.machine.latency_ps(at(thread), at(other))
        };
        self.schedule(thread, self.now_ps + line_ps);
        true
    }
}

//! A thread without anything to do looks for a task, as `policy::search` says.

use vicinity_policy::search::{Action, Outcome as Saw, Search, Steal};
use vicinity_policy::topology::LocationId;
use vicinity_policy::victims;

use super::Engine;
use super::team::Rest;
use crate::program::TaskId;

/// Ticks of `policy::forage` in a nanosecond.
pub(super) const TICKS_PER_NS: u64 = 3;

/// Idle time that is the first step of a back-off, as the policy counts them; each is twice as long as the last.
const STEP_PS: u64 = 10_000_000;

/// Where a task was found.
struct Found {
    task: TaskId,
    /// The location it was taken from, by a thread that it was not queued for.
    stolen_from: Option<LocationId>,
}

impl Engine<'_> {
    /// One sweep. The thread then has a task, or rests.
    pub(super) fn find(&mut self, thread: u32) {
        let mut took_ps = 0;
        if let Some(found) = self.sweep(thread, &mut took_ps) {
            let at_ps = self.now_ps + took_ps;
            if let Some(from) = found.stolen_from {
                let state = &mut self.team.threads[thread as usize];
                state.looting_since_ps = Some(at_ps);
                let hops = self.team.topology.hops(state.location, from) as usize;
                self.outcome.stolen_by_hops[hops] += 1;
            }
            self.enter(thread, found.task, found.stolen_from, at_ps);
            self.schedule(thread, at_ps);
            return;
        }
        let (first_ps, longest_ps) = self.setup.costs.back_off_ps;
        let state = &mut self.team.threads[thread as usize];
        state.sweeps = state.sweeps.saturating_add(1);
        state.idle_since_ps.get_or_insert(self.now_ps);
        if self.queues.queued == 0 {
            self.team.park(thread);
            return;
        }
        let pause_ps = (first_ps << (state.sweeps - 1).min(16)).min(longest_ps);
        state.rest = Rest::BackingOff;
        let at_ps = self.now_ps + took_ps.max(self.setup.costs.pop_ps) + pause_ps;
        self.schedule(thread, at_ps);
    }

    fn sweep(&mut self, thread: u32, took_ps: &mut u64) -> Option<Found> {
        let state = &self.team.threads[thread as usize];
        let home = state.location;
        let waits_in = state.frames.last().is_some_and(|frame| frame.task != self.program.root);
        let how = match self.steal {
            // What it waits for may be queued anywhere, where nobody else may take it.
            Steal::Vicinity { reserve_per_hop, .. } if waits_in => {
                Steal::Vicinity { reserve_per_hop, reach: u32::MAX }
            }
            how => how,
        };
        let idle_ps = state.idle_since_ps.map_or(0, |since_ps| self.now_ps - since_ps);
        let steps = match self.letter {
            true => 0,
            false => u64::BITS - (idle_ps / STEP_PS).leading_zeros(),
        };
        let vicinities = self.rectangles.filter(|_| !waits_in);
        let mut search = Search::new(how, home, steps).having_raided(state.raided);
        let mut saw = Saw::Start;
        loop {
            let random = self.team.threads[thread as usize].random.next_u32();
            let action = search.next(&self.team.topology, random, saw);
            let task = match action {
                Action::Peek(at) | Action::Raid(at)
                    if vicinities.is_some_and(|all| !all.together(home, at)) =>
                {
                    None
                }
                Action::PopLocal => self.pop_local(thread, took_ps),
                Action::Peek(at) => {
                    *took_ps += self.setup.machine.latency_ps(home, at);
                    saw = Saw::Length(self.queues.location_len(at));
                    continue;
                }
                Action::StealFrom(at) => {
                    *took_ps += self.setup.machine.latency_ps(home, at);
                    let may = self.may_take(thread);
                    let task = self.queues.take_location(at, self.now_ps, may);
                    task.map(|task| Found { task, stolen_from: Some(at) })
                }
                Action::Raid(at) => self.raid(thread, at, random, took_ps),
                Action::RaidAll => self.raid_all(thread, random, took_ps),
                Action::Idle => return None,
            };
            if task.is_some() {
                if let Action::Raid(at) = action {
                    self.team.threads[thread as usize].raided = Some(at);
                }
                return task;
            }
            saw = Saw::Empty;
        }
    }

    fn pop_local(&mut self, thread: u32, took_ps: &mut u64) -> Option<Found> {
        *took_ps += self.setup.costs.pop_ps;
        let may = self.may_take(thread);
        let home = self.team.threads[thread as usize].location;
        let own = self.queues.pop_own(thread, &may);
        let task = own.or_else(|| self.queues.take_location(home, self.now_ps, &may));
        if task.is_none() {
            // Back from a trip: what was it worth?
            let threads = self.team.threads.len() as u32;
            let state = &mut self.team.threads[thread as usize];
            if let Some(since_ps) = state.looting_since_ps.take() {
                let busy_ps = self.now_ps.saturating_sub(since_ps);
                state.luck = state.luck.after(1, busy_ps * TICKS_PER_NS / 1000, threads);
                *took_ps += state.luck.wait_ticks * 1000 / TICKS_PER_NS;
            }
        }
        task.map(|task| Found { task, stolen_from: None })
    }

    /// Own queues of the threads at one location, in an order that starts at random.
    fn raid(
        &mut self,
        thread: u32,
        at: LocationId,
        random: u32,
        took_ps: &mut u64,
    ) -> Option<Found> {
        let here = self.team.at(at).len();
        let first = ((u64::from(random) * here as u64) >> 32) as usize;
        for step in 0..here {
            let victim = self.team.at(at)[(first + step) % here];
            if victim != thread
                && let Some(found) = self.rob(thread, victim, took_ps)
            {
                return Some(found);
            }
        }
        None
    }

    fn raid_all(&mut self, thread: u32, random: u32, took_ps: &mut u64) -> Option<Found> {
        let order = victims::uniform(random, thread, self.team.size());
        for victim in order {
            if let Some(found) = self.rob(thread, victim, took_ps) {
                return Some(found);
            }
        }
        None
    }

    fn rob(&mut self, thread: u32, victim: u32, took_ps: &mut u64) -> Option<Found> {
        let home = self.team.threads[thread as usize].location;
        let at = self.team.threads[victim as usize].location;
        let line_ps = self.setup.machine.latency_ps(home, at);
        *took_ps += line_ps;
        let may = self.may_take(thread);
        let task = self.queues.steal_own(victim, may)?;
        *took_ps += line_ps;
        Some(Found { task, stolen_from: Some(at) })
    }

    /// How the team steals, for whom it matters.
    pub(super) fn reach(&self) -> usize {
        match self.steal {
            Steal::Vicinity { reach, .. } => reach as usize,
            Steal::Nearest | Steal::Uniform => usize::MAX,
        }
    }
}

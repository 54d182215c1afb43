//! A thread goes on with what it is in the middle of: steps of bodies, creation, dealing, completion.

use vicinity_policy::deal::{Deal, deal};
use vicinity_policy::throttle::{Creator, is_alone};
use vicinity_policy::topology::LocationId;

use super::Engine;
use super::letter;
use super::team::{Frame, Rest, Working};
use crate::memory::SLICES;
use crate::outcome::Record;
use crate::program::{Step, TaskId};

/// Slices of work alone that are not worth a look at the pace.
const SHORT_PS: u64 = 500_000;

impl Engine<'_> {
    /// Goes on until the thread has an event to come, or rests.
    pub(super) fn run(&mut self, thread: u32) {
        if self.team.threads[thread as usize].working.is_some() && !self.next_slice(thread) {
            return;
        }
        loop {
            let Some(frame) = self.team.threads[thread as usize].frames.last().copied() else {
                self.find(thread);
                return;
            };
            let step = self.program.steps_of(frame.task).get(frame.at).copied();
            let wait = step.is_none() && frame.task == self.program.root;
            let goes_on = match step {
                Some(Step::Wait) => self.wait(thread, frame.task),
                None if wait && self.left > 1 => {
                    self.find(thread);
                    false
                }
                None => {
                    self.complete(thread, frame);
                    self.left > 0
                }
                Some(Step::Work { compute_ps }) => {
                    self.begin_work(thread, frame.task, compute_ps, true)
                }
                Some(Step::Compute { compute_ps }) => {
                    self.begin_work(thread, frame.task, compute_ps, false)
                }
                Some(Step::Create(child)) => self.create(thread, frame.task, child),
            };
            if !goes_on {
                return;
            }
        }
    }

    fn innermost(&mut self, thread: u32) -> &mut Frame {
        let frames = &mut self.team.threads[thread as usize].frames;
        frames.last_mut().expect("only called in a task")
    }

    /// True if there is nothing to wait for; else the thread looks for other tasks.
    fn wait(&mut self, thread: u32, task: TaskId) -> bool {
        if self.states[task as usize].unfinished == 0 {
            self.innermost(thread).at += 1;
            return true;
        }
        self.find(thread);
        false
    }

    /// The thread has an event to come: false.
    fn begin_work(&mut self, thread: u32, task: TaskId, compute_ps: u64, moves_data: bool) -> bool {
        self.innermost(thread).at += 1;
        let location = self.team.threads[thread as usize].location;
        let machine = self.setup.machine;
        self.traffic.clear(machine.topology.len());
        if moves_data {
            let uses = self.program.uses_of(task);
            uses.iter().for_each(|one| self.placement.touch(one, location));
            self.traffic.add_uses(uses, machine, &self.placement);
            for (memory, bytes) in self.traffic.by_location() {
                let hops = machine.topology.hops(location, memory) as usize;
                self.outcome.bytes_by_hops[hops] += bytes;
            }
        }
        let state = &mut self.team.threads[thread as usize];
        self.memory.begin(&mut state.demand, &self.traffic, location, compute_ps);
        state.working = Some(Working { slice: 0, begin_ps: self.now_ps, moves_data });
        self.begin_slice(thread);
        false
    }

    fn begin_slice(&mut self, thread: u32) {
        let state = &self.team.threads[thread as usize];
        let working = state.working.expect("work is under way");
        let whole = !working.moves_data || state.demand.alone_ps < SHORT_PS;
        let sixteenths = if whole { 16 } else { SLICES[working.slice] };
        let end = |sixteenths: u64| state.demand.alone_ps * sixteenths / 16;
        let before: u64 = if whole { 0 } else { SLICES[..working.slice].iter().sum() };
        let alone_ps = end(before + sixteenths) - end(before);
        let at_ps = self.now_ps + self.memory.stretched_ps(&state.demand, alone_ps);
        self.schedule(thread, at_ps);
    }

    /// True if the work is done.
    fn next_slice(&mut self, thread: u32) -> bool {
        let state = &mut self.team.threads[thread as usize];
        let Some(working) = &mut state.working else { return true };
        working.slice += 1;
        let whole = !working.moves_data || state.demand.alone_ps < SHORT_PS;
        if !whole && working.slice < SLICES.len() {
            self.begin_slice(thread);
            return false;
        }
        let took_ps = self.now_ps - working.begin_ps;
        state.busy_ps += took_ps;
        self.outcome.lost_to_distance_ps += state.demand.alone_ps - state.demand.local_ps;
        self.outcome.lost_to_crowding_ps += took_ps.saturating_sub(state.demand.alone_ps);
        self.memory.end(&state.demand);
        state.working = None;
        true
    }

    /// The thread has an event to come: false.
    fn create(&mut self, thread: u32, creator: TaskId, child: TaskId) -> bool {
        if self.comes_closer(thread, child) {
            return false;
        }
        self.innermost(thread).at += 1;
        self.team.threads[thread as usize].looks = 0;
        let costs = &self.setup.costs;
        let declared = self.program.uses_of(child).iter().filter(|one| one.declared).count() as u64;
        let deals = self.deal != Deal::Home;
        let locate_ps = if deals { declared * costs.locate_ps } else { 0 };
        let pending =
            self.program.after_of(child).iter().filter(|&&task| !self.states[task as usize].done);
        let pending = pending.count() as u32;
        let state = &mut self.states[child as usize];
        (state.created, state.created_ps, state.pending) = (true, self.now_ps, pending);
        let parent = &mut self.states[creator as usize];
        parent.unfinished += 1;
        parent.children += 1;
        if pending == 0 && self.is_tiny(child) {
            self.schedule(thread, self.now_ps + costs.inline_ps);
            self.states[child as usize].ready_ps = self.now_ps;
            self.states[child as usize].inline = true;
            self.outcome.run_at_once += 1;
            self.enter(thread, child, None, self.now_ps);
            return false;
        }
        self.schedule(thread, self.now_ps + costs.create_ps + locate_ps);
        if pending == 0 {
            self.ready(thread, child, Some(creator));
        }
        false
    }

    /// A task without unfinished predecessors is dealt, queued, or run at once by its creator.
    fn ready(&mut self, thread: u32, task: TaskId, creator: Option<TaskId>) {
        self.states[task as usize].ready_ps = self.now_ps;
        let dealt = match self.letter {
            true => Some(self.deal_to_the_letter(thread, task)),
            false => self.deal_task(task),
        };
        self.states[task as usize].dealt = dealt;
        if let Some(location) = dealt {
            self.outcome.dealt += 1;
            self.queues.push_location(location, task, self.now_ps);
            self.wake_near(location);
            return;
        }
        if let Some(creator) = creator {
            let size = self.team.size();
            let (state, depth) =
                (&self.states[creator as usize], self.program.tasks[creator as usize].depth);
            // The child has been counted.
            let kind = Creator::Task { children: state.children - 1, depth };
            let queued = self.queues.own_len(thread) as u32;
            let throttle = &mut self.team.threads[thread as usize].throttle;
            if is_alone(size) || throttle.run_now(queued, kind, size) {
                self.outcome.run_at_once += 1;
                self.enter(thread, task, None, self.now_ps);
                return;
            }
        }
        self.queues.push_own(thread, task);
        let location = self.team.threads[thread as usize].location;
        self.wake_near(location);
    }

    fn deal_task(&mut self, task: TaskId) -> Option<LocationId> {
        let intensive = self.survey(task);
        self.turn = self.turn.wrapping_add(1);
        let how = if intensive { self.deal.by_intensive() } else { self.deal };
        deal(how, &self.team.topology, &self.data, self.turn)
    }

    fn deal_to_the_letter(&mut self, thread: u32, task: TaskId) -> LocationId {
        let intensive = self.survey(task);
        let home = self.team.threads[thread as usize].location;
        let machine = self.setup.machine;
        let min_bytes = if intensive { 0 } else { machine.topology.cache_bytes };
        letter::deal(&machine.topology, &self.data, home, min_bytes, !machine.many_core)
    }

    /// Finds out where the data are that a task declares, or only those that it marks as intensive, if there are such: whether there are.
    fn survey(&mut self, task: TaskId) -> bool {
        let uses = self.program.uses_of(task);
        self.data.clear(self.team.topology.len());
        let intensive = uses.iter().any(|one| one.declared && one.intensive);
        let counts = uses.iter().filter(|one| one.declared && (one.intensive || !intensive));
        for one in counts {
            self.placement.locate(one, |at, bytes| self.data.add(at, bytes));
        }
        intensive
    }

    /// Somebody asleep comes to look at `location`.
    fn wake_near(&mut self, location: LocationId) {
        let sleeper = match self.rectangles {
            Some(vicinities) => {
                self.team.parked_where(location, |home| vicinities.together(home, location))
            }
            None => self.team.parked_near(location, self.reach()),
        };
        if let Some(sleeper) = sleeper {
            self.team.rouse(sleeper);
            self.schedule(sleeper, self.now_ps + self.setup.costs.wake_ps);
        }
    }

    /// The task's body begins on this thread.
    pub(super) fn enter(
        &mut self,
        thread: u32,
        task: TaskId,
        from: Option<LocationId>,
        start_ps: u64,
    ) {
        self.states[task as usize].thread = thread;
        let state = &mut self.team.threads[thread as usize];
        (state.sweeps, state.idle_since_ps) = (0, None);
        state.frames.push(Frame { task, at: 0, start_ps, from });
    }

    fn complete(&mut self, thread: u32, frame: Frame) {
        self.team.threads[thread as usize].frames.pop();
        let task = frame.task;
        self.states[task as usize].done = true;
        self.left -= 1;
        self.note(thread, frame);
        self.settle(frame);
        if task == self.program.root {
            return;
        }
        let program = self.program;
        for &next in program.successors_of(task) {
            let state = &mut self.states[next as usize];
            if state.created {
                state.pending -= 1;
                if state.pending == 0 {
                    self.ready(thread, next, None);
                }
            }
        }
        let parent = program.tasks[task as usize].parent;
        let state = &mut self.states[parent as usize];
        state.unfinished -= 1;
        // The root waits for everything at its end, others for their children.
        let over = state.unfinished == 0 || (parent == program.root && self.left == 1);
        let waiter = state.thread;
        if (over || self.left == 1) && waiter != thread {
            self.wake_waiter(waiter, parent);
        }
        if self.left == 1 {
            self.wake_waiter(0, program.root);
        }
    }

    /// Wakes a thread that rests in `task`.
    fn wake_waiter(&mut self, thread: u32, task: TaskId) {
        let state = &self.team.threads[thread as usize];
        let waits = state.frames.last().is_some_and(|frame| frame.task == task);
        if waits && state.rest != Rest::No {
            self.team.rouse(thread);
            self.schedule(thread, self.now_ps + self.setup.costs.pop_ps);
        }
    }

    /// Statistics of a task that ended.
    fn note(&mut self, thread: u32, frame: Frame) {
        let (task, location) = (frame.task, self.team.threads[thread as usize].location);
        for number in [u64::from(task), u64::from(thread), frame.start_ps, self.now_ps] {
            let mixed = (self.outcome.fingerprint ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            self.outcome.fingerprint = mixed.rotate_left(23);
        }
        let state = &self.states[task as usize];
        if task != self.program.root {
            self.outcome.tasks_by_location[location.index()] += 1;
            self.outcome.ran_where_dealt += u64::from(state.dealt == Some(location));
        }
        if self.setup.record {
            let mut bytes = vec![0; self.team.topology.len()];
            for one in self.program.uses_of(task) {
                self.placement.locate(one, |at, more| bytes[at.index()] += more);
            }
            self.records.push(Record {
                task,
                thread,
                created_ps: state.created_ps,
                ready_ps: state.ready_ps,
                start_ps: frame.start_ps,
                end_ps: self.now_ps,
                dealt: state.dealt,
                at: location,
                from: frame.from,
                bytes,
            });
        }
    }
}

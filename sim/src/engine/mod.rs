//! Tasks in virtual time: an event queue, threads that create, search, steal and work.
//!
//! What is decided is decided by `policy`, as in the runtime: where a ready task is dealt, whether a new one
//! runs at once, which are too small to be spread, where an idle thread looks next, how long a thief stays away. What is decided here is what
//! things cost, in `Costs`, and three simplifications: a sweep sees all queues at the instant at which it
//! begins and takes the time of its steps afterwards; a thief takes one task at a time; a thread that has found
//! nothing backs off, twice as long each time, and sleeps once no task is queued anywhere. Whoever then
//! queues a task wakes the nearest sleeper that may take it.
//!
//! A task's body runs step by step. At `Step::Wait` the thread runs other tasks until the children are done:
//! any in the root, descendants elsewhere, as OpenMP has it for tied tasks. Those it looks for in whole queues
//! and at all locations, however short its reach: they may stand where nobody else is allowed to take them.
//!
//! Invariants: 1. An event belongs to a thread; only the newest of a thread is valid. 2. Events at the same
//! time come in the order in which they were made. 3. Nothing depends on anything but the setup.
//!
//! Units: picoseconds.

mod find;
mod grain;
mod letter;
mod queues;
mod run;
mod team;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use vicinity_policy::deal::Deal;
use vicinity_policy::distribution::Distribution;
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::grain::Grain;
use vicinity_policy::scheduler::Scheduler;
use vicinity_policy::search::Steal;
use vicinity_policy::topology::LocationId;

use crate::machine::Machine;
use crate::memory::{Memory, Traffic};
use crate::outcome::{Outcome, Record};
use crate::placement::Placement;
use crate::program::{Program, TaskId};
use letter::Rectangles;
use queues::Queues;
use team::{Frame, Team};

/// What the runtime's own doings take. Moving a cache line between two locations takes their latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Of creating a task and queueing it (results/task-overhead: 30 to 120 ns with dependences).
    pub create_ps: u64,
    /// Of finding out where one use's data are (30 ns is what the runtime allows itself).
    pub locate_ps: u64,
    /// Of looking up the dependences of a task that its creator then runs (decision 046: 24 ns).
    pub inline_ps: u64,
    /// Of taking a task from the own queue, or finding it empty.
    pub pop_ps: u64,
    /// From queueing a task to a sleeper's first look.
    pub wake_ps: u64,
    /// First and longest pause after a sweep that found nothing.
    pub back_off_ps: (u64, u64),
}

impl Default for Costs {
    fn default() -> Costs {
        Costs {
            create_ps: 60_000,
            locate_ps: 30_000,
            inline_ps: 24_000,
            pop_ps: 10_000,
            wake_ps: 1_000_000,
            back_off_ps: (200_000, 12_800_000),
        }
    }
}

/// What to simulate.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub machine: &'a Machine,
    pub program: &'a Program,
    pub scheduler: Scheduler,
    pub distribution: Distribution,
    /// All cores if `None`.
    pub threads: Option<u32>,
    /// Locations in a vicinity, all if `None`.
    pub reach: Option<u32>,
    /// Tasks for each hop that thieves leave in a location's queue, if not what the scheduler says.
    pub reserve: Option<u32>,
    /// The locality scheduler goes by the paper's rules to the letter (`letter`), and `reach` is the size of its vicinities.
    pub to_the_letter: bool,
    pub seed: u64,
    /// Creators run tiny tasks with dependences themselves.
    pub judges: bool,
    pub costs: Costs,
    /// Keep a record of every task.
    pub record: bool,
}

impl<'a> Setup<'a> {
    /// On all cores, with vicinities of all locations, seed 1, and nothing recorded.
    pub fn new(
        machine: &'a Machine,
        program: &'a Program,
        scheduler: Scheduler,
        distribution: Distribution,
    ) -> Setup<'a> {
        Setup {
            machine,
            program,
            scheduler,
            distribution,
            threads: None,
            reach: None,
            reserve: None,
            to_the_letter: false,
            seed: 1,
            judges: true,
            costs: Costs::default(),
            record: false,
        }
    }
}

/// Why nothing came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// More threads than cores, or none.
    Threads { asked: u32, cores: u32 },
    /// These many tasks wait for each other.
    Cycle { tasks: u64 },
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Stuck::Threads { asked, cores } => {
                write!(f, "{asked} threads; the machine has cores for 1 to {cores}")
            }
            Stuck::Cycle { tasks } => {
                write!(
                    f,
                    "{tasks} tasks wait for each other: the program's dependences form a cycle"
                )
            }
        }
    }
}

impl std::error::Error for Stuck {}

/// Runs the program.
pub fn simulate(setup: &Setup) -> Result<(Outcome, Vec<Record>), Stuck> {
    let threads = setup.threads.unwrap_or_else(|| cores(setup.machine));
    ensure_cores(setup.machine, threads)?;
    let mut engine = Engine::new(setup, threads);
    engine.start();
    engine.go_on()?;
    Ok(engine.finish())
}

/// Of all locations.
pub fn cores(machine: &Machine) -> u32 {
    machine.topology.locations().map(|at| machine.topology.threads(at)).sum()
}

fn ensure_cores(machine: &Machine, threads: u32) -> Result<(), Stuck> {
    let cores = cores(machine);
    if (1..=cores).contains(&threads) {
        Ok(())
    } else {
        Err(Stuck::Threads { asked: threads, cores })
    }
}

/// Where the threads of a team are.
pub fn seats(machine: &Machine, threads: u32) -> Result<Vec<LocationId>, Stuck> {
    ensure_cores(machine, threads)?;
    Ok(Team::new(&machine.topology, threads, 0).locations())
}

/// What is known of a task while the program runs.
#[derive(Clone, Debug, Default)]
struct State {
    created_ps: u64,
    ready_ps: u64,
    /// Predecessors that are not done.
    pending: u32,
    /// Children that are not done, and children created.
    unfinished: u32,
    children: u32,
    /// The thread that runs it.
    thread: u32,
    created: bool,
    /// Its creator runs it, although it has dependences.
    inline: bool,
    done: bool,
    dealt: Option<LocationId>,
}

struct Engine<'a> {
    setup: &'a Setup<'a>,
    program: &'a Program,
    deal: Deal,
    steal: Steal,
    team: Team,
    /// By the paper's rules to the letter.
    letter: bool,
    /// Then, on a many-core: what is within reach of each other.
    rectangles: Option<Rectangles>,
    queues: Queues,
    memory: Memory<'a>,
    placement: Placement,
    states: Vec<State>,
    /// What is known of tasks of each name.
    grains: Vec<Grain>,
    events: BinaryHeap<Reverse<(u64, u64, u32, u32)>>,
    /// Events made so far.
    sequence: u64,
    now_ps: u64,
    /// Tasks dealt or considered, for ties.
    turn: u32,
    left: u64,
    outcome: Outcome,
    records: Vec<Record>,
    /// Kept for their storage.
    traffic: Traffic,
    data: NodeBytes,
}

impl<'a> Engine<'a> {
    fn new(setup: &'a Setup<'a>, threads: u32) -> Engine<'a> {
        let (machine, program) = (setup.machine, setup.program);
        let team = Team::new(&machine.topology, threads, setup.seed);
        let initial = team.threads[0].location;
        let placement = Placement::new(program, machine, setup.distribution, initial);
        let deal = match setup.scheduler.deal(&team.topology) {
            // The many-core form: only under coarse distribution.
            Deal::LeastCost { .. }
                if machine.many_core && setup.distribution != Distribution::Coarse =>
            {
                Deal::Home
            }
            deal => deal,
        };
        let locations = machine.topology.len();
        let farthest = machine.topology.locations().flat_map(|from| {
            machine.topology.locations().map(move |to| machine.topology.hops(from, to))
        });
        let hops = farthest.max().unwrap_or(0) as usize + 1;
        let outcome = Outcome {
            bytes_by_hops: vec![0; hops],
            stolen_by_hops: vec![0; hops],
            tasks_by_location: vec![0; locations],
            ..Outcome::default()
        };
        let mut steal = setup.scheduler.steal(&team.topology, setup.reach);
        if let (Steal::Vicinity { reserve_per_hop, .. }, Some(reserve)) =
            (&mut steal, setup.reserve)
        {
            *reserve_per_hop = reserve;
        }
        let letter = setup.to_the_letter && matches!(deal, Deal::LeastCost { .. });
        let rectangles = setup.reach.filter(|_| letter && machine.many_core).map(Rectangles::of);
        if let (Steal::Vicinity { reserve_per_hop, reach }, true) = (&mut steal, letter) {
            *reach = u32::MAX;
            *reserve_per_hop = if machine.many_core { 0 } else { *reserve_per_hop };
        }
        Engine {
            deal,
            steal,
            letter,
            rectangles,
            queues: Queues::new(threads as usize, locations),
            memory: Memory::new(machine, &placement.held(program)),
            placement,
            states: vec![State::default(); program.tasks.len()],
            grains: vec![Grain::default(); program.names.len()],
            events: BinaryHeap::with_capacity(2 * threads as usize),
            sequence: 0,
            now_ps: 0,
            turn: 0,
            left: program.tasks.len() as u64,
            outcome,
            records: Vec::new(),
            traffic: Traffic::default(),
            data: NodeBytes::new(locations),
            setup,
            program,
            team,
        }
    }

    /// The root begins; everybody else looks for tasks.
    fn start(&mut self) {
        let root = self.program.root;
        self.states[root as usize].created = true;
        self.team.threads[0].frames.push(Frame { task: root, at: 0, start_ps: 0, from: None });
        for thread in 0..self.team.size() {
            self.schedule(thread, 0);
        }
    }

    fn schedule(&mut self, thread: u32, at_ps: u64) {
        let version = &mut self.team.threads[thread as usize].version;
        *version += 1;
        self.sequence += 1;
        self.events.push(Reverse((at_ps, self.sequence, thread, *version)));
    }

    fn go_on(&mut self) -> Result<(), Stuck> {
        while self.left > 0 {
            let Some(Reverse((at_ps, _, thread, version))) = self.events.pop() else {
                return Err(Stuck::Cycle { tasks: self.left - 1 });
            };
            if self.team.threads[thread as usize].version == version {
                self.now_ps = at_ps;
                self.team.rouse(thread);
                self.run(thread);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> (Outcome, Vec<Record>) {
        let mut outcome = self.outcome;
        outcome.makespan_ps = self.now_ps;
        outcome.tasks = self.program.tasks.len() as u64 - 1;
        outcome.busy_ps = self.team.threads.iter().map(|thread| thread.busy_ps).collect();
        (outcome.longest_queue, outcome.mean_queue) = self.queues.lengths(self.now_ps);
        (outcome, self.records)
    }

    /// Tasks that this thread may take now: all, or below the task in which it waits.
    fn may_take(&self, thread: u32) -> impl Fn(TaskId) -> bool + use<'a> {
        let program = self.program;
        let waits_in = self.team.threads[thread as usize].frames.last().map(|frame| frame.task);
        move |task| match waits_in {
            Some(waiting) if waiting != program.root => program.is_descendant(task, waiting),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;

//! The run again with a worker for every task: when would each have started and ended?
//!
//! Everything keeps the order in which it happened, and every *node* (a task, an implicit task, the program
//! outside of regions) has a clock of its own, which goes on while the node's own code runs. A task starts when
//! it was created or its last predecessor ended, whichever is later; at the end of a wait the clock jumps to the
//! latest of what was waited for, a *join*. Since causes come before effects in the recorded order too, one pass
//! over the events suffices.
//!
//! What ran at once inside its creator (`included`) stays there. A `taskwait` that had nothing to wait for leaves
//! no event, so its join is missed. A barrier's waits are told apart by time: those of one barrier began before
//! the first of them ended.

use std::collections::HashMap;

use crate::trace::{Body, Region, RegionIndex, SpanKind, Task, TaskIndex, Trace};

use super::lanes::{Doing, Lanes};

/// A node: 0 is the program outside, then come the regions, then the tasks.
pub type Node = u32;
pub const OUTSIDE: Node = 0;
const NONE: u32 = u32::MAX;

/// A clock that jumped: to where, because of whom, and the jump before.
#[derive(Clone, Copy)]
pub struct Join {
    pub after_ns: u64,
    pub cause: Node,
    pub previous: u32,
}

/// Clocks of all nodes.
pub struct Replay {
    first_task: u32,
    pub clock_ns: Vec<u64>,
    pub start_ns: Vec<u64>,
    /// Whose clock set the start.
    pub start_cause: Vec<Node>,
    /// The last jump of each, a position in `joins`.
    pub last_join: Vec<u32>,
    pub joins: Vec<Join>,
    /// The latest end of a child, and of any descendant.
    child: Vec<(u64, Node)>,
    descendant: Vec<(u64, Node)>,
    started: Vec<bool>,
    ended: Vec<bool>,
}

/// In the order in which simultaneous events are taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TaskEnd,
    Release,
    TeamEnd,
    WaitEnd,
    TeamStart,
    Created,
    Turn,
}

/// What happened, and to whom: a position in the list that the kind says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    time_ns: u64,
    kind: Kind,
    index: u32,
}

/// The members of a region: positions in `Trace::regions`, the one that came to it first.
struct Team {
    members: Vec<u32>,
    came_from: Node,
}

/// Where the threads are in the recorded run.
struct Now {
    doing: Vec<Doing>,
    since_ns: Vec<u64>,
    /// Teams at work that no other is around, and since when there were none.
    teams: u32,
    outside_since_ns: u64,
}

/// Replays the trace; the clock of `OUTSIDE` is the length of the critical path.
pub fn replay(trace: &Trace, lanes: &Lanes) -> Replay {
    let mut replay = Replay::new(trace);
    let mut teams = teams(trace);
    let turns = turns(lanes);
    let releases = releases(trace, &teams);
    let events = events(trace, &teams, &turns, &releases);
    let mut now = Now {
        doing: vec![Doing::Nothing; trace.threads.len()],
        since_ns: vec![0; trace.threads.len()],
        teams: 0,
        outside_since_ns: 0,
    };
    for event in events {
        let (at, index) = (event.time_ns, event.index as usize);
        match event.kind {
            Kind::TaskEnd => replay.end_task(trace, &mut now, event.index, at),
            Kind::Release => replay.meet(trace, &mut now, &teams[releases[index].1 as usize], at),
            Kind::TeamEnd => replay.end_team(trace, &mut now, &teams[index], at),
            Kind::WaitEnd => replay.end_wait(trace, &mut now, index, at),
            Kind::TeamStart => replay.start_team(trace, &mut now, &mut teams[index], at),
            Kind::Created => replay.create(trace, &mut now, event.index, at),
            Kind::Turn => {
                let (thread, _, doing) = turns[index];
                replay.advance(&mut now, thread, at);
                now.doing[thread as usize] = doing;
                if let Doing::Task(task) = doing {
                    replay.start_task(trace, task.0);
                }
            }
        }
    }
    if now.teams == 0 {
        replay.clock_ns[OUTSIDE as usize] += trace.end_ns.saturating_sub(now.outside_since_ns);
    }
    replay
}

impl Replay {
    fn new(trace: &Trace) -> Replay {
        let first_task = 1 + trace.regions.len() as u32;
        let nodes = first_task as usize + trace.tasks.len();
        Replay {
            first_task,
            clock_ns: vec![0; nodes],
            start_ns: vec![0; nodes],
            start_cause: vec![OUTSIDE; nodes],
            last_join: vec![NONE; nodes],
            joins: Vec::new(),
            child: vec![(0, OUTSIDE); nodes],
            descendant: vec![(0, OUTSIDE); nodes],
            started: vec![false; nodes],
            ended: vec![false; nodes],
        }
    }

    fn of_body(&self, body: Body) -> Node {
        match body {
            Body::Outside => OUTSIDE,
            Body::Region(region) => 1 + region.0,
            Body::Task(task) => self.first_task + task.0,
        }
    }

    /// What a node is.
    pub fn body(&self, node: Node) -> Body {
        match node {
            OUTSIDE => Body::Outside,
            node if node < self.first_task => Body::Region(RegionIndex(node - 1)),
            node => Body::Task(TaskIndex(node - self.first_task)),
        }
    }

    /// Lets the clock of what a thread does go on until now.
    fn advance(&mut self, now: &mut Now, thread: u32, at_ns: u64) {
        let thread = thread as usize;
        let spent_ns = at_ns.saturating_sub(std::mem::replace(&mut now.since_ns[thread], at_ns));
        let body = match now.doing[thread] {
            Doing::Task(task) => Body::Task(task),
            Doing::Region(region) => Body::Region(region),
            Doing::Chunk(body) => body,
            Doing::Nothing | Doing::Wait(_) | Doing::Write => return,
        };
        let node = self.of_body(body);
        self.clock_ns[node as usize] += spent_ns;
    }

    fn raise(&mut self, node: Node, (after_ns, cause): (u64, Node)) {
        if after_ns > self.clock_ns[node as usize] {
            let previous = self.last_join[node as usize];
            self.last_join[node as usize] = self.joins.len() as u32;
            self.joins.push(Join { after_ns, cause, previous });
            self.clock_ns[node as usize] = after_ns;
        }
    }

    fn create(&mut self, trace: &Trace, now: &mut Now, index: u32, at_ns: u64) {
        let parent = trace.tasks[index as usize].parent;
        if let Some(thread) = thread_of(trace, parent) {
            self.advance(now, thread, at_ns);
        }
        let (creator, node) = (self.of_body(parent), self.first_task + index);
        if !self.started[node as usize] {
            self.start_ns[node as usize] = self.clock_ns[creator as usize];
            self.start_cause[node as usize] = creator;
        }
    }

    fn start_task(&mut self, trace: &Trace, index: u32) {
        let node = (self.first_task + index) as usize;
        if std::mem::replace(&mut self.started[node], true) {
            return;
        }
        for before in trace.after_of(&trace.tasks[index as usize]) {
            let before = self.first_task + before.0;
            let end_ns = self.clock_ns[before as usize];
            if self.ended[before as usize] && end_ns > self.start_ns[node] {
                self.start_ns[node] = end_ns;
                self.start_cause[node] = before;
            }
        }
        self.clock_ns[node] = self.start_ns[node];
    }

    fn end_task(&mut self, trace: &Trace, now: &mut Now, index: u32, at_ns: u64) {
        let task: &Task = &trace.tasks[index as usize];
        let node = self.first_task + index;
        self.start_task(trace, index);
        self.advance(now, task.thread, at_ns);
        self.ended[node as usize] = true;
        let end = (self.clock_ns[node as usize], node);
        let parent = self.of_body(task.parent);
        self.child[parent as usize] = self.child[parent as usize].max(end);
        let latest = self.descendant[node as usize].max(end);
        let mut ancestor = parent;
        while self.ended[ancestor as usize] {
            let Body::Task(task) = self.body(ancestor) else { break };
            ancestor = self.of_body(trace.tasks[task.index()].parent);
        }
        self.descendant[ancestor as usize] = self.descendant[ancestor as usize].max(latest);
        if task.included {
            self.raise(parent, end);
        }
    }

    fn end_wait(&mut self, trace: &Trace, now: &mut Now, index: usize, at_ns: u64) {
        let span = &trace.spans[index];
        self.advance(now, span.thread, at_ns);
        let node = self.of_body(span.body);
        if node == OUTSIDE {
            return;
        }
        let latest = match trace.names[span.name as usize].as_str() {
            "taskgroup" => self.descendant[node as usize],
            _ => self.child[node as usize],
        };
        self.raise(node, latest);
    }

    /// All members of a team wait for each other and for all their tasks.
    fn meet(&mut self, trace: &Trace, now: &mut Now, team: &Team, at_ns: u64) {
        let latest = self.latest(trace, now, team, at_ns);
        for &member in &team.members {
            self.raise(1 + member, latest);
        }
    }

    fn latest(&mut self, trace: &Trace, now: &mut Now, team: &Team, at_ns: u64) -> (u64, Node) {
        let mut latest = (0, OUTSIDE);
        for &member in &team.members {
            self.advance(now, trace.regions[member as usize].thread, at_ns);
            let node = 1 + member;
            let own = (self.clock_ns[node as usize], node);
            latest = latest.max(own).max(self.descendant[node as usize]);
        }
        latest
    }

    fn start_team(&mut self, trace: &Trace, now: &mut Now, team: &mut Team, at_ns: u64) {
        let thread = trace.regions[team.members[0] as usize].thread;
        self.advance(now, thread, at_ns);
        team.came_from = match now.doing[thread as usize] {
            Doing::Task(task) => self.of_body(Body::Task(task)),
            Doing::Region(region) => self.of_body(Body::Region(region)),
            _ => OUTSIDE,
        };
        if team.came_from == OUTSIDE {
            if now.teams == 0 {
                self.clock_ns[OUTSIDE as usize] += at_ns.saturating_sub(now.outside_since_ns);
            }
            now.teams += 1;
        }
        let start_ns = self.clock_ns[team.came_from as usize];
        for &member in &team.members {
            let node = 1 + member as usize;
            self.start_cause[node] = team.came_from;
            self.start_ns[node] = start_ns;
            self.clock_ns[node] = start_ns;
        }
    }

    fn end_team(&mut self, trace: &Trace, now: &mut Now, team: &Team, at_ns: u64) {
        let latest = self.latest(trace, now, team, at_ns);
        self.raise(team.came_from, latest);
        if team.came_from == OUTSIDE {
            now.teams = now.teams.saturating_sub(1);
            now.outside_since_ns = at_ns;
        }
    }
}

/// The thread that a task or region ran on.
fn thread_of(trace: &Trace, body: Body) -> Option<u32> {
    match body {
        Body::Outside => None,
        Body::Region(region) => Some(trace.regions[region.index()].thread),
        Body::Task(task) => Some(trace.tasks[task.index()].thread),
    }
}

fn teams(trace: &Trace) -> Vec<Team> {
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut teams: Vec<Team> = Vec::new();
    for (position, region) in trace.regions.iter().enumerate() {
        let number = *numbers.entry(region.region).or_insert_with(|| {
            teams.push(Team { members: Vec::new(), came_from: OUTSIDE });
            teams.len() - 1
        });
        teams[number].members.push(position as u32);
    }
    for team in &mut teams {
        team.members.sort_by_key(|&member| trace.regions[member as usize].member);
    }
    teams
}

/// Thread, time and what it turns to.
fn turns(lanes: &Lanes) -> Vec<(u32, u64, Doing)> {
    let threads = (0..).zip(&lanes.lanes);
    let turns = threads.flat_map(|(thread, lane)| {
        lane.segments.iter().map(move |segment| (thread, segment.start_ns, segment.doing))
    });
    turns.collect()
}

/// When the members of a team were let go from a barrier: time and team.
fn releases(trace: &Trace, teams: &[Team]) -> Vec<(u64, u32)> {
    let mut team_of = vec![0; trace.regions.len()];
    for (number, team) in (0_u32..).zip(teams) {
        team.members.iter().for_each(|&member| team_of[member as usize] = number);
    }
    let mut waits: Vec<(u32, u64, u64)> = Vec::new();
    for span in &trace.spans {
        let (Body::Region(region), "barrier" | "join") =
            (span.body, trace.names[span.name as usize].as_str())
        else {
            continue;
        };
        waits.push((team_of[region.index()], span.end_ns, span.start_ns));
    }
    waits.sort_unstable();
    let mut releases: Vec<(u64, u32)> = Vec::new();
    for (team, end_ns, start_ns) in waits {
        let same = releases.last().is_some_and(|&(at, last)| last == team && start_ns < at);
        if !same {
            releases.push((end_ns, team));
        }
    }
    releases
}

fn events(
    trace: &Trace,
    teams: &[Team],
    turns: &[(u32, u64, Doing)],
    releases: &[(u64, u32)],
) -> Vec<Event> {
    let event = |kind| move |(index, time_ns)| Event { time_ns, kind, index };
    let numbered = |times: Vec<u64>| (0_u32..).zip(times);
    let of_members = |team: &Team, time: fn(&Region) -> u64| -> Vec<u64> {
        team.members.iter().map(|&member| time(&trace.regions[member as usize])).collect()
    };
    let starts = teams.iter().filter_map(|team| of_members(team, |r| r.start_ns).into_iter().min());
    let ends = teams.iter().filter_map(|team| of_members(team, |r| r.end_ns).into_iter().max());
    let mut events: Vec<Event> = Vec::with_capacity(2 * trace.tasks.len() + turns.len());
    events.extend(
        (0..).zip(&trace.tasks).map(|(i, task)| (i, task.end_ns)).map(event(Kind::TaskEnd)),
    );
    events.extend(
        (0..).zip(&trace.tasks).map(|(i, task)| (i, task.created_ns)).map(event(Kind::Created)),
    );
    events.extend((0..).zip(turns).map(|(i, turn)| (i, turn.1)).map(event(Kind::Turn)));
    events.extend((0..).zip(releases).map(|(i, release)| (i, release.0)).map(event(Kind::Release)));
    events.extend(numbered(starts.collect()).map(event(Kind::TeamStart)));
    events.extend(numbered(ends.collect()).map(event(Kind::TeamEnd)));
    let waits = (0..).zip(&trace.spans).filter(|(_, span)| {
        !matches!(trace.names[span.name as usize].as_str(), "barrier" | "join")
            && span.kind == SpanKind::Wait
    });
    events.extend(waits.map(|(i, span)| (i, span.end_ns)).map(event(Kind::WaitEnd)));
    events.sort_unstable();
    events
}

//! From records that name others by their ids to records that know their positions, with times that start at 0.

use super::error::Error;
use super::model::{Body, Interval, Region, RegionIndex, Span, Task, TaskIndex};
use super::odd::{Label, Odd, Oddities, TOLERANCE_NS};

/// A record whose times still count from where the writer counts, and the id it refers to: of the creator of a
/// task, of who waited.
pub struct Raw<T> {
    pub value: T,
    pub body: Option<u64>,
    pub start_ns: i64,
    pub end_ns: i64,
    /// Of tasks.
    pub created_ns: i64,
    pub ready_ns: i64,
}

/// What events became; `after` holds ids.
pub struct Unlinked {
    pub tasks: Vec<Raw<Task>>,
    pub regions: Vec<Raw<Region>>,
    pub spans: Vec<Raw<Span>>,
    pub after: Vec<u64>,
}

/// The same with positions; tasks and regions are sorted by id.
pub struct Linked {
    pub tasks: Vec<Task>,
    pub regions: Vec<Region>,
    pub spans: Vec<Span>,
    pub after: Vec<TaskIndex>,
}

impl Unlinked {
    /// `whole`: what is referred to should be there.
    pub fn link(mut self, whole: bool, odd: &mut Oddities) -> Result<Linked, Error> {
        self.tasks.sort_by_key(|task| task.value.id);
        self.regions.sort_by_key(|region| region.value.id);
        if let Some(id) = self.twice() {
            return Err(Error::Twice(id));
        }
        let origin = self.origin();
        let ids = Ids { tasks: &self.tasks, regions: &self.regions };
        let mut after = Vec::with_capacity(self.after.len());
        let mut tasks = Vec::with_capacity(self.tasks.len());
        for (position, raw) in self.tasks.iter().enumerate() {
            let mut note = |what| odd.add(what, Label { what: "task", id: raw.value.id });
            let first = after.len();
            let own = TaskIndex(position as u32);
            for &id in &self.after[raw.value.after.range()] {
                match ids.task(id) {
                    Some(other) if other == own => {}
                    Some(other) => {
                        if self.tasks[other.index()].end_ns > raw.start_ns + TOLERANCE_NS {
                            note(Odd::PredecessorTooLate);
                        }
                        after.push(other);
                    }
                    None if whole => note(Odd::NotThere("after")),
                    None => {}
                }
            }
            let mut task = raw.value.clone();
            task.parent = ids.body(raw.body);
            if whole && task.parent == Body::Outside && raw.body.is_some_and(|id| id != 0) {
                note(Odd::NotThere("parent"));
            }
            if let Body::Task(parent) = task.parent
                && !raw.can_come_from(&self.tasks[parent.index()])
            {
                note(Odd::ParentTooLate);
                task.parent = Body::Outside;
            }
            task.after = Interval { start: first as u32, len: (after.len() - first) as u32 };
            task.created_ns = raw.created_ns.abs_diff(origin);
            task.ready_ns = raw.ready_ns.abs_diff(origin);
            (task.start_ns, task.end_ns) = raw.times(origin);
            tasks.push(task);
        }
        let spans = self.spans.iter().map(|raw| {
            let (start_ns, end_ns) = raw.times(origin);
            Span { body: ids.body(raw.body), start_ns, end_ns, ..raw.value.clone() }
        });
        let regions = self.regions.iter().map(|raw| {
            let (start_ns, end_ns) = raw.times(origin);
            Region { start_ns, end_ns, ..raw.value.clone() }
        });
        Ok(Linked { tasks, regions: regions.collect(), spans: spans.collect(), after })
    }

    /// A number that two of them have.
    fn twice(&self) -> Option<u64> {
        let mut ids: Vec<u64> = self.tasks.iter().map(|raw| raw.value.id).collect();
        ids.extend(self.regions.iter().map(|raw| raw.value.id).filter(|&id| id != 0));
        ids.sort_unstable();
        ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    /// The earliest time in the trace.
    pub fn origin(&self) -> i64 {
        let tasks = self.tasks.iter().map(|raw| raw.created_ns);
        let spans = self.spans.iter().map(|raw| raw.start_ns);
        let regions = self.regions.iter().map(|raw| raw.start_ns);
        tasks.chain(spans).chain(regions).min().unwrap_or(0)
    }
}

impl<T> Raw<T> {
    fn times(&self, origin: i64) -> (u64, u64) {
        (self.start_ns.abs_diff(origin), self.end_ns.abs_diff(origin))
    }
}

impl Raw<Task> {
    /// A creator was running when it created. Of those that claim the same moment the lower id comes first, so
    /// that no chain of creators leads back to its start.
    fn can_come_from(&self, creator: &Raw<Task>) -> bool {
        (creator.start_ns, creator.value.id) < (self.created_ns, self.value.id)
    }
}

/// Finds by id; both lists are sorted by it.
struct Ids<'a> {
    tasks: &'a [Raw<Task>],
    regions: &'a [Raw<Region>],
}

impl Ids<'_> {
    fn task(&self, id: u64) -> Option<TaskIndex> {
        let found = self.tasks.binary_search_by_key(&id, |raw| raw.value.id);
        found.ok().map(|position| TaskIndex(position as u32))
    }

    fn body(&self, id: Option<u64>) -> Body {
        let Some(id) = id.filter(|&id| id != 0) else { return Body::Outside };
        if let Some(task) = self.task(id) {
            return Body::Task(task);
        }
        let found = self.regions.binary_search_by_key(&id, |raw| raw.value.id);
        found.map_or(Body::Outside, |position| Body::Region(RegionIndex(position as u32)))
    }
}

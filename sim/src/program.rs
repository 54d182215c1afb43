//! A program as a plain value: what it allocates, and the tasks with what each does, step by step.
//!
//! Terms: a *region* is one allocation. A *use* is data that a task goes over: rows of a region, a number of
//! passes. A *step* is what a task's body does next. The *root* is the implicit task that everything begins
//! with; it ends with a barrier.
//!
//! Invariants, kept by `Builder`: 1. Every task but the root is created by exactly one step. 2. Whatever
//! refers to a task, a region or a name is valid. 3. Uses lie inside their region.
//!
//! Units: picoseconds of computation, without any waiting for memory; bytes.

use std::ops::Range;

use vicinity_policy::topology::LocationId;

/// A task's number; also its position.
pub type TaskId = u32;

/// One allocation, in the order in which the program makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub bytes: u64,
    /// The initial thread touches all of it before the tasks do.
    pub initialised: bool,
    /// Where a recorded run had it.
    pub recorded: Option<LocationId>,
}

/// Whether a task reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

/// Data that a task goes over: `rows` rows of `bytes`, `stride` bytes from one start to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    pub region: u32,
    pub start: u64,
    pub bytes: u64,
    pub stride: u64,
    pub rows: u32,
    pub access: Access,
    /// How often it goes over all of it.
    pub passes: u32,
    /// The program tells the runtime, in a depend or affinity clause.
    pub declared: bool,
    /// And marks it as what matters most.
    pub intensive: bool,
}

impl Use {
    /// A contiguous part of a region, gone over once, and declared.
    pub fn of(region: u32, start: u64, bytes: u64, access: Access) -> Use {
        let (stride, rows) = (bytes, 1);
        Use {
            region,
            start,
            bytes,
            stride,
            rows,
            access,
            passes: 1,
            declared: true,
            intensive: false,
        }
    }

    pub fn total_bytes(&self) -> u64 {
        self.bytes * u64::from(self.rows)
    }
}

/// What a task's body does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Computes, and goes over the task's data in the same time.
    Work {
        compute_ps: u64,
    },
    /// Computes and touches nothing.
    Compute {
        compute_ps: u64,
    },
    Create(TaskId),
    /// Waits for the children created so far.
    Wait,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// A position in `Program::names`.
    pub name: u32,
    pub parent: TaskId,
    /// Below the root, which is at 0.
    pub depth: u32,
    steps: Range<u32>,
    uses: Range<u32>,
    after: Range<u32>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    pub title: String,
    pub regions: Vec<Region>,
    pub names: Vec<String>,
    pub tasks: Vec<Task>,
    pub root: TaskId,
    steps: Vec<Step>,
    uses: Vec<Use>,
    after: Vec<TaskId>,
    /// Of each task, the tasks that come after it: parts of `successors`.
    follow: Vec<Range<u32>>,
    successors: Vec<TaskId>,
}

impl Program {
    pub fn steps_of(&self, task: TaskId) -> &[Step] {
        let range = &self.tasks[task as usize].steps;
        &self.steps[range.start as usize..range.end as usize]
    }

    pub fn uses_of(&self, task: TaskId) -> &[Use] {
        let range = &self.tasks[task as usize].uses;
        &self.uses[range.start as usize..range.end as usize]
    }

    /// The tasks it depends on.
    pub fn after_of(&self, task: TaskId) -> &[TaskId] {
        let range = &self.tasks[task as usize].after;
        &self.after[range.start as usize..range.end as usize]
    }

    /// The tasks that depend on it.
    pub fn successors_of(&self, task: TaskId) -> &[TaskId] {
        let range = &self.follow[task as usize];
        &self.successors[range.start as usize..range.end as usize]
    }

    pub fn is_descendant(&self, task: TaskId, ancestor: TaskId) -> bool {
        let depth = self.tasks[ancestor as usize].depth;
        let mut at = task;
        while self.tasks[at as usize].depth > depth {
            at = self.tasks[at as usize].parent;
        }
        at == ancestor && task != ancestor
    }

    /// All computation, without waiting for memory.
    pub fn compute_ps(&self) -> u64 {
        let compute = |step: &Step| match *step {
            Step::Work { compute_ps } | Step::Compute { compute_ps } => compute_ps,
            Step::Create(_) | Step::Wait => 0,
        };
        self.steps.iter().map(compute).sum()
    }

    pub fn data_bytes(&self) -> u64 {
        self.regions.iter().map(|region| region.bytes).sum()
    }
}

/// Collects a program: tasks before the task that creates them, the root last.
#[derive(Default)]
pub struct Builder {
    regions: Vec<Region>,
    names: Vec<String>,
    tasks: Vec<Task>,
    steps: Vec<Step>,
    uses: Vec<Use>,
    after: Vec<TaskId>,
}

impl Builder {
    /// An allocation; its number.
    pub fn region(&mut self, bytes: u64, initialised: bool) -> u32 {
        self.regions.push(Region { bytes, initialised, recorded: None });
        self.regions.len() as u32 - 1
    }

    /// Data of a recorded run.
    pub fn recorded_region(&mut self, bytes: u64, at: LocationId) -> u32 {
        self.regions.push(Region { bytes, initialised: true, recorded: Some(at) });
        self.regions.len() as u32 - 1
    }

    /// A task; its number.
    pub fn task(&mut self, name: &str, uses: &[Use], after: &[TaskId], steps: &[Step]) -> TaskId {
        let known = self.names.iter().rposition(|known| known == name);
        let name = known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        let inside = |one: &Use| {
            let end = one.start + one.stride * u64::from(one.rows - 1) + one.bytes;
            end <= self.regions[one.region as usize].bytes
        };
        assert!(uses.iter().all(inside), "a use outside of its region");
        let steps = append(&mut self.steps, steps);
        let (uses, after) = (append(&mut self.uses, uses), append(&mut self.after, after));
        self.tasks.push(Task { name: name as u32, parent: 0, depth: 0, steps, uses, after });
        self.tasks.len() as TaskId - 1
    }

    /// The program, whose root does these steps and then waits for every task.
    pub fn finish(mut self, title: String, uses: &[Use], steps: &[Step]) -> Program {
        let root = self.task("root", uses, &[], steps);
        for creator in (0..=root).rev() {
            let (range, depth) = {
                let task = &self.tasks[creator as usize];
                (task.steps.clone(), task.depth)
            };
            for at in range {
                if let Step::Create(child) = self.steps[at as usize] {
                    let task = &mut self.tasks[child as usize];
                    assert!(task.depth == 0 && child < creator, "created twice, or by a child");
                    (task.parent, task.depth) = (creator, depth + 1);
                }
            }
        }
        let alone = |task: &Task| task.depth == 0;
        assert_eq!(self.tasks.iter().filter(|task| alone(task)).count(), 1, "never created");
        let (follow, successors) = successors(&self.tasks, &self.after);
        let Builder { regions, names, tasks, steps, uses, after } = self;
        Program { title, regions, names, tasks, root, steps, uses, after, follow, successors }
    }
}

fn append<T: Clone>(all: &mut Vec<T>, some: &[T]) -> Range<u32> {
    let start = all.len() as u32;
    all.extend_from_slice(some);
    start..all.len() as u32
}

/// The reverse of `after`.
fn successors(tasks: &[Task], after: &[TaskId]) -> (Vec<Range<u32>>, Vec<TaskId>) {
    let mut ends = vec![0_u32; tasks.len() + 1];
    for &before in after {
        ends[before as usize + 1] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    let follow: Vec<Range<u32>> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
    let mut filled: Vec<u32> = follow.iter().map(|range| range.start).collect();
    let mut successors = vec![0; after.len()];
    for (task, at) in tasks.iter().enumerate() {
        for &before in &after[at.after.start as usize..at.after.end as usize] {
            successors[filled[before as usize] as usize] = task as TaskId;
            filled[before as usize] += 1;
        }
    }
    (follow, successors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_builder_finds_parents_and_successors() {
        let mut builder = Builder::default();
        let leaf = builder.task("leaf", &[], &[], &[Step::Compute { compute_ps: 5 }]);
        let inner = builder.task("inner", &[], &[], &[Step::Create(leaf), Step::Wait]);
        let last = builder.task("leaf", &[], &[inner], &[Step::Compute { compute_ps: 7 }]);
        let program =
            builder.finish("test".into(), &[], &[Step::Create(inner), Step::Create(last)]);
        assert_eq!(program.tasks[leaf as usize].parent, inner);
        assert_eq!(program.tasks[leaf as usize].depth, 2);
        assert_eq!(program.successors_of(inner), [last]);
        assert_eq!(program.after_of(last), [inner]);
        assert!(program.is_descendant(leaf, program.root) && program.is_descendant(leaf, inner));
        assert!(!program.is_descendant(last, inner) && !program.is_descendant(inner, inner));
        assert_eq!(program.compute_ps(), 12);
        assert_eq!(program.names, ["leaf", "inner", "root"]);
    }

    #[test]
    #[should_panic(expected = "outside")]
    fn uses_lie_inside() {
        let mut builder = Builder::default();
        let region = builder.region(100, true);
        builder.task("leaf", &[Use::of(region, 64, 64, Access::Read)], &[], &[]);
    }
}

//! What is recorded into a command buffer before it is finalized: commands, and which of them waits for which.
//!
//! Terms: a *sync point* names a recorded command: its number and one.

use super::command::Command;
use super::graph::{Edges, Graph};
use crate::error::{Error, Result, ensure};
use opencl_sys::*;
use std::sync::Arc;

pub type SyncPoint = cl_sync_point_khr;

#[derive(Default)]
pub struct Draft {
    commands: Vec<Arc<Command>>,
    /// Of each command those that it follows.
    waits: Vec<Vec<u32>>,
    /// Out of order: the last barrier.
    barrier: Option<u32>,
    /// Out of order: other commands that no barrier follows yet.
    others: Vec<u32>,
}

impl Draft {
    pub fn add(
        &mut self,
        command: Command,
        sync_points: &[SyncPoint],
        is_in_order: bool,
    ) -> Result<SyncPoint> {
        let number = self.commands.len() as u32;
        let is_known = |&point: &SyncPoint| (1..=number).contains(&point);
        ensure(sync_points.iter().all(is_known), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        let next = number.checked_add(1).ok_or(Error(CL_OUT_OF_RESOURCES))?;
        let waits = if is_in_order {
            // All others come before that one.
            number.checked_sub(1).into_iter().collect()
        } else {
            let is_barrier = command.kind == CL_COMMAND_BARRIER;
            self.waits_of(number, is_barrier, sync_points)
        };
        self.waits.push(waits);
        self.commands.push(Arc::new(command));
        Ok(next)
    }

    /// Out of order: what the sync points name; of barriers without any all commands before; and the last barrier.
    fn waits_of(&mut self, number: u32, is_barrier: bool, sync_points: &[SyncPoint]) -> Vec<u32> {
        let named = sync_points.iter().map(|point| point - 1);
        let mut waits: Vec<u32> = named.chain(self.barrier).collect();
        if is_barrier {
            if sync_points.is_empty() {
                waits.append(&mut self.others);
            }
            self.barrier = Some(number);
        } else {
            self.others.push(number);
        }
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    pub fn finalized(&self) -> Result<Graph> {
        Graph::new(self.commands.clone(), Arc::new(Edges::new(&self.waits)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Work;
    use super::*;
    use smallvec::SmallVec;

    const COPY: cl_command_type = CL_COMMAND_COPY_BUFFER;
    const BARRIER: cl_command_type = CL_COMMAND_BARRIER;

    /// What each command follows, if these are recorded with these sync points.
    fn waits(commands: &[(cl_command_type, &[SyncPoint])], is_in_order: bool) -> Vec<Vec<u32>> {
        let mut draft = Draft::default();
        for &(kind, points) in commands {
            let command = Command { kind, work: Work::Nothing, keep: SmallVec::new() };
            assert!(draft.add(command, points, is_in_order).is_ok());
        }
        draft.waits
    }

    #[test]
    fn commands_follow_their_sync_points_and_barriers_all() {
        let commands: [(_, &[_]); 8] = [
            (COPY, &[]),
            (COPY, &[1, 1]),
            (BARRIER, &[1]),
            (COPY, &[]),
            (BARRIER, &[]),
            (COPY, &[2, 5]),
            (BARRIER, &[]),
            (BARRIER, &[]),
        ];
        let expected: [&[u32]; 8] = [&[], &[0], &[0], &[2], &[0, 1, 2, 3], &[1, 4], &[4, 5], &[6]];
        assert_eq!(waits(&commands, false), expected);
        let chain: Vec<Vec<u32>> =
            (0..8u32).map(|at| at.checked_sub(1).into_iter().collect()).collect();
        assert_eq!(waits(&commands, true), chain);
    }

    #[test]
    fn sync_points_are_of_commands_before() {
        let mut draft = Draft::default();
        let mut add = |points: &[SyncPoint]| {
            let command = Command { kind: COPY, work: Work::Nothing, keep: SmallVec::new() };
            draft.add(command, points, false).map_err(|error| error.0)
        };
        assert_eq!(add(&[1]), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        assert_eq!((add(&[]), add(&[1])), (Ok(1), Ok(2)));
        assert_eq!(add(&[0]), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
        assert_eq!(add(&[3]), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    }
}

//! The commands of a command buffer, and which of them waits for which.
//!
//! Terms: a command's *number* says how many were recorded before it. It *follows* those that it waits for. *Starts* follow nothing,
//! *ends* are followed by nothing.
//!
//! Invariant: a command follows only such as were recorded before it, so there are no circles, and an end comes after every start.

use super::command::{Command, Work};
use super::specialize;
use crate::error::Result;
use std::sync::Arc;

/// Which command follows which.
#[derive(Default)]
pub struct Edges {
    /// Of each command, how many it follows.
    before: Vec<u32>,
    /// The followers of all commands, and where those of each begin, and at last end.
    followers: Vec<u32>,
    begins: Vec<u32>,
    starts: Vec<u32>,
    ends: u32,
}

/// A command buffer as it is enqueued. Replays keep the one that they began with.
#[derive(Clone)]
pub struct Graph {
    commands: Vec<Arc<Command>>,
    edges: Arc<Edges>,
    /// What the process had made of code when the launches were prepared.
    arrivals: u64,
}

impl Edges {
    /// `waits`: of each command those that it follows, each once.
    pub fn new(waits: &[Vec<u32>]) -> Edges {
        let before: Vec<u32> = waits.iter().map(|waits| waits.len() as u32).collect();
        let mut begins = vec![0; waits.len() + 1];
        waits.iter().flatten().for_each(|&at| begins[at as usize + 1] += 1);
        let ends = begins[1..].iter().filter(|&&followers| followers == 0).count() as u32;
        (1..begins.len()).for_each(|at| begins[at] += begins[at - 1]);
        let mut next = begins.clone();
        let mut followers = vec![0; begins[waits.len()] as usize];
        for (number, waits) in (0..).zip(waits) {
            for &at in waits {
                followers[next[at as usize] as usize] = number;
                next[at as usize] += 1;
            }
        }
        let starts = (0..).zip(waits).filter(|(_, waits)| waits.is_empty());
        let starts = starts.map(|(number, _)| number).collect();
        Edges { before, followers, begins, starts, ends }
    }

    pub fn len(&self) -> usize {
        self.before.len()
    }

    pub fn before(&self, number: u32) -> u32 {
        self.before[number as usize]
    }

    pub fn followers(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.followers[self.begins[at] as usize..self.begins[at + 1] as usize]
    }

    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    pub fn ends(&self) -> u32 {
        self.ends
    }
}

impl Graph {
    /// An error if there is no memory for what a launch needs.
    pub fn new(commands: Vec<Arc<Command>>, edges: Arc<Edges>) -> Result<Graph> {
        // Before the launches are prepared: what comes meanwhile must not be missed.
        let arrivals = specialize::arrivals();
        let commands = commands.iter().map(prepared_anew).collect::<Result<_>>()?;
        Ok(Graph { commands, edges, arrivals })
    }

    /// The same; prepared once more, if there may be better code by now.
    pub fn brought_up_to_date(graph: &Arc<Graph>) -> Result<Arc<Graph>> {
        if graph.arrivals == specialize::arrivals() {
            return Ok(graph.clone());
        }
        Ok(Arc::new(Graph::new(graph.commands.clone(), graph.edges.clone())?))
    }

    /// With other work for some commands. What changes nothing costs nothing.
    pub fn with(&self, works: Vec<(u32, Work)>) -> Result<Graph> {
        let mut graph = self.clone();
        for (number, work) in works {
            let place = &mut graph.commands[number as usize];
            let (kind, keep) = (place.kind, place.keep.clone());
            *place = Arc::new(prepared(Command { kind, work, keep })?);
        }
        Ok(graph)
    }

    pub fn work(&self, number: u32) -> &Work {
        &self.commands[number as usize].work
    }

    pub fn edges(&self) -> &Edges {
        &self.edges
    }
}

fn prepared_anew(command: &Arc<Command>) -> Result<Arc<Command>> {
    let Work::Kernel(launch) = &command.work else { return Ok(command.clone()) };
    let (kind, keep) = (command.kind, command.keep.clone());
    let work = Work::Kernel(launch.clone());
    Ok(Arc::new(prepared(Command { kind, work, keep })?))
}

fn prepared(mut command: Command) -> Result<Command> {
    command.work.prepare()?;
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_from_each_command_to_its_followers() {
        let edges = Edges::new(&[vec![], vec![0], vec![], vec![0, 1, 2], vec![1]]);
        assert_eq!((edges.len(), edges.starts(), edges.ends()), (5, &[0, 2][..], 2));
        let followers = |number| edges.followers(number).to_vec();
        assert_eq!(
            (0..5).map(followers).collect::<Vec<_>>(),
            [vec![1, 3], vec![3, 4], vec![3], vec![], vec![]]
        );
        assert_eq!((0..5).map(|number| edges.before(number)).collect::<Vec<_>>(), [0, 1, 0, 3, 1]);
        let none = Edges::new(&[]);
        assert_eq!((none.len(), none.starts(), none.ends()), (0, &[][..], 0));
    }
}

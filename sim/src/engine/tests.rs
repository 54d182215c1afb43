//! What a simulation must hold to, whatever the program.

use super::*;
use crate::programs::{Input, Kind};
use vicinity_policy::presets;

fn machine(name: &str) -> Machine {
    Machine::new(presets::named(name).unwrap())
}

fn setup<'a>(machine: &'a Machine, program: &'a Program) -> Setup<'a> {
    let coarse = Setup::new(machine, program, Scheduler::Locality, Distribution::Coarse);
    Setup { record: true, ..coarse }
}

const SCHEDULERS: [Scheduler; 3] =
    [Scheduler::Locality, Scheduler::WorkStealing, Scheduler::Central];
const DISTRIBUTIONS: [Distribution; 3] =
    [Distribution::Standard, Distribution::Fine, Distribution::Coarse];

/// The longest chain of computation, from creation through bodies, dependences and waits for children.
fn critical_path_ps(program: &Program) -> u64 {
    let compute = |task: TaskId| -> u64 {
        let steps = program.steps_of(task).iter();
        let compute = |step: &crate::program::Step| match *step {
            crate::program::Step::Work { compute_ps }
            | crate::program::Step::Compute { compute_ps } => compute_ps,
            _ => 0,
        };
        steps.map(compute).sum()
    };
    let mut longest = vec![0; program.tasks.len()];
    for task in 0..program.tasks.len() as TaskId {
        let before = program.after_of(task).iter().map(|&before| longest[before as usize]);
        longest[task as usize] = before.max().unwrap_or(0) + compute(task);
    }
    longest.into_iter().max().unwrap_or(0)
}

#[test]
fn every_program_ends_and_obeys_the_bounds() {
    for (name, kinds) in [
        ("opteron6172", &[(Kind::Map, 60), (Kind::Reduction, 5), (Kind::Matmul, 6)][..]),
        (
            "opteron6172",
            &[(Kind::SparseLu, 8), (Kind::Fib, 14), (Kind::Chain, 900), (Kind::Dag, 500)][..],
        ),
        ("tilepro64", &[(Kind::Vecmul, 20), (Kind::Jacobi, 5), (Kind::Dag, 300)][..]),
    ] {
        let machine = machine(name);
        for &(kind, size) in kinds {
            let program = Input { kind, size, seed: 3 }.program(&machine);
            for scheduler in SCHEDULERS {
                for distribution in DISTRIBUTIONS {
                    let setup = Setup { scheduler, distribution, ..setup(&machine, &program) };
                    bounds(&setup, kind);
                }
            }
        }
    }
}

fn bounds(setup: &Setup, kind: Kind) {
    let (outcome, records) = simulate(setup).unwrap();
    let program = setup.program;
    assert_eq!(records.len(), program.tasks.len(), "every task runs once");
    let work_ps = program.compute_ps();
    let threads = outcome.busy_ps.len() as u64;
    assert!(outcome.makespan_ps >= critical_path_ps(program), "{kind:?}");
    assert!(outcome.makespan_ps >= work_ps / threads, "{kind:?}");
    assert!(outcome.total_busy_ps() >= work_ps, "{kind:?}: work is conserved");
    assert!(outcome.busy_ps.iter().all(|&busy| busy <= outcome.makespan_ps));
    let mut ends = vec![0; program.tasks.len()];
    records.iter().for_each(|record| ends[record.task as usize] = record.end_ps);
    for record in &records {
        assert!(record.start_ps >= record.ready_ps && record.ready_ps >= record.created_ps);
        let before = program.after_of(record.task).iter().map(|&task| ends[task as usize]);
        assert!(before.max().unwrap_or(0) <= record.start_ps, "{kind:?}: dependences hold");
    }
    let ran: u64 = outcome.tasks_by_location.iter().sum();
    assert_eq!(ran, outcome.tasks);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let machine = machine("opteron6172");
    let program = Input { kind: Kind::Dag, size: 2000, seed: 5 }.program(&machine);
    let run = |seed| simulate(&Setup { seed, ..setup(&machine, &program) }).unwrap();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0.fingerprint, run(2).0.fingerprint);
}

#[test]
fn one_thread_runs_tasks_as_it_creates_them() {
    let machine = machine("opteron6172");
    let program = Input { kind: Kind::Map, size: 6, seed: 0 }.program(&machine);
    let one =
        Setup { threads: Some(1), scheduler: Scheduler::WorkStealing, ..setup(&machine, &program) };
    let order: Vec<TaskId> = simulate(&one).unwrap().1.iter().map(|record| record.task).collect();
    // Nobody else could run them. The program itself ends last.
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
}

/// More threads help a chain of empty tasks nothing; what they do to help costs little once it is known for what it is.
#[test]
fn tiny_tasks_stay_with_their_creator() {
    let machine = machine("epyc-nps4");
    let program = Input { kind: Kind::Chain, size: 20_000, seed: 0 }.program(&machine);
    let each_ps = |threads, judges| {
        let setup = Setup { threads: Some(threads), judges, ..setup(&machine, &program) };
        simulate(&setup).unwrap().0.makespan_ps / 20_000
    };
    for threads in [2, 16, 128] {
        let (judged_ps, spread_ps) = (each_ps(threads, true), each_ps(threads, false));
        assert!(
            judged_ps < 60_000 && 2 * judged_ps < spread_ps,
            "{threads}: {judged_ps}, {spread_ps}"
        );
    }
}

#[test]
fn a_cycle_is_noticed() {
    let machine = machine("opteron6172");
    let mut builder = crate::program::Builder::default();
    let work = [crate::program::Step::Compute { compute_ps: 1000 }];
    let first = builder.task("a", &[], &[1], &work);
    let second = builder.task("b", &[], &[0], &work);
    let create = [first, second].map(crate::program::Step::Create);
    let program = builder.finish("cycle".into(), &[], &create);
    assert_eq!(simulate(&setup(&machine, &program)).unwrap_err(), Stuck::Cycle { tasks: 2 });
    let none = Setup { threads: Some(49), ..setup(&machine, &program) };
    let refused = simulate(&none).unwrap_err().to_string();
    assert_eq!(refused, "49 threads; the machine has cores for 1 to 48");
}

//! `vicinity simulate`: a task program on a simulated machine, in virtual time.
//!
//! Whatever is not given is swept over: schedulers and distributions, with `--sweep` all programs. One line of
//! a table for each run; a single run is told in full.

mod constructs;
mod report;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use vicinity_output::{exit_status, print, tell};
use vicinity_policy::distribution::Distribution;
use vicinity_policy::scheduler::Scheduler;
use vicinity_sim::engine::{Setup, Stuck, simulate};
use vicinity_sim::machine::Machine;
use vicinity_sim::outcome::Outcome;
use vicinity_sim::program::Program;
use vicinity_sim::programs::{Input, Kind};
use vicinity_sim::{recorded, timeline as simulated};

use crate::failure::Failure;
use crate::survey::model;
use crate::timeline;

pub const HELP: &str = concat!(
    "\
Programs: map, reduction, vecmul, matmul, jacobi, sparselu (Muddukrishna, Jonsson, Brorsson 2015, with their
inputs), fib, chain, dag. --size is the number of vectors (map, vecmul), levels (reduction), blocks a side (matmul,
jacobi, sparselu), the Fibonacci number (fib), tasks (chain, dag).

Times are normalised to work stealing with fine distribution, as in the paper.

  vicinity simulate --machine opteron6172 --program map --scheduler locality --distribution coarse
  vicinity simulate --machine opteron6172 --sweep
  vicinity simulate --machine tilepro64 --program vecmul --distribution coarse --reach 1,4,8,16,63
  vicinity simulate --machine epyc-nps4 --from-trace run.json
  vicinity simulate --machine epyc-nps4 --constructs --wait learned,active,passive --gap 5000

",
    exit_status!("0    done";)
);

/// Parses one of `words`.
fn one_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.iter().map(|&(word, _)| word)).map(move |given| {
        let known = words.iter().find(|&&(word, _)| word == given);
        known.expect("clap accepts nothing else").1
    })
}

/// The word for a value.
fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |&(word, _)| word)
}

#[derive(Args)]
pub struct Simulate {
    /// The machine: opteron6172, tilepro64, xeon-snc4, epyc-nps4, arm-4node, or a file that `vicinity survey` wrote
    #[arg(long, value_name = model::VALUE, default_value = "opteron6172")]
    machine: String,

    /// The programs [default: map]
    #[arg(long, value_name = "P", value_delimiter = ',', value_parser = one_of(Kind::WORDS))]
    program: Vec<Kind>,

    /// All programs
    #[arg(long, conflicts_with_all = ["program", "from_trace"])]
    sweep: bool,

    /// Repeat a recorded run (VICINITY_TRACE) instead: its tasks, dependences and data
    #[arg(long, value_name = "FILE", conflicts_with = "program")]
    from_trace: Option<PathBuf>,

    /// How ready tasks are assigned and stolen [default: all, in turn]
    #[arg(long, value_name = "S", value_delimiter = ',', value_parser = one_of(Scheduler::WORDS))]
    scheduler: Vec<Scheduler>,

    /// Where data are [default: all, in turn]
    #[arg(long, value_name = "D", value_delimiter = ',')]
    #[arg(value_parser = one_of(Distribution::WORDS))]
    distribution: Vec<Distribution>,

    /// Locations in a vicinity, for the locality scheduler [default: all]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    reach: Vec<u32>,

    /// Tasks for each hop of distance that thieves leave in a location's queue; the paper's many-core form
    /// leaves none [default: cores of a location]
    #[arg(long, value_name = "N")]
    reserve: Option<u32>,

    /// Spread tiny tasks with dependences like others, in place of having their creators run them
    #[arg(long)]
    spread_tiny: bool,

    /// Size of the program's input [default: the paper's]
    #[arg(long, value_name = "N")]
    size: Option<u32>,

    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,

    /// The same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Write a timeline of the run, if it is a single one (docs/trace.md)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    constructs: constructs::Constructs,
}

/// One run, and what came of it.
struct Run {
    /// Position among the programs.
    program: usize,
    scheduler: Scheduler,
    distribution: Distribution,
    reach: Option<u32>,
    outcome: Outcome,
}

/// A program, and what the user calls it.
struct Named {
    name: String,
    program: Program,
}

impl Simulate {
    pub fn execute(self) -> Result<(), Failure> {
        let machine = model::machine(&self.machine)?;
        if self.constructs.constructs {
            return Ok(print(&self.constructs.execute(&machine, self.threads, self.json)?)?);
        }
        let programs = self.programs(&machine)?;
        let points = self.points();
        let single = programs.len() * points.len() == 1;
        if self.trace.is_some() && !single {
            return Err(Failure::usage(
                "--trace FILE takes one program, scheduler, distribution and reach; name them",
            ));
        }
        let mut runs = Vec::new();
        let mut bases = Vec::new();
        for (number, named) in programs.iter().enumerate() {
            let setup = |scheduler, distribution, reach| Setup {
                threads: self.threads,
                reach,
                reserve: self.reserve,
                seed: self.seed,
                judges: !self.spread_tiny,
                record: self.trace.is_some(),
                ..Setup::new(&machine, &named.program, scheduler, distribution)
            };
            for &(scheduler, distribution, reach) in &points {
                let setup = setup(scheduler, distribution, reach);
                let (outcome, records) = simulate(&setup).map_err(|stuck| named.failed(&stuck))?;
                if let Some(path) = &self.trace {
                    let mut file = File::create(path).map(BufWriter::new);
                    let written =
                        file.as_mut().map_err(|error| error.to_string()).and_then(|file| {
                            let written = simulated::write(file, &setup, &outcome, &records);
                            written.and_then(|()| file.flush()).map_err(|error| error.to_string())
                        });
                    written.map_err(|error| {
                        Failure::own(format!("{}: cannot be written: {error}", path.display()))
                    })?;
                }
                runs.push(Run { program: number, scheduler, distribution, reach, outcome });
            }
            let (scheduler, distribution) = (Scheduler::WorkStealing, Distribution::Fine);
            let is_base = |run: &&Run| {
                let same = run.scheduler == scheduler && run.distribution == distribution;
                same && run.program == number
            };
            if let Some(run) = runs.iter().find(is_base) {
                bases.push(run.outcome.makespan_ps);
                continue;
            }
            let base = Setup { record: false, ..setup(scheduler, distribution, None) };
            bases.push(simulate(&base).map_err(|stuck| named.failed(&stuck))?.0.makespan_ps);
        }
        let text = match (self.json, single) {
            (true, _) => report::json(&machine, &programs, &runs, &bases, self.seed),
            (false, true) => report::full(&machine, &programs[0], &runs[0], bases[0]),
            (false, false) => report::table(&machine, &programs, &runs, &bases),
        };
        Ok(print(&text)?)
    }

    fn programs(&self, machine: &Machine) -> Result<Vec<Named>, Failure> {
        if let Some(path) = &self.from_trace {
            let name = path.display().to_string();
            let (trace, analysis) = timeline::read(path)?;
            if let Some(unknown) = analysis.unknown_data {
                tell(format!(
                    "vicinity: {name}: {unknown} Times below are those of tasks without data: where memory lies makes \
                     no difference to them."
                ));
            }
            if trace.tasks.is_empty() {
                return Err(Failure::own(format!("{name} has no tasks to simulate")));
            }
            return Ok(vec![Named { name, program: recorded::program(&trace, machine) }]);
        }
        let all = Kind::WORDS.iter().map(|&(_, kind)| kind);
        let kinds: Vec<Kind> = match () {
            () if self.sweep => all.collect(),
            () if self.program.is_empty() => vec![Kind::Map],
            () => self.program.clone(),
        };
        kinds.into_iter().map(|kind| self.generated(kind, machine)).collect()
    }

    fn generated(&self, kind: Kind, machine: &Machine) -> Result<Named, Failure> {
        let size = self.size.unwrap_or_else(|| kind.default_size(machine));
        let (least, most) = kind.sizes();
        if !(least..=most).contains(&size) {
            let (word, what) = (kind.word(), kind.size_means());
            return Err(Failure::usage(format!(
                "--size {size}: {word} takes {least} to {most} ({what})"
            )));
        }
        let program = Input { kind, size, seed: self.seed }.program(machine);
        Ok(Named { name: kind.word().to_string(), program })
    }

    /// Schedulers, distributions and reaches to run. A reach makes no difference without vicinities.
    fn points(&self) -> Vec<(Scheduler, Distribution, Option<u32>)> {
        let or_all = |given: &[Scheduler]| match given {
            [] => Scheduler::WORDS.iter().map(|&(_, scheduler)| scheduler).collect(),
            given => given.to_vec(),
        };
        let distributions: Vec<Distribution> = match &self.distribution[..] {
            [] => Distribution::SWEPT.to_vec(),
            given => given.to_vec(),
        };
        let mut points = Vec::new();
        for scheduler in or_all(&self.scheduler) {
            let vicinities = scheduler == Scheduler::Locality && !self.reach.is_empty();
            let reaches: Vec<Option<u32>> = match vicinities {
                true => self.reach.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            for &distribution in &distributions {
                points.extend(reaches.iter().map(|&reach| (scheduler, distribution, reach)));
            }
        }
        points
    }
}

impl Named {
    fn failed(&self, why: &Stuck) -> Failure {
        let text = format!("{}: {why}", self.name);
        match why {
            Stuck::Threads { .. } => Failure::usage(text),
            Stuck::Cycle { .. } => Failure::own(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        simulate: Simulate,
    }

    fn parse(arguments: &str) -> Result<Simulate, clap::Error> {
        let words = std::iter::once("simulate").chain(arguments.split_whitespace());
        Line::try_parse_from(words).map(|line| line.simulate)
    }

    #[test]
    fn what_is_not_given_is_swept_over() {
        let all = parse("--reach 1,4").expect("a good line");
        // Two reaches for locality, one run for each of the others, three distributions.
        assert_eq!(all.points().len(), 3 * (2 + 1 + 1));
        let one = parse("--scheduler central --distribution fine --reach 2").expect("a good line");
        assert_eq!(one.points(), [(Scheduler::Central, Distribution::Fine, None)]);
    }

    #[test]
    fn help_lists_every_machine() {
        let help = <Line as clap::CommandFactory>::command().render_long_help().to_string();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let names: Vec<&str> = vicinity_policy::presets::names().collect();
        assert!(words.contains(&names.join(", ")), "{help}");
    }

    #[test]
    fn bad_input_costs_one_line() {
        for (arguments, says) in [
            ("--program maps", "[possible values: map, reduction"),
            ("--scheduler fifo", "[possible values: locality, workstealing, central]"),
            ("--reach 0", "0 is not in 1.."),
            ("--sweep --program map", "cannot be used with"),
            ("--constructs --size 5", "cannot be used with"),
            ("--wait active", "--constructs"),
            ("--constructs --wait lazy", "[possible values: learned, active, passive]"),
        ] {
            let error = parse(arguments).err().expect(arguments).to_string();
            assert!(error.contains(says), "{error}");
        }
        for (arguments, says) in [
            ("--program fib --size 99", "--size 99: fib takes 1 to 32 (which Fibonacci number)"),
            ("--machine cray1", "known are opteron6172, tilepro64"),
            ("--size 4 --threads 49", "map: 49 threads; the machine has cores for 1 to 48"),
            ("--trace x.json", "--trace FILE takes one program"),
            ("--constructs --threads 49", "49 threads; the machine has cores for 1 to 48"),
            ("--from-trace /nowhere/x.json", "/nowhere/x.json: cannot be read"),
        ] {
            let failure = parse(arguments).expect("a good line").execute().expect_err(arguments);
            assert!(format!("{failure:?}").contains(says), "{failure:?}");
        }
    }
}

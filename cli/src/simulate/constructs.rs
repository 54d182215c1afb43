//! `vicinity simulate --constructs`: what regions, barriers and reductions cost on a simulated machine.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use vicinity_policy::waiting::WaitPolicy;
use vicinity_sim::engine::{Stuck, cores};
use vicinity_sim::machine::Machine;
use vicinity_sim::regions::{Construct, Cost, Setup, run};

use super::{one_of, word_of};
use crate::failure::Failure;

const WAITS: &[(&str, WaitPolicy)] = &[
    ("learned", WaitPolicy::Unspecified),
    ("active", WaitPolicy::Active),
    ("passive", WaitPolicy::Passive),
];

#[derive(Args)]
pub struct Constructs {
    /// In place of tasks: a parallel region, a barrier and a reduction, over and over, with 2, 4, 8 and more threads
    #[arg(long, conflicts_with_all = ["program", "sweep", "from_trace", "scheduler", "distribution", "reach"])]
    #[arg(conflicts_with_all = ["reserve", "size", "trace", "seed", "spread_tiny"])]
    pub constructs: bool,

    /// With --constructs: how threads wait (OMP_WAIT_POLICY) [default: learned]
    #[arg(long, value_name = "W", value_delimiter = ',', requires = "constructs", value_parser = one_of(WAITS))]
    wait: Vec<WaitPolicy>,

    /// With --constructs: microseconds that the first thread works alone after each
    #[arg(long, value_name = "US", requires = "constructs", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    gap: u64,
}

/// One line of the table.
struct Line {
    construct: &'static str,
    threads: u32,
    wait: &'static str,
    cost: Cost,
}

/// What each thread does between two constructs.
const WORK_PS: u64 = 1_000_000;

impl Constructs {
    /// The text for the user.
    pub fn execute(
        &self,
        machine: &Machine,
        threads: Option<u32>,
        is_json: bool,
    ) -> Result<String, Failure> {
        let teams = threads.map_or_else(|| sizes(cores(machine)), |one| vec![one]);
        let waits: &[WaitPolicy] =
            if self.wait.is_empty() { &[WaitPolicy::Unspecified] } else { &self.wait };
        let mut lines = Vec::new();
        for &(construct, kind) in Construct::WORDS {
            for &policy in waits {
                let wait = word_of(WAITS, policy);
                for &threads in &teams {
                    let cost = self.cost(machine, kind, threads, policy);
                    let cost = cost.map_err(|stuck| Failure::usage(stuck.to_string()))?;
                    lines.push(Line { construct, threads, wait, cost });
                }
            }
        }
        Ok(if is_json { self.json(machine, &lines) } else { self.table(machine, &lines) })
    }

    fn cost(
        &self,
        machine: &Machine,
        construct: Construct,
        threads: u32,
        policy: WaitPolicy,
    ) -> Result<Cost, Stuck> {
        let gap_ps = self.gap * 1_000_000;
        run(&Setup { machine, construct, threads, policy, work_ps: WORK_PS, gap_ps })
    }

    fn table(&self, machine: &Machine, lines: &[Line]) -> String {
        let mut text = format!(
            "{}\nEach thread works 1 us before each construct, the first {} us alone after it.\n\n{:<11}{:<9}{:>7}{:>11}{:>11}{:>9}{:>9}{:>10}\n",
            machine.title,
            self.gap,
            "construct",
            "wait",
            "threads",
            "time, us",
            "spun, us",
            "wakes",
            "by one",
            "of one"
        );
        for Line { construct, threads, wait, cost } in lines {
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "{construct:<11}{wait:<9}{threads:>7}{:>11.2}{:>11.1}{:>9.1}{:>9}{:>10}",
                us(cost.time_ps),
                us(cost.spun_ps) / f64::from(*threads),
                cost.wakes,
                cost.writes_by_one,
                cost.writes_of_one
            );
        }
        text + "\nTime: of the first thread, without work. Spun: by each thread, in the mean. Wakes: of threads that slept.\n\
                By one, of one: the most writes of shared cache lines by one thread, and of one line.\n"
    }

    fn json(&self, machine: &Machine, lines: &[Line]) -> String {
        let line = |line: &Line| {
            json!({
                "construct": line.construct,
                "wait": line.wait,
                "threads": line.threads,
                "time_us": us(line.cost.time_ps),
                "spun_us": us(line.cost.spun_ps),
                "wakes": line.cost.wakes,
                "writes_by_one": line.cost.writes_by_one,
                "writes_of_one": line.cost.writes_of_one,
            })
        };
        let lines: Vec<Value> = lines.iter().map(line).collect();
        let all = json!({ "machine": machine.name, "gap_us": self.gap, "constructs": lines });
        format!("{all:#}\n")
    }
}

fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

/// Powers of two, and all cores.
fn sizes(cores: u32) -> Vec<u32> {
    let mut sizes: Vec<u32> =
        (1..).map(|power| 1 << power).take_while(|&size| size < cores).collect();
    sizes.push(cores);
    sizes
}

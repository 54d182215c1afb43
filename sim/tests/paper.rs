//! The shape of the paper's figures 7, 9 and 11, on its inputs; and that a seed means the same run forever.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 6. results/locality-simulated has all of it.

use vicinity_policy::distribution::Distribution::{self, Coarse, Fine};
use vicinity_policy::presets;
use vicinity_policy::scheduler::Scheduler::{self, Central, Locality, WorkStealing};
use vicinity_sim::engine::{Setup, simulate};
use vicinity_sim::machine::Machine;
use vicinity_sim::outcome::Outcome;
use vicinity_sim::programs::{Input, Kind};

/// Runs of one program on one machine.
struct Bench {
    machine: Machine,
    program: vicinity_sim::program::Program,
}

impl Bench {
    fn new(machine: &str, kind: Kind, size: Option<u32>) -> Bench {
        let machine = Machine::new(presets::named(machine).expect("a preset"));
        let size = size.unwrap_or_else(|| kind.default_size(&machine));
        let program = Input { kind, size, seed: 1 }.program(&machine);
        Bench { machine, program }
    }

    fn run(&self, scheduler: Scheduler, distribution: Distribution, reach: Option<u32>) -> Outcome {
        let setup = Setup::new(&self.machine, &self.program, scheduler, distribution);
        simulate(&Setup { reach, ..setup }).expect("it ends").0
    }

    /// Relative to work stealing with fine distribution.
    fn ratio(&self, scheduler: Scheduler, distribution: Distribution) -> f64 {
        let base = self.run(WorkStealing, Fine, None).makespan_ps as f64;
        self.run(scheduler, distribution, None).makespan_ps as f64 / base
    }
}

#[test]
fn coarse_data_and_locality_pay_for_map_and_matmul() {
    let map = Bench::new("opteron6172", Kind::Map, None);
    assert!(map.ratio(Locality, Coarse) < 0.6);
    assert!(map.ratio(WorkStealing, Coarse) > 1.1, "without locality coarse loses");
    let matmul = Bench::new("opteron6172", Kind::Matmul, None);
    assert!(matmul.ratio(Locality, Coarse) < 0.99);
}

#[test]
fn misused_coarse_loses() {
    let reduction = Bench::new("opteron6172", Kind::Reduction, None);
    assert!(reduction.ratio(Locality, Coarse) > 1.2);
    let jacobi = Bench::new("opteron6172", Kind::Jacobi, Some(8));
    assert!(jacobi.ratio(Locality, Coarse) > 1.2);
}

#[test]
fn fine_data_do_not_lose_under_locality() {
    for (machine, kind) in [
        ("opteron6172", Kind::Map),
        ("opteron6172", Kind::Matmul),
        ("opteron6172", Kind::Reduction),
        ("tilepro64", Kind::Map),
        ("tilepro64", Kind::Reduction),
    ] {
        let ratio = Bench::new(machine, kind, None).ratio(Locality, Fine);
        assert!(ratio < 1.005, "{machine} {kind:?}: {ratio}");
    }
}

/// The paper's figure 7: all tasks stand in one queue, and the imbalance is not won back.
#[test]
fn fine_data_lose_by_the_rules_to_the_letter() {
    for kind in [Kind::Map, Kind::Matmul] {
        let bench = Bench::new("opteron6172", kind, None);
        let base = bench.run(WorkStealing, Fine, None).makespan_ps as f64;
        let setup = Setup::new(&bench.machine, &bench.program, Locality, Fine);
        let (outcome, _) = simulate(&Setup { to_the_letter: true, ..setup }).expect("it ends");
        let ratio = outcome.makespan_ps as f64 / base;
        assert!(ratio > 1.03, "{kind:?}: {ratio}");
    }
}

#[test]
fn map_is_fine_with_small_vicinities_and_vecmul_wants_large_ones() {
    let map = Bench::new("tilepro64", Kind::Map, None);
    let of = |bench: &Bench, reach| bench.run(Locality, Coarse, Some(reach)).makespan_ps as f64;
    assert!(of(&map, 1) <= 1.01 * of(&map, 63));
    assert!(map.ratio(Locality, Coarse) < 0.7);
    let vecmul = Bench::new("tilepro64", Kind::Vecmul, Some(70));
    assert!(of(&vecmul, 63) < 0.9 * of(&vecmul, 1));
}

#[test]
fn a_seed_is_a_run() {
    // A change of the model or of a policy changes these numbers; a change of neither must not.
    let fingerprint = |machine, kind, size, scheduler, distribution| {
        let bench = Bench::new(machine, kind, Some(size));
        bench.run(scheduler, distribution, None).fingerprint
    };
    let golden = [
        fingerprint("opteron6172", Kind::Dag, 2000, Locality, Coarse),
        fingerprint("opteron6172", Kind::Fib, 15, WorkStealing, Fine),
        fingerprint("tilepro64", Kind::SparseLu, 8, Locality, Coarse),
        fingerprint("epyc-nps4", Kind::Matmul, 8, Central, Distribution::Standard),
    ];
    let expected = [
        6_031_252_517_174_306_092,
        13_744_048_357_081_662_972,
        15_055_563_637_011_126_169,
        13_055_451_159_939_472_145,
    ];
    assert_eq!(golden, expected);
}

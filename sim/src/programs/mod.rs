//! Programs by name: the paper's six, and shapes without data.
//!
//! Inputs are the paper's for its two machines (captions of its figures 7 and 9); machines with pages get
//! those of the NUMA system, many-cores those of the TILEPro64. Allocation and footprints follow the programs
//! that the paper's runtime, MIR, comes with: which blocks are allocations of their own, in which order, and
//! that the initial thread initialises them. The paper gives no computation times; they are computed from
//! operations and the machine's clock by `Pace`.
//!
//! Units: bytes, elements, picoseconds.

mod matrices;
mod shapes;
mod vectors;

use crate::machine::Machine;
use crate::program::Program;

/// Programs that can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Map,
    Reduction,
    Vecmul,
    Matmul,
    Jacobi,
    SparseLu,
    Fib,
    Chain,
    Dag,
}

/// A program's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    pub kind: Kind,
    /// Vectors, depth, blocks a side, the Fibonacci number, tasks: what `Kind::size_means` says.
    pub size: u32,
    /// For what is random.
    pub seed: u64,
}

impl Kind {
    pub const WORDS: &[(&str, Kind)] = &[
        ("map", Kind::Map),
        ("reduction", Kind::Reduction),
        ("vecmul", Kind::Vecmul),
        ("matmul", Kind::Matmul),
        ("jacobi", Kind::Jacobi),
        ("sparselu", Kind::SparseLu),
        ("fib", Kind::Fib),
        ("chain", Kind::Chain),
        ("dag", Kind::Dag),
    ];

    pub fn word(self) -> &'static str {
        let word = Kind::WORDS.iter().find(|&&(_, kind)| kind == self);
        word.map(|&(word, _)| word).unwrap_or_default()
    }

    /// What one line of help says of the size.
    pub fn size_means(self) -> &'static str {
        match self {
            Kind::Map | Kind::Vecmul => "vectors",
            Kind::Reduction => "levels of the tree",
            Kind::Matmul | Kind::Jacobi | Kind::SparseLu => "blocks on each side of a matrix",
            Kind::Fib => "which Fibonacci number",
            Kind::Chain | Kind::Dag => "tasks",
        }
    }

    /// The paper's input for such a machine, or ours where the paper has none.
    pub fn default_size(self, machine: &Machine) -> u32 {
        match (self, machine.many_core) {
            (Kind::Map, false) => 48,
            (Kind::Map, true) => 63,
            (Kind::Reduction, false) => 10,
            (Kind::Reduction, true) => 6,
            (Kind::Vecmul, _) => 128,
            (Kind::Matmul, false) => 4096 / 128,
            (Kind::Matmul, true) => 8,
            (Kind::Jacobi, false) => 16_384 / 512,
            (Kind::Jacobi, true) => 16,
            (Kind::SparseLu, false) => 8192 / 256,
            (Kind::SparseLu, true) => 1152 / 36,
            (Kind::Fib, _) => 25,
            (Kind::Chain | Kind::Dag, _) => 100_000,
        }
    }

    /// Smallest and largest that make sense and fit into memory here.
    pub fn sizes(self) -> (u32, u32) {
        match self {
            Kind::Map => (1, 1_000_000),
            Kind::Vecmul => (2, 2_000),
            Kind::Reduction => (1, 20),
            Kind::Matmul | Kind::Jacobi | Kind::SparseLu => (2, 128),
            Kind::Fib => (1, 32),
            Kind::Chain | Kind::Dag => (1, 5_000_000),
        }
    }

    /// The distribution that the paper's heuristics advise (its tables 3 and 4), coarse or fine.
    pub fn advised(self) -> Option<vicinity_policy::distribution::Distribution> {
        use vicinity_policy::distribution::Distribution::{Coarse, Fine};
        match self {
            Kind::Map | Kind::Vecmul | Kind::Matmul | Kind::SparseLu => Some(Coarse),
            Kind::Reduction | Kind::Jacobi => Some(Fine),
            Kind::Fib | Kind::Chain | Kind::Dag => None,
        }
    }
}

impl Input {
    /// The program, for this machine. The size lies within `Kind::sizes`.
    pub fn program(self, machine: &Machine) -> Program {
        let pace = Pace { clock_mhz: machine.clock_mhz.into(), many_core: machine.many_core };
        match self.kind {
            Kind::Map => vectors::map(self.size, pace),
            Kind::Reduction => vectors::reduction(self.size, pace),
            Kind::Vecmul => vectors::vecmul(self.size, pace),
            Kind::Matmul => matrices::matmul(self.size, pace),
            Kind::Jacobi => matrices::jacobi(self.size, pace),
            Kind::SparseLu => matrices::sparselu(self.size, pace),
            Kind::Fib => shapes::fib(self.size, pace),
            Kind::Chain => shapes::chain(self.size, pace),
            Kind::Dag => shapes::dag(self.size, self.seed, pace),
        }
    }
}

/// How fast a core computes on data in its cache.
#[derive(Clone, Copy, Debug)]
struct Pace {
    clock_mhz: u64,
    many_core: bool,
}

impl Pace {
    fn cycles_ps(self, cycles: u64) -> u64 {
        cycles * 1_000_000 / self.clock_mhz
    }

    /// Simple loops over arrays, compiled: one cycle an operation where four fit a vector register and
    /// loads, stores and the loop go along; four on a scalar core that executes in order.
    fn loop_ps(self, operations: u64) -> u64 {
        self.cycles_ps(operations * if self.many_core { 4 } else { 1 })
    }

    /// A tuned BLAS: single-precision operations at 80 % of eight a cycle, the peak of 128-bit vectors.
    fn blas_ps(self, operations: u64) -> u64 {
        if self.many_core { self.loop_ps(operations) } else { self.cycles_ps(operations * 10 / 64) }
    }

    fn pick<T>(self, pages: T, many_core: T) -> T {
        if self.many_core { many_core } else { pages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Step;
    use vicinity_policy::presets;

    #[test]
    fn every_program_can_be_made_for_every_machine() {
        for name in presets::names() {
            let machine = Machine::new(presets::named(name).unwrap());
            for &(word, kind) in Kind::WORDS {
                assert_eq!(kind.word(), word);
                let (least, most) = kind.sizes();
                assert!((least..=most).contains(&kind.default_size(&machine)), "{word}");
                for size in [least, least + 3] {
                    let program = Input { kind, size, seed: 1 }.program(&machine);
                    assert!(program.tasks.len() > 1, "{word} {size}");
                    assert!(program.compute_ps() > 0, "{word}");
                }
            }
        }
    }

    #[test]
    fn the_papers_inputs() {
        let opteron = Machine::new(presets::named("opteron6172").unwrap());
        let tile = Machine::new(presets::named("tilepro64").unwrap());
        let make = |kind: Kind, machine| {
            Input { kind, size: kind.default_size(machine), seed: 1 }.program(machine)
        };
        assert_eq!(make(Kind::Map, &opteron).data_bytes(), 48 << 20);
        assert_eq!(make(Kind::Map, &tile).data_bytes(), 63 * (32 << 10));
        assert_eq!(make(Kind::Reduction, &opteron).data_bytes(), 256 << 20);
        assert_eq!(make(Kind::Jacobi, &opteron).data_bytes(), 2 * (16_384 * 16_384 * 4));
        let matmul = make(Kind::Matmul, &opteron);
        assert_eq!((matmul.data_bytes(), matmul.tasks.len()), (3 * (4096 * 4096 * 4), 1025));
        let reduction = make(Kind::Reduction, &tile);
        let waits = reduction.steps_of(reduction.root).iter();
        assert_eq!(waits.filter(|&&step| step == Step::Wait).count(), 6);
    }
}

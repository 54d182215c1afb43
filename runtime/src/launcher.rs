//! What the launcher of MPI says of this process, by variables of the environment.
//!
//! Terms: a *local* rank is numbered among the processes of a job on one machine, a *world* rank among all of them.
//!
//! Sources: Open MPI, "Environment variables set for MPI applications"; MPICH's process manager Hydra, which Intel MPI has
//! too (`MPI_LOCALRANKID`); Cray PALS (`PMI_LOCAL_RANK`); the MVAPICH2 user guide; srun(1), "OUTPUT ENVIRONMENT VARIABLES".

/// A process among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    pub number: u32,
    /// How many there are, more than `number`.
    pub of: u32,
    /// The variable that says so, and whose value is `number`.
    pub variable: &'static str,
}

/// Pairs of variables: the number, and how many there are. The most particular launcher comes first: `mpirun` may run
/// within a job of Slurm, whose variables its processes inherit.
const LOCAL: &[(&str, &str)] = &[
    ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ("MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"),
];
const WORLD: &[(&str, &str)] = &[
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// The local rank of this process, if a launcher started it.
pub fn local() -> Option<Rank> {
    local_in(&|name| std::env::var(name).ok())
}

/// The world rank of this process, if a launcher started it.
pub fn world() -> Option<Rank> {
    pair(WORLD, &|name| std::env::var(name).ok())
}

type Get<'a> = &'a dyn Fn(&str) -> Option<String>;

fn local_in(get: Get) -> Option<Rank> {
    pair(LOCAL, get).or_else(|| slurm(get))
}

fn pair(pairs: &[(&'static str, &str)], get: Get) -> Option<Rank> {
    let rank = |&(number, of): &(&'static str, &str)| rank(number, get, value(get, of)?);
    pairs.iter().find_map(rank)
}

fn rank(variable: &'static str, get: Get, of: u32) -> Option<Rank> {
    let number = value(get, variable)?;
    (number < of).then_some(Rank { number, of, variable })
}

fn value(get: Get, name: &str) -> Option<u32> {
    get(name)?.trim().parse().ok()
}

/// A step of Slurm says how many tasks each node has: `2(x3),1` is 2, 2, 2, 1. An allocation without a step (`salloc`)
/// has the number of a task, and no such list.
fn slurm(get: Get) -> Option<Rank> {
    let list = get("SLURM_STEP_TASKS_PER_NODE")?;
    let mut node = value(get, "SLURM_NODEID")?;
    for item in list.split(',') {
        let (tasks, nodes) = match item.trim().split_once("(x") {
            None => (item.trim(), 1),
            Some((tasks, nodes)) => (tasks, nodes.strip_suffix(')')?.parse().ok()?),
        };
        if node < nodes {
            return rank("SLURM_LOCALID", get, tasks.parse().ok()?);
        }
        node -= nodes;
    }
    None
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn local_of(variables: &[(&str, &str)]) -> Option<(u32, u32)> {
        let get = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        local_in(&get).map(|rank| (rank.number, rank.of))
    }

    #[test]
    fn every_launcher_is_understood() {
        let open = [("OMPI_COMM_WORLD_LOCAL_RANK", "1"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "3")];
        assert_eq!(local_of(&open), Some((1, 3)));
        assert_eq!(local_of(&[("MPI_LOCALRANKID", "0"), ("MPI_LOCALNRANKS", "2")]), Some((0, 2)));
        assert_eq!(local_of(&[("PMI_LOCAL_RANK", "3"), ("PMI_LOCAL_SIZE", "4")]), Some((3, 4)));
        let slurm = |node, local| {
            let list = ("SLURM_STEP_TASKS_PER_NODE", "4(x2),3,1");
            local_of(&[list, ("SLURM_NODEID", node), ("SLURM_LOCALID", local)])
        };
        assert_eq!([slurm("0", "3"), slurm("1", "0")], [Some((3, 4)), Some((0, 4))]);
        assert_eq!([slurm("2", "2"), slurm("3", "0")], [Some((2, 3)), Some((0, 1))]);
        assert_eq!(slurm("4", "0"), None);
    }

    #[test]
    fn mpirun_within_slurm_counts_before_slurm() {
        let both = [
            ("SLURM_STEP_TASKS_PER_NODE", "1"),
            ("SLURM_NODEID", "0"),
            ("SLURM_LOCALID", "0"),
            ("MPI_LOCALRANKID", "2"),
            ("MPI_LOCALNRANKS", "8"),
        ];
        assert_eq!(local_of(&both), Some((2, 8)));
        assert_eq!(local_of(&both[..3]), Some((0, 1)));
        assert_eq!(local_of(&both[1..3]), None, "an allocation without a step");
    }

    #[test]
    fn what_makes_no_sense_is_no_rank() {
        for (number, of) in [("2", "2"), ("-1", "2"), ("x", "2"), ("0", ""), ("0", "0")] {
            assert_eq!(local_of(&[("MPI_LOCALRANKID", number), ("MPI_LOCALNRANKS", of)]), None);
        }
        let lists = ["", "x", "2(x", "2(x)", "(x2)", "2(x2"];
        for list in lists {
            let variables = [("SLURM_STEP_TASKS_PER_NODE", list), ("SLURM_NODEID", "0")];
            assert_eq!(local_of(&variables), None, "{list}");
        }
    }
}

//! How costs grow with threads, and what waiting costs.

use super::*;
use vicinity_policy::presets;

const MS: u64 = 1_000_000_000;

fn cost(name: &str, construct: Construct, threads: u32, policy: WaitPolicy, gap_ps: u64) -> Cost {
    let machine = Machine::new(presets::named(name).expect("a known machine"));
    let setup = Setup { machine: &machine, construct, threads, policy, work_ps: 1_000_000, gap_ps };
    run(&setup).expect("enough cores")
}

/// On a machine with 128 cores in 8 locations, and another in 4.
#[test]
fn costs_grow_with_the_logarithm_of_threads() {
    for name in ["epyc-nps4", "arm-4node"] {
        for &(word, construct) in Construct::WORDS {
            let each = |threads: u32| cost(name, construct, threads, WaitPolicy::Active, 0);
            let steps = |threads: u32| u64::from(threads.ilog2());
            // Counters are in groups of 8, so it grows in steps.
            let few_ps = each(8).time_ps / steps(8);
            for threads in [16, 32, 64, 128] {
                let it = each(threads);
                let most_ps = few_ps * steps(threads) * 6 / 5;
                assert!(it.time_ps < most_ps, "{name}, {word}, {threads}: {it:?}");
                // As `runtime/tests/effort` has it.
                let most = 8 + steps(threads);
                assert!(it.writes_by_one <= most && it.writes_of_one <= 8, "{word}: {it:?}");
            }
        }
    }
}

#[test]
fn spinning_wakes_nobody_and_sleeping_spins_little() {
    for &(word, construct) in Construct::WORDS {
        let each = |policy| cost("epyc-nps4", construct, 64, policy, 5 * MS);
        let (active, passive) = (each(WaitPolicy::Active), each(WaitPolicy::Passive));
        assert_eq!(active.wakes, 0.0, "{word}");
        assert_eq!(passive.spun_ps, 0, "{word}");
        // All but the last to arrive, or the one that starts the others, sleep and are woken.
        assert!(passive.wakes >= 63.0, "{word}: {passive:?}");
        assert!(active.spun_ps > 62 * 5 * MS && active.time_ps < passive.time_ps, "{word}");
    }
}

#[test]
fn a_team_learns_whether_to_spin() {
    for &(word, construct) in Construct::WORDS {
        let each = |policy, gap_ps| cost("xeon-snc4", construct, 112, policy, gap_ps);
        let (learned, passive) =
            (each(WaitPolicy::Unspecified, 5 * MS), each(WaitPolicy::Passive, 5 * MS));
        // No longer than a wake-up takes.
        assert!(learned.spun_ps < 112 * MS / 10, "{word}: {learned:?}");
        assert!(learned.time_ps < passive.time_ps * 21 / 20, "{word}: {learned:?}");
        let (learned, active) = (each(WaitPolicy::Unspecified, 0), each(WaitPolicy::Active, 0));
        assert_eq!(learned, active, "{word}");
    }
}

/// The first thread arrives long before the others in each region.
#[test]
fn a_thread_that_is_woken_learns_that_once() {
    let machine = Machine::new(presets::named("epyc-nps4").expect("a known machine"));
    let (construct, policy) = (Construct::Region, WaitPolicy::Unspecified);
    let setup = Setup { machine: &machine, construct, threads: 2, policy, work_ps: 0, gap_ps: 0 };
    let at = seats(&machine, 2).expect("enough cores");
    let mut team = Team::new(Seats { machine: &machine, at }, &setup);
    let mut round = || {
        team.fork();
        team.crew.works(1, 5 * MS);
        team.join();
        team.crew.spun_ps()
    };
    (0..WARM_UP).for_each(|_| _ = round());
    let (before_ps, after_ps) = (round(), round());
    assert!(after_ps - before_ps < MS / 10, "{} ps", after_ps - before_ps);
}

#[test]
fn a_team_needs_cores() {
    let machine = Machine::new(presets::named("opteron6172").expect("a known machine"));
    for threads in [0, 49] {
        let construct = Construct::Region;
        let policy = WaitPolicy::Active;
        let setup = Setup { machine: &machine, construct, threads, policy, work_ps: 0, gap_ps: 0 };
        assert_eq!(run(&setup), Err(Stuck::Threads { asked: threads, cores: 48 }));
    }
}

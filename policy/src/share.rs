//! How many threads a region gets where processes share processors, or several threads of one process start regions.
//!
//! Everybody gets as much of the processors as he can use, up to a level that is the same for all (max-min fairness: Bertsekas and
//! Gallager, Data Networks, section 6.5.2), and only what nobody runs on. So a region that finds the processors taken has one
//! thread, and the others' next regions leave it its part. Who wants little leaves the rest to those who want much.
//!
//! Terms: a *claimant* is a thread of the program, here or in another process, that has started a region and wants threads for
//! it. It has at least itself.

/// What the regions of one process want; all alike, if there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// How many claimants there are.
    pub claimants: u32,
    /// Threads that they want, together.
    pub wanted: u32,
    /// Threads that run for them.
    pub running: u32,
}

impl Claims {
    /// What each of them wants: nothing, if all threads sleep.
    fn each(&self) -> u32 {
        self.wanted.div_ceil(self.claimants.max(1))
    }
}

/// The size of a region that wants so many threads, on so many processors, beside `others`.
pub fn region_size(
    wanted: u32,
    processors: u32,
    others: impl Iterator<Item = Claims> + Clone,
) -> u32 {
    let running = others.clone().fold(0u32, |sum, it| sum.saturating_add(it.running));
    let free = processors.saturating_sub(running);
    wanted.min(fair_level(wanted, processors, others)).min(free).max(1)
}

/// Up to how many threads each claimant may have. Rounded up: what is left over goes to who comes first.
fn fair_level(wanted: u32, processors: u32, others: impl Iterator<Item = Claims> + Clone) -> u32 {
    let mut level = 0;
    loop {
        // Who wants no more than the level gets all of it, and the others share what they leave.
        let (mut left, mut sharing) = (u64::from(processors), u64::from(wanted > level));
        left -= left.min(if wanted > level { 0 } else { u64::from(wanted) });
        for claims in others.clone().filter(|it| it.claimants > 0) {
            match claims.each() > level {
                true => sharing += u64::from(claims.claimants),
                false => left -= left.min(u64::from(claims.wanted)),
            }
        }
        if sharing == 0 {
            return wanted;
        }
        let next = u32::try_from(left.div_ceil(sharing)).unwrap_or(u32::MAX);
        if next <= level {
            return level;
        }
        level = next;
    }
}

/// How many threads beside its own a thread gets that starts a region inside another one of so many threads, each of which may
/// do so: its part of the processors that nobody runs on.
pub fn nested_extra(wanted: u32, processors: u32, running: u32, peers: u32) -> u32 {
    let free = processors.saturating_sub(running);
    wanted.saturating_sub(1).min(free.div_ceil(peers.max(1)))
}

/// How many threads the regions of one of the program's further threads have at most, where the program has so many, the first one
/// included: all of them have the processors among them.
pub fn native_threads(wanted: u32, processors: u32, natives: u32) -> u32 {
    wanted.min(processors / natives.saturating_sub(1).max(1)).max(1)
}

/// Whether a thread that spins takes a processor from one that runs: so many threads of this process are in regions, and so many
/// of others. Between regions there are two at least, the program's own and the one that spins.
pub fn spinning_disturbs(own: u32, others: u32, processors: u32) -> bool {
    others > 0 && others.saturating_add(own.max(2)) > processors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(wanted: u32, running: u32) -> Claims {
        Claims { claimants: 1, wanted, running }
    }

    fn size(wanted: u32, processors: u32, others: &[Claims]) -> u32 {
        region_size(wanted, processors, others.iter().copied())
    }

    #[test]
    fn who_is_alone_gets_what_he_wants_and_no_more_than_there_is() {
        assert_eq!(size(8, 8, &[]), 8);
        assert_eq!(size(3, 8, &[]), 3);
        assert_eq!(size(20, 8, &[Claims::default()]), 8);
    }

    #[test]
    fn only_free_processors_are_taken_and_one_thread_always_runs() {
        assert_eq!(size(8, 8, &[one(8, 8)]), 1);
        assert_eq!(size(8, 8, &[one(3, 3)]), 5);
        assert_eq!(size(8, 8, &[one(8, 7)]), 1);
        assert_eq!(size(8, 1, &[one(8, 8), one(9, u32::MAX), one(u32::MAX, u32::MAX)]), 1);
    }

    #[test]
    fn who_has_more_than_his_part_gives_it_back_at_his_next_region() {
        assert_eq!(size(8, 8, &[one(8, 1)]), 4);
        assert_eq!(size(8, 9, &[one(8, 1), one(8, 1)]), 3);
        assert_eq!(size(8, 8, &[one(2, 2)]), 6);
        assert_eq!(size(8, 8, &[Claims { claimants: 3, wanted: 24, running: 3 }]), 2);
    }

    #[test]
    fn who_sleeps_leaves_everything_to_the_others() {
        assert_eq!(size(8, 8, &[one(0, 0)]), 8);
        assert_eq!(size(8, 8, &[one(2, 2), one(0, 0)]), 6);
    }

    /// Each round everybody ends a region and begins the next one.
    fn settle(processors: u32, wanted: &[u32]) -> Vec<u32> {
        let mut sizes = vec![0; wanted.len()];
        for _ in 0..8 {
            for me in 0..wanted.len() {
                let others = (0..wanted.len()).filter(|&it| it != me);
                let claims = others.map(|it| one(wanted[it], sizes[it]));
                sizes[me] = region_size(wanted[me], processors, claims);
            }
        }
        sizes
    }

    #[test]
    fn those_who_go_on_and_on_come_to_equal_parts() {
        assert_eq!(settle(8, &[8, 8]), [4, 4]);
        assert_eq!(settle(2, &[2, 2]), [1, 1]);
        assert_eq!(settle(2, &[2, 2, 2, 2]), [1, 1, 1, 1]);
        assert_eq!(settle(8, &[8, 2, 8]), [3, 2, 3]);
        assert_eq!(settle(64, &[64, 4, 1]), [59, 4, 1]);
        for count in 1..20u32 {
            let sizes = settle(16, &vec![16; count as usize]);
            assert_eq!(sizes.iter().sum::<u32>(), 16.max(count), "{sizes:?}");
        }
    }

    #[test]
    fn regions_inside_regions_get_their_part_of_what_is_free() {
        assert_eq!(nested_extra(8, 8, 8, 2), 0);
        assert_eq!(nested_extra(8, 8, 2, 2), 3);
        assert_eq!(nested_extra(2, 8, 1, 1), 1);
        assert_eq!(nested_extra(8, 2, 1, 2), 1);
        assert_eq!(nested_extra(0, 8, 9, 0), 0);
    }

    #[test]
    fn threads_of_the_program_have_the_processors_among_them() {
        assert_eq!(native_threads(8, 8, 2), 8);
        assert_eq!(native_threads(8, 8, 5), 2);
        assert_eq!(native_threads(3, 8, 3), 3);
        assert_eq!(native_threads(8, 2, 100), 1);
        assert_eq!(native_threads(8, 8, 0), 8);
    }

    #[test]
    fn nobody_spins_where_another_process_needs_the_processor() {
        assert!(!spinning_disturbs(2, 0, 2));
        assert!(spinning_disturbs(0, 1, 2) && spinning_disturbs(2, 1, 2));
        assert!(!spinning_disturbs(4, 4, 8) && spinning_disturbs(5, 4, 8));
        assert!(spinning_disturbs(u32::MAX, u32::MAX, 8));
    }
}

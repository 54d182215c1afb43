//! Loom models: every interleaving of the two protocols of this module (`record`, `part`).

use super::part::Part;
use super::record::{Counts, Record, running};
use crate::sync::{Ordering, fence};
use loom::sync::Arc;
use vicinity_policy::share::{Claims, region_size};

const ONE: Claims = Claims { claimants: 1, wanted: 2, running: 1 };

/// (a1) to (a4) of a process that wants both of two processors.
fn begin(own: &Record, other: &Record, is_first: bool) -> u32 {
    own.put(Counts::new(ONE), is_first);
    // SeqCst: pairs with the same one of the other process.
    fence(Ordering::SeqCst);
    let size = region_size(2, 2, std::iter::once(other.read().claims()));
    match is_first {
        true => own.say(Counts::new(Claims { running: size, ..ONE })),
        false => own.add(running(size - 1)),
    }
    size
}

/// Of two processes that begin at once, one at most takes all processors; one or none by its first thread.
fn one_of_two_sees_the_other(is_first: bool) {
    loom::model(move || {
        let records = Arc::new([Record::default(), Record::default()]);
        let other = records.clone();
        let thread = loom::thread::spawn(move || begin(&other[1], &other[0], is_first));
        let sizes = [begin(&records[0], &records[1], false), thread.join().unwrap()];
        assert!(sizes != [2, 2], "{sizes:?}");
        // Whoever begins anew sees the other one.
        records[0].take_away(Counts::new(Claims { running: sizes[0], ..ONE }));
        assert_eq!(begin(&records[0], &records[1], false), 1);
    });
}

#[test]
fn one_of_two_threads_sees_the_other() {
    one_of_two_sees_the_other(false);
}

#[test]
fn a_first_thread_and_another_see_each_other() {
    one_of_two_sees_the_other(true);
}

/// Whenever a thread falls asleep and wakes up, before or after the end of its region: in the end nothing is claimed, and
/// never less than that.
fn a_lent_processor_is_counted_once(is_first: bool) {
    loom::model(move || {
        let shared = Arc::new((Part::default(), Record::default()));
        let claim = Counts::new(Claims { running: 2, ..ONE });
        shared.1.put(claim, is_first);
        shared.0.begin(claim, false, is_first);
        let sleeper = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                if shared.0.lend(&shared.1) {
                    shared.0.take_back(&shared.1);
                }
            })
        };
        shared.0.end(&shared.1);
        assert_eq!(shared.1.read().claims().claimants, 0);
        sleeper.join().unwrap();
        assert_eq!(shared.1.read(), Counts::default());
    });
}

#[test]
fn a_processor_of_any_region_is_counted_once() {
    a_lent_processor_is_counted_once(false);
}

#[test]
fn a_processor_of_the_first_thread_is_counted_once() {
    a_lent_processor_is_counted_once(true);
}

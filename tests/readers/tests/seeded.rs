//! Mutations of good input to every reader: a short run in every test run, repeatable by its seed.
//!
//! `VICINITY_TEST_SEED=N` runs another sequence, `VICINITY_TEST_INPUTS=N` a longer one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use vicinity_readers::mutate::{Random, mutated};
use vicinity_readers::{READERS, Reader};

/// No input may hold a reader up for longer.
const LIMIT: Duration = Duration::from_secs(5);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn feed(reader: &Reader, input: &[u8], which: &str) {
    let start = Instant::now();
    let survived = catch_unwind(AssertUnwindSafe(|| (reader.read)(input))).is_ok();
    let shown = String::from_utf8_lossy(input);
    assert!(survived, "{} reader, {which}: failed on {shown:?}", reader.name);
    assert!(start.elapsed() < LIMIT, "{} reader, {which}: slow on {shown:?}", reader.name);
}

#[test]
fn readers_survive_bad_input() {
    let seed = number("VICINITY_TEST_SEED", 1);
    let inputs = number("VICINITY_TEST_INPUTS", 2000);
    for reader in READERS {
        let mut random = Random::new(seed);
        for sample in reader.samples {
            feed(reader, sample.as_bytes(), "good sample");
        }
        feed(reader, b"", "nothing");
        for at in 0..inputs {
            let input = mutated(reader.samples, &mut random);
            feed(reader, &input, &format!("VICINITY_TEST_SEED={seed}, input {at}"));
        }
    }
}

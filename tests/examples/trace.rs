//! Writes a synthetic trace of about as many tasks as asked for: `cargo run --example trace -- 1000000 >big.json`.

use std::io::{BufWriter, Write, stdout};

use vicinity_tests::trace::Shape;

fn main() -> std::io::Result<()> {
    let tasks = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let mut out = BufWriter::new(stdout().lock());
    tasks.map_or(Shape::SMALL, Shape::of_tasks).write(&mut out)?;
    out.flush()
}

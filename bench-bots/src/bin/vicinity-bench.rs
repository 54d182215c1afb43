//! The benchmark driver as a program of its own; `vicinity bench` is the same.

use std::process::ExitCode;

use clap::Parser;
use vicinity_bench::Options;

#[derive(Parser)]
#[command(name = "vicinity-bench", version)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    vicinity_bench::run(&Cli::parse().options)
}

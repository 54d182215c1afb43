//! The benchmark driver as a program of its own; `vicinity bench` is the same.

use std::process::ExitCode;

use clap::Parser;
use vicinity_bench::Options;

#[derive(Parser)]
#[command(name = "vicinity-bench", version, after_help = vicinity_bench::HELP)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let run =
        |cli: Cli| vicinity_bench::run(&cli.options).map_err(|failure| failure.report("bench"));
    let status = vicinity_bench::parse("bench").and_then(run);
    ExitCode::from(status.unwrap_or_else(|status| status))
}

//! The `vicinity` command: run programs on Vicinity, show what it knows of the machine, measure it.

mod demo;
mod failure;
mod info;
mod machine;
mod program;
mod run;
mod simulate;
mod timeline;
mod translate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{EXIT_STATUS, Failure};

#[derive(Parser)]
#[command(version, about = "Runs OpenMP programs where their data lives", after_help = EXIT_STATUS)]
#[command(disable_help_subcommand = true)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run an OpenMP program on Vicinity, without rebuilding it
    #[command(after_help = EXIT_STATUS)]
    Run(run::Run),
    /// Show the machine, its distances, and every setting with where it came from
    Info(info::Info),
    /// Compare OpenMP runtimes on task programs and overhead measures
    Bench(vicinity_bench::Options),
    /// Make a page that shows a trace: who ran what when, on whose data, and what to change
    Timeline(timeline::Timeline),
    /// Compare the traces of two runs, function by function
    Compare(timeline::Compare),
    /// Run task programs on the system's OpenMP runtimes and on Vicinity, side by side
    Demo(demo::Demo),
    /// Run a task program on a machine that is not here, in virtual time
    #[command(after_help = simulate::HELP)]
    Simulate(simulate::Simulate),
    /// Show what is decided for each loop of an OpenCL kernel, and why
    Translate(translate::Translate),
}

fn main() -> ExitCode {
    match Command::parse().action {
        Action::Run(run) => match run.execute() {
            Err(failure) => failure.report(),
        },
        Action::Info(info) => finish(info.execute()),
        Action::Timeline(timeline) => finish(timeline.execute()),
        Action::Compare(compare) => finish(compare.execute()),
        Action::Bench(options) => vicinity_bench::run(&options),
        Action::Demo(demo) => demo.execute().unwrap_or_else(|failure| failure.report()),
        Action::Simulate(simulate) => finish(simulate.execute()),
        Action::Translate(translate) => {
            translate.execute().unwrap_or_else(|failure| failure.report())
        }
    }
}

fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

//! The `vicinity` command: run programs on Vicinity, show what it knows of the machine, measure it.

mod advise;
mod completions;
mod demo;
mod failure;
mod info;
mod machine;
mod program;
mod run;
mod simulate;
mod survey;
mod takeover;
mod timeline;
mod top;
mod translate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use vicinity_output::{EXIT_DONE, exit_status};

use failure::Failure;

const HELP: &str = concat!(
    "`vicinity COMMAND --help` explains a command.\n\n",
    exit_status!(
        "0    done"
        "1    done, and something is wrong: a program's result (bench, demo), a kernel's source (translate)";
        "126  run: the program was found, and cannot be run on Vicinity"
        "127  run: the program was not found"
        "else what the program returned that `vicinity run` started"
    )
);
const PLAIN_HELP: &str = exit_status!("0    done";);

#[derive(Parser)]
#[command(name = "vicinity", version, about = "Runs OpenMP programs where their data lives")]
#[command(after_help = HELP, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run an OpenMP program on Vicinity, without rebuilding it
    #[command(after_help = run::HELP)]
    Run(run::Run),
    /// Show the machine, its distances, and every setting with where it came from
    #[command(after_help = PLAIN_HELP)]
    Info(info::Info),
    /// Compare OpenMP runtimes on task programs and overhead measures
    #[command(after_help = vicinity_bench::HELP)]
    Bench(vicinity_bench::Options),
    /// Show what the OpenMP threads of running processes do
    #[command(after_help = top::HELP)]
    Top(top::Top),
    /// Make a page that shows a trace: who ran what when, on whose data, and what to change
    #[command(after_help = PLAIN_HELP)]
    Timeline(timeline::Timeline),
    /// Say from a trace what to change: where memory should be, how to schedule, what loops and regions lose
    #[command(after_help = advise::HELP)]
    Advise(advise::Advise),
    /// Compare the traces of two runs, function by function
    #[command(after_help = PLAIN_HELP)]
    Compare(timeline::Compare),
    /// Run task programs on the system's OpenMP runtimes and on Vicinity, side by side
    #[command(after_help = vicinity_bench::HELP)]
    Demo(demo::Demo),
    /// Run a task program on a simulated machine, in virtual time
    #[command(after_help = simulate::HELP)]
    Simulate(simulate::Simulate),
    /// Measure this machine: its memory, and programs under all settings; write what can be passed on and simulated
    #[command(after_help = survey::HELP)]
    Survey(survey::Survey),
    /// Print what a shell needs to complete the words of this command
    #[command(after_help = PLAIN_HELP)]
    Completions(completions::Completions),
    /// Show what is decided for each loop of an OpenCL kernel, and why
    #[command(after_help = translate::HELP)]
    Translate(translate::Translate),
}

fn main() -> ExitCode {
    let action = match vicinity_bench::parse::<Command>("vicinity") {
        Ok(command) => command.action,
        Err(status) => return ExitCode::from(status),
    };
    let done = |()| EXIT_DONE;
    let ended = match action {
        Action::Run(run) => run.execute().map(|never| match never {}),
        Action::Info(info) => info.execute().map(done),
        Action::Top(top) => top.execute().map(done),
        Action::Timeline(timeline) => timeline.execute().map(done),
        Action::Advise(advise) => advise.execute().map(done),
        Action::Compare(compare) => compare.execute().map(done),
        Action::Bench(options) => vicinity_bench::run(&options).map_err(Failure::from),
        Action::Demo(demo) => demo.execute(),
        Action::Simulate(simulate) => simulate.execute().map(done),
        Action::Survey(survey) => survey.execute(),
        Action::Completions(wanted) => wanted.execute::<Command>().map(done),
        Action::Translate(translate) => translate.execute(),
    };
    ended.map_or_else(|failure| failure.report(), ExitCode::from)
}

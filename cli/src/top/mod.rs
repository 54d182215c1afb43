//! `vicinity top`: what the OpenMP threads of running processes do.
//!
//! The library offers a page in each process that was started with VICINITY_TOP=on, as `vicinity run` does; `find` looks for
//! these pages, `sample` reads them often and works out rates and shares, `show` has the table and the JSON, and `view` the
//! terminal. Nothing is written to the processes, and none of them does anything for it.

mod find;
mod sample;
mod show;
mod view;

use std::io::IsTerminal;
use std::time::Duration;

use clap::Args;
use vicinity_output::{exit_status, print};

use crate::failure::Failure;
use find::Page;
use sample::Report;

pub const HELP: &str = concat!(
    "Shown are processes of one's own that run on Vicinity with VICINITY_TOP=on, as `vicinity run` has it.\n\
     THREADS are those that OpenMP knows; BUSY, WAITING and IDLE how much of their time they ran the program, waited for each\n\
     other in a region, and had no region to work for. REGIONS/S counts parallel regions. REMOTE is how much of their tasks'\n\
     known data lay elsewhere (with several locations). STOPPED is how often the control group had used up its quota.\n\n",
    exit_status!("0    done";)
);

#[derive(Args)]
pub struct Top {
    /// These processes [default: all that can be seen]
    #[arg(value_name = "PID")]
    processes: Vec<u32>,

    /// Show one interval, and end
    #[arg(long)]
    once: bool,

    /// Print JSON, an object on a line for each interval
    #[arg(long)]
    json: bool,

    /// How long an interval is
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    interval: Duration,
}

fn interval(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "from 0.1 to 3600".to_string())
}

impl Top {
    /// A view where somebody watches; else lines, until there is nothing left to be seen.
    pub fn execute(self) -> Result<(), Failure> {
        let mut pages = self.pages()?;
        if !self.once && !self.json && std::io::stdout().is_terminal() {
            return view::watch(&mut pages, self.interval, || self.pages());
        }
        loop {
            let reports = sample::observe(&mut pages, self.interval, |pause| {
                std::thread::sleep(pause);
                true
            });
            print(&self.text(&reports))?;
            if self.once {
                return Ok(());
            }
            pages = match self.pages() {
                Ok(pages) => pages,
                Err(_) if !self.processes.is_empty() => return Ok(()),
                Err(failure) => return Err(failure),
            };
        }
    }

    fn text(&self, reports: &[Report]) -> String {
        if self.json { show::json(reports, self.interval) + "\n" } else { show::table(reports) }
    }

    /// The pages that were asked for: of a process that was named there must be one.
    fn pages(&self) -> Result<Vec<Page>, Failure> {
        if self.processes.is_empty() {
            return Ok(find::all());
        }
        let pages = self.processes.iter().map(|&process| find::of(process).map_err(Failure::own));
        pages.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_seconds() {
        assert_eq!(interval("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "nan", "soon", "1e9"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }
}

//! `vicinity timeline` and `vicinity compare`: traces as pages to look at and as text.
//!
//! The reader and everything computed are in `vicinity_sim::trace`; here they become JSON (`describe`), columns
//! (`pack`), a page (`page`) and lines for the terminal (`text`).

mod describe;
mod differences;
mod pack;
mod page;
mod ranks;
mod text;
mod verdict;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use vicinity_output::{print, tell};
use vicinity_sim::trace::analysis::Analysis;
use vicinity_sim::trace::{self, Trace};

use crate::failure::Failure;

#[derive(Args)]
pub struct Timeline {
    /// Traces that VICINITY_TRACE or `vicinity run --trace` wrote, one, or those of all ranks of an MPI job; they may be
    /// compressed (gzip)
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// Also write the traces of several ranks as one, which Perfetto and chrome://tracing open, and this command
    #[arg(long, value_name = "FILE.json")]
    merged: Option<PathBuf>,

    /// Where to write the page [default: the first trace's name with .html, without its rank]
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Title of the page [default: the program's name]
    #[arg(long)]
    title: Option<String>,

    /// Print the summary and the advice, and write no page unless -o is given
    #[arg(long)]
    text: bool,
}

#[derive(Args)]
pub struct Compare {
    /// The trace of the run to compare with
    a: PathBuf,

    /// The trace of the other run
    b: PathBuf,

    /// Write a page with both runs on the same axes
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Title of the page
    #[arg(long)]
    title: Option<String>,
}

impl Timeline {
    pub fn execute(self) -> Result<(), Failure> {
        let (trace, analysis) = match self.traces.as_slice() {
            [one] if self.merged.is_none() => read_tasks(one)?,
            several => ranks::read(several, self.merged.as_deref())?,
        };
        if self.text {
            print(&text::report(&trace, &analysis))?;
        }
        let output = match self.output {
            Some(output) => output,
            None if self.text => return Ok(()),
            None => page_of(&self.traces[0]),
        };
        if self.traces.contains(&output) || self.merged.as_ref() == Some(&output) {
            let text = "the page would replace the trace: choose another name with -o";
            return Err(Failure::usage(text));
        }
        let title = self.title.unwrap_or_else(|| program_of(&trace));
        let run = describe::run(&trace, &analysis, 'A', &title);
        let data = json!({ "title": title, "subtitle": subtitle(&trace), "runs": [run] });
        write(&output, &page::page(&title, &data))
    }
}

impl Compare {
    pub fn execute(self) -> Result<(), Failure> {
        let (a, of_a) = read_tasks(&self.a)?;
        let (b, of_b) = read_tasks(&self.b)?;
        let differences = differences::differences((&a, &of_a), (&b, &of_b));
        print(&text::comparison((&a, &of_a), (&b, &of_b), &differences))?;
        let Some(output) = self.output else { return Ok(()) };
        let name =
            |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let runs = [
            describe::run(&a, &of_a, 'A', &name(&self.a)),
            describe::run(&b, &of_b, 'B', &name(&self.b)),
        ];
        let title =
            self.title.unwrap_or_else(|| format!("{} and {}", name(&self.a), name(&self.b)));
        let rows: Vec<_> = differences.iter().map(|row| row.json((&a, &b))).collect();
        let data = json!({
            "title": title, "subtitle": subtitle(&a), "runs": runs, "differences": rows,
        });
        write(&output, &page::page(&title, &data))
    }
}

/// Reads and analyses a trace of tasks; what the user should know of it goes to standard error.
fn read_tasks(path: &Path) -> Result<(Trace, Analysis), Failure> {
    let (trace, analysis) = read(path)?;
    if trace.tasks.is_empty() {
        tell(format!("vicinity: {}: there are no tasks in it, only threads' time", path.display()));
    }
    Ok((trace, analysis))
}

/// The same of any trace.
pub fn read(path: &Path) -> Result<(Trace, Analysis), Failure> {
    let trace = trace::open(path).map_err(|error| failed(path, &error))?;
    analyse(path, trace)
}

fn failed(path: &Path, error: &trace::Error) -> Failure {
    Failure::own(format!("{}: {error}", path.display()))
}

fn analyse(path: &Path, trace: Trace) -> Result<(Trace, Analysis), Failure> {
    if trace.missing_events > 0 {
        let missing = trace.missing_events;
        tell(format!(
            "vicinity: {}: {missing} events were dropped while recording",
            path.display()
        ));
    }
    for note in &trace.notes {
        tell(format!("vicinity: {}: {note}", path.display()));
    }
    let analysis = Analysis::of(&trace);
    if analysis.lanes.crossing > 0 {
        let (name, count) = (path.display(), analysis.lanes.crossing);
        tell(format!(
            "vicinity: {name}: {count} events end after the event of their thread that they lie in: they are cut there"
        ));
    }
    Ok((trace, analysis))
}

fn write(path: &Path, html: &str) -> Result<(), Failure> {
    std::fs::write(path, html)
        .map_err(|error| Failure::own(format!("cannot write {}: {error}", path.display())))?;
    Ok(print(&format!("wrote {} ({} KiB)\n", path.display(), html.len().div_ceil(1024)))?)
}

/// `run.html` for `run.json`, `run.json.gz` and `run.rank3.json`.
fn page_of(trace: &Path) -> PathBuf {
    let plain = if trace.extension().is_some_and(|end| end == "gz") {
        trace.with_extension("")
    } else {
        trace.to_path_buf()
    };
    let page = plain.with_extension("");
    let is_rank = |end: &std::ffi::OsStr| end.to_string_lossy().starts_with("rank");
    match page.extension() {
        Some(end) if is_rank(end) => page.with_extension("html"),
        _ => plain.with_extension("html"),
    }
}

fn program_of(trace: &Trace) -> String {
    let name =
        Path::new(&trace.program).file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "a program".to_string())
}

fn subtitle(trace: &Trace) -> String {
    let command =
        [trace.program.as_str()].into_iter().chain(trace.arguments.iter().map(String::as_str));
    let setting = |name: &str| {
        let found = trace.settings.iter().find(|(setting, _)| setting == name);
        found.map(|(name, value)| format!("  {name}={value}")).unwrap_or_default()
    };
    command.collect::<Vec<_>>().join(" ")
        + &setting("VICINITY_SCHEDULER")
        + &setting("OMP_DATA_DISTRIBUTION")
}

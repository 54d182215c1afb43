//! The JSON file: everything that was measured, and on what.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::Failure;
use crate::compile;
use crate::entrant::Entrant;
use crate::measure::Prepared;
use crate::options::Plan;
use crate::report::Compared;
use crate::statistics::Summary;

#[derive(Serialize)]
struct Record<'a> {
    /// Changes when a field changes its meaning.
    format: u32,
    version: &'static str,
    taken_at_unix_s: u64,
    command: Vec<String>,
    processors: usize,
    processor_model: Option<String>,
    class: &'static str,
    /// How recursive programs stop making tasks.
    cut: &'static str,
    /// Who allocates the data of programs on Vicinity.
    memory: &'static str,
    /// "wall", or "cpu": processor time of all threads.
    clock: &'static str,
    repeat: usize,
    busy_processes: usize,
    /// Runnable threads of the minute before the first run, by what else was going on.
    load_before: Option<f64>,
    /// Variables of OpenMP runtimes that the programs inherited.
    environment: BTreeMap<String, String>,
    contenders: Vec<ContenderRecord>,
    series: Vec<SeriesRecord<'a>>,
}

#[derive(Serialize)]
struct ContenderRecord {
    name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settings: Vec<String>,
    compiler: Option<String>,
    library: Option<String>,
}

#[derive(Serialize)]
struct SeriesRecord<'a> {
    program: &'static str,
    threads: usize,
    contender: &'static str,
    /// The values of the variables that were varied.
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<&'a str>,
    unit: &'static str,
    summary: Option<Summary>,
    samples: &'a [f64],
    to_better_peer: Option<f64>,
    to_own_peer: Option<f64>,
    speed_up: Option<f64>,
    extras: BTreeMap<&'static str, f64>,
    failure: Option<&'a str>,
}

/// Writes the record of a measurement.
pub fn write(
    path: &Path,
    plan: &Plan,
    prepared: &Prepared,
    load_before: Option<f64>,
    results: &[Compared],
) -> Result<(), Failure> {
    let record = Record {
        format: 2,
        version: env!("CARGO_PKG_VERSION"),
        taken_at_unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
        command: std::env::args().map(without_folder).collect(),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        processor_model: processor_model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
        class: plan.class.word(),
        cut: plan.cut.word(),
        memory: plan.memory.word(),
        clock: plan.clock.word(),
        repeat: plan.repeat,
        busy_processes: plan.busy,
        load_before,
        environment: std::env::vars().filter(|(name, _)| is_runtime_variable(name)).collect(),
        contenders: contenders(prepared),
        series: results.iter().map(series).collect(),
    };
    let text = serde_json::to_string_pretty(&record).map_err(|error| error.to_string());
    text.and_then(|text| fs::write(path, text + "\n").map_err(|error| error.to_string()))
        .map_err(|error| Failure::Setup(format!("cannot write {}: {error}", path.display())))
}

fn contenders(prepared: &Prepared) -> Vec<ContenderRecord> {
    let describe = |entrant: &Entrant| ContenderRecord {
        name: entrant.contender.name(),
        settings: entrant.settings.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        compiler: entrant.contender.family().and_then(compile::version),
        library: prepared.libraries.get(&entrant.contender).map(|path| entrant.recorded(path)),
    };
    prepared.entrants.iter().map(describe).collect()
}

fn series(result: &Compared) -> SeriesRecord<'_> {
    SeriesRecord {
        program: result.name,
        threads: result.threads,
        contender: result.contender.name(),
        setting: result.setting.as_deref(),
        unit: result.unit.words(),
        summary: result.summary,
        samples: &result.values,
        to_better_peer: result.to_better_peer,
        to_own_peer: result.to_own_peer,
        speed_up: result.speed_up,
        extras: result.extras.iter().copied().collect(),
        failure: result.failure.as_deref(),
    }
}

/// A word of the command line that does not tell where things lie on this machine.
fn without_folder(word: String) -> String {
    let (before, path) = word.split_once('=').map_or(("", word.as_str()), |(b, path)| (b, path));
    let file = Path::new(path).file_name().filter(|_| path.starts_with('/'));
    match file.map(|name| name.to_string_lossy()) {
        Some(name) if before.is_empty() => name.into_owned(),
        Some(name) => format!("{before}={name}"),
        None => word,
    }
}

/// The load average of the last minute, where the system tells it.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn is_runtime_variable(name: &str) -> bool {
    ["OMP_", "GOMP_", "KMP_", "LIBOMP_", "VICINITY_", "POCL_"].iter().any(|p| name.starts_with(p))
}

/// The first processor's model, from /proc/cpuinfo.
pub fn processor_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_of_openmp_runtimes_are_recorded() {
        assert!(is_runtime_variable("OMP_WAIT_POLICY") && is_runtime_variable("KMP_BLOCKTIME"));
        assert!(!is_runtime_variable("PATH") && !is_runtime_variable("HOME"));
    }

    #[test]
    fn absolute_paths_are_not_recorded() {
        let recorded = |word: &str| without_folder(word.to_string());
        assert_eq!(recorded("/home/me/bin/vicinity"), "vicinity");
        assert_eq!(recorded("--json=/home/me/out.json"), "--json=out.json");
        assert_eq!(recorded("results/data.json"), "results/data.json");
        assert_eq!(recorded("--vary=A=1,2"), "--vary=A=1,2");
    }

    #[test]
    fn the_processor_is_named() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Fast One\nflags\t: fpu\n";
        assert_eq!(processor_model(cpuinfo).as_deref(), Some("Fast One"));
        assert_eq!(processor_model(""), None);
    }
}

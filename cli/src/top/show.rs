//! Reports as a table, and as JSON.

use std::fmt::Write;
use std::time::Duration;

use serde_json::json;

use super::sample::Report;

const HEAD: &str =
    "    PID  THREADS   BUSY  WAITING   IDLE   REGIONS/S  REMOTE  STOPPED  PROGRAM\n";

pub fn table(reports: &[Report]) -> String {
    if reports.is_empty() {
        return "No process of yours runs on Vicinity with VICINITY_TOP=on; `vicinity run` sets it.\n".to_string();
    }
    let mut text = HEAD.to_string();
    for report in reports {
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let known = |share: Option<f64>| share.map_or_else(|| "-".to_string(), percent);
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{:>7} {:>8} {:>6} {:>8} {:>6} {:>11.0} {:>7} {:>8}  {}",
            report.process,
            report.threads,
            percent(report.busy),
            percent(report.waiting),
            percent(report.idle),
            report.regions_per_second,
            known(report.remote),
            known(report.stopped),
            report.name,
        );
    }
    text
}

pub fn json(reports: &[Report], interval: Duration) -> String {
    let processes: Vec<_> = reports
        .iter()
        .map(|report| {
            json!({
                "pid": report.process,
                "program": report.name,
                "threads": report.threads,
                "processors": report.processors,
                "regions_per_second": report.regions_per_second,
                "busy_share": report.busy,
                "waiting_share": report.waiting,
                "idle_share": report.idle,
                "remote_share": report.remote,
                "stopped_share": report.stopped,
            })
        })
        .collect();
    json!({ "interval_s": interval.as_secs_f64(), "processes": processes }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report {
            process: 42,
            name: "solver".to_string(),
            threads: 4,
            processors: 2,
            regions_per_second: 1234.4,
            busy: 0.75,
            waiting: 0.2,
            idle: 0.05,
            remote: None,
            stopped: Some(0.5),
        }
    }

    #[test]
    fn columns_stand_under_their_names() {
        let table = table(&[report()]);
        let (head, line) = table.trim_end().split_once('\n').expect("two lines");
        assert_eq!(
            line,
            "     42        4    75%      20%     5%        1234       -      50%  solver"
        );
        for (name, value) in [("THREADS", "4"), ("WAITING", "20%"), ("STOPPED", "50%")] {
            let end =
                |text: &str, word: &str| text.find(&format!(" {word} ")).map(|at| at + word.len());
            assert_eq!(end(head, name), end(line, value), "{name}");
        }
        assert!(super::table(&[]).contains("vicinity run"));
    }

    #[test]
    fn json_has_the_units_in_its_names() {
        let text = json(&[report()], Duration::from_secs(2));
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["interval_s"], 2.0);
        assert_eq!(value["processes"][0]["waiting_share"], 0.2);
        assert!(value["processes"][0]["remote_share"].is_null());
    }
}

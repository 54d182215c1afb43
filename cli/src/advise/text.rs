//! Advice in words, for the terminal.

use std::fmt::Write;
use std::path::Path;

use vicinity_sim::advise::uses::Pattern;
use vicinity_sim::trace::analysis::{bytes, time};

use super::report::{Group, Ranked, Report, word_of};

/// Rows of blocks; more cost little.
const MOST_GROUPS: usize = 12;
const WIDTH: usize = 96;

/// What `vicinity advise` prints. Writing into a string cannot fail.
pub fn report(report: &Report, output: Option<&Path>, trace: &Path) -> String {
    let mut text = String::new();
    let program = report.program.rsplit('/').next().unwrap_or(&report.program);
    let _ = writeln!(
        text,
        "{program}: {} on {} threads, {} samples",
        time(report.elapsed_ns as f64),
        report.threads,
        report.samples
    );
    let simulated = if report.is_own { "" } else { ", simulated" };
    let _ = writeln!(text, "Machine: {}{simulated}\n", report.machine);
    let mut tells = placements(&mut text, report, program, output, trace);
    tells |= schedulers(&mut text, report, program);
    tells |= findings(&mut text, report);
    if !tells {
        text += "Nothing to gain was found: no change would save 3% of the time or more.\n\n";
    }
    for note in &report.notes {
        let _ = writeln!(text, "{}", wrapped(&format!("Note: {note}"), ""));
    }
    if let Some(output) = output.filter(|_| !report.file.is_empty()) {
        let _ = writeln!(
            text,
            "Wrote {}: vicinity run --advice {0} PROGRAM does it.",
            output.display()
        );
    }
    text
}

/// Blocks, and what placing them would bring; whether that is worth anything.
fn placements(
    text: &mut String,
    report: &Report,
    program: &str,
    output: Option<&Path>,
    trace: &Path,
) -> bool {
    if report.groups.is_empty() {
        return false;
    }
    let best = Report::best(&report.placements);
    if !report.placements.is_empty() {
        text.push_str("Where memory is: time of the run, relative to leaving all where it is\n\n");
        let file = output.map_or_else(|| "FILE".to_string(), |path| path.display().to_string());
        for ranked in &report.placements {
            let options = ranked.options.replace("FILE", &file);
            let command = format!("vicinity run {options} ./{program}");
            let _ = writeln!(text, "  {:>5.2}  {:<32} {command}", ranked.relative, ranked.what);
        }
        let _ = match best {
            Some(_) if output.is_none() => {
                writeln!(text, "\n  `vicinity advise {} -o FILE` writes FILE.\n", trace.display())
            }
            Some(_) => writeln!(text),
            None => writeln!(text, "\n  No placement saves 3% of the time or more: leave it.\n"),
        };
    }
    text.push_str("Blocks of 1 MiB and more that threads were seen in\n\n");
    for group in report.groups.iter().take(MOST_GROUPS) {
        row(text, report, group);
    }
    if report.groups.len() > MOST_GROUPS {
        let _ =
            writeln!(text, "  and {} more with fewer samples", report.groups.len() - MOST_GROUPS);
    }
    text.push('\n');
    best.is_some()
}

fn row(text: &mut String, report: &Report, group: &Group) {
    let mapped = group.mapped_at().map(|place| format!(", mapped at {place}")).unwrap_or_default();
    let called = group.origin.as_ref().and_then(|origin| origin.called_from.as_ref());
    let called = called.map(|place| format!(", called from {place}")).unwrap_or_default();
    let (rows, count) = match group.row_bytes {
        Some(row) => {
            let count =
                format!("{} blocks of {}, {} in all", group.count, bytes(row), bytes(group.bytes));
            ("rows allocated at ", count)
        }
        None if group.count > 1 => ("", format!("{} blocks, {}", group.count, bytes(group.bytes))),
        None => ("", bytes(group.bytes)),
    };
    let mark = if group.choice.is_sure() { "" } else { " ?" };
    let _ = writeln!(text, "  {rows}{}{mapped}{called}", group.name);
    let used = match group.pattern {
        Pattern::OneThread => "used by one thread".to_string(),
        Pattern::OwnParts => format!("used by {} threads, each its own parts", group.users),
        Pattern::Everywhere => format!("used by {} threads, everywhere", group.users),
    };
    let tasks = match group.work.tasks {
        Some(1) => ", in one task".to_string(),
        Some(count) => format!(", in {count} tasks or more"),
        None => String::new(),
    };
    let first = match group.first_by_master {
        _ if group.distribution != "standard" => format!("placed {}", group.distribution),
        share if share > 0.9 => "touched first by the first thread".to_string(),
        share if share > 0.1 => "touched first by the first thread and by others".to_string(),
        _ => "touched first by its users".to_string(),
    };
    let _ = writeln!(
        text,
        "      {count}; {used}{tasks}; {first}; {} samples{mark}",
        group.choice.samples
    );
    if report.placements.is_empty() {
        return;
    }
    let each: Vec<String> = group
        .choice
        .outcomes
        .iter()
        .map(|it| format!("{} {:.2}", word_of(it.distribution), it.relative))
        .collect();
    let best = match group.choice.best {
        Some(how) => format!("best {}", word_of(how)),
        None => "best left as it is".to_string(),
    };
    let _ = writeln!(
        text,
        "      {best}; alone: {}; rule of thumb: {}",
        each.join(", "),
        group.rule_of_thumb()
    );
}

fn schedulers(text: &mut String, report: &Report, program: &str) -> bool {
    if report.schedulers.is_empty() {
        return false;
    }
    text.push_str("Tasks: time of the run, relative to the scheduler that it had\n\n");
    for Ranked { what, options, relative } in &report.schedulers {
        let _ = writeln!(text, "  {relative:>5.2}  {what:<40} vicinity run {options} ./{program}");
    }
    text.push_str("\n  `vicinity timeline --text TRACE` has more about tasks.\n\n");
    Report::best(&report.schedulers).is_some()
}

fn findings(text: &mut String, report: &Report) -> bool {
    if report.findings.is_empty() {
        return false;
    }
    text.push_str("Loops and regions: share of the time that is to be saved, at most\n\n");
    for finding in &report.findings {
        let first = format!("{:>4.0}%  {}", 100.0 * finding.saves, finding.text);
        let _ = writeln!(text, "{}", wrapped(&first, "         "));
        let _ =
            writeln!(text, "{}", wrapped(&format!("         ({})", finding.evidence), "         "));
    }
    text.push('\n');
    true
}

/// A paragraph in lines that fit; all but the first begin with `indent`.
fn wrapped(paragraph: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    let start = paragraph.len() - paragraph.trim_start().len();
    lines[0].push_str(&paragraph[..start]);
    let mut is_first = true;
    for word in paragraph.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if !is_first && line + 1 + word.chars().count() > WIDTH {
            lines.push(indent.to_string() + word);
        } else if let Some(line) = lines.last_mut() {
            if !is_first {
                line.push(' ');
            }
            line.push_str(word);
        }
        is_first = false;
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped() {
        let text = wrapped(&format!("  {}", "word ".repeat(40)), "    ");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(
            text.starts_with("  word word") && text.lines().nth(1).unwrap().starts_with("    w")
        );
        assert_eq!(text.split_whitespace().count(), 40);
    }
}

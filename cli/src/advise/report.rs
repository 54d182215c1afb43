//! Everything that is said about a trace, as values.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use vicinity_policy::distribution::Distribution;
use vicinity_policy::repair;
use vicinity_policy::scheduler::Scheduler;
use vicinity_sim::advise::findings::{self, Finding};
use vicinity_sim::advise::placing::{Bench, Choice, Outcome};
use vicinity_sim::advise::uses::{self, Pattern, Uses, Work};
use vicinity_sim::advise::{LEAST_SAMPLES, WORTHWHILE, regions};
use vicinity_sim::engine::{Setup, simulate};
use vicinity_sim::recorded;
use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::Analysis;
use vicinity_sim::trace::memory::Kind;

use super::file::{Advice, BlockAdvice, VariableAdvice};
use super::origin::{Lines, Origin};
use super::target::Target;
use super::variables::Variable;

/// Blocks of one origin.
pub struct Group {
    pub name: String,
    pub origin: Option<Origin>,
    pub variable: Option<Variable>,
    /// The path, if the blocks are mappings of files.
    pub file: Option<String>,
    /// How large each block is on average, if they are small ones of one line.
    pub row_bytes: Option<u64>,
    pub count: usize,
    pub bytes: u64,
    pub pattern: Pattern,
    pub users: usize,
    pub work: Work,
    /// The share that the first thread touched first.
    pub first_by_master: f64,
    pub distribution: String,
    pub choice: Choice,
}

/// The time of a run otherwise, relative to what was recorded.
pub struct Ranked {
    pub what: String,
    /// Options of `vicinity run`.
    pub options: String,
    pub relative: f64,
}

pub struct Report {
    pub program: String,
    pub arguments: Vec<String>,
    pub threads: usize,
    pub elapsed_ns: u64,
    pub samples: usize,
    pub machine: String,
    pub machine_name: String,
    pub locations: usize,
    pub is_own: bool,
    pub groups: Vec<Group>,
    /// Best first.
    pub placements: Vec<Ranked>,
    pub schedulers: Vec<Ranked>,
    pub findings: Vec<Finding>,
    pub notes: Vec<String>,
    pub file: Advice,
}

impl Report {
    pub fn of(
        trace: &Trace,
        analysis: &Analysis,
        variables: &[Variable],
        target: &Target,
    ) -> Report {
        let sites = regions::sites(trace, &analysis.lanes);
        let uses = uses::uses(trace, &sites, &analysis.lanes);
        let in_regions_ns: u64 = sites.sites.iter().map(|site| site.elapsed_ns()).sum();
        let mut report = Report {
            program: trace.program.clone(),
            arguments: trace.arguments.clone(),
            threads: uses.team.max(1),
            elapsed_ns: trace.end_ns,
            samples: trace.memory.samples.len(),
            machine: target.machine.title.clone(),
            machine_name: target.machine.name.clone(),
            locations: target.machine.topology.len(),
            is_own: target.is_own,
            groups: Vec::new(),
            placements: Vec::new(),
            schedulers: Vec::new(),
            findings: findings::findings(trace, analysis, &sites, target.is_own),
            notes: Vec::new(),
            file: Advice::default(),
        };
        let other_ns = trace.end_ns.saturating_sub(in_regions_ns);
        report.place(trace, &uses, variables, target, other_ns);
        report.schedule(trace, target);
        report.note_what_is_missing(trace, target);
        let is_told =
            report.findings.iter().any(|finding| ["crowd", "delays"].contains(&finding.kind));
        if findings::has_too_many_threads(trace, &sites) && !is_told {
            report.notes.push(format!(
                "Recorded with {} threads on {} processors, so how long threads took says little: nothing is said of loops and regions.",
                report.threads,
                trace.processors.unwrap_or(0)
            ));
        }
        report.file = report.advice();
        report
    }

    fn place(
        &mut self,
        trace: &Trace,
        uses: &Uses,
        variables: &[Variable],
        target: &Target,
        other_ns: u64,
    ) {
        let word = |index: usize| trace.memory.blocks[index].distribution.as_str();
        let distribution = |word: &str| {
            let known = Distribution::WORDS.iter().find(|known| known.0 == word);
            known.map_or(Distribution::Standard, |known| known.1)
        };
        let distributions: Vec<Distribution> =
            uses.blocks.iter().map(|block| distribution(word(block.index))).collect();
        let mut origins: BTreeMap<(&[u64], u64, bool), Vec<usize>> = BTreeMap::new();
        for (at, block) in uses.blocks.iter().enumerate() {
            let described = &trace.memory.blocks[block.index];
            // Each variable is by itself, and so is what nobody knows the origin of.
            let alone = if described.origin.is_empty() { described.number } else { 0 };
            let is_rows = matches!(described.kind, Kind::Rows { .. });
            origins.entry((&described.origin, alone, is_rows)).or_default().push(at);
        }
        let mut origins: Vec<Vec<usize>> = origins.into_values().collect();
        origins.sort_by_key(|blocks| blocks[0]);
        origins.iter_mut().for_each(|blocks| blocks.sort_by_key(|&at| uses.blocks[at].index));
        let bench = Bench::new(uses, &target.machine, &distributions, target.is_own, other_ns);
        let (choices, each) = bench.choose(&origins);
        let lines = Lines::new(&trace.memory);
        for choice in choices {
            self.groups.push(group(trace, uses, variables, &lines, choice));
        }
        if target.is_flat() || self.groups.is_empty() {
            return;
        }
        let sure = uses.blocks.iter().any(|block| block.samples >= LEAST_SAMPLES);
        if sure {
            self.placements = whole(&bench.whole());
            if self.groups.iter().any(|group| group.choice.best.is_some()) {
                self.placements.push(Ranked {
                    what: "each block by itself, as below".to_string(),
                    options: "--advice FILE".to_string(),
                    relative: each,
                });
            }
            self.placements.sort_by(|a, b| a.relative.total_cmp(&b.relative));
        }
    }

    /// Tasks under each scheduler, relative to the one of the trace.
    fn schedule(&mut self, trace: &Trace, target: &Target) {
        if trace.tasks.is_empty() {
            return;
        }
        let setting = trace.settings.iter().find(|(name, _)| name == "VICINITY_SCHEDULER");
        let present = setting.map_or("locality", |(_, value)| value.as_str());
        let program = recorded::program(trace, &target.machine);
        let cores: u32 =
            target.machine.topology.locations().map(|at| target.machine.topology.threads(at)).sum();
        let threads = Some((trace.threads.len() as u32).clamp(1, cores.max(1)));
        let time = |scheduler| {
            let setup = Setup::new(&target.machine, &program, scheduler, Distribution::Standard);
            simulate(&Setup { threads, ..setup }).ok().map(|(outcome, _)| outcome.makespan_ps)
        };
        let times: Vec<(&str, Option<u64>)> =
            Scheduler::WORDS.iter().map(|&(word, scheduler)| (word, time(scheduler))).collect();
        let base = times.iter().find(|(word, _)| *word == present).and_then(|(_, ps)| *ps);
        let Some(base_ps) = base.filter(|&ps| ps > 0) else { return };
        for (word, ps) in times {
            let (Some(ps), false) = (ps, word == present) else { continue };
            self.schedulers.push(Ranked {
                what: format!("scheduler {word} in place of {present}"),
                options: format!("--scheduler {word}"),
                relative: ps as f64 / base_ps as f64,
            });
        }
        self.schedulers.sort_by(|a, b| a.relative.total_cmp(&b.relative));
    }

    fn note_what_is_missing(&mut self, trace: &Trace, target: &Target) {
        if trace.memory.is_unknown() {
            self.notes.push(
                "The trace tells nothing of memory: record it with `vicinity run --trace`, and without VICINITY_TRACE_MEMORY=off."
                    .to_string(),
            );
        } else if self.groups.is_empty() {
            self.notes.push(
                "No thread was seen in a block of 1 MiB or more: the program has none, or works in caches, or runs too short."
                    .to_string(),
            );
        }
        if target.is_flat() && !self.groups.is_empty() {
            self.notes.push(
                "The machine of the trace has one location, so it makes no difference where memory is. `--machine epyc-nps4` \
                 says what placing it would bring on a machine with several."
                    .to_string(),
            );
        }
        self.note_what_only_moves();
        let unsure = self.groups.iter().filter(|group| !group.choice.is_sure()).count();
        if unsure > 0 && !target.is_flat() {
            self.notes.push(format!(
                "{unsure} of {} rows rest on few samples (marked ?): record a longer run to be sure.",
                self.groups.len()
            ));
        }
        if !target.is_own && self.threads < self.locations {
            self.notes.push(format!(
                "The trace has {} threads, fewer than that machine has locations ({}): record it with as many threads as will run \
                 there, however many processors there are here.",
                self.threads, self.locations
            ));
        }
    }

    /// What has to be known of `auto`, where nothing else does anything.
    fn note_what_only_moves(&mut self) {
        let only_moves = |group: &&Group| group.file.is_some() || group.row_bytes.is_some();
        let movable = || self.groups.iter().filter(only_moves);
        if movable().any(|group| group.choice.best == Some(Distribution::Auto)) {
            self.notes.push(
                "Where pages of files and rows come to be, no distribution says beforehand; `auto` moves them to their users. So the \
                 advice has OMP_DATA_DISTRIBUTION=auto, which also moves blocks that it does not place itself."
                    .to_string(),
            );
        }
        let least = repair::least_samples(self.locations);
        let waits = |group: &Group| group.choice.best.is_none() && group.choice.samples < least;
        if self.locations > 1 && movable().any(waits) {
            self.notes.push(format!(
                "`auto` decides about a block of which it has {least} samples, on {} locations. Files and rows with fewer are left as \
                 they are above: record a longer run.",
                self.locations
            ));
        }
    }

    /// Lines of code are those of the files as they are now.
    pub fn note_newer_files(&mut self, trace: &Trace, file: &Path) {
        let changed = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
        let Some(recorded) = changed(file) else { return };
        for module in &trace.memory.modules {
            if changed(Path::new(&module.file)).is_some_and(|at| at > recorded) {
                self.notes.push(format!(
                    "{} is newer than the trace: lines may be wrong, and advice for its blocks may not find them.",
                    module.file
                ));
            }
        }
    }

    /// What `vicinity run --advice` can do.
    fn advice(&self) -> Advice {
        let mut advice = Advice {
            program: self.program.clone(),
            machine: self.machine_name.clone(),
            ..Advice::default()
        };
        let set = |advice: &mut Advice, name: &str, value: &str| {
            if advice.settings.iter().all(|(known, _)| known != name) {
                advice.settings.push((name.to_string(), value.to_string()));
            }
        };
        for group in &self.groups {
            let Some(how) = group.choice.best.filter(|_| !self.placements.is_empty()) else {
                continue;
            };
            if how == Distribution::Auto {
                set(&mut advice, "OMP_DATA_DISTRIBUTION", word_of(how));
                continue;
            }
            let distribution = word_of(how).to_string();
            match (&group.variable, &group.origin) {
                (Some(variable), _) => advice.variables.push(VariableAdvice {
                    name: variable.name.clone(),
                    at: variable.at.clone(),
                    bytes: group.bytes,
                    distribution,
                }),
                (None, Some(origin)) if !origin.addresses.is_empty() => {
                    advice.blocks.push(BlockAdvice {
                        place: group.name.clone(),
                        origin: origin.addresses.clone(),
                        distribution,
                    });
                }
                _ => {}
            }
        }
        for (name, value) in self.findings.iter().flat_map(|finding| &finding.settings) {
            set(&mut advice, name, value);
        }
        let better = self.schedulers.first().filter(|best| best.relative < 1.0 - WORTHWHILE);
        if let Some(word) = better.and_then(|best| best.options.strip_prefix("--scheduler ")) {
            set(&mut advice, "VICINITY_SCHEDULER", word);
        }
        advice
    }

    /// The best of a list that is worth a change.
    pub fn best(list: &[Ranked]) -> Option<&Ranked> {
        list.first().filter(|best| best.relative < 1.0 - WORTHWHILE)
    }

    pub fn to_json(&self) -> Value {
        let ranked = |list: &[Ranked]| -> Vec<Value> {
            let value = |it: &Ranked| json!({ "what": it.what, "options": it.options, "relative": it.relative });
            list.iter().map(value).collect()
        };
        let groups: Vec<Value> = self.groups.iter().map(Group::to_json).collect();
        json!({
            "program": self.program,
            "arguments": self.arguments,
            "threads": self.threads,
            "elapsed_ns": self.elapsed_ns,
            "samples": self.samples,
            "machine": self.machine_name,
            "blocks": groups,
            "placements": ranked(&self.placements),
            "schedulers": ranked(&self.schedulers),
            "findings": self.findings,
            "notes": self.notes,
            "advice": self.file.to_json(),
        })
    }
}

impl Group {
    /// The third table of Muddukrishna, Jonsson and Brorsson (2015): by how many allocations there are, and whether one task or many
    /// work on the data.
    pub fn rule_of_thumb(&self) -> &'static str {
        match (self.count > 1, self.work.is_one) {
            (false, true) => "standard",
            (false, false) => "fine",
            (true, _) => "coarse",
        }
    }

    /// Where a file was mapped.
    pub fn mapped_at(&self) -> Option<&str> {
        let origin = self.origin.as_ref().filter(|_| self.file.is_some());
        origin.map(|origin| origin.place.as_str())
    }

    fn to_json(&self) -> Value {
        let relative = |it: &Outcome| (word_of(it.distribution).to_string(), json!(it.relative));
        let outcomes: serde_json::Map<String, Value> =
            self.choice.outcomes.iter().map(relative).collect();
        json!({
            "place": self.name,
            "called_from": self.origin.as_ref().and_then(|origin| origin.called_from.clone()),
            "origin": self.origin.as_ref().map(|origin| origin.addresses.clone()),
            "file": self.file,
            "mapped_at": self.mapped_at(),
            "variable": self.variable.as_ref().map(|variable| variable.name.clone()),
            "count": self.count,
            "row_bytes": self.row_bytes,
            "bytes": self.bytes,
            "samples": self.choice.samples,
            "few_samples": !self.choice.is_sure(),
            "users": self.users,
            "tasks": self.work.tasks,
            "pattern": match self.pattern {
                Pattern::OneThread => "one_thread",
                Pattern::OwnParts => "own_parts",
                Pattern::Everywhere => "everywhere",
            },
            "first_touched_by_one_thread": self.first_by_master,
            "distribution": self.distribution,
            "relative": outcomes,
            "rule_of_thumb": self.rule_of_thumb(),
            "best": self.choice.best.map(word_of),
        })
    }
}

fn group(
    trace: &Trace,
    uses: &Uses,
    variables: &[Variable],
    lines: &Lines<'_>,
    choice: Choice,
) -> Group {
    let first = &uses.blocks[choice.blocks[0]];
    let described = &trace.memory.blocks[first.index];
    let variable = variables.iter().find(|it| it.number == described.number).cloned();
    let origin = (!described.origin.is_empty()).then(|| lines.origin(&described.origin));
    let file = match &described.kind {
        Kind::File(path) => Some(path.clone()),
        _ => None,
    };
    let name = match (&variable, &file, &origin) {
        (Some(variable), ..) => format!("variable {}", variable.name),
        (None, Some(path), _) => format!("file {path}"),
        (None, None, Some(origin)) => origin.place.clone(),
        (None, None, None) => "variables of the program".to_string(),
    };
    let all = || choice.blocks.iter().map(|&at| &uses.blocks[at]);
    let bytes: u64 = all().map(|block| block.own_bytes).sum();
    let blocks_in = |block: &uses::Block| match trace.memory.blocks[block.index].kind {
        Kind::Rows { count, .. } => count as usize,
        _ => 1,
    };
    let count: usize = all().map(blocks_in).sum();
    let is_rows = matches!(described.kind, Kind::Rows { .. });
    let (pattern, users) = uses.pattern_of(&choice.blocks);
    let work = uses.work(&choice.blocks);
    Group {
        name,
        origin,
        variable,
        file,
        row_bytes: is_rows.then(|| bytes / count.max(1) as u64),
        count,
        bytes,
        pattern,
        users,
        work,
        first_by_master: all().map(|block| block.first_by_master()).sum::<f64>()
            / choice.blocks.len() as f64,
        distribution: described.distribution.clone(),
        choice,
    }
}

fn whole(outcomes: &[Outcome]) -> Vec<Ranked> {
    let ranked = |it: &Outcome| {
        let word = word_of(it.distribution);
        let options = format!("--distribution {word}");
        Ranked { what: format!("all blocks {word}"), options, relative: it.relative }
    };
    outcomes.iter().map(ranked).collect()
}

pub fn word_of(how: Distribution) -> &'static str {
    Distribution::WORDS.iter().find(|word| word.1 == how).map_or("", |word| word.0)
}

//! Style is a test, not an argument: what every source file of this repository must hold to.
//!
//! Each test collects everything that is wrong and fails with one line for each, `path:line: what`.
//! Soft limits only print. The rules that need exceptions keep them in `rules.rs`, where a stale
//! exception is an error too.

mod lexer;
mod reach;
mod rules;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lexer::{has_word, without_comments_and_strings};

/// A source file: its path from the root of the repository, its text, and its text with comments
/// and literals blanked out (same lines, same columns).
pub struct Source {
    pub path: String,
    pub text: String,
    pub code: String,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

/// Every file with one of these endings, sorted by path; build outputs and hidden folders excepted.
fn files(endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository can be read") {
            let path: PathBuf = entry.expect("a folder entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(read(&path));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn read(path: &Path) -> Source {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{}: not readable as text: {error}", path.display()));
    let inside = path.strip_prefix(root()).expect("the file lies in the repository");
    let code = without_comments_and_strings(&text);
    Source { path: inside.to_string_lossy().into_owned(), text, code }
}

fn rust_files() -> Vec<Source> {
    files(&[".rs"])
}

/// Fails with every complaint, or passes.
fn verdict(rule: &str, complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{rule}\n  {}\n", complaints.join("\n  "));
}

/// Written past the test harness, which swallows what a passing test prints.
fn warn(text: &str) {
    let _ = std::io::stderr().write_all(format!("tidy: warning: {text}\n").as_bytes());
}

/// Lines before the test module at the end of the file.
fn lines_without_tests(source: &Source) -> usize {
    let mut lines = source.text.lines().enumerate();
    let tests =
        lines.find(|(_, line)| *line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test"));
    tests.map_or_else(|| source.text.lines().count(), |(line, _)| line)
}

#[test]
fn files_are_short() {
    let mut complaints = Vec::new();
    for source in rust_files() {
        let lines = lines_without_tests(&source);
        if lines > rules::FILE_LINES_HARD {
            complaints.push(format!("{}: {lines} lines without tests", source.path));
        } else if lines > rules::FILE_LINES_SOFT {
            warn(&format!("{} has {lines} lines without tests; aim for 250", source.path));
        }
    }
    verdict(&format!("files of more than {} lines", rules::FILE_LINES_HARD), complaints);
}

#[test]
fn functions_are_short() {
    let mut complaints = Vec::new();
    for source in rust_files() {
        for function in lexer::functions(&source.code) {
            if function.lines > rules::FUNCTION_LINES {
                let (path, line, lines) = (&source.path, function.line, function.lines);
                complaints.push(format!("{path}:{line}: fn {} has {lines} lines", function.name));
            }
        }
    }
    verdict(&format!("functions of more than {} lines", rules::FUNCTION_LINES), complaints);
}

/// Lines of a page that are text: no table, code or picture, which cannot be broken.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    page.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !fence
            && !code
            && !line.starts_with('|')
            && !line.starts_with("    ")
            && !line.starts_with("![")
    })
}

#[test]
fn pages_and_headers_fit_a_screen() {
    let is_page = |path: &str| {
        !path.contains('/')
            || path.starts_with("docs/") && path.matches('/').count() == 1
            || path.starts_with("docs/decisions/")
            || path.starts_with("results/") && path.ends_with("/README.md")
    };
    let mut pages = files(&[".md"]);
    pages.retain(|page| is_page(&page.path) && page.path != "CHANGELOG.md");
    let mut headers = files(&[".h", ".f90"]);
    headers.retain(|header| header.path.starts_with("capi/include/"));
    assert!(pages.len() > 12 && headers.len() == 5, "the pages and headers are found");
    let mut wrong = Vec::new();
    let mut judge = |path: &str, at: usize, line: &str| {
        let columns = line.chars().count();
        if columns > rules::COLUMNS {
            wrong.push(format!("{path}:{}: {columns} columns", at + 1));
        }
    };
    for page in pages.iter().filter(|page| !rules::WIDE_PAGES.contains(&page.path.as_str())) {
        prose(&page.text).for_each(|(at, line)| judge(&page.path, at, line));
    }
    for header in &headers {
        header.text.lines().enumerate().for_each(|(at, line)| judge(&header.path, at, line));
    }
    verdict("Lines of pages and headers have 100 columns at most.", wrong);
}

#[test]
fn every_file_says_what_it_is() {
    let complaints = rust_files()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| format!("{}:1: no module header", source.path))
        .collect();
    verdict("a file begins with a `//! ` header that says what it is", complaints);
}

/// Checks that `word` appears in code only where `allowed` says, and that `allowed` is not stale.
fn only_in(word: &str, allowed: &[&str]) {
    let sources = rust_files();
    let covers = |entry: &str, path: &str| {
        path == entry || (entry.ends_with('/') && path.starts_with(entry))
    };
    let mut complaints = Vec::new();
    for source in &sources {
        if allowed.iter().any(|entry| covers(entry, &source.path)) {
            continue;
        }
        for (line, text) in source.code.lines().enumerate() {
            if has_word(text, word) {
                complaints.push(format!("{}:{}: `{word}`", source.path, line + 1));
            }
        }
    }
    for entry in allowed {
        let used = |source: &&Source| covers(entry, &source.path) && has_word(&source.code, word);
        if sources.iter().find(used).is_none() {
            complaints.push(format!("{entry} is allowed `{word}` in rules.rs, and has none"));
        }
    }
    verdict(&format!("`{word}` where rules.rs does not allow it"), complaints);
}

#[test]
fn unsafe_code_stays_where_it_must_be() {
    only_in("unsafe", rules::UNSAFE);
}

#[test]
fn libc_stays_where_it_must_be() {
    only_in("libc", rules::LIBC);
}

/// A child of fork has one thread; a lock that another one held would stay locked there. So those of the process are in fork's
/// list, and for those of objects `rules.rs` says why none is left locked.
#[test]
fn fork_knows_every_lock() {
    const ROOMS: [&str; 3] = ["runtime/src/", "alloc/src/", "capi/openmp/src/"];
    let sources = rust_files();
    let fork =
        &sources.iter().find(|source| source.path == "runtime/src/fork.rs").expect("it").code;
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.ends_with("/model.rs");
    let in_rooms = |path: &str| ROOMS.iter().any(|room| path.starts_with(room)) && !is_test(path);
    for source in sources.iter().filter(|source| in_rooms(&source.path)) {
        let lines = source.code.lines().take(lines_without_tests(source));
        for (line, text) in lines.enumerate() {
            let at = || format!("{}:{}", source.path, line + 1);
            if let Some((name, _)) = text.split_once(": ProcessLock<")
                && let Some((_, name)) = name.split_once("static ")
                && !fork.contains(&format!("::{name},"))
            {
                complaints.push(format!("{}: {name} is not in the list of fork.rs", at()));
            }
            if text.contains("Mutex<") || text.contains("RwLock<") {
                match rules::LOCKS_OF_OBJECTS.iter().find(|(path, _)| *path == source.path) {
                    Some(_) if !text.contains("static ") => used.push(source.path.as_str()),
                    _ => complaints.push(format!("{}: a lock that fork does not know", at())),
                }
            }
        }
    }
    for (path, _) in rules::LOCKS_OF_OBJECTS.iter().filter(|(path, _)| !used.contains(path)) {
        complaints.push(format!("{path} has no lock, as rules.rs says"));
    }
    verdict("locks that a fork may leave locked in the child", complaints);
}

#[test]
fn policy_is_pure() {
    let mut complaints = Vec::new();
    for source in rust_files().iter().filter(|source| source.path.starts_with("policy/src/")) {
        for (line, text) in source.code.lines().enumerate() {
            for path in rules::IMPURE {
                // A shared immutable value is still a value.
                if text.replace("std::sync::Arc", "").contains(path) {
                    complaints.push(format!("{}:{}: {path}", source.path, line + 1));
                }
            }
        }
    }
    verdict("policy has no clock, thread, atomic, environment, input or output", complaints);
}

#[test]
fn nothing_prints_that_would_panic() {
    let mut complaints = Vec::new();
    let programs = |source: &&Source| {
        source.path.contains("src/")
            && !source.path.starts_with("tests/")
            && !source.path.ends_with("tests.rs")
    };
    for source in rust_files().iter().filter(programs) {
        for (line, text) in source.code.lines().enumerate().take(lines_without_tests(source)) {
            for found in rules::PRINTING.iter().filter(|printing| has_word(text, printing)) {
                complaints.push(format!("{}:{}: {found}", source.path, line + 1));
            }
        }
    }
    verdict("what is printed goes through vicinity_output", complaints);
}

#[test]
fn nothing_is_left_half_done() {
    let mut complaints = Vec::new();
    for source in files(&[".rs", ".c", ".cc", ".h", ".S", ".f90", ".awk", ".sh", "Makefile"]) {
        if source.path.ends_with("tidy/rules.rs") {
            continue;
        }
        for (line, text) in source.text.lines().enumerate() {
            for mark in rules::HALF_DONE {
                if text.contains(mark) {
                    complaints.push(format!("{}:{}: {mark}", source.path, line + 1));
                }
            }
        }
    }
    verdict("marks of unfinished work", complaints);
}

#[test]
fn every_file_is_compiled() {
    let sources = rust_files();
    let reached = reach::reached(&sources);
    let complaints = sources
        .iter()
        .filter(|source| !reached.contains(&source.path))
        .map(|source| format!("{}: no `mod` leads here", source.path))
        .collect();
    verdict("dead files", complaints);
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    let complaints = files(&["Cargo.toml"])
        .iter()
        .filter(|manifest| manifest.path != "Cargo.toml")
        .filter(|manifest| !manifest.text.contains("[lints]\nworkspace = true"))
        .map(|manifest| format!("{}: no `[lints] workspace = true`", manifest.path))
        .collect();
    verdict("crates outside the workspace lints", complaints);
}

/// The rooms of design: who may depend on whom inside the workspace.
#[test]
fn dependencies_point_downwards() {
    let mut complaints = Vec::new();
    for manifest in files(&["Cargo.toml"]).iter().filter(|manifest| manifest.path != "Cargo.toml") {
        let room = manifest.path.trim_end_matches("/Cargo.toml");
        let allowed = rules::DEPENDENCIES.iter().find(|(name, _)| *name == room);
        let Some((_, allowed)) = allowed else {
            complaints.push(format!("{}: not in rules::DEPENDENCIES", manifest.path));
            continue;
        };
        for line in manifest.text.lines().filter(|line| line.starts_with("vicinity-")) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !allowed.contains(&name) {
                complaints.push(format!("{}: {room} may not depend on {name}", manifest.path));
            }
        }
    }
    verdict("dependencies against the order of the rooms", complaints);
}

/// A file that orders memory says in a comment what with; whether it is true is for reviewers.
#[test]
fn orderings_are_argued() {
    let stronger = ["Acquire", "Release", "AcqRel", "SeqCst"];
    let orders = |source: &Source| {
        stronger.iter().any(|order| source.code.contains(&format!("Ordering::{order}")))
    };
    let argues = |source: &Source| {
        let comments = source.text.lines().filter_map(|line| line.split_once("//"));
        comments
            .map(|(_, comment)| comment)
            .any(|comment| stronger.iter().any(|order| has_word(comment, order)))
    };
    let complaints = rust_files()
        .iter()
        .filter(|source| orders(source) && !argues(source))
        .map(|source| format!("{}: orders memory, and no comment says what with", source.path))
        .collect();
    verdict("atomic orderings without a named partner", complaints);
}

//! What compilers' runtimes export, release by release, and what the library answers: `capi/openmp/releases.txt` says so
//! truly, and docs/abi.md shows it (`VICINITY_WRITE_PAGES=1` writes the page).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use vicinity_tests::releases::{Answer, Release, Releases};
use vicinity_tests::symbols;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").to_path_buf();
    let path = target.join("dist/lib/libvicinity.so.1");
    assert!(path.exists(), "{} is not there: run `make` first", path.display());
    path
}

/// `SYMBOL@NODE` for all that the library exports, whichever version is the default one.
fn exported() -> BTreeSet<String> {
    symbols::exported(&library()).into_iter().map(|export| export.replace("@@", "@")).collect()
}

#[test]
fn the_library_is_as_the_table_says() {
    let (releases, exported) = (Releases::read(root()), exported());
    let mut wrong = String::new();
    for (release, group) in releases.groups() {
        for symbol in &group.symbols {
            let is_there = exported.contains(&format!("{symbol}@{}", group.node));
            let said = group.answer == Answer::Exported;
            if is_there != said {
                let are = if is_there { "is exported" } else { "is not exported" };
                writeln!(wrong, "  {release}: {symbol}@{} {are}", group.node).expect("a string");
            }
        }
    }
    assert!(wrong.is_empty(), "releases.txt says otherwise:\n{wrong}");
}

#[test]
fn every_node_with_something_to_export_exists() {
    let nodes = symbols::nodes(&library(), "libvicinity.so.1");
    for (release, group) in Releases::read(root()).groups() {
        let wanted = group.answer == Answer::Exported && !group.symbols.is_empty();
        assert!(!wanted || nodes.contains(&group.node), "{release}: no node {}", group.node);
    }
}

/// What the library exports under the compilers' nodes is in the table: otherwise a name was misspelt, or a release is missing.
#[test]
fn nothing_is_exported_that_no_release_has() {
    let releases = Releases::read(root());
    let known: BTreeSet<String> = releases
        .groups()
        .flat_map(|(_, group)| group.symbols.iter().map(|name| format!("{name}@{}", group.node)))
        .collect();
    let unknown: Vec<String> = exported()
        .into_iter()
        .filter(|export| !export.contains("@VICINITY_") && !known.contains(export))
        .collect();
    assert!(unknown.is_empty(), "in no release: {unknown:#?}");
}

#[test]
fn the_page_shows_the_table() {
    let page = page(&Releases::read(root()));
    let path = root().join("docs/abi.md");
    if std::env::var_os("VICINITY_WRITE_PAGES").is_some() {
        fs::write(&path, &page).expect("docs/abi.md can be written");
    }
    let is = fs::read_to_string(&path).unwrap_or_default();
    assert!(is == page, "docs/abi.md is not up to date: repeat with VICINITY_WRITE_PAGES=1");
}

const HEAD: &str = "\
# Compilers' releases and the library's symbols

A program asks for symbols under the version nodes of the runtime that its compiler brought. For
each release of gcc, LLVM and Intel's compilers, this page counts the new symbols, and says how many
of them `libvicinity.so.1` has. [`capi/openmp/releases.txt`](../capi/openmp/releases.txt) lists the
symbols. A test makes this page from it (`VICINITY_WRITE_PAGES=1 cargo test -p vicinity-tests --test
releases`), and compares the list with the library.

| release | node | exported | deliberately not | missing |
|---|---|---|---|---|
";

fn page(releases: &Releases) -> String {
    let mut page = HEAD.to_owned();
    for release in &releases.releases {
        rows(release, &mut page);
    }
    page.push_str("\n## Why not\n\n| | |\n|---|---|\n");
    let used = |key: &String| {
        releases.groups().any(|(_, group)| match &group.answer {
            Answer::Not(of) | Answer::Missing(of) => of == key,
            Answer::Exported => false,
        })
    };
    for (key, text) in releases.reasons.iter().filter(|(key, _)| used(key)) {
        writeln!(page, "| {key} | {text} |").expect("a string");
    }
    page
}

/// A row for each node of a release.
fn rows(release: &Release, page: &mut String) {
    let mut nodes: Vec<&str> = release.groups.iter().map(|group| group.node.as_str()).collect();
    nodes.dedup();
    for (at, node) in nodes.iter().enumerate() {
        let (mut exported, mut not, mut missing) = (0, Vec::new(), Vec::new());
        for group in release.groups.iter().filter(|group| group.node == *node) {
            let count = group.symbols.len();
            match &group.answer {
                Answer::Exported => exported += count,
                Answer::Not(reason) => not.push(format!("{count} {reason}")),
                Answer::Missing(reason) => missing.push(format!("{count} {reason}")),
            }
        }
        let name = if at == 0 { release.name.replace('-', " ") } else { String::new() };
        let remark = if at == 0 && !release.remark.is_empty() {
            format!(" ({})", release.remark)
        } else {
            String::new()
        };
        let (not, missing) = (not.join(", "), missing.join(", "));
        writeln!(page, "| {name}{remark} | {node} | {exported} | {not} | {missing} |")
            .expect("a string");
    }
}

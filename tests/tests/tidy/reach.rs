//! Which files the compiler reads: crate roots, and what `mod name;` and `#[path]` lead to.

use std::collections::BTreeSet;

use crate::Source;

/// The paths of the files of `sources` that some crate compiles.
pub fn reached(sources: &[Source]) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<(String, bool)> = sources
        .iter()
        .filter(|source| is_root(&source.path))
        .map(|s| (s.path.clone(), true))
        .collect();
    while let Some((path, is_root)) = pending.pop() {
        let Some(source) = sources.iter().find(|source| source.path == path) else { continue };
        if !reached.insert(path) {
            continue;
        }
        for child in children(source, is_root) {
            pending.push((child, false));
        }
    }
    reached
}

/// Files that cargo compiles without being told by a `mod`.
fn is_root(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder_name = folder.rsplit('/').next().unwrap_or_default();
    match name {
        "lib.rs" | "build.rs" => true,
        "main.rs" => folder_name == "src" || in_target_folder(folder),
        _ => ["tests", "benches", "examples", "bin", "fuzz_targets"].contains(&folder_name),
    }
}

/// `tests/NAME/main.rs` and its like are crates of their own.
fn in_target_folder(folder: &str) -> bool {
    let above = folder.rsplit('/').nth(1).unwrap_or_default();
    ["tests", "benches", "examples", "bin"].contains(&above)
}

/// The candidates for the files of the modules that `source` declares.
fn children(source: &Source, is_root: bool) -> Vec<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let stem = name.trim_end_matches(".rs");
    let below =
        if is_root || stem == "mod" { folder.to_string() } else { format!("{folder}/{stem}") };
    let mut found = Vec::new();
    let mut explicit: Option<&str> = None;
    for (code, text) in source.code.lines().zip(source.text.lines()) {
        if let Some(path) = text.trim().strip_prefix("#[path = \"") {
            explicit = path.split('"').next();
            continue;
        }
        let Some(module) = declared_module(code) else { continue };
        match explicit.take() {
            Some(path) => found.push(normalized(folder, path)),
            None => {
                found.push(format!("{below}/{module}.rs"));
                found.push(format!("{below}/{module}/mod.rs"));
            }
        }
    }
    found
}

/// `name` in `pub(crate) mod name;` and `pub(in crate::room) mod name;`.
fn declared_module(code: &str) -> Option<&str> {
    let words: Vec<&str> = code.split_whitespace().collect();
    match words[..] {
        ["mod", name] => name.strip_suffix(';'),
        ["pub(in", _, "mod", name] => name.strip_suffix(';'),
        [visibility, "mod", name] if visibility.starts_with("pub") => name.strip_suffix(';'),
        _ => None,
    }
}

/// `path` from `folder`, with each `..` resolved.
fn normalized(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

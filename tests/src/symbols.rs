//! The symbols that a shared object exports, with their versions.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A symbol with its version: `@@` marks the default one, `@` one kept for other programs.
pub type Export = String;

/// What `objdump` says of a file.
pub fn objdump(option: &str, file: &Path) -> String {
    let output = Command::new("objdump").arg(option).arg(file).output().expect("objdump starts");
    assert!(output.status.success(), "objdump {option}: {}", output.status);
    String::from_utf8(output.stdout).expect("objdump writes text")
}

/// The symbols that the dynamic symbol table defines; version nodes, which stand there as absolute
/// symbols, excepted.
pub fn exported(file: &Path) -> BTreeSet<Export> {
    let mut found = BTreeSet::new();
    for line in objdump("-T", file).lines() {
        if line.contains("*UND*") || line.contains("*ABS*") {
            continue;
        }
        // address, seven flag columns, section, size, version, name
        let mut words = line.split_whitespace().rev();
        if let (Some(name), Some(version), Some(_size)) = (words.next(), words.next(), words.next())
            && line.starts_with("0000")
        {
            found.insert(match version.strip_prefix('(') {
                Some(hidden) => format!("{name}@{}", hidden.trim_end_matches(')')),
                None => format!("{name}@@{version}"),
            });
        }
    }
    found
}

/// The version nodes that a file defines, its own name excepted.
pub fn nodes(file: &Path, soname: &str) -> BTreeSet<String> {
    let headers = objdump("-p", file);
    let lines = headers.lines().skip_while(|line| !line.starts_with("Version definitions"));
    let lines = lines.take_while(|line| !line.starts_with("Version References"));
    let names = lines.filter_map(|line| line.split_whitespace().nth(3).map(str::to_string));
    names.filter(|name| name != soname).collect()
}

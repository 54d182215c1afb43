//! The files that a source includes, found by reading its text, so that a cached program is not taken for another
//! when one of them has changed.
//!
//! Every `#include` counts, also one that conditions or comments would take away: more files only make the name
//! more particular. A file that is not there counts as such. Where a name is made by a macro, nothing is known.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Calls `see` with the name and content of each included file, and of those that they include. False: there is
/// an `#include` whose file cannot be told.
pub fn visit(source: &[u8], folders: &[&str], see: &mut dyn FnMut(&Path, Option<&[u8]>)) -> bool {
    let mut visit = Visit { folders, see, seen: HashSet::new() };
    visit.text(source, Path::new("."))
}

struct Visit<'a> {
    folders: &'a [&'a str],
    see: &'a mut dyn FnMut(&Path, Option<&[u8]>),
    seen: HashSet<PathBuf>,
}

impl Visit<'_> {
    fn text(&mut self, text: &[u8], folder: &Path) -> bool {
        text.split(|&byte| byte == b'\n').all(|line| match included(line) {
            Line::Other => true,
            Line::Unknown => false,
            Line::Include(name) => self.file(&name, folder),
        })
    }

    fn file(&mut self, name: &str, folder: &Path) -> bool {
        let places = [folder].into_iter().chain(self.folders.iter().map(Path::new));
        let mut candidates = places.map(|place| place.join(name));
        let Some(path) = candidates.find(|path| path.is_file()) else {
            (self.see)(Path::new(name), None);
            return true;
        };
        if !self.seen.insert(path.clone()) {
            return true;
        }
        match std::fs::read(&path) {
            Ok(text) => {
                (self.see)(&path, Some(&text));
                self.text(&text, path.parent().unwrap_or(Path::new(".")))
            }
            Err(_) => false,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Other,
    Include(String),
    Unknown,
}

fn included(line: &[u8]) -> Line {
    let Some(directive) = line.trim_ascii().strip_prefix(b"#") else { return Line::Other };
    let Some(name) = directive.trim_ascii_start().strip_prefix(b"include") else {
        return Line::Other;
    };
    let name = name.trim_ascii_start();
    let end = match name.first() {
        Some(b'"') => b'"',
        Some(b'<') => b'>',
        _ => return Line::Unknown,
    };
    let length = name[1..].iter().position(|&byte| byte == end);
    let name = length.and_then(|length| std::str::from_utf8(&name[1..=length]).ok());
    name.map_or(Line::Unknown, |name| Line::Include(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(included(b" #  include \"a/b.h\" // c"), Line::Include("a/b.h".to_owned()));
        assert_eq!(included(b"#include <c.h>\r"), Line::Include("c.h".to_owned()));
        assert_eq!(included(b"#include NAME"), Line::Unknown);
        assert_eq!(included(b"#define include"), Line::Other);
        assert_eq!(included(b"int include;"), Line::Other);
    }

    #[test]
    fn files_are_followed_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap();
        std::fs::write(folder.path().join("a.h"), "#include \"b.h\"\n#include \"a.h\"").unwrap();
        std::fs::write(folder.path().join("b.h"), "#include <missing.h>").unwrap();
        let mut names = Vec::new();
        let known = visit(b"#include \"a.h\"\n", &[place], &mut |path, text| {
            names.push((path.file_name().unwrap().to_owned(), text.is_some()));
        });
        let expected = [("a.h", true), ("b.h", true), ("missing.h", false)];
        assert!(known);
        assert_eq!(names, expected.map(|(name, there)| (name.into(), there)));
    }
}

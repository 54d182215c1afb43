//! What a compilation depends on besides its source and options: the files that the compiler read, and those whose absence it
//! saw, for whoever keeps what came of it.
//!
//! The compiler itself says what it read. That it looked elsewhere before follows from where it looks: a file that is found
//! as NAME in one folder was maybe looked for as NAME in each folder of the search path, and in those of the files that include
//! others. More names than it tried do no harm. What no list of files tells (`__has_include` of what is not there, the time) makes
//! the list unknown.
//!
//! Layout: docs/kernel-abi.md, `reads`.
//! Source: clang's dependency files, as `make` reads them: a backslash before a blank or `#`, two dollars for one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// In the text, nothing is known of what it depends on.
const UNKNOWN: &[&[u8]] =
    &[b"__has_include", b"__has_embed", b"__TIME__", b"__DATE__", b"__TIMESTAMP__"];
/// Where the compiler looks behind the folders of the options, and before its own.
const SYSTEM_FOLDER: &str = "/usr/local/include";
/// Of names to look for. More of them take longer than a compilation.
const MOST_NAMES: usize = 10_000;

/// What is known of one compilation.
pub struct Compilation<'a> {
    /// As the compiler says it.
    pub dependencies: &'a [u8],
    /// For the compiler: `-I`s and `-D`s among them.
    pub options: &'a [String],
    /// Where whoever asks for the compilation has put its files: he knows those.
    pub own_folder: &'a Path,
}

impl Compilation<'_> {
    /// The list, as it is written; empty where nothing was read. Unknown: one record, `?`.
    pub fn reads(&self) -> Vec<u8> {
        let record = |kind: u8, path: &Path| [&[kind], path.as_os_str().as_bytes(), &[0]].concat();
        let Some((there, absent)) = self.known() else { return b"?\0".to_vec() };
        let there = there.iter().map(|path| record(b'+', path));
        there.chain(absent.iter().map(|path| record(b'-', path))).flatten().collect()
    }

    fn known(&self) -> Option<(BTreeSet<PathBuf>, BTreeSet<PathBuf>)> {
        let files = files(self.dependencies)?;
        let is_unknown = |text: &[u8]| UNKNOWN.iter().any(|word| has(text, word));
        if self.options.iter().any(|option| is_unknown(option.as_bytes())) {
            return None;
        }
        let own_header = files.iter().find(|path| path.ends_with("opencl-c-base.h"));
        let compiler = own_header.and_then(|path| path.parent()).map(Path::to_path_buf);
        let mut there = BTreeSet::new();
        for path in files {
            if compiler.as_ref().is_some_and(|folder| path.starts_with(folder)) {
                continue;
            }
            if !path.is_file() || is_unknown(&fs::read(&path).ok()?) {
                return None;
            }
            if !path.starts_with(self.own_folder) {
                there.insert(path);
            }
        }
        let absent = self.absent(&there)?;
        Some((there, absent))
    }

    /// Where the compiler may have looked for these before it found them.
    fn absent(&self, there: &BTreeSet<PathBuf>) -> Option<BTreeSet<PathBuf>> {
        let mut folders: BTreeSet<PathBuf> =
            self.options.iter().filter_map(|option| option.strip_prefix("-I")).map(plain).collect();
        if there.is_empty() {
            return Some(BTreeSet::new());
        }
        if folders.iter().any(|folder| folder.is_file()) {
            return None; // A table of names.
        }
        folders.insert(SYSTEM_FOLDER.into());
        folders.extend(there.iter().filter_map(|path| path.parent()).map(Path::to_path_buf));
        if there.len() * folders.len() * folders.len() > MOST_NAMES {
            return None;
        }
        let mut absent = BTreeSet::new();
        for path in there {
            let names = folders.iter().filter_map(|folder| path.strip_prefix(folder).ok());
            let tried = names.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
            absent.extend(tried.filter(|tried| !tried.exists() || tried.is_dir()));
        }
        Some(absent)
    }
}

/// As the compiler writes paths: without `./` before them.
fn plain(path: &str) -> PathBuf {
    Path::new(path).components().skip_while(|part| part.as_os_str() == ".").collect()
}

/// The files behind the colon of a rule; `None` if that is none.
fn files(rule: &[u8]) -> Option<Vec<PathBuf>> {
    let colon = rule.windows(2).position(|pair| pair == b": ")?;
    let mut names = vec![Vec::new()];
    let mut rest = &rule[colon + 2..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let name = names.last_mut().expect("there is one always");
        match (byte, after.first()) {
            (b'\\', Some(b'\n')) | (b' ' | b'\n', _) => names.push(Vec::new()),
            (b'\\', Some(&next @ (b' ' | b'#'))) => {
                name.push(next);
                rest = &after[1..];
            }
            // Which of them are written twice depends on what follows.
            (b'\\', _) => return None,
            (b'$', Some(b'$')) => {
                name.push(b'$');
                rest = &after[1..];
            }
            _ => name.push(byte),
        }
    }
    names.retain(|name| !name.is_empty());
    let path = |name| PathBuf::from(std::ffi::OsString::from_vec(name));
    Some(names.into_iter().map(path).collect())
}

/// Whether `word` is somewhere in the text, also on several lines with a backslash at their ends.
fn has(text: &[u8], word: &[u8]) -> bool {
    let first = text.iter().enumerate().filter(|&(_, &byte)| byte == word[0]);
    first.map(|(at, _)| &text[at..]).any(|text| begins(text, word))
}

fn begins(mut text: &[u8], word: &[u8]) -> bool {
    word.iter().all(|&byte| {
        while let Some(after) = continued(text) {
            text = after;
        }
        let is = text.first() == Some(&byte);
        text = text.get(1..).unwrap_or_default();
        is
    })
}

/// What follows a line's end that is none, by a backslash or its trigraph before it.
fn continued(text: &[u8]) -> Option<&[u8]> {
    let after = text.strip_prefix(b"\\").or_else(|| text.strip_prefix(b"??/"))?;
    let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | 0xb | 0xc)).count();
    let after = &after[blanks..];
    after
        .strip_prefix(b"\r\n")
        .or_else(|| after.strip_prefix(b"\n"))
        .or_else(|| after.strip_prefix(b"\r"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_were_written() {
        let rule = b"out/front.bc: a.cl \\\n  inc/sub/../v.h a\\ b\\#$$c/q.h \\\n  z.h\n";
        let names = files(rule).unwrap();
        let expected = ["a.cl", "inc/sub/../v.h", "a b#$c/q.h", "z.h"].map(PathBuf::from);
        assert_eq!(names, expected);
        assert_eq!(files(b"out: a\\b.h\n"), None);
        assert_eq!(files(b""), None);
    }

    #[test]
    fn what_makes_a_list_unknown_is_found_however_it_is_written() {
        let is = |text: &str| UNKNOWN.iter().any(|word| has(text.as_bytes(), word));
        for text in
            ["#if __has_include(<x.h>)", "x = __TI\\\nME__", "_\\ \r\n_has_??/\nembed", "__DATE__"]
        {
            assert!(is(text), "{text}");
        }
        for text in ["has_include", "__has_ include", "__TIM\nE__", "__has_builtin", ""] {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn folders_that_come_first_are_seen_to_have_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["first", "second", "own"] {
            fs::create_dir(place(name)).unwrap();
        }
        for name in ["second/a.h", "second/b.h", "first/b.h", "own/a.cl"] {
            fs::write(place(name), "").unwrap();
        }
        let rule =
            format!("x: {} {} {}\n", place("own/a.cl"), place("second/a.h"), place("second/b.h"));
        let options = [format!("-I{}", place("first")), format!("-I{}", place("second"))];
        let own = folder.path().join("own");
        let compilation = |rule: &str, options: &[String]| {
            let dependencies = rule.as_bytes();
            let reads = Compilation { dependencies, options, own_folder: &own }.reads();
            String::from_utf8(reads).unwrap().replace('\0', "\n")
        };
        let expected = format!(
            "+{}\n+{}\n-{}\n-/usr/local/include/a.h\n-/usr/local/include/b.h\n",
            place("second/a.h"),
            place("second/b.h"),
            place("first/a.h")
        );
        assert_eq!(compilation(&rule, &options), expected);
        assert_eq!(compilation(&format!("x: {}\n", place("own/a.cl")), &options), "");
        let timed = [&options[..], &["-DX=__TIME__".to_owned()]].concat();
        assert_eq!(compilation(&rule, &timed), "?\n");
        fs::write(place("second/b.h"), "int x = __DATE__;").unwrap();
        assert_eq!(compilation(&rule, &options), "?\n");
        assert_eq!(compilation("nothing", &options), "?\n");
    }
}

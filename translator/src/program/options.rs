//! Build options, as `clBuildProgram` takes them: text into values, and values into what clang understands.
//!
//! The text is split at white space; double quotes keep white space, a backslash keeps the character after it.
//!
//! What the specification names must be right. Options that it does not name (compilers' and other vendors' own) are
//! told in the log and ignored, but for `-U`, which undoes a `-D`.
//!
//! Sources: OpenCL 3.0 API, section 5.8.6; OpenCL C 3.0.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::front::units::Place;
use crate::program::failure::Failure;
use crate::schedule::Wish;
use crate::vector::facts::support::Wanted;

/// Options of one build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// For clang, in the order given.
    pub compiler: Vec<String>,
    /// `CL1.2` and the like; the newest 1.x where nothing is said, as the specification wants.
    pub standard: Option<String>,
    pub optimize: Optimize,
    /// Kernels run without any transformation: [`crate::group::reference`].
    pub reference: bool,
    /// Items go one after another and tell what their values are: [`crate::vector::values::observe`].
    pub observe: bool,
    /// The order of loops that is wished for; no option, but told by the environment.
    pub order: Wish,
    /// Which kernels become vectors of items; told by the environment, too.
    pub vectors: Wanted,
    /// `__local` arrays and barriers stay, whether items need them or not; told by the environment, too.
    pub keeps_local: bool,
    /// `-w`: no warnings.
    pub quiet: bool,
    /// Options that nobody here knows, each with its value.
    pub unknown: Vec<String>,
    /// `-create-library`, for a link.
    pub create_library: bool,
    /// Code for one kernel alone.
    pub special: Option<Special>,
}

/// What code of a kernel is specialized for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Special {
    pub kernel: String,
    pub launches: Launches,
    /// Where arguments lie that are 1 in all these launches: [`crate::front::units`].
    pub units: Vec<Place>,
}

/// Launches of a kernel that code is right for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launches {
    /// With groups of this size, all of them whole.
    Sized([u64; 3]),
    /// With ids however large.
    AnyIds,
}

/// `-cl-opt-disable` or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimize {
    #[default]
    Yes,
    No,
}

const STANDARDS: &[&str] = &["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"];

/// Options that clang knows by the same name.
const PASSED: &[&str] = &[
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-uniform-work-group-size",
    "-Werror",
];

/// Options that say nothing to us: descriptions are always complete, and sub-groups are not offered.
const IGNORED: &[&str] =
    &["-cl-kernel-arg-info", "-cl-no-subgroup-ifp", "-enable-link-options", "-g"];

impl Options {
    /// The only local size that code is made for, if it is for one.
    pub fn only_size(&self) -> Option<[u64; 3]> {
        match self.special.as_ref()?.launches {
            Launches::Sized(size) => Some(size),
            Launches::AnyIds => None,
        }
    }

    /// Where arguments lie that are known to be 1.
    pub fn units(&self) -> &[Place] {
        self.special.as_ref().map_or(&[], |special| &special.units)
    }

    /// Reads option text; each of `texts` is split like one whole option string.
    pub fn parse(texts: &[String]) -> Result<Options, Failure> {
        let mut options = Options::default();
        let mut words = Vec::new();
        for text in texts {
            words.extend(split(text)?);
        }
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            options.take(&word, &mut words)?;
        }
        Ok(options)
    }

    /// What the log says of options that are ignored.
    pub fn warnings(&self) -> String {
        let unknown = self.unknown.iter().filter(|_| !self.quiet);
        unknown.map(|option| format!("warning: unknown build option ignored: {option}\n")).collect()
    }

    fn take(&mut self, word: &str, rest: &mut Words) -> Result<(), Failure> {
        if let Some(kind) = ["-D", "-I", "-U"].into_iter().find(|kind| word.starts_with(kind)) {
            let value = match &word[kind.len()..] {
                "" => rest.next().ok_or_else(|| wrong(&format!("{kind} without a value")))?,
                value => value.to_string(),
            };
            self.compiler.push(format!("{kind}{value}"));
        } else if let Some(standard) = word.strip_prefix("-cl-std=") {
            if !STANDARDS.contains(&standard) {
                let known = STANDARDS.join(", ");
                return Err(wrong(&format!("-cl-std={standard}; there are {known}")));
            }
            self.standard = Some(standard.to_string());
        } else if word == "-cl-opt-disable" {
            self.optimize = Optimize::No;
        } else if word == "-cl-strict-aliasing" {
            self.compiler.push("-fstrict-aliasing".to_string());
        } else if word == "-w" {
            self.quiet = true;
            self.compiler.push(word.to_string());
        } else if word == "-create-library" {
            self.create_library = true;
        } else if PASSED.contains(&word) {
            self.compiler.push(word.to_string());
            if word == "-cl-denorms-are-zero" {
                // clang says it of functions only if it is told so.
                self.compiler.push("-fdenormal-fp-math=preserve-sign".to_string());
            }
        } else if word.len() > 1 && word.starts_with('-') {
            if !IGNORED.contains(&word) {
                self.unknown.push(with_value(word, rest));
            }
        } else {
            return Err(wrong(word));
        }
        Ok(())
    }
}

type Words = Peekable<IntoIter<String>>;

/// An option that is not known, and the word behind it if that is none itself (`-x spir`).
fn with_value(option: &str, rest: &mut Words) -> String {
    match rest.next_if(|next| !next.starts_with('-')) {
        Some(value) => format!("{option} {value}"),
        None => option.to_string(),
    }
}

fn wrong(what: &str) -> Failure {
    Failure::Usage(format!("error: not a build option: {what}"))
}

/// Words of option text.
fn split(text: &str) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\0' => return Err(wrong("a nul character")),
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' => {
                // Before anything but a quote, a backslash or a blank it is an ordinary character.
                let next = characters.clone().next();
                let kept = next.filter(|next| matches!(next, '"' | '\\') || next.is_whitespace());
                if kept.is_some() {
                    characters.next();
                }
                word.get_or_insert_default().push(kept.unwrap_or('\\'));
            }
            blank if blank.is_whitespace() && !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    if quoted {
        return Err(wrong("a quote that is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, Failure> {
        Options::parse(&[text.to_string()])
    }

    #[test]
    fn words_keep_what_is_quoted() {
        let words = split(r#" -D A="b c"  -DX=\"q\" -I C:\dir "" "#).expect("closed quotes");
        assert_eq!(words, ["-D", "A=b c", "-DX=\"q\"", "-I", r"C:\dir", ""]);
    }

    #[test]
    fn options_become_what_clang_takes() {
        let options = parse("-D N=4 -I inc -cl-std=CL2.0 -cl-fast-relaxed-math -w").expect("valid");
        assert_eq!(options.compiler, ["-DN=4", "-Iinc", "-cl-fast-relaxed-math", "-w"]);
        assert_eq!(options.standard.as_deref(), Some("CL2.0"));
        assert!(options.quiet);
        assert_eq!(options.optimize, Optimize::Yes);
    }

    #[test]
    fn what_is_no_option_is_refused() {
        let others =
            ["-D", "-U", "-cl-std=CL9", "file.cl", "\"", "-cl-std=", "-I", "-D\0", "-", "-w a"];
        for text in others {
            assert!(matches!(parse(text), Err(Failure::Usage(_))), "{text:?}");
        }
    }

    #[test]
    fn options_of_others_are_told_and_ignored() {
        let options = parse("-O3 -x spir -D A -U A -cl-nv-maxrregcount=32 -Wall").expect("valid");
        assert_eq!(options.unknown, ["-O3", "-x spir", "-cl-nv-maxrregcount=32", "-Wall"]);
        assert_eq!(options.compiler, ["-DA", "-UA"]);
        assert_eq!(
            options.warnings().matches("warning: unknown build option ignored: -").count(),
            4
        );
        assert_eq!(parse("-w -O3").expect("valid").warnings(), "");
    }

    #[test]
    fn no_text_is_too_odd_to_answer() {
        // Every string over a small alphabet of what matters to the splitter.
        let alphabet = ['"', '\\', ' ', '-', 'D', '\0'];
        for number in 0..6_usize.pow(6) {
            let letter = |place: u32| alphabet[number / 6_usize.pow(place) % 6];
            let _ = parse(&(0..6).map(letter).collect::<String>());
        }
    }
}

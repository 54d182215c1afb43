//! Blocks and variables that go elsewhere than all others: what `vicinity run --advice` asks for.
//!
//! Terms: a block's *origin* is the list of return addresses of the call that allocated it, each as the file it is in and the
//! offset there, so that it is the same in the next run of the same program.
//!
//! The text (VICINITY_PLACEMENT): rules with `;` between them, each a distribution, a colon, and a block's origin, innermost call
//! first, with `<` between the places, or a variable's place and its bytes:
//! `fine:program+0x11e9<program+0x1300;blocked:program+0x4060,8388608`.

use crate::os::modules::{self, Module};
use std::ops::Range;
use vicinity_policy::distribution::Distribution;

/// An address, as the next run has it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, without its folders.
    pub file: String,
    pub offset: usize,
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Blocks whose origin begins so.
    Origin(Vec<Place>),
    Variable {
        at: Place,
        bytes: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub distribution: Distribution,
    pub subject: Subject,
}

/// Reads the text of rules; `None` if it is not understood.
pub fn parse(text: &str) -> Option<Vec<Rule>> {
    text.trim().split(';').filter(|rule| !rule.is_empty()).map(rule).collect()
}

fn rule(text: &str) -> Option<Rule> {
    let (word, subject) = text.split_once(':')?;
    let distribution = Distribution::WORDS.iter().find(|known| known.0 == word)?.1;
    let subject = match subject.split_once(',') {
        Some((at, bytes)) => Subject::Variable { at: place(at)?, bytes: bytes.parse().ok()? },
        None => Subject::Origin(subject.split('<').map(place).collect::<Option<_>>()?),
    };
    Some(Rule { distribution, subject })
}

fn place(text: &str) -> Option<Place> {
    let (file, offset) = text.rsplit_once("+0x")?;
    let offset = usize::from_str_radix(offset, 16).ok()?;
    (!file.is_empty()).then(|| Place { file: file.to_owned(), offset })
}

/// Where blocks of this origin go, if a rule says so.
pub fn of_origin(rules: &[Rule], addresses: &[usize]) -> Option<Distribution> {
    if rules.is_empty() {
        return None;
    }
    let modules = modules::all();
    let origin: Vec<Option<(&str, usize)>> =
        addresses.iter().map(|&address| in_file(&modules, address)).collect();
    let begins_so = |rule: &&Rule| match &rule.subject {
        Subject::Origin(places) => {
            places.len() <= origin.len()
                && places
                    .iter()
                    .zip(&origin)
                    .all(|(place, found)| *found == Some((place.file.as_str(), place.offset)))
        }
        Subject::Variable { .. } => false,
    };
    rules.iter().find(begins_so).map(|rule| rule.distribution)
}

fn in_file(modules: &[Module], address: usize) -> Option<(&str, usize)> {
    let module = modules.iter().find(|module| module.addresses.contains(&address))?;
    Some((modules::file_name(&module.file), address - module.bias))
}

/// The variables that rules name within these addresses, and where their pages go.
pub fn of_variables(rules: &[Rule], within: Range<usize>) -> Vec<(Range<usize>, Distribution)> {
    let modules = modules::all();
    let found = |rule: &Rule| {
        let Subject::Variable { at, bytes } = &rule.subject else { return None };
        let module = modules.iter().find(|it| modules::file_name(&it.file) == at.file)?;
        let start = module.bias.checked_add(at.offset)?;
        let range = start.max(within.start)..start.checked_add(*bytes)?.min(within.end);
        (!range.is_empty()).then_some((range, rule.distribution))
    };
    rules.iter().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let read = parse("fine:a.out+0x11e9<libx.so.1+0x30;blocked:a+b+0x4060,4096;").unwrap();
        let at = |file: &str, offset| Place { file: file.to_owned(), offset };
        let origin = Subject::Origin(vec![at("a.out", 0x11e9), at("libx.so.1", 0x30)]);
        assert_eq!(read[0], Rule { distribution: Distribution::Fine, subject: origin });
        let variable = Subject::Variable { at: at("a+b", 0x4060), bytes: 4096 };
        assert_eq!(read[1], Rule { distribution: Distribution::Blocked, subject: variable });
        for wrong in ["fine", "near:a+0x1", "fine:a", "fine:+0x1", "fine:a+0xg", "fine:a+0x1,x"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse(""), Some(Vec::new()));
    }

    #[test]
    fn origins_and_variables_of_this_process_are_found() {
        let program = modules::all().remove(0);
        let name = modules::file_name(&program.file);
        let (code, data) = (program.addresses.start + 64, program.data.start);
        let place = |address: usize| format!("{name}+{:#x}", address - program.bias);
        let text = format!("coarse:{}<{};fine:{},100", place(code), place(code + 8), place(data));
        let rules = parse(&text).unwrap();
        let found = |addresses: &[usize]| of_origin(&rules, addresses);
        assert_eq!(found(&[code, code + 8, 5]), Some(Distribution::Coarse));
        assert_eq!((found(&[code]), found(&[code + 8, code]), found(&[5])), (None, None, None));
        let variables = of_variables(&rules, data + 10..data + 4096);
        assert_eq!(variables, [(data + 10..data + 100, Distribution::Fine)]);
    }
}

//! Reads variables one by one, collecting warnings and remembering what was set by which variable.

use super::kinds::value_of;
use std::borrow::Cow;

/// Longest part of a wrong value that a warning repeats, in characters.
const SHOWN_CHARS: usize = 60;

/// Where a setting's value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The setting, by its standard name.
    pub setting: &'static str,
    /// The variable that gave the value: the same name, an older one, or one with `_ALL`.
    pub variable: Cow<'static, str>,
}

pub struct Reader<'a> {
    get: &'a dyn Fn(&str) -> Option<String>,
    pub warnings: Vec<String>,
    pub origins: Vec<Origin>,
}

impl<'a> Reader<'a> {
    pub fn new(get: &'a dyn Fn(&str) -> Option<String>) -> Reader<'a> {
        Reader { get, warnings: Vec::new(), origins: Vec::new() }
    }

    /// A variable as it is, empty text included.
    pub fn raw(&self, variable: &str) -> Option<String> {
        (self.get)(variable)
    }

    /// Reads the variable of this name; blank is as good as not set.
    ///
    /// A value that `parse` refuses costs a warning: `allowed` says what it should have been,
    /// `instead` what is used in its place. Where the standard variable is not set, the one with
    /// `_ALL` (all devices, the host included) is asked.
    pub fn read<T>(
        &mut self,
        name: &'static str,
        allowed: &str,
        instead: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        self.read_for(name, name, allowed, instead, parse)
    }

    /// As `read`, for a variable that is another name for a setting.
    pub fn read_for<T>(
        &mut self,
        setting: &'static str,
        name: &'static str,
        allowed: &str,
        instead: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (variable, text) = self.find(name)?;
        let value = parse(&text);
        if value.is_some() {
            self.set(setting, variable);
        } else {
            let shown = one_line(&text);
            self.warnings.push(format!(
                "{variable}='{shown}' is not understood; allowed: {allowed}; used instead: {instead}"
            ));
        }
        value
    }

    /// Reads a variable whose values are words.
    pub fn read_word<T: Copy>(
        &mut self,
        name: &'static str,
        instead: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let allowed: Vec<_> = words.iter().map(|word| word.0.to_ascii_lowercase()).collect();
        self.read(name, &allowed.join(", "), instead, |text| value_of(words, text))
    }

    /// Notes that a variable gave this setting its value.
    pub fn set(&mut self, setting: &'static str, variable: Cow<'static, str>) {
        self.origins.retain(|origin| origin.setting != setting);
        self.origins.push(Origin { setting, variable });
    }

    fn find(&self, name: &'static str) -> Option<(Cow<'static, str>, String)> {
        let filled = |name: &str| self.raw(name).filter(|text| !text.trim().is_empty());
        if let Some(text) = filled(name) {
            return Some((Cow::Borrowed(name), text));
        }
        if !name.starts_with("OMP_") {
            return None;
        }
        let for_all = format!("{name}_ALL");
        filled(&for_all).map(|text| (Cow::Owned(for_all), text))
    }
}

/// Text that can stand in a one-line message: without line breaks and not longer than is useful.
fn one_line(text: &str) -> String {
    let mut shown: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(SHOWN_CHARS)
        .collect();
    if text.trim().chars().nth(SHOWN_CHARS).is_some() {
        shown.push_str("...");
    }
    shown
}

//! Variables of the environment whose value is one of a few words. What is not understood costs one line, never the program.
//!
//! The line has the form that the runtime's own has (`runtime/src/settings`).

use crate::tell;

/// What `variable` says: one of the words that are allowed, with what each means. The first holds where the variable is not set,
/// is blank, or says anything else, which is told on standard error.
pub fn choice<T: Copy>(variable: &str, allowed: &[(&str, T)]) -> T {
    let value = std::env::var_os(variable).unwrap_or_default();
    let (meant, complaint) = read(variable, &value.to_string_lossy(), allowed);
    complaint.into_iter().for_each(tell);
    meant
}

/// The line about a value that is not understood.
pub fn complaint(variable: &str, value: &str, allowed: &str, instead: &str) -> String {
    format!(
        "vicinity: {variable}='{value}' is not understood; allowed: {allowed}; used instead: {instead}"
    )
}

fn read<T: Copy>(variable: &str, value: &str, allowed: &[(&str, T)]) -> (T, Option<String>) {
    let value = value.trim();
    let found = allowed.iter().find(|(word, _)| *word == value);
    let (first, meant) = *found.unwrap_or(&allowed[0]);
    if found.is_some() || value.is_empty() {
        return (meant, None);
    }
    let words: Vec<&str> = allowed.iter().map(|(word, _)| *word).collect();
    (meant, Some(complaint(variable, value, &words.join(", "), first)))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_not_understood_costs_a_line() {
        let allowed = [("auto", 1), ("dfo", 2)];
        assert_eq!(read("V", "", &allowed), (1, None));
        assert_eq!(read("V", " dfo ", &allowed), (2, None));
        let line =
            "vicinity: V='depth-first' is not understood; allowed: auto, dfo; used instead: auto";
        assert_eq!(read("V", "depth-first", &allowed), (1, Some(line.to_string())));
    }
}

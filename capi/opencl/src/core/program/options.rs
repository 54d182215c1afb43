//! Build options: one string of the program's, as far as the driver looks into it. The translator reads all of it.
//!
//! Blanks separate words; double quotes keep them together, and a backslash takes a quote, a backslash or a blank after
//! it as it is.
//!
//! Source: docs/kernel-abi.md.

/// The words. A quote that is not closed reaches to the end.
pub fn words(options: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut characters = options.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' => {
                let is_kept = |next: &char| matches!(next, '"' | '\\') || next.is_whitespace();
                let kept = characters.next_if(is_kept);
                word.get_or_insert_default().push(kept.unwrap_or('\\'));
            }
            blank if blank.is_whitespace() && !is_quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_the_translator_reads() {
        let is = |options: &str, expected: &[&str]| assert_eq!(words(options), expected);
        is("  -D A=1\t-w ", &["-D", "A=1", "-w"]);
        is(r#""-Ix y" -DS=\"s\" -I c\ d C:\e"#, &["-Ix y", "-DS=\"s\"", "-I", "c d", r"C:\e"]);
        is("\"\"", &[""]);
        is("-D\"a b", &["-Da b"]);
    }
}

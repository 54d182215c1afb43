//! Build options: one string of the program's, as the words of a command line.
//!
//! Blanks separate words; single and double quotes keep them together, and a backslash takes the next character as
//! it is, but not between single quotes.

/// The words; `None` if a quote is not closed.
pub fn words(options: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = options.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => match characters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => word.get_or_insert_default().push('\\'),
            },
            (_, Some(open)) if character == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(character),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The folders of `-I`, in order.
pub fn include_folders(words: &[String]) -> Vec<&str> {
    let mut folders = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("-I") {
            Some("") => folders.extend(words.next().map(String::as_str)),
            Some(folder) => folders.push(folder),
            None => {}
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let is = |options: &str, expected: &[&str]| {
            assert_eq!(words(options).as_deref().unwrap_or_default(), expected, "{options}");
        };
        is("  -D A=1\t-w ", &["-D", "A=1", "-w"]);
        is(r#"-D'a b' "-Ix y" -DS=\"s\" -I c\ d"#, &["-Da b", "-Ix y", "-DS=\"s\"", "-I", "c d"]);
        is("''", &[""]);
        assert_eq!(words("-D'a"), None);
    }

    #[test]
    fn folders_come_in_both_forms() {
        let words = words("-I a -Ib -D I -I").unwrap();
        assert_eq!(include_folders(&words), ["a", "b"]);
    }
}

//! Just enough of Rust's lexical grammar to tell code from comments and literals, and to find
//! functions. It relies on rustfmt: a function ends at the closing brace in its own column.

/// The text with comments, strings and character literals replaced by blanks; lines and columns
/// stay where they are.
pub fn without_comments_and_strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let length = literal_length(bytes, at);
        if length == 0 {
            // Identifiers are skipped whole, so that the `r` of `for"` never starts a raw string.
            let end = at + word_length(bytes, at).max(1);
            code.extend(bytes[at..end].iter().map(|&b| if b.is_ascii() { b as char } else { ' ' }));
            at = end;
        } else {
            let blanked = bytes[at..at + length].iter();
            code.extend(blanked.map(|&b| if b == b'\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    code
}

fn word_length(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|&&b| b == b'_' || b.is_ascii_alphanumeric()).count()
}

/// The length of the comment or literal that begins at `at`, or 0.
fn literal_length(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
    } else if rest.starts_with(b"/*") {
        block_comment(rest)
    } else if rest[0] == b'"' || rest.starts_with(b"b\"") || rest.starts_with(b"c\"") {
        quoted(rest, rest.iter().position(|&b| b == b'"').unwrap_or(0), b'"')
    } else if raw_hashes(rest).is_some() {
        raw_string(rest)
    } else if rest[0] == b'\'' {
        character(rest)
    } else {
        0
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// From an opening quote at `open` to past its closing one; a backslash escapes.
fn quoted(rest: &[u8], open: usize, quote: u8) -> usize {
    let mut at = open + 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// For `r"`, `br"`, `cr"` and their `#` forms: where the quote stands, and how many `#` precede it.
fn raw_hashes(rest: &[u8]) -> Option<(usize, usize)> {
    let prefix = usize::from(matches!(rest[0], b'b' | b'c'));
    if rest.get(prefix) != Some(&b'r') {
        return None;
    }
    let hashes = rest[prefix + 1..].iter().take_while(|&&b| b == b'#').count();
    let quote = prefix + 1 + hashes;
    (rest.get(quote) == Some(&b'"')).then_some((quote, hashes))
}

fn raw_string(rest: &[u8]) -> usize {
    let Some((quote, hashes)) = raw_hashes(rest) else { return 0 };
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let body = &rest[quote + 1..];
    let length = body.windows(end.len()).position(|window| window == end.as_slice());
    length.map_or(rest.len(), |length| quote + 1 + length + end.len())
}

/// A character literal, or 0 where the quote begins a lifetime.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        return quoted(rest, 0, b'\'');
    }
    let text = std::str::from_utf8(&rest[1..]).unwrap_or_default();
    let first = text.chars().next().map_or(0, char::len_utf8);
    if rest.get(1 + first) == Some(&b'\'') { first + 2 } else { 0 }
}

/// Whether `word` stands in `code` as a word of its own.
pub fn has_word(code: &str, word: &str) -> bool {
    let part_of_word = |c: char| c == '_' || c.is_alphanumeric();
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(part_of_word) && !code[at + word.len()..].starts_with(part_of_word)
    })
}

/// A function with a body: its name, the line it begins on (from 1), and how many lines it has.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// The functions of a file, from its code without comments and strings.
pub fn functions(code: &str) -> Vec<Function> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let signature_end = lines[start..]
            .iter()
            .position(|line| line.trim_end().ends_with(['{', ';', '}']))
            .map(|offset| start + offset);
        let Some(opened) = signature_end.filter(|&at| lines[at].trim_end().ends_with('{')) else {
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let closes = |line: &&str| {
            line.len() > indent
                && line[..indent].trim().is_empty()
                && line[indent..].starts_with('}')
        };
        if let Some(length) = lines[opened + 1..].iter().position(closes) {
            found.push(Function { name, line: start + 1, lines: opened + length + 2 - start });
        }
    }
    found
}

/// The name of the function whose declaration begins on this line.
fn function_name(line: &str) -> Option<String> {
    let qualifiers = ["pub", "const", "async", "unsafe", "extern", "default"];
    let mut words = line.split_whitespace().peekable();
    loop {
        let word = words.next()?;
        if word == "fn" {
            let name = words.next()?;
            let end = name.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(name.len());
            return Some(name[..end].to_string());
        }
        // `pub(crate)`, `pub(in a::b)`; the ABI string of `extern "C"` is blank by now.
        let bare = word.split('(').next().unwrap_or_default();
        if !qualifiers.contains(&bare) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        let text =
            "a // unsafe\nb /* x /* y */ z */ \"unsafe \\\" q\" r#\"a \"b\" c\"# 'u' '\\'' &'s d\n";
        let code = without_comments_and_strings(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "&'s", "d"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use libc::c_int", "libc"));
        assert!(!has_word("mylibc libcx lib_c", "libc"));
    }

    #[test]
    fn functions_are_measured_from_signature_to_brace() {
        let code = "fn one() {}\npub(crate) unsafe extern     fn two(\n    a: u8,\n) -> u8 {\n    \
                    if a {\n    }\n}\nimpl X {\n    fn three();\n    fn four() {\n        x\n    }\n}\n";
        let found = functions(code);
        let expected = [("two", 2, 6), ("four", 10, 3)];
        let expected =
            expected.map(|(name, line, lines)| Function { name: name.into(), line, lines });
        assert_eq!(found, expected);
    }
}

//! Messages without what differs from dump to dump.

/// A message without numbers, names and quotations: its first line that says something.
pub(super) fn template(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(end, _)| end);
    let plain = without_quotations(&line[..end]);
    let words = plain.split(' ').map(|word| if is_variable(word) { without_variable(word) } else { word.to_owned() });
    let mut words: Vec<String> = words.collect();
    words.dedup_by(|a, b| a == b && a.contains(VARIABLE));
    words.join(" ")
}

/// Longer messages are cut.
const LONGEST: usize = 300;

/// What stands for a number or a name.
const VARIABLE: char = '…';

/// A line in which a variable stands for each quotation, but for one that has the whole message.
fn without_quotations(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((at, quotation)) = find_quotation(rest) {
        let (before, quoted) = (&rest[..at], &rest[at..at + quotation]);
        rest = &rest[at + quotation..];
        if is_message(&format!("{plain}{before}"), quoted, rest) {
            plain.extend([before, quoted]);
        } else {
            plain += before;
            plain.push(VARIABLE);
        }
    }
    plain + rest
}

/// The first quotation: where it begins, with the letters before it that Python has, and its length. One without an end goes to
/// the end of the line, but for an apostrophe.
fn find_quotation(text: &str) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, open)| {
        let (_, close) = QUOTES.iter().find(|(quote, _)| *quote == open)?;
        let before = text[..at].trim_end_matches(|c: char| "bBrRuUfF".contains(c));
        let is_apart = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let begin = if is_apart(before) && at - before.len() <= 2 { before.len() } else { at };
        let inner = &text[at + open.len_utf8()..];
        let end = find_end(inner, *close);
        // A single quotation mark may be an apostrophe.
        let is_quotation = !['\'', '’'].contains(close) || end.is_some() && is_apart(&text[..begin]);
        let length = end.map_or(text.len(), |end| at + open.len_utf8() + end + close.len_utf8()) - begin;
        is_quotation.then_some((begin, length))
    })
}

/// Quotation marks, and those that end what they begin.
const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»')];

/// The first mark that ends a quotation: one after a backslash belongs to the text.
fn find_end(inner: &str, close: char) -> Option<usize> {
    let mut is_escaped = false;
    inner.char_indices().find_map(|(at, c)| {
        let is_end = c == close && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

/// Whether a quotation is what the program says, and no name in it: the text of an exception in the form of Python's `repr`,
/// such as `KeyError('no such tag')`, or of a `KeyError` alone.
fn is_message(before: &str, quoted: &str, after: &str) -> bool {
    let is_end = after.chars().all(|c| c.is_ascii_punctuation() || c.is_whitespace());
    let is_of_exception = |before: &str| before.split(' ').next_back().is_some_and(is_exception);
    let is_begin = before.trim().is_empty()
        || before.ends_with('(')
        || before.trim_end().strip_suffix(':').is_some_and(is_of_exception);
    // Bytes come out of the dump.
    let is_begin = is_begin && !quoted.starts_with(['b', 'B']);
    let has_words =
        quoted.contains(' ') && quoted.chars().filter(|c| c.is_alphabetic()).count() > quoted.chars().count() / 2;
    is_begin && is_end && has_words
}

/// Whether a word is a number, an address, or a name as Java has them. The name of an exception is the program's own.
fn is_variable(word: &str) -> bool {
    let is_path = word.contains('/') && word.trim_start_matches('/').contains('/');
    word.chars().any(|c| c.is_ascii_digit()) || is_path || is_dotted(word) && !is_exception(word)
}

/// Whether a dot in a word is between two letters.
fn is_dotted(word: &str) -> bool {
    word.char_indices().filter(|(_, c)| *c == '.').any(|(at, _)| {
        let is_name = |c: char| c.is_alphabetic() || c == '_' || c == '$';
        word[..at].ends_with(is_name) && word[at + 1..].starts_with(is_name)
    })
}

/// Whether a word ends like the name of an exception.
fn is_exception(word: &str) -> bool {
    let name = word.split(['(', ':']).next().unwrap_or(word).trim_end_matches(|c: char| c.is_ascii_punctuation());
    ["Exception", "Error", "error"].iter().any(|end| name.ends_with(end))
}

fn without_variable(word: &str) -> String {
    let inner = word.trim_matches(|c: char| c.is_ascii_punctuation());
    match (inner.is_empty(), word.find(inner)) {
        (false, Some(at)) => format!("{}{VARIABLE}{}", &word[..at], &word[at + inner.len()..]),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn normalises_dump_specific_parts_of_messages() {
        for (message, plain) in [
            ("unknown record type 16", "unknown record type …"),
            ("record 5 at offset 0x1f: no such tag", "record … at offset …: no such tag"),
            ("no class \"java/lang/String\" here", "no class … here"),
            ("class java/lang/String has no name", "class … has no name"),
            ("a number is due, and not '[\"A\"' here", "a number is due, and not … here"),
            ("it can't be, and won't", "it can't be, and won't"),
            ("values (1, 2, 3) are wrong", "values (…, …, …) are wrong"),
            ("\n  first\nsecond", "first"),
            ("", ""),
        ] {
            assert_eq!(template(message), plain);
        }
    }

    #[test]
    fn names_go_and_exceptions_stay() {
        for (message, plain) in [
            ("no class shop.Order", "no class …"),
            ("class shop.Order.", "class …."),
            ("java.io.EOFException: null", "java.io.EOFException: null"),
            ("struct.error: unpack requires a buffer of 4 bytes", "struct.error: unpack requires a buffer of … bytes"),
            ("no magic: b'JAVA PROF'", "no magic: …"),
            ("bad text b'\\'\\x00' there", "bad text … there"),
            ("unknown class ‘Foo’ of «Bar»", "unknown class … of …"),
            ("the end. Then more...", "the end. Then more..."),
        ] {
            assert_eq!(template(message), plain);
        }
    }

    #[test]
    fn texts_of_python_exceptions_survive() {
        for (message, plain) in [
            ("'no such record'", "'no such record'"),
            ("KeyError('no such record')", "KeyError('no such record')"),
            ("ValueError(\"can't read tag 7\")", "ValueError(\"can't read tag …\")"),
            ("IndexError: 'no such record: 7'", "IndexError: 'no such record: …'"),
            // A key is a name.
            ("'java/lang/String'", "…"),
            ("KeyError('name')", "KeyError(…)"),
            ("no class 'my class' here", "no class … here"),
        ] {
            assert_eq!(template(message), plain);
        }
    }
}

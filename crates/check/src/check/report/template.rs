//! Messages without what differs from dump to dump.

/// A message without numbers, names and quotations: its first line that says something.
pub(super) fn template(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut plain = String::new();
    let mut quote = None;
    for (at, c) in line.char_indices().take(LONGEST) {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`' | '“') => {
                quote = Some(if c == '“' { '”' } else { c });
                plain.push(VARIABLE);
            }
            (None, '\'') if begins_quotation(line, at) => {
                quote = Some(c);
                plain.push(VARIABLE);
            }
            (None, c) => plain.push(c),
        }
    }
    let words = plain.split(' ').map(|word| if is_variable(word) { without_variable(word) } else { word.to_owned() });
    let mut words: Vec<String> = words.collect();
    words.dedup_by(|a, b| a == b && a.contains(VARIABLE));
    words.join(" ")
}

/// Whether a single quotation mark has another one after it, and is no apostrophe.
fn begins_quotation(line: &str, at: usize) -> bool {
    let (before, rest) = line.split_at(at);
    !before.ends_with(char::is_alphanumeric) && rest[1..].contains('\'')
}

/// Longer messages are cut.
const LONGEST: usize = 300;

/// What stands for a number or a name.
const VARIABLE: char = '…';

/// Whether a word is a number, an address, or a name as Java has them.
fn is_variable(word: &str) -> bool {
    let is_path = word.contains('/') && word.trim_start_matches('/').contains('/');
    word.chars().any(|c| c.is_ascii_digit()) || is_path || word.matches('.').count() > 1
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
}

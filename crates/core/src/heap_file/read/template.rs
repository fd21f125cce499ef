//! Texts of repeats, in which braces are computed.

/// The variables of a place: those of the repeats around it, the innermost last, after those of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    known: Vec<(String, i64)>,
    /// Whether the place is in a repeat, where braces are computed.
    pub(super) is_repeated: bool,
}

impl Variables {
    pub(super) fn new(known: Vec<(String, i64)>) -> Variables {
        Variables { known, is_repeated: false }
    }

    /// The variables in a turn of a repeat.
    pub(super) fn in_turn(&self, name: &str, turn: i64) -> Variables {
        let mut inner = self.clone();
        inner.known.push((name.to_owned(), turn));
        inner.is_repeated = true;
        inner
    }

    /// Sets the innermost variable.
    pub(super) fn set_last(&mut self, turn: i64) {
        if let Some(last) = self.known.last_mut() {
            last.1 = turn;
        }
    }

    fn value(&self, name: &str) -> Option<i64> {
        self.known.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|(name, _)| name.as_str())
    }

    /// A text with its braces computed, and whether it had any.
    pub(super) fn expand(&self, text: &str) -> Result<(String, bool), String> {
        if !self.is_repeated || !text.contains(['{', '}']) {
            return Ok((text.to_owned(), false));
        }
        let (mut expanded, mut rest, mut is_computed) = (String::with_capacity(text.len() + 8), text, false);
        while let Some(at) = rest.find(['{', '}']) {
            expanded.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                expanded.push_str(brace);
                rest = after;
                continue;
            }
            let Some(end) = rest.find('}').filter(|_| brace == "{") else {
                return Err(format!("{text:?} has a brace without its other one; a brace as such is written twice"));
            };
            expanded.push_str(&self.compute(&rest[..end])?.to_string());
            is_computed = true;
            rest = &rest[end + 1..];
        }
        expanded.push_str(rest);
        Ok((expanded, is_computed))
    }

    /// The number that an expression stands for: operands and operators, from left to right.
    pub(super) fn compute(&self, expression: &str) -> Result<i64, String> {
        let is_operator = |letter: char| matches!(letter, '+' | '-' | '*' | '/' | '%');
        let mut rest = expression.trim();
        let first = rest.find(is_operator).unwrap_or(rest.len());
        let mut value = self.operand(rest[..first].trim(), expression)?;
        rest = &rest[first..];
        while let Some(operator) = rest.chars().next() {
            rest = &rest[1..];
            let end = rest.find(is_operator).unwrap_or(rest.len());
            let operand = self.operand(rest[..end].trim(), expression)?;
            rest = &rest[end..];
            let result = match operator {
                '+' => value.checked_add(operand),
                '-' => value.checked_sub(operand),
                '*' => value.checked_mul(operand),
                '/' => value.checked_div(operand),
                _ => value.checked_rem(operand),
            };
            value = result.ok_or_else(|| format!("{{{expression}}} has no value: a division by zero, or too large"))?;
        }
        Ok(value)
    }

    fn operand(&self, text: &str, expression: &str) -> Result<i64, String> {
        if let Ok(number) = text.parse() {
            return Ok(number);
        }
        self.value(text).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            format!(
                "{{{expression}}} has {text:?}, which is neither a number nor one of {}; a brace as such is written twice",
                names.join(", ")
            )
        })
    }
}

/// The parts of a name around its only placeholder `{i}`, `{i+1}` or `{i-1}`, and the number that is added.
pub(super) fn linear_name<'t>(text: &'t str, variable: &str) -> Option<(&'t str, &'t str, i64)> {
    let (prefix, rest) = text.split_once('{')?;
    let (expression, suffix) = rest.split_once('}')?;
    if prefix.contains('}') || suffix.contains(['{', '}']) {
        return None;
    }
    let rest = expression.trim().strip_prefix(variable)?.trim();
    let added = match rest.chars().next() {
        None => 0,
        Some('+') => rest[1..].trim().parse::<i64>().ok()?,
        Some('-') => -rest[1..].trim().parse::<i64>().ok()?,
        Some(_) => return None,
    };
    Some((prefix, suffix, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_from_left_to_right() {
        let turn = Variables::new(vec![("n".into(), 100)]).in_turn("i", 7);
        for (text, expected) in [
            ("n{i}", "n7"),
            ("{i+1}", "8"),
            ("{i*2+1}", "15"),
            ("{i+1*2}", "16"),
            ("{i/2}", "3"),
            ("{ i % 4 }", "3"),
            ("{n-i}", "93"),
            ("{{i}}", "{i}"),
            ("a}}b", "a}b"),
            ("{i-9}", "-2"),
            ("plain", "plain"),
        ] {
            assert_eq!(turn.expand(text).map(|(text, _)| text), Ok(expected.to_owned()), "{text}");
        }
        for text in ["{j}", "{i/0}", "{i", "i}", "{}", "{i*9223372036854775807}"] {
            assert!(turn.expand(text).is_err(), "{text}");
        }
        assert_eq!(Variables::default().expand("{i}"), Ok(("{i}".to_owned(), false)));
    }

    #[test]
    fn finds_the_number_in_a_name() {
        assert_eq!(linear_name("n{i}", "i"), Some(("n", "", 0)));
        assert_eq!(linear_name("a{i+3}b", "i"), Some(("a", "b", 3)));
        assert_eq!(linear_name("a{i-1}", "i"), Some(("a", "", -1)));
        for text in ["n", "n{i*2}", "n{j}", "n{i}{i}", "{{i}}"] {
            assert_eq!(linear_name(text, "i"), None, "{text}");
        }
    }
}

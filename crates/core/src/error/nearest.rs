//! What was probably meant by a name that does not exist.

use super::Error;

/// The error for a name that does not exist: of what kind it should be, what to do next, and the names that are nearest.
pub fn unknown<'n>(what: &str, wanted: &str, names: impl IntoIterator<Item = &'n str>, next: &str) -> Error {
    let question = did_you_mean(wanted, names);
    let next = if next.is_empty() { String::new() } else { format!("; {next}") };
    Error::Usage(format!("unknown {what} {wanted:?}{next}{question}"))
}

/// The end of a message about a name that does not exist: `; did you mean a, b or c?`, or nothing where no name is near.
pub fn did_you_mean<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names = nearest(wanted, names);
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// The names that are nearest to one that does not exist: up to three of them, the nearest first.
fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(usize, usize, &str)> =
        names.into_iter().map(|name| (distance(wanted, name), name.len(), name)).collect();
    near.sort_unstable();
    near.dedup();
    let farthest = FEW.max(wanted.len() / 2);
    near.into_iter().take_while(|(far, ..)| *far <= farthest).take(SUGGESTED).map(|(.., name)| name).collect()
}

/// The distance of a name from what was asked: characters to insert, remove or replace. What has it as a part is near.
fn distance(wanted: &str, name: &str) -> usize {
    if wanted.len() >= PART && name.contains(wanted) { 0 } else { strsim::levenshtein(wanted, name) }
}

/// Names that are suggested.
const SUGGESTED: usize = 3;
/// What takes more edits than this, and than half of the characters that were asked for, is another name.
const FEW: usize = 2;
/// Fewer characters are part of too many names.
const PART: usize = 4;
/// More bytes than this are no name.
const LONGEST: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_near_are_suggested() {
        let names = || ["openj9", "openj9-8", "jdmpview", "j9-2.4"];
        assert_eq!(did_you_mean("opnej9", names()), "; did you mean openj9?");
        assert_eq!(did_you_mean("openj9-9", names()), "; did you mean openj9-8 or openj9?");
        assert_eq!(did_you_mean("hotspot", names()), "");
        assert_eq!(did_you_mean("enj9-", names()), "; did you mean openj9-8?", "a part of a name is near");
        assert_eq!(did_you_mean(&"openj9".repeat(50), names()), "", "no name is that long");
        let error = unknown("profile", "jdmpvew", names(), "choose another").to_string();
        assert_eq!(error, "unknown profile \"jdmpvew\"; choose another; did you mean jdmpview?");
    }
}

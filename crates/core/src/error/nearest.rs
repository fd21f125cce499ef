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
    let mut near: Vec<(usize, usize, &str)> =
        names.into_iter().map(|name| (distance(wanted, name), name.len(), name)).collect();
    near.sort_unstable();
    near.dedup();
    let farthest = FEW.max(wanted.len() / 2);
    near.into_iter().take_while(|(far, ..)| *far <= farthest).take(SUGGESTED).map(|(.., name)| name).collect()
}

/// How far a name is from what was asked: characters to insert, remove or replace. What has it as a part is near.
fn distance(wanted: &str, name: &str) -> usize {
    if wanted.len() >= PART && name.contains(wanted) { 0 } else { edits(wanted.as_bytes(), name.as_bytes()) }
}

fn edits(a: &[u8], b: &[u8]) -> usize {
    // No name is so long that what was asked matters beyond it.
    let a = &a[..a.len().min(LONGEST)];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Names that are suggested.
const SUGGESTED: usize = 3;
/// What takes more edits than this, and than half of the characters that were asked for, is another name.
const FEW: usize = 2;
/// Fewer characters are part of too many names.
const PART: usize = 4;
/// Bytes of what was asked that count.
const LONGEST: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_number_of_edits() {
        assert_eq!(edits(b"", b""), 0);
        assert_eq!(edits(b"abc", b""), 3);
        assert_eq!(edits(b"kitten", b"sitting"), 3);
        assert_eq!(distance("gap.base", "phd.gap.base"), 0);
    }

    #[test]
    fn only_names_that_are_near_are_suggested() {
        let names = || ["openj9", "openj9-8", "jdmpview", "j9-2.4"];
        assert_eq!(did_you_mean("opnej9", names()), "; did you mean openj9?");
        assert_eq!(did_you_mean("openj9-9", names()), "; did you mean openj9-8 or openj9?");
        assert_eq!(did_you_mean("hotspot", names()), "");
        let error = unknown("profile", "jdmpvew", names(), "choose another").to_string();
        assert_eq!(error, "unknown profile \"jdmpvew\"; choose another; did you mean jdmpview?");
    }
}

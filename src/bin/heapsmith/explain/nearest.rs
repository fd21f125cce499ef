//! What was meant by the id of a rule that there is not.

use heapsmith::error::Error;

use super::rules;

/// The error that there is no such rule, with those whose ids are nearest.
pub(super) fn unknown(wanted: &str) -> Error {
    let mut near: Vec<(usize, &str)> =
        rules(|_, _| true).iter().map(|(_, rule)| (distance(wanted, rule.id), rule.id)).collect();
    near.sort_unstable();
    let ids: Vec<&str> = near.iter().take(SUGGESTED).map(|(_, id)| *id).collect();
    Error::Usage(format!("there is no rule {wanted:?}; the nearest are {} (--list shows all)", ids.join(", ")))
}

/// How far an id is from what was asked: characters to insert, remove or replace. What has it as a part is near.
fn distance(wanted: &str, id: &str) -> usize {
    if wanted.len() >= PART && id.contains(wanted) { 0 } else { edits(wanted.as_bytes(), id.as_bytes()) }
}

fn edits(a: &[u8], b: &[u8]) -> usize {
    // No id is so long that what was asked matters beyond it.
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

/// Ids that are suggested.
const SUGGESTED: usize = 3;
/// Fewer characters are part of too many ids.
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
}

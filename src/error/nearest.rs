//! What was meant by a name that there is not.

/// The names that are nearest to one that there is not: three of them, the nearest first.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, usize, &str)> =
        names.into_iter().map(|name| (distance(wanted, name), name.len(), name)).collect();
    near.sort_unstable();
    near.into_iter().take(SUGGESTED).map(|(.., name)| name).collect()
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
}

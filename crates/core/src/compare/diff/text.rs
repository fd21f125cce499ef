//! A comparison as text, for messages of tests.

use std::fmt::{self, Display, Formatter};

use super::report::{ClassDifference, Comparison, FacetDifference, NotCompared};

/// The most classes that are shown for a facet, each by its first object that differs.
const SHOWN: usize = 5;

/// A paragraph for each facet that differs: the number of objects, and for the most frequent classes the first address
/// and both sides.
impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let verdict = if self.equal { "equal" } else { "different" };
        write!(f, "{verdict}: {} compared", format_count(self.compared, "fact"))?;
        self.differences.iter().try_for_each(|difference| self::write_difference(f, difference))?;
        if !self.not_compared.is_empty() {
            let mut facets: Vec<String> =
                self.not_compared.iter().map(|NotCompared { facet, .. }| facet.to_string()).collect();
            facets.dedup();
            write!(f, "\nnot compared: {}", facets.join(", "))?;
        }
        Ok(())
    }
}

fn write_difference(f: &mut Formatter<'_>, difference: &FacetDifference) -> fmt::Result {
    let FacetDifference { facet, count, address, left, right, classes, .. } = difference;
    write!(f, "\n{facet} differs in {}", format_count(*count, "place"))?;
    if classes.is_empty() {
        return write_sides(f, address.as_deref(), None, left, right);
    }
    for ClassDifference { class, count, address, left, right } in classes.iter().take(SHOWN) {
        let of = format!("{}, {} of this class", if class.is_empty() { "class unknown" } else { class }, count);
        write_sides(f, Some(address), Some(&of), left, right)?;
    }
    match classes.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, "\n  and in {more} more classes"),
    }
}

fn write_sides(f: &mut Formatter<'_>, address: Option<&str>, of: Option<&str>, left: &str, right: &str) -> fmt::Result {
    match (address, of) {
        (Some(address), Some(of)) => write!(f, "\n  at {address} ({of})")?,
        (Some(address), None) => write!(f, "\n  at {address}")?,
        (None, _) => write!(f, "\n  in the heap as a whole")?,
    }
    write!(f, "\n    left:  {left}\n    right: {right}")
}

fn format_count(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::compare;
    use crate::generate::{GenerateOptions, from_seed};
    use crate::model::ByteLen;

    #[test]
    fn prints_difference_with_address_class_and_both_sides() {
        let left = from_seed(&GenerateOptions::default(), 7);
        let mut right = left.clone();
        right.objects[3].size = Some(ByteLen(4096));
        right.surroundings.roots = None;
        let text = compare(&left, &right, &BTreeSet::new()).to_string();
        let address = left.objects[3].address;
        assert!(text.contains(&format!("object-size differs in 1 place\n  at {address} (")), "{text}");
        assert!(text.contains("\n    right: 4096 bytes"), "{text}");
        assert!(text.contains("\nnot compared: roots"), "{text}");
    }
}

//! Bounds of an adapter's texts and lists, which are cut where they arrive: a report holds every text several times,
//! and a request repeats lists.

use std::collections::HashSet;
use std::hash::Hash;

use crate::check::process::cut_middle;
use crate::check::protocol::{AnswerStatus, DeclaredWriter, Hello, KnownNames};

/// Characters of a name, such as that of an implementation.
const NAME: usize = 200;
/// Characters of any other text.
pub(in crate::check) const LONG: usize = 2000;
/// Entries of a list. There are fewer formats, pairs of them and writers.
const ENTRIES: usize = 1000;

/// A text of at most this many characters; a longer one ends with its length in bytes.
pub(in crate::check) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}... ({} bytes)", &text[..at], text.len()),
    }
}

fn cut_in_place(text: &mut String, characters: usize) {
    if text.len() > characters {
        *text = cut(text, characters);
    }
}

/// Removes repeated entries, and those beyond a limit.
fn bound_list<T: Clone + Eq + Hash>(list: &mut Vec<T>) {
    let mut seen = HashSet::new();
    list.retain(|entry| seen.len() < ENTRIES && seen.insert(entry.clone()));
}

fn bound_known<T: Clone + Eq + Hash>(list: &mut KnownNames<T>) {
    bound_list(list);
    bound_list(list.unknown_mut());
    list.unknown_mut().iter_mut().for_each(|name| cut_in_place(name, NAME));
}

impl Hello {
    /// Removes repetitions, and cuts texts to the length that a table can hold.
    pub(super) fn bounded(mut self) -> Hello {
        for text in [&mut self.name, &mut self.version, &mut self.language] {
            cut_in_place(text, NAME);
        }
        bound_list(&mut self.reads);
        self.reads.iter_mut().for_each(|name| cut_in_place(name, NAME));
        bound_list(&mut self.writes);
        for writer in &mut self.writes {
            match writer {
                DeclaredWriter::Plain(to) => cut_in_place(to, NAME),
                DeclaredWriter::Lossy { to, loses } => {
                    cut_in_place(to, NAME);
                    bound_known(loses);
                }
            }
        }
        bound_list(&mut self.converts);
        for pair in &mut self.converts {
            cut_in_place(&mut pair.from, NAME);
            cut_in_place(&mut pair.to, NAME);
            bound_known(&mut pair.loses);
        }
        bound_known(&mut self.levels);
        bound_known(&mut self.facets);
        bound_known(&mut self.counts);
        bound_known(&mut self.answers);
        let unknown = self.declares.unknown_mut();
        bound_list(unknown);
        unknown.iter_mut().for_each(|(_, name)| cut_in_place(name, NAME));
        if self.protocol < 2 {
            self.declares = self.declares.into_version_1();
        }
        let readings = std::mem::take(&mut self.readings).into_iter().take(ENTRIES);
        self.readings = readings.map(|(name, choice)| (cut(&name, NAME), cut(&choice, NAME))).collect();
        self
    }
}

impl AnswerStatus {
    /// Cuts texts to the length that a report can hold.
    pub(super) fn bounded(mut self) -> AnswerStatus {
        match &mut self {
            AnswerStatus::Accept(accepted) => {
                accepted.holder.iter_mut().for_each(|holder| cut_in_place(holder, LONG));
                bound_list(&mut accepted.warnings);
                accepted.warnings.iter_mut().for_each(|warning| cut_in_place(warning, LONG));
            }
            AnswerStatus::Reject { message, .. } => cut_in_place(message, LONG),
            // A trace, perhaps.
            AnswerStatus::Crash { message } | AnswerStatus::Error { message } => *message = cut_middle(message),
            AnswerStatus::Skip { reason, link } => {
                cut_in_place(reason, LONG);
                link.iter_mut().for_each(|link| cut_in_place(link, LONG));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::protocol::DeclaredConversion;
    use crate::check::protocol::Level;
    use heapsmith_core::compare::Facet;

    #[test]
    fn cuts_texts_between_characters_and_marks_them() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("a\u{1f980}bc", 2), "a\u{1f980}... (7 bytes)");
    }

    #[test]
    fn counts_each_list_entry_once() {
        let pair = DeclaredConversion {
            from: "phd6".to_owned(),
            to: "hprof".to_owned(),
            loses: KnownNames::default(),
            declares: Default::default(),
        };
        let hello = Hello {
            name: "x".repeat(10 << 20),
            facets: vec![Facet::Address; 100_000].into(),
            levels: vec![Level::Listing, Level::Verdict, Level::Listing].into(),
            reads: (0..100_000).map(|n| n.to_string()).collect(),
            converts: vec![pair.clone(); 1000],
            ..Hello::default()
        };
        let bounded = hello.bounded();
        assert!(bounded.name.len() < 300 && bounded.name.ends_with("(10485760 bytes)"));
        assert_eq!(*bounded.facets, [Facet::Address]);
        assert_eq!(*bounded.levels, [Level::Listing, Level::Verdict]);
        assert_eq!((bounded.reads.len(), bounded.converts), (1000, vec![pair]));
    }
}

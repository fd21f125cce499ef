//! Sizes of objects that are worked out where nothing records them: header and contents, multiples of 8.

use super::{ByteLen, Class, Field, Hierarchy};

/// Bytes of fields, where a reference takes this many.
pub(crate) fn field_bytes<'f>(fields: impl IntoIterator<Item = &'f Field>, reference: u64) -> u64 {
    fields.into_iter().map(|field| field.kind.size(reference)).sum()
}

/// The size of an instance with this many bytes of fields, those of superclasses included. The header is a word; where
/// references are compressed, it is a word and a class of their width.
pub(crate) fn instance_size(field_bytes: u64, word: u64, reference: u64) -> u64 {
    let header = if reference < word { word + reference } else { word };
    round_up(header.saturating_add(field_bytes))
}

/// The size of an array with this many bytes of elements: a header of two words, and at least 16 bytes in all.
pub(crate) fn array_size(element_bytes: u64, word: u64) -> u64 {
    round_up((2 * word).saturating_add(element_bytes)).max(16)
}

fn round_up(size: u64) -> u64 {
    size.checked_next_multiple_of(8).unwrap_or(!7)
}

impl Hierarchy {
    /// Bytes of the fields of each class and its superclasses; `None` where the fields of one of them are unknown. A
    /// superclass that is not in the table has none.
    pub(crate) fn field_bytes(&self, classes: &[Class], reference: u64) -> Vec<Option<u64>> {
        let mut bytes: Vec<Option<u64>> = vec![None; classes.len()];
        for &class in self.downward() {
            let above = self.superclass(class).map_or(Some(0), |above| bytes[above]);
            let own = classes[class].fields.as_ref().map(|fields| field_bytes(fields, reference));
            bytes[class] = above.zip(own).map(|(above, own)| above.saturating_add(own));
        }
        bytes
    }

    /// The instance size of each class: the one that is known, or that which its fields give with references of a word.
    pub(crate) fn instance_sizes(&self, classes: &[Class], word: u64) -> Vec<Option<ByteLen>> {
        let known = classes.iter().map(|class| class.instance_size);
        let worked_out = |bytes: u64| ByteLen(instance_size(bytes, word, word));
        known
            .zip(self.field_bytes(classes, word))
            .map(|(known, bytes)| known.or_else(|| bytes.map(worked_out)))
            .collect()
    }
}

//! Whether the first reference of every object is its class block.

use foldhash::{HashMap, HashMapExt};

use crate::model::{Address, Class, Name};

/// The evidence for class blocks, gathered on the way through the objects.
#[derive(Debug)]
pub(in crate::classic) enum FirstReferences {
    /// The first references of the objects so far, by type, and their number.
    Known(HashMap<Name, Vec<Address>>, usize),
    /// No class blocks: an object has no first reference, or there are more of them than classes could be.
    NoBlocks,
}

/// Memory that a type takes in a table that grows, with a list of its own.
const IN_TABLE: usize = 160;

/// A limit of first references: no program has that many classes.
const MANY_CLASSES: usize = 1 << 22;

impl Default for FirstReferences {
    fn default() -> FirstReferences {
        FirstReferences::Known(HashMap::new(), 0)
    }
}

impl FirstReferences {
    /// Takes in an object's type and first reference, and gives about how many bytes they take.
    pub(in crate::classic) fn insert(&mut self, name: &Name, first: Option<Address>) -> u64 {
        let FirstReferences::Known(known, count) = self else { return 0 };
        let mut held = 0;
        match first.filter(|first| !first.is_null() && *count < MANY_CLASSES) {
            None => *self = FirstReferences::NoBlocks,
            Some(first) => match known.get_mut(name) {
                Some(of_type) if of_type.contains(&first) => {}
                // Class loaders that have a class of that name; no program has that many.
                Some(of_type) if of_type.len() >= 64 => *self = FirstReferences::NoBlocks,
                Some(of_type) => {
                    of_type.push(first);
                    held = 2 * size_of::<Address>();
                    *count += 1;
                }
                None => {
                    known.insert(name.clone(), vec![first]);
                    held = name.as_bytes().len() + IN_TABLE;
                    *count += 1;
                }
            },
        }
        held as u64
    }

    /// Whether each is the address of a class of that name.
    pub(in crate::classic) fn are_blocks(&self, classes: &[Class]) -> bool {
        let FirstReferences::Known(known, count) = self else { return false };
        let named: HashMap<Address, &Name> = classes.iter().map(|class| (class.address, &class.name)).collect();
        *count > 0 && known.iter().all(|(name, firsts)| firsts.iter().all(|first| named.get(first) == Some(&name)))
    }
}

//! Collections and boxed numbers of the Java library, which heaps are full of.
//!
//! Names, superclasses and fields are those of JDK 17 (CLASS DUMPs of its dumps), in the order of declaration. The
//! weight of each class is about its share of the instances of all these classes in dumps of a service, a compiler and
//! a shell on JDK 11 to 25 (docs/realism.md).

use crate::draw::Draw;
use crate::model::Field;

use super::library::{Library, fields};

/// A class in the table of collections.
struct CollectionRow {
    name: &'static str,
    superclass: &'static str,
    fields: &'static str,
    /// The weight of its instances; 0 for an abstract class.
    weight: u64,
}

const fn row(name: &'static str, superclass: &'static str, fields: &'static str, weight: u64) -> CollectionRow {
    CollectionRow { name, superclass, fields, weight }
}

const OBJECT: &str = "java/lang/Object";

/// Superclasses come first.
#[rustfmt::skip]
const ROWS: [CollectionRow; 29] = [
    row("java/lang/Number", OBJECT, "", 0),
    row("java/lang/Integer", "java/lang/Number", "value:I", 22),
    row("java/lang/Long", "java/lang/Number", "value:J", 6),
    row("java/lang/Double", "java/lang/Number", "value:D", 2),
    row("java/util/AbstractCollection", OBJECT, "", 0),
    row("java/util/AbstractList", "java/util/AbstractCollection", "modCount:I", 0),
    row("java/util/AbstractSet", "java/util/AbstractCollection", "", 0),
    row("java/util/AbstractMap", OBJECT, "keySet:L values:L", 0),
    row("java/util/HashMap$Node", OBJECT, "hash:I key:L value:L next:L", 215),
    row("java/util/LinkedHashMap$Entry", "java/util/HashMap$Node", "before:L after:L", 90),
    row("java/util/concurrent/ConcurrentHashMap$Node", OBJECT, "hash:I key:L val:L next:L", 110),
    row("java/util/ArrayList", "java/util/AbstractList", "elementData:L size:I", 45),
    row("java/util/HashMap", "java/util/AbstractMap",
        "table:L entrySet:L size:I modCount:I threshold:I loadFactor:F", 30),
    row("java/util/LinkedHashMap", "java/util/HashMap", "head:L tail:L accessOrder:Z", 20),
    row("java/util/concurrent/ConcurrentHashMap", "java/util/AbstractMap",
        "table:L nextTable:L baseCount:J sizeCtl:I transferIndex:I cellsBusy:I counterCells:L keySet:L values:L entrySet:L", 8),
    row("java/util/HashSet", "java/util/AbstractSet", "map:L", 10),
    row("java/util/TreeMap$Entry", OBJECT, "key:L value:L left:L right:L parent:L color:Z", 18),
    row("java/util/TreeMap", "java/util/AbstractMap",
        "comparator:L root:L size:I modCount:I entrySet:L navigableKeySet:L descendingMap:L", 2),
    row("java/util/LinkedList$Node", OBJECT, "item:L next:L prev:L", 8),
    row("java/util/LinkedList", "java/util/AbstractList", "size:I first:L last:L", 3),
    row("java/util/ArrayDeque", "java/util/AbstractCollection", "elements:L head:I tail:I", 2),
    row("java/util/ImmutableCollections$ListN", "java/util/AbstractCollection", "elements:L allowNulls:Z", 4),
    row("java/util/ImmutableCollections$SetN", "java/util/AbstractCollection", "elements:L size:I", 8),
    row("java/util/ImmutableCollections$MapN", "java/util/AbstractMap", "table:L size:I", 2),
    row("java/util/Optional", OBJECT, "value:L", 3),
    row("java/util/concurrent/atomic/AtomicInteger", "java/lang/Number", "value:I", 4),
    row("java/util/concurrent/atomic/AtomicReference", OBJECT, "value:L", 3),
    row("java/util/concurrent/locks/ReentrantLock", OBJECT, "sync:L", 6),
    row("java/util/Locale", OBJECT, "baseLocale:L localeExtensions:L hashCodeValue:I languageTag:L", 2),
];

/// A library class to be planned.
pub(super) struct CollectionClass {
    pub(super) name: &'static str,
    pub(super) superclass: &'static str,
    pub(super) fields: Vec<Field>,
}

/// The library classes, superclasses first.
pub(super) fn collection_classes(library: Library) -> impl Iterator<Item = CollectionClass> {
    ROWS.iter().map(move |row| CollectionClass {
        name: row.name,
        superclass: row.superclass,
        fields: fields(row.fields, library),
    })
}

/// Draws the index of a class by the weights.
pub(super) fn draw_place(draw: &mut dyn Draw) -> usize {
    let mut drawn = draw.below(ROWS.iter().map(|row| row.weight).sum());
    let mut weights = ROWS.iter().map(|row| row.weight);
    let is_here = |weight: u64| {
        let is_here = drawn < weight;
        drawn = drawn.saturating_sub(weight);
        is_here
    };
    weights.position(is_here).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{DrawStream, SeedDraw};

    #[test]
    fn superclasses_come_first_and_abstract_classes_have_no_instances() {
        for (place, row) in ROWS.iter().enumerate() {
            let is_known = row.superclass == OBJECT || ROWS[..place].iter().any(|above| above.name == row.superclass);
            assert!(is_known, "{}", row.name);
        }
        let mut draw = SeedDraw::new(1, DrawStream::Heap);
        let mut counts = [0; ROWS.len()];
        (0..60_000).for_each(|_| counts[draw_place(&mut draw)] += 1);
        for (row, count) in ROWS.iter().zip(counts) {
            assert_eq!(row.weight == 0, count == 0, "{}", row.name);
        }
        // 215 of 623 are 20,706 of 60,000, with a standard deviation of 116.
        let nodes = ROWS.iter().position(|row| row.name == "java/util/HashMap$Node").expect("a row");
        assert!((20_240..21_170).contains(&counts[nodes]), "{}", counts[nodes]);
    }
}

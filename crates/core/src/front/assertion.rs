//! An assertion that heaps are equal, for users' tests.

use std::fmt;

use crate::compare::Facet;
use crate::convert::Unwritten;
use crate::model::{Heap, HeapSource};

use super::{DumpOptions, compare};

/// Asserts that two heaps are equal.
///
/// | form | meaning |
/// |---|---|
/// | `assert_same_heap!(left, right)` | every fact that both heaps record is the same |
/// | `assert_same_heap!(left, right, as options)` | `right` was read from the dump that `left.write(options)` makes |
///
/// The second form compares with what that dump records of `left` ([`Heap::carried_by`](crate::Heap::carried_by)): a PHD
/// has no field values, for instance. The set of addresses, and what is at each (a class, an instance, an array of
/// references, or of which primitive type), is always compared. Any other fact is compared only if both heaps record it.
/// What could not be compared is printed on standard error, which tests show with `--nocapture`, and is the macro's value:
/// [`Uncompared`](crate::Uncompared).
///
/// # Panics
/// If a fact differs. The message lists the facts with addresses and classes, and what was not compared.
///
/// # Example
///
/// ```
/// use heapsmith::{Format, Heap, assert_same_heap, read};
///
/// let heap = Heap::random(7);
/// let parsed = read(heap.write(Format::PHD5)?)?; // your parser
/// let uncompared = assert_same_heap!(heap, parsed, as Format::PHD5);
/// assert!(uncompared.to_string().contains(" field-values ("));
/// # Ok::<(), heapsmith::Error>(())
/// ```
///
/// ```should_panic
/// # use heapsmith::{Heap, assert_same_heap};
/// let (left, mut right) = (Heap::random(7), Heap::random(7));
/// right.objects.pop();
/// assert_same_heap!(left, right);
/// ```
#[macro_export]
macro_rules! assert_same_heap {
    ($left:expr, $right:expr $(,)?) => {
        $crate::assert_same(&$left, &$right, ::core::option::Option::None)
    };
    ($left:expr, $right:expr, as $options:expr $(,)?) => {
        $crate::assert_same(&$left, &$right, ::core::option::Option::Some($options.into()))
    };
}

/// The facts that [`assert_same_heap!`](crate::assert_same_heap) could not compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncompared {
    /// Facets that only one of the heaps records.
    pub facets: Vec<Facet>,
    /// The facts of the left heap that its dump does not record.
    pub unwritten: Unwritten,
}

impl fmt::Display for Uncompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facets: Vec<String> = self.facets.iter().map(Facet::to_string).collect();
        let facets = (!facets.is_empty()).then(|| format!("not compared: {}", facets.join(", ")));
        let unwritten = (!self.unwritten.is_empty()).then(|| self.unwritten.to_string());
        f.write_str(&facets.into_iter().chain(unwritten).collect::<Vec<_>>().join("\n"))
    }
}

/// The function that [`assert_same_heap!`](crate::assert_same_heap) calls.
#[doc(hidden)]
#[track_caller]
pub fn assert_same(left: &Heap, right: &Heap, written: Option<DumpOptions>) -> Uncompared {
    let (comparison, unwritten) = match written {
        None => (compare(left, right), Unwritten::default()),
        Some(options) => {
            let mut source = left;
            let unwritten = options
                .lowering()
                .and_then(|lowering| Unwritten::from_dump(&mut (&mut source as &mut dyn HeapSource), &lowering));
            match left.carried_by(options).and_then(|carried| Ok((carried, unwritten?))) {
                Ok((carried, unwritten)) => (compare(&carried, right), unwritten),
                Err(error) => panic!("the left heap cannot be written in this way: {error}"),
            }
        }
    };
    let mut facets: Vec<Facet> = comparison.not_compared.iter().map(|not_compared| not_compared.facet).collect();
    facets.dedup();
    let uncompared = Uncompared { facets, unwritten };
    assert!(comparison.equal, "the heaps are not the same\n{comparison}\n{}", uncompared.unwritten);
    let told = uncompared.to_string();
    if !told.is_empty() {
        eprintln!("{told}");
    }
    uncompared
}

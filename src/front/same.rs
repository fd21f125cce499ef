//! Heaps that have to be the same, in a user's test.

use crate::model::Heap;

use super::{DumpOptions, compare};

/// Asserts that two heaps are the same.
///
/// | form | meaning |
/// |---|---|
/// | `assert_same_heap!(left, right)` | every fact that both heaps record is the same |
/// | `assert_same_heap!(left, right, as options)` | `right` was read from the dump that `left.write(options)` makes |
///
/// The second form compares with what that dump records of `left` ([`Heap::carried_by`](crate::Heap::carried_by)): a PHD
/// has no field values, for instance. The set of addresses, and what is at each (a class, an instance, an array of
/// references, or of which primitive type), is always compared. Any other fact is compared only if both heaps record it.
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
/// assert_same_heap!(heap, parsed, as Format::PHD5);
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

/// What [`assert_same_heap!`](crate::assert_same_heap) does.
#[doc(hidden)]
#[track_caller]
pub fn assert_same(left: &Heap, right: &Heap, written: Option<DumpOptions>) {
    let comparison = match written {
        None => compare(left, right),
        Some(options) => match left.carried_by(options) {
            Ok(carried) => compare(&carried, right),
            Err(error) => panic!("the left heap cannot be written in this way: {error}"),
        },
    };
    assert!(comparison.equal, "the heaps are not the same\n{comparison}");
}

//! Heaps and dumps from a fuzzer's bytes.

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::draw::BytesDraw;
use crate::model::Heap;

use super::{AnyDump, ClassicDump, HprofDump, PhdDump, RandomDump, heap};

/// Bytes of input for each object, roughly.
const BYTES_OF_AN_OBJECT: usize = 8;
/// The most objects that a fuzzer gets, whatever it has.
const MOST: usize = 200;

/// A heap that every format can hold. More bytes give more objects; where they end, zeros decide.
impl Arbitrary<'_> for Heap {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Heap> {
        let objects = (u.len() / BYTES_OF_AN_OBJECT).min(MOST);
        Ok(heap(objects, &mut BytesDraw(u)))
    }
}

macro_rules! arbitrary_dumps {
    ($($name:ident)*) => {$(
        impl Arbitrary<'_> for $name {
            fn arbitrary(u: &mut Unstructured<'_>) -> Result<$name> {
                let most = (u.len() / BYTES_OF_AN_OBJECT).clamp(1, MOST) as u64;
                let written = RandomDump::drawn($name::FAMILIES, most, &mut BytesDraw(u));
                written.map($name).map_err(|_| Error::IncorrectFormat)
            }
        }
    )*};
}

arbitrary_dumps! { PhdDump HprofDump ClassicDump AnyDump }

//! Heaps and dumps for quickcheck, which shrinks them.

use quickcheck::{Arbitrary, Gen};

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::model::Heap;

use super::{AnyDump, ClassicDump, HprofDump, PhdDump, RandomDump, heap};

/// A heap that every format can hold, of at most as many objects as quickcheck's size. It shrinks as
/// [`Heap::smaller`] says.
impl Arbitrary for Heap {
    fn arbitrary(g: &mut Gen) -> Heap {
        let mut draw = draw(g);
        let objects = draw.below(g.size() as u64 + 1) as usize;
        heap(objects, &mut draw)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Heap>> {
        Box::new(self.smaller())
    }
}

macro_rules! quickcheck_dumps {
    ($($name:ident)*) => {$(
        impl Arbitrary for $name {
            fn arbitrary(g: &mut Gen) -> $name {
                let most = g.size().max(1) as u64;
                loop {
                    // Every random heap can be written; if one could not, another would do.
                    if let Ok(written) = RandomDump::seeded($name::FAMILIES, most, &mut draw(g)) {
                        return $name(written);
                    }
                }
            }

            /// Dumps of smaller heaps, written in the same way.
            fn shrink(&self) -> Box<dyn Iterator<Item = $name>> {
                Box::new(self.0.clone().smaller().map($name))
            }
        }
    )*};
}

quickcheck_dumps! { PhdDump HprofDump ClassicDump AnyDump }

fn draw(g: &mut Gen) -> SeedDraw {
    SeedDraw::new(u64::arbitrary(g), DrawStream::Heap)
}

//! Where in a dump the record of an address is.

use std::collections::{BTreeMap, BTreeSet};

use crate::classic::{Record, Step};
use crate::compare::Span;
use crate::error::{DecodeError, Error};
use crate::hprof::lift::{Item, Keep, walk};
use crate::model::Address;
use crate::phd;

use super::{DumpFile, Family};

impl DumpFile {
    /// The first record of each of these addresses in one of the heaps, as far as the dump can be read.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn places(&self, heap: usize, wanted: &BTreeSet<Address>) -> Result<BTreeMap<Address, Span>, Error> {
        let mut places = BTreeMap::new();
        let mut found = |address: Address, record, offset| {
            if wanted.contains(&address) {
                places.entry(address).or_insert(Span { record, offset });
            }
            Ok::<(), DecodeError>(())
        };
        // An error ends the search: what was found before it is sound.
        let _ended = match self.family() {
            Family::Phd => phd::lift::visit(&mut self.phd()?, |located, item| {
                let address = match item {
                    phd::lift::Item::Class(class) => class.address,
                    phd::lift::Item::Object(object) => object.address,
                };
                found(address, located.index, located.offset)
            })
            .map(|_| ()),
            Family::Hprof => walk(&mut self.hprof()?, Keep::Heads, |place, item| {
                let address = match item {
                    _ if place.heap != heap => None,
                    Item::Class(class) => Some(class.id),
                    Item::Object(object) => object.address(),
                    _ => None,
                };
                address.map_or(Ok(()), |address| found(address, place.index, place.offset))
            }),
            Family::Classic => self
                .classic()?
                .visit_dyn(&mut |step| match step {
                    Step::Record(at, Record::Entry(entry)) => found(Address(entry.address.value), at.index, at.offset),
                    _ => Ok(()),
                })
                .map(|_| ()),
        };
        Ok(places)
    }
}

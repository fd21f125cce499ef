//! The files of the corpus as their recipes make them.

use std::io::Write;

use crate::compare::listing::{self, Places};
use crate::error::Error;
use crate::model::Heap;

use super::super::{Answer, Case};
use super::{MANIFEST, manifest_text};

/// A file of the corpus, whose bytes are made when they are asked for: the listings are the larger half of the corpus.
pub(super) struct Made<'c> {
    /// Its path in the folder.
    pub(super) path: String,
    content: Content<'c>,
}

enum Content<'c> {
    Dump(&'c [u8]),
    Listing(&'c Case, &'c Heap),
    Bytes(Vec<u8>),
}

impl From<(String, Vec<u8>)> for Made<'_> {
    fn from((path, bytes): (String, Vec<u8>)) -> Self {
        Made { path, content: Content::Bytes(bytes) }
    }
}

impl Made<'_> {
    /// Writes the bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<(), Error> {
        match &self.content {
            Content::Dump(bytes) => whole(out, bytes),
            Content::Bytes(bytes) => whole(out, bytes),
            Content::Listing(case, heap) => {
                let mut head = listing::head(heap);
                head.format = Some(case.format.to_string());
                head.heap = case.heap;
                listing::write(out, &head, heap, &Places::of_order(heap))
            }
        }
    }

    fn bytes(self) -> Result<(String, Vec<u8>), Error> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok((self.path, bytes))
    }
}

fn whole(out: &mut dyn Write, bytes: &[u8]) -> Result<(), Error> {
    out.write_all(bytes).map_err(|e| Error::io("writing a file of the corpus", e))
}

/// Every file of the corpus; the manifest is the last.
pub(super) fn made(cases: &[Case]) -> impl Iterator<Item = Result<Made<'_>, Error>> {
    let manifest = || manifest_text(cases).map(|text| Made::from((MANIFEST.to_owned(), text.into_bytes())));
    cases.iter().flat_map(of_case).map(Ok).chain(std::iter::once_with(manifest))
}

/// The dump of a case and the listings that are expected.
fn of_case(case: &Case) -> impl Iterator<Item = Made<'_>> {
    let dump = Made { path: format!("{}/{}", case.shelf(), case.file()), content: Content::Dump(&case.bytes) };
    let listings = case.answers.iter().enumerate().filter_map(|(index, answer)| match answer {
        Answer::Reads(_, heap) => {
            let path = format!("{}/{}", case.shelf(), case.listing_file(index));
            Some(Made { path, content: Content::Listing(case, heap) })
        }
        Answer::Refuses(_) => None,
    });
    std::iter::once(dump).chain(listings)
}

/// The files of a case with their bytes, the dump first.
///
/// # Errors
/// Never in practice: listings in memory can be written.
pub(in crate::corpus) fn files(case: &Case) -> Result<Vec<(String, Vec<u8>)>, Error> {
    of_case(case).map(Made::bytes).collect()
}

/// The files of the corpus with their bytes, the manifest last.
///
/// # Errors
/// If a recipe of a large case fails, which the tests rule out.
pub(super) fn all_files(cases: &[Case]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    made(cases).map(|made| made?.bytes()).collect()
}

//! The writers whose dumps a result is compared with.

use serde::Serialize;

use crate::compare::Facet;
use crate::compare::carriage::{Carriage, ChangeRule};
use crate::error::Error;
use crate::family::{FileSource, Setting, WriteRequest};
use crate::format::{DumpFile, DumpTarget, Format, Lowering, profiles};
use crate::model::{DumpSource, Facts};
use crate::units::IdSize;

/// How it is known by which writer's dumps a result was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schemas", schemars(rename = "Writer"))]
pub enum WriterFound {
    /// It was named.
    Named,
    /// Its profile gives exactly the result's bytes.
    Recognised,
    /// No profile gives them; the result has the fewest differences from what this writer's dumps record.
    Nearest,
    /// None: the result was judged by all that its format can carry.
    Any,
}

/// The writers by whose dumps a result is judged.
#[derive(Clone, Debug)]
pub struct CandidateWriters {
    how: WriterFound,
    all: Vec<DumpTarget>,
}

impl CandidateWriters {
    /// A writer that is named, or a format by everything that it can carry.
    pub fn named(target: DumpTarget) -> CandidateWriters {
        let how = if target.profile.is_some() { WriterFound::Named } else { WriterFound::Any };
        CandidateWriters { how, all: vec![target] }
    }

    /// The writer whose profile gives exactly the bytes of this dump; or else all writers of its format. `from` is the
    /// format that was converted, if it is known.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn from_dump(
        file: &DumpFile,
        source: &mut FileSource,
        from: Option<Format>,
    ) -> Result<CandidateWriters, Error> {
        let format = DumpTarget { format: file.format()?, profile: None };
        let facts = if source.heaps() > 0 { source.heap(0).facts().clone() } else { Facts::default() };
        for lowering in lowerings(&format, &facts)?.into_iter().filter(|lowering| !lowering.is_seeded()) {
            if file.is_reproduced_by(&lowering, source)? {
                let writer = DumpTarget { profile: Some(lowering.profile().to_owned()), ..format.clone() };
                // A width that is an option of every writer is no fact of the format.
                return Ok(CandidateWriters { how: WriterFound::Recognised, all: vec![writer, format] });
            }
        }
        Ok(CandidateWriters { how: WriterFound::Nearest, all: writers(&format, from)? })
    }

    /// Judges by each writer until one finds no difference, and returns the verdict by the nearest one, with how it was
    /// found.
    ///
    /// # Errors
    /// If judging fails, or none of the writers could hold the heap.
    pub fn nearest<V>(
        &self,
        judge: impl FnMut(&DumpTarget) -> Result<V, Error>,
        differing: impl Fn(&V) -> usize,
    ) -> Result<(WriterFound, V), Error> {
        let (target, judged) = nearest(&self.all, judge, differing)?;
        Ok((if target.profile.is_some() { self.how } else { WriterFound::Any }, judged))
    }
}

/// Judges by each of these writers until one finds no difference, and returns the verdict by the nearest one: the one
/// with the fewest differences.
///
/// # Errors
/// If judging fails, or none of the writers could hold the heap.
pub fn nearest<V>(
    writers: &[DumpTarget],
    mut judge: impl FnMut(&DumpTarget) -> Result<V, Error>,
    differing: impl Fn(&V) -> usize,
) -> Result<(&DumpTarget, V), Error> {
    let mut nearest: Option<(usize, &DumpTarget, V)> = None;
    let mut unheld = None;
    for writer in writers {
        let judged = match judge(writer) {
            // What such a writer cannot hold is another's.
            Err(error @ Error::NotJudged { .. }) => {
                unheld = unheld.or(Some(error));
                continue;
            }
            judged => judged?,
        };
        let count = differing(&judged);
        if nearest.as_ref().is_none_or(|(least, ..)| count < *least) {
            nearest = Some((count, writer, judged));
        }
        if count == 0 {
            break;
        }
    }
    let none = || unheld.unwrap_or_else(|| Error::Usage("there is no writer to judge by".to_owned()));
    nearest.map(|(_, writer, judged)| (writer, judged)).ok_or_else(none)
}

/// The writers that may have written a result: the one that is named; or else all writers of the format, the usual one
/// first, and the format itself last. Everything that the format can carry is due if the source is a dump of the same
/// format.
///
/// # Errors
/// If the format has no usual writer.
pub fn writers(to: &DumpTarget, from: Option<Format>) -> Result<Vec<DumpTarget>, Error> {
    if to.profile.is_some() || from == Some(to.format) {
        return Ok(vec![to.clone()]);
    }
    let usual = Lowering::new(to.format, &WriteRequest::default())?.profile().to_owned();
    // Where a writer puts numbers in each other's place, they are not compared: it has to be named.
    let is_compared = |target: &DumpTarget| {
        let column = target.column();
        Facet::ALL.into_iter().all(|facet| column.carriage(facet) != Carriage::Changed(ChangeRule::Swapped))
    };
    let of_format = DumpTarget::all().into_iter().filter(|target| target.format == to.format);
    let mut all: Vec<DumpTarget> = of_format.filter(is_compared).collect();
    all.sort_by_key(|target| (target.profile.as_deref() != Some(&usual), target.profile.is_none()));
    Ok(all)
}

/// The lowerings that may have written the result: the named writer's, or else the usual one's and then all others.
pub(super) fn lowerings(target: &DumpTarget, facts: &Facts) -> Result<Vec<Lowering>, Error> {
    let id_size = facts.identifier_size.and_then(|size| IdSize::from_bytes(size.0));
    let has = |setting| target.format.family().settings().contains(&setting);
    let lowering = |profile| {
        let wishes = WriteRequest {
            profile,
            word: facts.word_size.filter(|_| has(Setting::Word)),
            id_size: id_size.filter(|_| has(Setting::IdSize)),
            ..WriteRequest::default()
        };
        Lowering::new(target.format, &wishes)
    };
    let mut all = vec![lowering(target.profile.clone())?];
    if target.profile.is_none() {
        // One that has an identifier size of its own may refuse the result's, and did not write it then.
        all.extend(profiles(target.format).into_iter().filter_map(|name| lowering(Some(name.to_owned())).ok()));
    }
    Ok(all)
}

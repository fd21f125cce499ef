//! The bytes of a dump that rely on rules.
//!
//! Three passes: the index of the file (names, and how instances are laid out), a [`UsageSurvey`] (who names what, and where
//! things stand), and the one that reports. A rule is reported where a reader that does not follow it takes something
//! else from the bytes: where an identifier has its top bit set, where a string follows the record that names it. The
//! layout of a record is reported for each such record.
//!
//! Findings of the rules of the bytes are not reported again, but where an odd value changes what is read.

mod contents;
mod counts;
mod fields;
mod marks;
mod pass;
mod records;
mod sub_records;
mod survey;

use marks::RecordStart;
use pass::DependencyPass;
use survey::UsageSurvey;

use crate::error::{DecodeError, Error};
use crate::family::{Opener, Reliance};
use crate::hprof::lift::DumpIndex;
use crate::hprof::wire::{IdSize, MAGIC};
use crate::hprof::{Decoder, Version, open};
use crate::input::InputStream;

/// Calls `found` with the places of a dump that rely on rules, as far as it can be read.
///
/// # Errors
/// If the machine cannot read it.
pub(in crate::hprof) fn reliances(opener: &Opener, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
    let mut decoder = match decoder(opener)? {
        Ok(decoder) => decoder,
        Err(error) => {
            // A reader that takes identifiers of one size, whatever the header states, accepts every size.
            let start = RecordStart { offset: error.offset(), record: None };
            let states_size = error.rule() == super::HEADER_ID_SIZE;
            states_size.then(|| start.reliance(super::ID_SIZE, 0..4, None)).into_iter().for_each(found);
            return unless_machine_error(Err::<(), _>(error)).map(|_| ());
        }
    };
    header(opener, &decoder, found)?;
    let (index, read) = DumpIndex::read(&mut decoder);
    unless_machine_error(read)?;
    let again = || self::decoder(opener)?.map_err(Error::from);
    let (survey, read) = UsageSurvey::read(&mut again()?);
    unless_machine_error(read)?;
    let mut decoder = again()?;
    let id = decoder.header().id_size;
    let mut pass = DependencyPass::new(decoder.header(), &index, &survey, found);
    let read: Result<_, DecodeError> = decoder.visit(|step| {
        pass.step(step);
        Ok(())
    });
    if let Err(error) = &read
        && !error.is_machine_fault()
    {
        counts::announced_count(opener, id, error)?.into_iter().for_each(&mut *found);
        if error.rule() == super::RECORD_LENGTH {
            // A reader that takes the record to be laid out otherwise may find it whole.
            records::cut_record_reliance(&decoder, error.record()).into_iter().for_each(found);
        }
    }
    unless_machine_error(read).map(|_| ())
}

fn decoder(opener: &Opener) -> Result<Result<Decoder<InputStream>, DecodeError>, Error> {
    Ok(open(opener.open()?))
}

/// The result of reading; `None` where the dump cannot be read further, which is not an error here.
fn unless_machine_error<T>(read: Result<T, DecodeError>) -> Result<Option<T>, Error> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_machine_fault() => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// The header, and how the file is compressed.
fn header(opener: &Opener, decoder: &Decoder<InputStream>, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
    let (header, end) = (decoder.header(), decoder.header_bytes().len() as u64);
    let start = RecordStart { offset: 0, record: None };
    let mut tell = |holds: bool, rule, from: u64, to: u64| {
        if holds {
            found(start.reliance(rule, from..to, None));
        }
    };
    // A time stamp of 8 bytes is the last field, after 4 bytes for the size of identifiers.
    let (text, size, time) = (MAGIC.len() as u64, end - 12, end - 8);
    tell(header.version != Version::V1_0_2, super::HEADER_VERSION, text, size);
    tell(header.version.is_android(), super::ANDROID_VERSION, text, size);
    tell(matches!(header.id_size, IdSize::One | IdSize::Two), super::HEADER_ID_SIZE, size, time);
    tell(header.id_size != IdSize::Four, super::ID_SIZE, size, time);
    tell(header.timestamp != 0, super::HEADER_LAYOUT, time, end);
    tell(opener.input.is_compressed(), super::FILE_COMPRESSED, 0, end);
    if let Some((first, all)) = opener.input.members()? {
        tell(true, super::FILE_GZIP_MEMBERS, first, all);
    }
    Ok(())
}

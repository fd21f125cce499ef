//! Facts of dumps, comparisons and the corpus, as JSON.

use heapsmith_check::embedding;

use crate::buffer::{HeapsmithBuffer, call_with_output, lent};
use crate::status::{Failure, HeapsmithStatus, call};

/// The findings of a dump, as `heapsmith validate --json` prints them. A dump that breaks rules is no error: the report says so.
///
/// # Safety
/// `dump` is valid for `length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_validate(
    dump: *const u8,
    length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            Ok((HeapsmithStatus::Ok, embedding::findings(lent(dump, length, "the dump")?, max_size)?))
        })
    }
}

/// The listing of a heap of a dump (0 is the first), as `heapsmith decode` prints it. A dump that is not valid is an error. A text of more than `max_size` bytes is an error.
///
/// # Safety
/// `dump` is valid for `length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_listing(
    dump: *const u8,
    length: usize,
    heap: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            Ok((HeapsmithStatus::Ok, embedding::listing(lent(dump, length, "the dump")?, heap, max_size)?))
        })
    }
}

/// What an analyser should find in a heap of a dump, as `heapsmith answers --json` prints it. A text of more than `max_size` bytes is an error.
///
/// # Safety
/// `dump` is valid for `length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_answers(
    dump: *const u8,
    length: usize,
    heap: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            Ok((HeapsmithStatus::Ok, embedding::answers(lent(dump, length, "the dump")?, heap, max_size)?))
        })
    }
}

/// The digest of a heap of a dump, as `heapsmith digest --buckets --json` prints it. A text of more than `max_size` bytes is an error.
///
/// # Safety
/// `dump` is valid for `length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_digest(
    dump: *const u8,
    length: usize,
    heap: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            Ok((HeapsmithStatus::Ok, embedding::digest(lent(dump, length, "the dump")?, heap, max_size)?))
        })
    }
}

/// Compares a heap of a dump with the listing that a program made of it. `HEAPSMITH_STATUS_OK` says that everything
/// compared is the same, `HEAPSMITH_STATUS_NO` that something differs; the buffer has the report of either. Neither the listing nor the
/// report may have more than `max_size` bytes.
///
/// # Safety
/// `dump` and `listing` are valid for their lengths, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_compare_listing(
    dump: *const u8,
    length: usize,
    heap: usize,
    listing: *const u8,
    listing_length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of all pointers.
    unsafe {
        call_with_output(out, || {
            let listing = lent(listing, listing_length, "the listing")?;
            let dump = lent(dump, length, "the dump")?;
            let (is_equal, report) = embedding::compare_with_listing(dump, heap, listing, max_size)?;
            Ok((if is_equal { HeapsmithStatus::Ok } else { HeapsmithStatus::No }, report))
        })
    }
}

/// Compares a heap of a dump with the digest that a program made of it. `HEAPSMITH_STATUS_OK` says that everything
/// compared is the same, `HEAPSMITH_STATUS_NO` that something differs; the buffer has the report of either. Neither the digest nor the
/// report may have more than `max_size` bytes.
///
/// # Safety
/// `dump` and `digest` are valid for their lengths, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_compare_digest(
    dump: *const u8,
    length: usize,
    heap: usize,
    digest: *const u8,
    digest_length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of all pointers.
    unsafe {
        call_with_output(out, || {
            let digest = lent(digest, digest_length, "the digest")?;
            let dump = lent(dump, length, "the dump")?;
            let (is_equal, report) = embedding::compare_with_digest(dump, heap, digest, max_size)?;
            Ok((if is_equal { HeapsmithStatus::Ok } else { HeapsmithStatus::No }, report))
        })
    }
}

/// The number of cases of the corpus. The first call makes all of them, which takes some seconds at most.
///
/// # Safety
/// `out` is valid for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_corpus_count(out: *mut usize) -> HeapsmithStatus {
    call(|| {
        // SAFETY: the caller gives null or a place for a number.
        let out =
            unsafe { out.as_mut() }.ok_or_else(|| Failure::argument("the pointer to the number is null".to_owned()))?;
        *out = embedding::case_count()?;
        Ok(HeapsmithStatus::Ok)
    })
}

/// A case of the corpus by its number, from 0: its dump, and its description as in `corpus/manifest.json`, with its id and how many
/// answers are right.
///
/// # Safety
/// `dump` and `description` are each valid for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_corpus_case(
    number: usize,
    max_size: usize,
    dump: *mut HeapsmithBuffer,
    description: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    if !description.is_null() {
        // SAFETY: it is not null, and the caller says that a buffer can be written there.
        unsafe { description.write(HeapsmithBuffer::EMPTY) };
    }
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(dump, || {
            if description.is_null() {
                return Err(Failure::argument("the pointer to the description is null".to_owned()));
            }
            let bytes = embedding::case_dump(number, max_size)?;
            description.write(HeapsmithBuffer::from_bytes(embedding::case_description(number, max_size)?));
            Ok((HeapsmithStatus::Ok, bytes))
        })
    }
}

/// A right answer about a case, in the order of its description: a listing; `HEAPSMITH_STATUS_NO` where a refusal is right.
///
/// # Safety
/// `out` is valid for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_corpus_answer(
    number: usize,
    answer: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so.
    unsafe {
        call_with_output(out, || {
            let listing = embedding::case_answer(number, answer, max_size)?;
            Ok(listing.map_or((HeapsmithStatus::No, Vec::new()), |listing| (HeapsmithStatus::Ok, listing)))
        })
    }
}

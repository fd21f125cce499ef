//! A dictionary for coverage-guided engines: values that fields of the corpus's dumps have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::corpus::cases;
use heapsmith_core::error::Error;
use heapsmith_core::family::ReadOptions;
use heapsmith_core::format::{DumpFile, Family};
use heapsmith_core::input::Input;

/// The lengths of values that are worth a place: engines find single bytes themselves, and have limits of their own.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=32;
/// The fewest cases with a value: what one dump alone has is chance.
const FEWEST_CASES: usize = 3;
/// The most values of one field.
const MOST_OF_FIELD: usize = 4;

/// The dictionary of a format, in the form that libFuzzer and AFL++ read: of each field, the values that most cases have.
///
/// # Errors
/// If a case cannot be made, which the tests rule out.
pub fn dictionary(family: Family) -> Result<String, Error> {
    let mut values: BTreeMap<&'static str, BTreeMap<Vec<u8>, usize>> = BTreeMap::new();
    for case in cases()?.into_iter().filter(|case| case.format.family() == family) {
        let mut had = BTreeSet::new();
        let dump = DumpFile::new(Input::from_memory(&case.id, case.bytes), ReadOptions::default())?;
        let mapped = dump.annotate(&mut |field| {
            if LENGTHS.contains(&field.bytes.len()) {
                had.insert((field.name, field.bytes.to_vec()));
            }
            Ok(())
        });
        // What a broken dump has up to its fault counts as well.
        if let Err(error @ Error::Io { .. }) = mapped {
            return Err(error);
        }
        for (name, bytes) in had {
            *values.entry(name).or_default().entry(bytes).or_default() += 1;
        }
    }
    let mut text = format!("# Values of fields in {} dumps, for -dict of libFuzzer and -x of AFL++.\n", family.name());
    let mut listed = BTreeSet::new();
    for (name, values) in values {
        let mut values: Vec<_> = values.into_iter().filter(|(_, cases)| *cases >= FEWEST_CASES).collect();
        values.sort_by(|(one, of_one), (other, of_other)| of_other.cmp(of_one).then_with(|| one.cmp(other)));
        values.retain(|(value, _)| !listed.contains(value));
        values.truncate(MOST_OF_FIELD);
        if !values.is_empty() {
            let _ = writeln!(text, "# {name}");
        }
        for (value, _) in values {
            let _ = writeln!(text, "\"{}\"", escape(&value));
            listed.insert(value);
        }
    }
    Ok(text)
}

/// Bytes as both engines spell them.
fn escape(bytes: &[u8]) -> String {
    let spell = |byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    bytes.iter().map(spell).collect()
}

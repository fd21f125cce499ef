//! Dumps that were converted or written, by what their format carries.

use std::io::Read;

use crate::compare::{Facet, MEMORY};
use crate::convert::{self, Judged};
use crate::error::Error;
use crate::format::DumpFile;
use crate::format::Target;
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::{DumpSource, Heap};
use crate::validate::{Severity, ValidateOptions, validate};

use super::super::process::Budget;
use super::super::task::Operation;
use super::{Asked, Wrong, holder};

/// Judges the dump in the file of the answer against the right heap.
pub(super) fn judge(
    asked: &Asked<'_>,
    heap: &Heap,
    to: &Target,
    holder: Option<&str>,
) -> Result<Result<(), Wrong>, Error> {
    let input = asked.files.answer()?.input()?;
    let longest = Budget::output_for(asked.case.bytes.len() as u64);
    if input.is_compressed() && decompressed(&input, longest)? > longest {
        let found = format!("more than {} MiB, decompressed", longest >> 20);
        return Ok(Err(Wrong::answer("a dump of some length", found)));
    }
    let report = validate(&input, ValidateOptions::default())?;
    if let Some(finding) = report.findings.iter().find(|finding| finding.severity == Severity::Error) {
        let found = format!("{} at offset {:#x}: {}", finding.rule, finding.offset, finding.found);
        return Ok(Err(Wrong::answer(&format!("a valid dump: {}", finding.expected), found)));
    }
    let file = match DumpFile::new(input, Reading::default()) {
        Ok(file) => file,
        Err(e) => return Ok(Err(Wrong::answer("a dump", e.to_string()))),
    };
    let found = file.format()?;
    if found != to.format {
        return Ok(Err(Wrong::answer(&format!("a dump in the format {}", to.format), found.to_string())));
    }
    let mut dump = file.source()?;
    if dump.heaps() != 1 {
        return Ok(Err(Wrong::answer("a dump with one heap", format!("{} heaps", dump.heaps()))));
    }
    let source = dump.heap(0);
    if let Some(holder) = holder {
        return Ok(holder::judge(heap, &Heap::collect(source)?, holder));
    }
    let renames = asked.task.renames;
    let mut heap = heap.clone();
    let verdict = if renames {
        match convert::judge_up_to_renaming(&mut heap, source, to, crate::compare::renaming::BUDGET)? {
            Judged::Decided(verdict) => *verdict,
            Judged::Undecided(steps, _) => return Ok(Err(Wrong::undecided(steps))),
        }
    } else {
        convert::judge(&mut heap, source, to, MEMORY)?
    };
    let lost = match (&asked.task.operation, asked.hello) {
        (_, None) => Vec::new(),
        (Operation::Encode(to), Some(hello)) => hello.loses(None, to),
        (_, Some(hello)) => hello.loses(Some(asked.case.format), to),
    };
    let is_judged = |facet: &Facet| !asked.left_out.contains(facet);
    // That there is no hash is a fact like another number; of other facets nothing is to be seen where they are lost.
    let is_lost_hash = |facet: &Facet| [Facet::Hash16, Facet::Hash32].contains(facet) && lost.contains(facet);
    if let Some(d) = verdict.changed.into_iter().find(|d| is_judged(&d.facet) && !is_lost_hash(&d.facet)) {
        return Ok(Err(Wrong::facet(d.facet, d.address, d.left, d.right, d.count)));
    }
    Ok(match verdict.missing.iter().find(|missing| is_judged(&missing.facet) && !lost.contains(&missing.facet)) {
        Some(lost) => Err(lost_facet(lost.facet, lost.count, to)),
        None => Ok(()),
    })
}

/// The length of a dump when it is decompressed; little more than `longest`, if it is longer.
fn decompressed(input: &Input, longest: u64) -> Result<u64, Error> {
    // What is damaged ends here, and is found again where it is read.
    let mut count = 0;
    let mut stream = input.stream()?;
    let mut piece = vec![0; 64 << 10];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        count += read as u64;
        if count > longest {
            break;
        }
    }
    Ok(count)
}

fn lost_facet(facet: Facet, count: u64, to: &Target) -> Wrong {
    Wrong::facet(facet, None, format!("what {to} can carry"), "nothing".to_owned(), count)
}

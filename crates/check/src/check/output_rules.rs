//! Rules of the output: where a converter or an encoder writes wrongly, these are rules of the format that it writes.

use std::collections::BTreeSet;

use crate::check::evidence::rules_of_dump;
use crate::check::experiment::MadePair;
use crate::check::report::Cause;
use crate::check::sources::{case_as_target, case_from_bytes};
use crate::check::task::{TaskOperation, first_heap};
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpTarget;

/// Puts the rules of the output's format in front of a cause's rules: those on which heapsmith's own output for the failing dump of
/// the pair relies, and that for the passing one does not.
///
/// # Errors
/// If the machine cannot read the dumps.
pub(super) fn add_output_rules(cause: &mut Cause, pair: &MadePair, operation: &TaskOperation) -> Result<(), Error> {
    let (TaskOperation::Convert(to) | TaskOperation::Encode(to)) = operation else { return Ok(()) };
    let (Some(fails), Some(passes)) = (output_rules(&pair.fails, to)?, output_rules(&pair.passes, to)?) else {
        return Ok(());
    };
    let of_output = fails.difference(&passes).map(|rule| (*rule).to_owned());
    let of_input = cause.rule.take().into_iter().chain(std::mem::take(&mut cause.other_rules));
    let mut rules = of_output.chain(of_input);
    cause.rule = rules.next();
    cause.other_rules = rules.collect();
    Ok(())
}

/// The rules on which heapsmith's own output for a dump relies; `None` if the target cannot hold it.
fn output_rules(dump: &[u8], to: &DumpTarget) -> Result<Option<BTreeSet<&'static str>>, Error> {
    let Ok(case) = case_from_bytes("dump", dump.to_vec()) else { return Ok(None) };
    let Some(heap) = first_heap(&case) else { return Ok(None) };
    case_as_target("output", heap, to)?.map(|output| rules_of_dump(&output)).transpose()
}

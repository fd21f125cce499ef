//! Predecessors: the earlier cases of a process without which a case passes.

use crate::check::failure_oracle::FailureOracle;
use crate::check::repeat::row_command;
use crate::check::report::{CaseResult, Cause};
use crate::check::run::{CheckOptions, Peer, split_into_batches};
use crate::check::task::Task;
use heapsmith_core::error::Error;

/// The most failures of a cause whose predecessors are looked for.
const MOST: usize = 8;

/// How often the failure after the predecessors, and the right answer without them, are seen again: a program may answer by chance.
const CONFIRMED: usize = 3;

/// Names the cases after which those of a cause fail that pass alone, and makes their commands repeat both.
///
/// # Errors
/// If the program cannot be started, or a dump cannot be written.
pub(super) fn name_predecessors(
    party: &Peer<'_>,
    cause: &mut Cause,
    results: &mut [CaseResult],
    tasks: &[Task],
    options: &CheckOptions,
) -> Result<(), Error> {
    let batches = split_into_batches(tasks, None);
    let others = cause.cases.iter().filter(|id| **id != cause.example);
    let looked_for: Vec<String> = [&cause.example].into_iter().chain(others).take(MOST).cloned().collect();
    for id in looked_for {
        let of_case = |batch: &&[Task]| batch.iter().find(|task| task.id == id).cloned();
        let found = batches.iter().find_map(|(_, batch)| Some((batch, of_case(batch)?)));
        let Some((batch, failing)) = found else { continue };
        let oracle = FailureOracle::for_probes(party.subject, party.hello().cloned(), failing.operation.clone());
        let Some(before) = find_predecessors(&oracle, batch, &failing)? else { continue };
        let row: Vec<&str> = before.iter().copied().chain([&failing]).map(|task| &*task.id).collect();
        let command = row_command(party.subject, &options.choice, &options.left_out, &row);
        if let Some(first) = before.first().filter(|_| id == cause.example) {
            let others = if before.len() > 1 { " and what follows" } else { "" };
            cause.sentence = format!("Fails after {}{others} in the same process, and not alone.", first.id);
            cause.repeat = Some(command.clone());
        }
        results.iter_mut().filter(|result| result.id == id).for_each(|result| result.repeat = Some(command.clone()));
    }
    Ok(())
}

/// Finds the predecessors of a case that fails in the process of a batch and passes alone: one case if that is enough, or else the
/// shortest end of the batch before it. None if it fails alone or passes in company. Cases with another operation are left out.
fn find_predecessors<'t>(
    oracle: &FailureOracle<'_>,
    batch: &'t [Task],
    failing: &Task,
) -> Result<Option<Vec<&'t Task>>, Error> {
    let before: Vec<&Task> = batch
        .iter()
        .take_while(|task| task.id != failing.id)
        .filter(|task| task.operation == failing.operation)
        .collect();
    let fails_after = |tasks: &[&Task]| {
        oracle.fails_last_of_row(tasks.iter().copied().chain([failing]).map(|task| task.source.clone()))
    };
    if !fails_after(&before)? || fails_after(&[])? {
        return Ok(None);
    }
    // With all from `fails` on it fails, with all from `passes` on it passes.
    let (mut fails, mut passes) = (0, before.len());
    while passes - fails > 1 {
        let middle = fails.midpoint(passes);
        match fails_after(&before[middle..])? {
            true => fails = middle,
            false => passes = middle,
        }
    }
    let one = &before[fails..=fails];
    let found = if fails_after(one)? { one } else { &before[fails..] };
    for _ in 0..CONFIRMED {
        if !fails_after(found)? || fails_after(&[])? {
            return Ok(None);
        }
    }
    Ok(Some(found.to_vec()))
}

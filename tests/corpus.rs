//! The corpus, one test a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use heapsmith::corpus::{Case, CaseOrigin, cases, conversion_pairs, judge_case, verify};
use heapsmith::format::Family;
use libtest_mimic::{Arguments, Failed, Trial};

#[path = "corpus/world.rs"]
mod world;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = cases().expect("recipes work");
    let spelled = cases.clone();
    let around = move || world::surrounds_each_valid_spelled_case(&spelled);
    let mut trials: Vec<Trial> =
        cases.into_iter().map(|case| Trial::test(case.id.clone(), move || judged(&case))).collect();
    trials.push(Trial::test("folder_equals_output_of_recipes", folder_equals_output_of_recipes));
    trials.push(Trial::test("an_ordinary_world_is_around_each_valid_spelled_case", around));
    trials.push(Trial::test("keeps_every_case_id", keeps_every_case_id));
    trials.push(Trial::test("every_file_of_spelled_cases_is_read", every_file_of_spelled_cases_is_read));
    trials.push(Trial::test("every_pair_of_a_conversion_has_its_verdict", every_pair_of_a_conversion_has_its_verdict));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn judged(case: &Case) -> Result<(), Failed> {
    match judge_case(case)?.as_slice() {
        [] => Ok(()),
        messages => Err(messages.join("\n").into()),
    }
}

fn folder_equals_output_of_recipes() -> Result<(), Failed> {
    let verified = verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))?;
    if verified.troubles.is_empty() && verified.notes.is_empty() {
        return Ok(());
    }
    Err(format!("{verified:#?}\nafter a change that was meant: heapsmith corpus bless").into())
}

/// Reports refer to cases by their ids: `corpus/ids.txt` is only added to, and what was renamed is in `corpus/renamed.txt`.
fn keeps_every_case_id() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let lines = |name: &str| -> Result<Vec<String>, Failed> {
        let text = fs::read_to_string(folder.join(name))?;
        Ok(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
    };
    let ids: BTreeSet<String> = cases()?.into_iter().map(|case| case.id).collect();
    let known: BTreeSet<String> = lines("ids.txt")?.into_iter().collect();
    if let Some(gone) = known.difference(&ids).next() {
        return Err(format!("there is no case {gone} any more, which corpus/ids.txt has").into());
    }
    if let Some(new) = ids.difference(&known).next() {
        return Err(format!("a new case: add {new} to corpus/ids.txt, which keeps its id from now on").into());
    }
    for line in lines("renamed.txt")? {
        let now = line.split_once(' ').filter(|(old, now)| !ids.contains(*old) && ids.contains(*now));
        now.ok_or_else(|| format!("corpus/renamed.txt: {line} does not lead from an old id to a case"))?;
    }
    Ok(())
}

fn every_file_of_spelled_cases_is_read() -> Result<(), Failed> {
    let mut written = BTreeSet::new();
    for family in Family::ALL {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/cases").join(family.name()))? {
            let path = entry?.path();
            // Dumps that are too large to be stored are no cases of the folder.
            if path.ends_with("large.toml") {
                continue;
            }
            let sheet: toml::Table = fs::read_to_string(path)?.parse()?;
            let cases = sheet.get("case").and_then(|cases| cases.as_array()).into_iter().flatten();
            written.extend(cases.filter_map(|case| case["id"].as_str().map(str::to_owned)));
        }
    }
    // Cuts of a dump are cases of their own, which no table spells.
    let is_cut = |id: &String| id.split_once("-cut-").is_some_and(|(whole, _)| written.contains(whole));
    let read = cases()?.into_iter().filter(|case| case.kind == CaseOrigin::Spelled).map(|case| case.id);
    if written == read.filter(|id| !is_cut(id)).collect() {
        Ok(())
    } else {
        Err("a file of specs/cases/ is not in the `sources!` of its format (src/*/cases/mod.rs)".into())
    }
}

fn every_pair_of_a_conversion_has_its_verdict() -> Result<(), Failed> {
    let cases = cases()?;
    let by_id: BTreeMap<&str, &Case> = cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut wrong = Vec::new();
    for pair in conversion_pairs()? {
        let said = pair.judge(&by_id)?;
        wrong.extend(said.map(|message| format!("{} to {}: {message}", pair.input, pair.output)));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

//! The corpus, one test a case.

use std::path::Path;
use std::process::ExitCode;

use heapsmith::corpus::{Case, cases, verify};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = cases().expect("recipes work");
    let mut trials: Vec<Trial> =
        cases.into_iter().map(|case| Trial::test(case.id.clone(), move || judged(&case))).collect();
    trials.push(Trial::test("the_folder_is_what_the_recipes_make", the_folder_is_what_the_recipes_make));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn judged(case: &Case) -> Result<(), Failed> {
    match case.judge()?.as_slice() {
        [] => Ok(()),
        messages => Err(messages.join("\n").into()),
    }
}

fn the_folder_is_what_the_recipes_make() -> Result<(), Failed> {
    let verified = verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))?;
    if verified.troubles.is_empty() && verified.notes.is_empty() {
        return Ok(());
    }
    Err(format!("{verified:#?}\nafter a change that was meant: heapsmith corpus bless").into())
}

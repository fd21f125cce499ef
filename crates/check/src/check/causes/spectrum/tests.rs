use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::check::causes::RuleCounts;
use crate::check::causes::spectrum::{AcceptedAlike, Spectrum, SpectrumFailure};
use crate::check::effort::Effort;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::model::steps_of;

/// A failure with one symptom, the rules of what was read wrongly, and those of the whole dump.
fn failure(symptom: &str, suspects: &[&'static str], relies: &[&'static str]) -> SpectrumFailure<'static> {
    let suspects = suspects.iter().map(|rule| (*rule, 1.0)).collect();
    SpectrumFailure {
        symptoms: [(symptom.to_owned(), suspects)].into(),
        relies: relies.iter().copied().collect(),
        has_place: true,
        followed: [].into(),
        implied: [].into(),
        apart: [].into(),
        alike: None,
        weight: 1.0,
    }
}

/// What is counted where dumps were read rightly that rely on these rules.
fn counted(passed: &[&[&str]]) -> &'static RuleCounts {
    let mut counted = RuleCounts::default();
    for rule in passed.iter().copied().flatten() {
        *counted.passed.entry((*rule).to_owned()).or_default() += 1;
        counted.read.insert((*rule).to_owned());
    }
    Box::leak(Box::new(counted))
}

fn groups(failures: Vec<SpectrumFailure<'static>>, passed: &[&[&str]]) -> Vec<(Option<&'static str>, Vec<usize>)> {
    let spectrum = Spectrum::new(failures, counted(passed));
    spectrum.groups(&Effort::new(&Stop::default())).into_iter().map(|group| (group.rule, group.members)).collect()
}

#[test]
fn a_rule_on_which_only_failing_dumps_rely_is_the_cause() {
    let failures = || vec![failure("a", &["x", "y"], &["x", "y"]), failure("a", &["x", "y"], &["x", "y"])];
    assert_eq!(groups(failures(), &[&["y"], &["y"], &[]]), [(Some("x"), vec![0, 1])]);
    assert_eq!(groups(failures(), &[&["x"], &["x"], &[]]), [(Some("y"), vec![0, 1])]);
    assert_eq!(groups(Vec::new(), &[&["x"]]), []);
}

#[test]
fn separates_symptoms_explained_by_different_rules() {
    let one = || failure("a", &["x", "every"], &["x", "every"]);
    let other = || failure("b", &["y", "every"], &["y", "every"]);
    let failures = || vec![one(), one(), one(), one(), other(), other(), other()];
    let passed: Vec<&[&str]> = vec![&["every"]; 9];
    assert_eq!(groups(failures(), &passed), [(Some("x"), vec![0, 1, 2, 3]), (Some("y"), vec![4, 5, 6])]);
    // One rule that explains both is enough, where no dump that relies on it is read rightly.
    assert_eq!(groups(failures(), &[&["z"]]), [(Some("every"), (0..7).collect())]);
}

/// One failure that stands for many is as many.
#[test]
fn weighs_failure_by_the_number_it_represents() {
    let many = || SpectrumFailure { weight: 3.0, ..failure("a", &["x", "y"], &["x", "y"]) };
    let one = || failure("b", &["y"], &["y"]);
    let passed: &[&[&str]] = &[&["x"], &["y"], &["y"]];
    let all = vec![failure("a", &["x", "y"], &["x", "y"]); 3].into_iter().chain([one()]).collect();
    let rules = |groups: Vec<(Option<&'static str>, Vec<usize>)>| -> Vec<Option<&str>> {
        groups.into_iter().map(|(rule, _)| rule).collect()
    };
    assert_eq!(rules(groups(vec![many(), one()], passed)), rules(groups(all, passed)));
}

/// The same with a message for a symptom, and with no place in the dump.
fn placeless(symptom: &str, suspects: &[&'static str]) -> SpectrumFailure<'static> {
    let mut failure = SpectrumFailure { has_place: false, ..failure(symptom, suspects, suspects) };
    failure.symptoms.values_mut().flat_map(|rules| rules.values_mut()).for_each(|weight| *weight = 0.45);
    failure
}

#[test]
fn separates_messages_despite_common_rule() {
    let one = || placeless("refused: one", &["x", "every"]);
    let other = || placeless("refused: other", &["y", "every"]);
    let failures = vec![one(), one(), one(), one(), one(), other(), other(), other(), other()];
    let all = groups(failures, &[&["every"], &["every"], &["every"]]);
    assert_eq!(
        all.iter().map(|(_, members)| members.clone()).collect::<Vec<_>>(),
        [vec![0, 1, 2, 3, 4], vec![5, 6, 7, 8]]
    );
}

#[test]
fn splits_message_explained_by_two_rules() {
    let one = || placeless("refused", &["x", "every"]);
    let other = || placeless("refused", &["y", "every"]);
    let passed: Vec<&[&str]> = vec![&["every"]; 60];
    let both = |count: usize| (0..count).map(|_| one()).chain((0..count).map(|_| other())).collect();
    assert_eq!(groups(both(6), &passed), [(Some("x"), (0..6).collect()), (Some("y"), (6..12).collect())]);
    // Rules that are followed elsewhere as often, or that few cases have, make no part.
    let followed = [&passed[..], &vec![&["x", "y"][..]; 60]].concat();
    assert_eq!(groups(both(6), &followed).len(), 1);
    assert_eq!(groups(both(2), &passed).len(), 1);
}

#[test]
fn joins_rare_symptom_with_cause_of_same_rule() {
    let failures = vec![failure("a", &["x"], &["x"]), failure("a", &["x"], &["x"]), failure("b", &["x"], &["x"])];
    assert_eq!(groups(failures, &[&["z"]]), [(Some("x"), vec![0, 1, 2])]);
}

#[test]
fn opens_no_cause_for_additional_symptom() {
    let mut both = failure("a", &["x"], &["x", "y"]);
    both.symptoms.insert("b".to_owned(), [("y", 1.0)].into());
    assert_eq!(groups(vec![failure("a", &["x"], &["x"]), both], &[]), [(Some("x"), vec![0, 1])]);
}

#[test]
fn assigns_rule_to_refusal_without_place_only_if_unambiguous() {
    let refusal = || SpectrumFailure { has_place: false, ..failure("refused", &["x"], &["x"]) };
    assert_eq!(groups(vec![refusal(), refusal()], &[&["z"]]), [(Some("x"), vec![0, 1])]);
    let failures = vec![SpectrumFailure { has_place: false, ..failure("refused", &[], &["x"]) }];
    assert_eq!(groups(failures, &[&["x"]]), [(None, vec![0])]);
    let weak: Vec<&[&str]> = vec![&["x"]; 6];
    let mut failures = vec![refusal(), refusal()];
    failures.iter_mut().for_each(|failure| {
        failure.symptoms.values_mut().flat_map(|rules| rules.values_mut()).for_each(|weight| *weight = 0.9);
    });
    assert_eq!(groups(failures, &weak), [(None, vec![0, 1])]);
}

/// Two facts that are wrong in the same dump, each with the rules that were not followed if it comes from one of them.
fn both(symptoms: &[(&str, &[&'static str])], relies: &[&'static str]) -> SpectrumFailure<'static> {
    let of = |suspects: &[&'static str]| suspects.iter().map(|rule| (*rule, 1.0)).collect();
    let symptoms = symptoms.iter().map(|(symptom, suspects)| ((*symptom).to_owned(), of(suspects))).collect();
    SpectrumFailure { symptoms, ..failure("", &[], relies) }
}

#[test]
fn finds_second_cause_hidden_in_cases_of_first() {
    let hidden = || both(&[("a", &["x"]), ("b", &["y"])], &["x", "y"]);
    let failures = || vec![failure("a", &["x"], &["x"]), hidden(), hidden(), hidden()];
    assert_eq!(groups(failures(), &[&["z"]]), [(Some("x"), vec![0, 1, 2, 3]), (Some("y"), vec![1, 2, 3])]);
    // Not where the rule of the cause may explain it, where dumps that rely on the other are read rightly, or in a few.
    let may_be = || both(&[("a", &["x"]), ("b", &["x", "y"])], &["x", "y"]);
    let failures_of_x = vec![failure("a", &["x"], &["x"]), may_be(), may_be(), may_be()];
    assert_eq!(groups(failures_of_x, &[&["z"]]), [(Some("x"), vec![0, 1, 2, 3])]);
    assert_eq!(groups(failures(), &[&["y"], &["y"]]), [(Some("x"), vec![0, 1, 2, 3])]);
    assert_eq!(groups(failures()[..3].to_vec(), &[&["z"]]), [(Some("x"), vec![0, 1, 2])]);
}

#[test]
fn finds_second_cause_at_another_place_in_single_case() {
    let hidden = || both(&[("a", &["x"]), ("b", &["y"])], &["x", "y"]);
    let failures = |last| vec![failure("a", &["x"], &["x"]), failure("a", &["x"], &["x"]), last];
    assert_eq!(groups(failures(hidden()), &[]), [(Some("x"), vec![0, 1, 2])]);
    let apart = SpectrumFailure { apart: ["b".to_owned()].into(), ..hidden() };
    assert_eq!(groups(failures(apart), &[]), [(Some("x"), vec![0, 1, 2]), (Some("y"), vec![2])]);
}

#[test]
fn separates_symptoms_of_hidden_cause() {
    let hidden = || both(&[("a", &["x"]), ("b", &["y"])], &["x", "y"]);
    let spectrum = Spectrum::new(vec![failure("a", &["x"], &["x"]), hidden(), hidden(), hidden()], counted(&[]));
    let of_another = |at: usize| {
        spectrum.groups(&Effort::new(&Stop::default()))[at].of_another.iter().cloned().collect::<Vec<String>>()
    };
    assert_eq!((of_another(0), of_another(1)), (vec!["b".to_owned()], vec!["a".to_owned()]));
}

#[test]
fn joins_failures_at_same_header_place() {
    let accepted = |rule: &'static str, broken: u64| SpectrumFailure {
        alike: Some(AcceptedAlike::Header(broken)),
        ..failure(&format!("accepted although {rule} is broken"), &[rule], &[rule])
    };
    let failures = vec![accepted("x", 0), accepted("y", 0), accepted("z", 9)];
    assert_eq!(groups(failures, &[]), [(Some("x"), vec![0, 1]), (Some("z"), vec![2])]);
}

#[test]
fn joins_symptoms_that_follow_from_first_cause() {
    let of_both = |implied: &[&str]| SpectrumFailure {
        implied: implied.iter().map(|symptom| (*symptom).to_owned()).collect(),
        ..failure("b", &["y"], &["y"])
    };
    let failures =
        |implied: &[&str]| vec![failure("a", &["x"], &["x"]), failure("a", &["x"], &["x"]), of_both(implied)];
    assert_eq!(groups(failures(&["a"]), &[&["y"], &["y"]]), [(Some("x"), vec![0, 1, 2])]);
    assert_eq!(groups(failures(&[]), &[&["y"], &["y"]]), [(Some("x"), vec![0, 1]), (Some("y"), vec![2])]);
}

#[test]
fn separates_crash_place_not_explained_by_rule() {
    let crash = |rules: &[&'static str]| failure("crash: there", rules, rules);
    let wrong = || (0..40).map(|_| failure("a", &["x"], &["x"]));
    assert_eq!(groups(wrong().chain([crash(&["x", "y"])]).collect(), &[]), [(Some("x"), (0..41).collect())]);
    let both = [(Some("x"), (0..40).collect()), (Some("y"), vec![40])];
    assert_eq!(groups(wrong().chain([crash(&["y"])]).collect(), &[]), both);
}

#[test]
fn joins_failures_found_by_same_test() {
    let accepted = |rule: &'static str, test: &'static str| SpectrumFailure {
        alike: Some(AcceptedAlike::Test(test)),
        ..failure(&format!("accepted although {rule} is broken"), &[rule], &[rule])
    };
    let failures = || vec![accepted("a.b.x", "a.b.x"), accepted("a.b.x", "a.b.x"), accepted("a.c.y", "a.b.x")];
    assert_eq!(groups(failures(), &[]), [(Some("a.b.x"), vec![0, 1, 2])]);
    let other = vec![accepted("a.b.x", "a.b.x"), accepted("a.b.x", "a.b.x"), accepted("a.c.y", "a.c.y")];
    assert_eq!(groups(other, &[]), [(Some("a.b.x"), vec![0, 1]), (Some("a.c.y"), vec![2])]);
}

/// A reader that takes identifiers of another size is lost in the first record, and says anything.
#[test]
fn rule_without_passing_dumps_explains_any_message() {
    let refused = |message: usize| placeless(&format!("refused: {message}"), &["x"]);
    let failures = || (0..120).map(|number| refused(number % 4)).collect::<Vec<_>>();
    let passed = |rule: &'static [&'static str]| -> Vec<&[&str]> { vec![rule; 60] };
    // Others are read; one that relies on it is not, or is.
    assert_eq!(groups(failures(), &passed(&["z"])), [(Some("x"), (0..120).collect())]);
    let read = [passed(&["z"]), vec![&["x"][..]]].concat();
    assert_eq!(groups(failures(), &read).len(), 4);
}

/// A program that says something else of each dump, as one that quotes the dump does.
fn of_many_words(count: usize) -> Vec<SpectrumFailure<'static>> {
    let word = |n: usize| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>();
    (0..count).map(|n| placeless(&format!("refused: no {}", word(n)), &["x", "y", "every"])).collect()
}

#[test]
fn twice_as_many_messages_take_twice_the_steps() {
    let [once, twice] = [1024, 2048].map(|count| {
        let spectrum = Spectrum::new(of_many_words(count), counted(&[&["y"]]));
        steps_of(|| drop(spectrum.groups(&Effort::new(&Stop::default()))))
    });
    assert!(twice * 10 <= once * 22, "{once} and {twice} steps");
}

#[test]
fn groups_rare_symptoms_by_kind() {
    let often = || placeless("refused: often", &["x"]);
    let crash = |n: usize| placeless(&format!("crash: at {n}"), &["x"]);
    let failures = of_many_words(300).into_iter().chain([often(), often()]).chain((0..5).map(crash)).collect();
    let spectrum = Spectrum::new(failures, counted(&[&["x"], &["y"], &["every"]]));
    let groups = spectrum.groups(&Effort::new(&Stop::default()));
    let explained: BTreeSet<usize> =
        groups.iter().filter(|group| !group.is_rest).flat_map(|g| g.members.clone()).collect();
    let rest: Vec<&Vec<usize>> = groups.iter().filter(|group| group.is_rest).map(|group| &group.members).collect();
    // 128 symptoms: the one of two failures, and the first 127 of those that have one.
    assert_eq!(explained, (0..127).chain([300, 301]).collect());
    assert_eq!(rest, [&(302..307).collect::<Vec<usize>>(), &(127..300).collect()]);
    assert!(groups.iter().all(|group| !group.is_rest || group.rule.is_none()));
}

#[test]
fn explains_nothing_after_effort_is_spent() {
    let stop = Stop::default();
    stop.ask(2);
    let effort = Effort::new(&stop);
    // Asked a minute ago.
    let since = Instant::now().checked_sub(Duration::from_secs(60)).expect("the machine runs for longer");
    effort.since.set(since).expect("nothing was worked out");
    let spectrum = Spectrum::new(of_many_words(100), counted(&[&["y"]]));
    let mut groups = Vec::new();
    let steps = steps_of(|| groups = spectrum.groups(&effort));
    assert_eq!((steps, groups.len()), (0, 100));
}

//! The swarm: its dumps are valid, and reach every rule.

use std::collections::BTreeSet;
use std::env;

use heapsmith::format::{Family, Format};
use heapsmith::generate::{GenerateOption, Preset};
use heapsmith::recipe::{Aim, NEVER_BROKEN, NEVER_HIT, Recipe, RuleProbe, SEEDS};
use heapsmith::validate::{RuleKind, Severity, rule};
use heapsmith::{Error, validate};

fn bytes(recipe: &Recipe) -> Vec<u8> {
    let mut bytes = Vec::new();
    recipe.write(&mut bytes).unwrap_or_else(|error| panic!("{recipe}: {error}"));
    bytes
}

fn recipe(format: Format, seed: u64) -> Recipe {
    let recipe = Recipe::from(Preset::Plain).format(format).swarm(true).seed(seed);
    recipe.settled().unwrap_or_else(|error| panic!("{recipe}: {error}"))
}

fn read(text: &str) -> Result<Recipe, Error> {
    Recipe::read(&format!("heapsmith-2:{text}"))
}

/// Aims that are not met before this seed, and the first seed with which each of the others is.
struct Reached {
    left: Vec<Aim>,
    met: Vec<(u64, Aim)>,
}

impl Reached {
    /// Goes through seeds until one is reached at which only aims are left that are known to be out of reach, or all seeds.
    fn of(family: Family, goes_on: bool) -> Reached {
        let mut reached = Reached { left: Aim::for_family(family).collect(), met: Vec::new() };
        for seed in 0..SEEDS {
            if !goes_on && reached.left.iter().all(|aim| aim.out_of_reach().is_some()) {
                break;
            }
            for format in family.formats() {
                let seen = RuleProbe::new(family, bytes(&recipe(format, seed))).expect("memory");
                let is_met = |aim: &Aim| match aim {
                    Aim::Hit(rule) => seen.hits(rule).expect("memory"),
                    Aim::Break(rule) => seen.broken_by(rule).expect("memory").is_some(),
                };
                let (met, left) = reached.left.into_iter().partition::<Vec<Aim>, _>(is_met);
                reached.left = left;
                reached.met.extend(met.into_iter().map(|aim| (seed, aim)));
            }
        }
        reached
    }
}

/// With HEAPSMITH_SWARM=all in the environment, goes through all seeds, to see that what is excused is out of reach.
#[test]
fn swarm_reaches_every_rule_that_is_not_excused() {
    let goes_on = env::var("HEAPSMITH_SWARM").is_ok_and(|all| all == "all");
    for family in Family::ALL {
        let Reached { left, met } = Reached::of(family, goes_on);
        let last = met.last().map_or(0, |(seed, _)| seed + 1);
        println!("{family}: {} aims are met by {last} seeds, {} are out of reach", met.len(), left.len());
        for (seed, aim) in met.iter().rev().take(4) {
            println!("  {}={} by seed {seed}", aim.key(), aim.rule().id);
        }
        let left: BTreeSet<(&str, &str)> = left.iter().map(|aim| (aim.key(), aim.rule().id)).collect();
        let excused = [("hit", NEVER_HIT), ("break", NEVER_BROKEN)];
        let excused = excused.iter().flat_map(|(key, all)| all.iter().map(move |(id, _)| (*key, *id)));
        let excused: BTreeSet<_> = excused.filter(|(_, id)| id.starts_with(&format!("{family}."))).collect();
        assert_eq!(left, excused, "{family}");
        assert!(met.len() > 50, "{family}: {}", met.len());
    }
}

#[test]
fn unreachable_rules_exist_and_have_reasons() {
    for (id, reason) in NEVER_HIT.iter().chain(NEVER_BROKEN) {
        assert!(rule(id).is_some(), "{id}");
        assert!(!reason.is_empty() && !reason.ends_with('.'), "{id}");
    }
    assert!(NEVER_BROKEN.iter().all(|(id, _)| rule(id).is_some_and(|rule| rule.kind == RuleKind::Bytes)));
}

/// What is drawn is not the same for every seed, and says what the dump is made of.
#[test]
fn dumps_of_the_swarm_are_valid_and_each_option_is_drawn_and_left_out() {
    let (mut drawn, mut profiles) = (BTreeSet::new(), BTreeSet::new());
    let plain = Preset::Plain.options();
    for seed in 0..60 {
        for format in Format::all() {
            let recipe = recipe(format, seed);
            let dump = bytes(&recipe);
            let report = validate(&dump);
            assert!(report.valid, "{recipe}: {:#?}", report.findings.first());
            let again = Recipe::read(&recipe.to_string()).expect("a recipe");
            assert_eq!(bytes(&again), dump, "{recipe}");
            for option in GenerateOption::rows() {
                drawn.insert((option.key(), option.text(&recipe.options) == option.text(&plain)));
            }
            profiles.insert((format.to_string(), recipe.wishes.profile));
        }
    }
    // Options that came later than seeds of the swarm had their meaning are left as they are.
    let of_the_swarm =
        1 + GenerateOption::rows().position(|option| option.key() == "class-objects").expect("an option");
    assert_eq!(drawn.len(), GenerateOption::rows().count() + of_the_swarm, "{drawn:?}");
    assert!(profiles.len() > 20, "{profiles:?}");
}

#[test]
fn set_options_stay_and_do_not_change_drawn_ones() {
    let one = read("swarm=yes,seed=5").and_then(|recipe| recipe.settled()).expect("a recipe");
    // A value that is the preset's own, too.
    let other = read("swarm=yes,seed=5,objects=200,dangling=0,format=phd6").and_then(|recipe| recipe.settled());
    let other = other.expect("a recipe");
    assert_eq!((other.options.objects, other.options.get("dangling").as_deref()), (200, Some("0")));
    for option in GenerateOption::rows().filter(|option| !["objects", "dangling", "word"].contains(&option.key())) {
        assert_eq!(option.text(&one.options), option.text(&other.options), "{}", option.key());
    }
    let text = "heapsmith-2:preset=plain,objects=200,dangling=0,swarm=yes,seed=5,format=phd6";
    assert_eq!(Recipe::read(text).expect("a recipe").to_string(), text);
}

#[test]
fn one_heap_of_the_swarm_is_written_in_several_formats() {
    let formats = [Format::PHD6, Format::HPROF, Format::CLASSIC];
    for seed in 0..40 {
        let recipe = Recipe::from(Preset::Plain).swarm(true).seed(seed);
        let recipes = recipe.settled_for(&formats).unwrap_or_else(|error| panic!("{recipe}: {error}"));
        assert!(recipes.iter().all(|recipe| recipe.options == recipes[0].options), "{seed}");
        for (recipe, format) in recipes.iter().zip(formats) {
            assert_eq!(recipe.format, format);
            assert!(validate(bytes(recipe)).valid, "{recipe}");
        }
    }
}

#[test]
fn a_dump_that_hits_a_rule_relies_on_it_and_one_that_breaks_it_has_the_finding() {
    for id in ["phd.gap.signed", "hprof.frame.line", "classic.trailer.layout", "phd.hash.16-bit-value"] {
        let recipe = read(&format!("hit={id},seed=3")).and_then(|recipe| recipe.settled()).expect(id);
        assert!(recipe.format.to_string().starts_with(id.split('.').next().expect("a family")), "{recipe}");
        let (dump, rule) = (bytes(&recipe), rule(id).expect("a rule"));
        let report = validate(&dump);
        let is_found = report.findings.iter().any(|finding| finding.rule.0 == id);
        assert!(report.valid && (rule.severity == Some(Severity::Note) || !is_found), "{recipe}");
        let file =
            heapsmith::format::DumpFile::new(heapsmith::input::Input::from_memory("dump", dump), Default::default());
        let relied = file.and_then(|file| file.reliances()).expect("memory");
        assert!(rule.facets.is_empty() || relied.iter().any(|reliance| reliance.rule.0 == id), "{recipe}");
    }
    for id in ["phd.record.tag", "hprof.instance.length", "classic.number.hexadecimal"] {
        let recipe = read(&format!("break={id},seed=3,objects=30")).and_then(|recipe| recipe.settled()).expect(id);
        assert!(recipe.edit.is_some() && recipe.options.objects == 30, "{recipe}");
        let again = Recipe::read(&recipe.to_string()).expect("a recipe");
        assert_eq!(bytes(&again), bytes(&recipe));
        let report = validate(bytes(&recipe));
        assert!(report.findings.iter().any(|finding| finding.rule.0 == id), "{recipe}: {:?}", report.findings);
        let without = Recipe::read(&recipe.to_string().replace(",edit=", ",version-text=")).expect("a recipe");
        assert!(validate(bytes(&without)).valid);
    }
}

#[test]
fn refuses_unreachable_aim_with_reason() {
    let refused = |text: &str| read(text).and_then(|recipe| recipe.settled()).expect_err(text).to_string();
    assert!(refused("hit=phd.gap.nothing").contains("hit: expected the id of a rule"));
    assert!(refused("hit=hprof.heap.several").contains("no dump of the generator can: a generated dump has one heap"));
    assert!(refused("break=phd.hash.16-bit-value").contains("hit gives one"));
    assert!(refused("hit=phd.writer.ascending").contains("choose a profile: "));
    assert!(refused("hit=phd.gap.signed,format=hprof").contains("choose format phd6 or phd5 or phd4"));
    assert!(refused("hit=phd.gap.signed,break=phd.gap.signed").contains("exclude each other"));
    assert!(refused("break=phd.gap.signed").contains("it says how bytes are read"));
    assert!(refused("hit=hprof.file.kept-prefix").contains("no bytes rely on it"));
    assert!(refused("swarm=maybe").contains("swarm: expected yes or no"));
    let recipe = read("edit=raise-the-versions").expect("a recipe");
    let error = recipe.write(&mut Vec::new()).expect_err("no such edit").to_string();
    assert!(error.contains("hprof has no such edit; did you mean raise-the-version"), "{error}");
    assert!(read("edit=raise-the-version").and_then(|recipe| recipe.heap()).is_err());
    let recipe = Recipe::from(Preset::Plain).aim(Aim::Hit(rule("phd.gap.signed").expect("a rule")));
    let error = recipe.settled_for(&[Format::PHD6, Format::PHD5]).expect_err("two formats").to_string();
    assert!(error.contains("a dump of one format"), "{error}");
}

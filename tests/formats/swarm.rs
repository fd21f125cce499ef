//! The swarm: its dumps reach every rule, and are valid.

use heapsmith::format::{Family, Format};
use heapsmith::generate::Preset;
use heapsmith::recipe::{Aim, Recipe, Seen};

/// The dump of a seed.
fn dump(format: Format, seed: u64) -> (Recipe, Seen) {
    let recipe = Recipe::from(Preset::Plain).format(format).swarm(true).seed(seed);
    let recipe = recipe.settled().unwrap_or_else(|error| panic!("{recipe}: {error}"));
    let mut bytes = Vec::new();
    recipe.write(&mut bytes).unwrap_or_else(|error| panic!("{recipe}: {error}"));
    let seen = Seen::new(format.family(), bytes).expect("memory");
    (recipe, seen)
}

/// The aims that no dump of these seeds meets, and with each that one does its first seed.
fn reached(family: Family, seeds: u64, until: impl Fn(&[Aim]) -> bool) -> (Vec<Aim>, Vec<(u64, Aim)>) {
    let mut left: Vec<Aim> = Aim::all(family).collect();
    let mut first = Vec::new();
    for seed in 0..seeds {
        if until(&left) {
            break;
        }
        for format in family.formats() {
            let (_, seen) = dump(format, seed);
            let met = |aim: &Aim| match aim {
                Aim::Hit(rule) => seen.hits(rule).expect("memory"),
                Aim::Break(rule) => seen.broken_by(rule).expect("memory").is_some(),
            };
            let (met, not): (Vec<Aim>, Vec<Aim>) = left.into_iter().partition(met);
            left = not;
            first.extend(met.into_iter().map(|aim| (seed, aim)));
        }
    }
    (left, first)
}

#[test]
fn zz_tmp_reach() {
    for family in Family::ALL {
        let start = std::time::Instant::now();
        let seeds = std::env::var("SEEDS").map_or(300, |s| s.parse().expect("n"));
        let (left, first) = reached(family, seeds, |left| left.is_empty());
        println!("{family}: {:?}, left {}", start.elapsed(), left.len());
        for aim in left { println!("  left {} {}", aim.key(), aim.rule().id); }
        for (s, aim) in first.iter().rev().take(25) { println!("  {s} {} {}", aim.key(), aim.rule().id); }
    }
}

//! Recipes that aim at a rule: dumps that keep it where it matters, and dumps that break it.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::family::{Family, GraphRules, NamedEdit, Opener};
use crate::findings::{Findings, Rule, RuleKind, Severity};
use crate::format::Format;

use super::Recipe;

/// The aim of a search for a dump of the swarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// A dump that keeps the rule, and whose bytes rely on it: a reader that does not follow it takes something else
    /// from them. Where no bytes rely on a rule, the dump has the place at which an edit breaks it.
    Hit(&'static Rule),
    /// A dump in which an edit breaks the rule.
    Break(&'static Rule),
}

/// Seeds among which a dump is searched for.
pub const SEEDS: u64 = 10_000;

impl Aim {
    /// The rule.
    pub fn rule(self) -> &'static Rule {
        match self {
            Aim::Hit(rule) | Aim::Break(rule) => rule,
        }
    }

    /// The key of recipes.
    pub fn key(self) -> &'static str {
        match self {
            Aim::Hit(_) => "hit",
            Aim::Break(_) => "break",
        }
    }

    /// The reason why no dump of the swarm meets it, if one is known.
    pub fn out_of_reach(self) -> Option<&'static str> {
        let id = self.rule().id;
        let all = match self {
            Aim::Hit(_) => NEVER_HIT,
            Aim::Break(_) => NEVER_BROKEN,
        };
        all.iter().find(|(known, _)| *known == id).map(|(_, reason)| *reason)
    }

    /// Every aim at a rule: hits where bytes can rely on it or an edit breaks it, breaks where an edit does.
    pub fn for_family(family: Family) -> impl Iterator<Item = Aim> {
        let edits = family.edits();
        family.book().rule.iter().flat_map(move |rule| {
            let is_edited = edits.iter().any(|edit| edit.rule.0 == rule.id);
            let is_hit = rule.kind == RuleKind::Bytes || !rule.facets.is_empty();
            let is_broken = rule.kind == RuleKind::Bytes || is_edited;
            [is_hit.then_some(Aim::Hit(rule)), is_broken.then_some(Aim::Break(rule))].into_iter().flatten()
        })
    }
}

/// The rules that dumps of the swarm neither rely on nor have the place for that an edit breaks, each with the reason.
pub const NEVER_HIT: &[(&str, &str)] = &[
    ("phd.file.compressed", COMPRESSED),
    ("phd.file.kept-prefix", "only a damaged dump relies on it; break=phd.file.truncated gives one"),
    ("hprof.file.compressed", COMPRESSED),
    ("hprof.file.gzip-members", COMPRESSED),
    ("hprof.record.length-unsigned", "it takes a record of 2 GiB"),
    ("hprof.tables.kept", ONE_HEAP),
    ("hprof.heap.extent", ONE_HEAP),
    ("hprof.heap.several", ONE_HEAP),
    ("hprof.frame.repeated", ONCE),
    ("hprof.thread.repeated", ONCE),
    ("hprof.segment.wrapped", FOUR_GIB),
    ("hprof.segment.wrapped-length", FOUR_GIB),
    ("hprof.primitive-array.class", "generated heaps have the classes of all primitive arrays"),
    ("classic.file.compressed", COMPRESSED),
    ("classic.record.long", LONG_RECORD),
    ("classic.record.glued", "a writer begins a line for each record"),
];

const COMPRESSED: &str = "the generator writes the bytes of a dump; gzip=yes compresses them";
const ONE_HEAP: &str = "a generated dump has one heap in one go";
const ONCE: &str = "a generated dump states each frame and thread once";
const FOUR_GIB: &str = "it takes a heap of more than 4 GiB";
const LONG_RECORD: &str = "it takes a text of more than 1 MiB, and names have at most 65,535 bytes";
const NOTE: &str =
    "it is a note of what every dump with such a record leaves open, and not broken by a mistake; hit gives one";

/// The rules of the bytes that no edit breaks in a dump of the swarm, each with the reason.
pub const NEVER_BROKEN: &[(&str, &str)] = &[
    ("phd.hash.16-bit-value", NOTE),
    ("phd.object-array.class-word", NOTE),
    ("phd.object-array.reference-order", NOTE),
    ("hprof.segment.wrapped-length", FOUR_GIB),
    ("classic.record.long", LONG_RECORD),
];

/// The first recipe of the swarm, from a recipe's seed on, whose dump meets an aim.
pub(super) fn search(base: &Recipe, aim: Aim) -> Result<Recipe, Error> {
    let rule = aim.rule();
    let refused = |why: &str| Error::Usage(format!("{}={}: {why}", aim.key(), rule.id));
    if rule.kind == RuleKind::Writer {
        let choose = match rule.profiles {
            [] => String::new(),
            writers => format!("; choose a profile: {}", writers.join(", ")),
        };
        return Err(refused(&format!("this is what writers choose, and no rule of a dump{choose}")));
    }
    if let Some(reason) = aim.out_of_reach() {
        return Err(refused(&format!("no dump of the generator can: {reason}")));
    }
    let formats = formats(base, rule)?;
    if !Aim::for_family(formats[0].family()).any(|known| known == aim) {
        return Err(refused(match aim {
            Aim::Hit(_) => "no bytes rely on it, and no edit breaks it",
            Aim::Break(_) => "it says how bytes are read, and no edit breaks it; hit gives a dump that relies on it",
        }));
    }
    let mut error = None;
    for seed in (base.seed..).take(SEEDS as usize) {
        for &format in &formats {
            let drawn = Recipe { seed, format, swarm: true, aim: None, ..base.clone() }.settled();
            let recipe = match drawn {
                Ok(recipe) => recipe,
                // Another seed has another writer, which may take the options that were asked for.
                Err(refusal) => {
                    error.get_or_insert(refusal);
                    continue;
                }
            };
            let mut bytes = Vec::new();
            recipe.write(&mut bytes)?;
            let dump = RuleProbe::new(format.family(), bytes)?;
            match aim {
                Aim::Hit(_) if dump.hits(rule)? => return Ok(recipe),
                Aim::Hit(_) => {}
                Aim::Break(_) => {
                    if let Some(edit) = dump.broken_by(rule)? {
                        return Ok(Recipe { edit: Some(edit.name.to_owned()), ..recipe });
                    }
                }
            }
        }
    }
    let last = base.seed.saturating_add(SEEDS - 1);
    Err(error.unwrap_or_else(|| refused(&format!("no dump of the seeds {} to {last} does; ask for less", base.seed))))
}

/// The formats to search: the one that is asked for, or those of the rule, the newest first.
fn formats(base: &Recipe, rule: &Rule) -> Result<Vec<Format>, Error> {
    let family = rule.id.split('.').next().and_then(Family::from_name);
    let all = Format::all().filter(|format| Some(format.family()) == family);
    let mut known: Vec<Format> =
        all.filter(|format| format.version() == 0 || rule.versions.contains(&format.version().into())).collect();
    known.reverse();
    if base.keeps("format") || Some(base.format.family()) == family {
        if !known.contains(&base.format) {
            let names: Vec<String> = known.iter().map(Format::to_string).collect();
            let message = format!("{} is no rule of {}; choose format {}", rule.id, base.format, names.join(" or "));
            return Err(Error::Usage(message));
        }
        return Ok(vec![base.format]);
    }
    Ok(known)
}

/// A dump, and what its bytes say of rules.
#[doc(hidden)]
#[derive(Debug)]
pub struct RuleProbe {
    family: Family,
    bytes: Vec<u8>,
    relied: BTreeSet<&'static str>,
    findings: Findings,
}

impl RuleProbe {
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn new(family: Family, bytes: Vec<u8>) -> Result<RuleProbe, Error> {
        let opener = Opener::from_memory("the dump", &bytes);
        let mut relied = BTreeSet::new();
        family.reliances(&opener, &mut |reliance| _ = relied.insert(reliance.rule.0))?;
        let mut findings = Findings::default();
        family.judge(&opener, GraphRules::All, &mut findings)?;
        Ok(RuleProbe { family, bytes, relied, findings })
    }

    /// Whether it keeps a rule and relies on it, or has the place at which an edit breaks it.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn hits(&self, rule: &Rule) -> Result<bool, Error> {
        // A note does not say that something is wrong.
        if rule.severity != Some(Severity::Note) && self.findings.breaks(rule.id) {
            return Ok(false);
        }
        Ok(self.relied.contains(rule.id) || self.broken_by(rule)?.is_some())
    }

    /// The first edit that breaks a rule in it, if the dump keeps it.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn broken_by(&self, rule: &Rule) -> Result<Option<NamedEdit>, Error> {
        if self.findings.breaks(rule.id) {
            return Ok(None);
        }
        for edit in self.family.edits().into_iter().filter(|edit| edit.rule.0 == rule.id) {
            if let Some(edited) = edit.apply(self.bytes.clone())?
                && edit.is_found(&edited)?
            {
                return Ok(Some(edit));
            }
        }
        Ok(None)
    }
}

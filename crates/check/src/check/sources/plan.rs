//! The plan of a campaign: the cases of a batch are a function of the plan and the batch's number.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::sources::decoded::case_from_bytes;
use crate::check::sources::random::{apply_edit, apply_mutation, case_from_recipe, compress_case};
use crate::corpus::Case;
use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::corrupt::{REARRANGED, RELATED, THINNED};
use heapsmith_core::draw::{Draw, SeedDraw};
use heapsmith_core::error::Error;
use heapsmith_core::format::{Family, Format};
use heapsmith_core::generate::Preset;
use heapsmith_core::input::{self, read_bytes};
use heapsmith_core::mutator::is_dump;
use heapsmith_core::recipe::{Recipe, usual_profiles};

/// Number of cases of a batch.
pub const CASES: u64 = 64;

/// The length of the longest seed dump.
const LONGEST: u64 = 4 << 20;
/// The edits that are tried in a dump until one can be made.
const EDITS: usize = 6;
/// The draws of a case until one can be made: options may contradict each other.
const DRAWS: u64 = 20;
/// The period of batches of seed dumps, if there are any.
const OF_SEEDS: u64 = 4;

/// The source of a campaign's cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::check) struct CampaignPlan {
    pub(in crate::check) seed: u64,
    /// The version of the generator.
    pub(in crate::check) generator: String,
    /// The only format, if any.
    pub(in crate::check) format: Option<String>,
    /// The formats, in all versions, that are asked about.
    pub(in crate::check) formats: Vec<String>,
    /// Dumps of the user that are damaged as well.
    pub(in crate::check) seeds: Vec<SeedDump>,
    /// Whether nothing is drawn, and dumps that a fuzzing engine found are asked about.
    pub(in crate::check) coverage: bool,
    /// These dumps, by batch. More come while the engine runs, so that they are no part of how the campaign was begun.
    #[serde(skip)]
    pub(in crate::check) found: BTreeMap<u64, Vec<SeedDump>>,
}

/// A dump of the user or of a fuzzing engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::check) struct SeedDump {
    path: PathBuf,
    sha256: String,
}

impl CampaignPlan {
    pub(in crate::check) fn new(
        seed: u64,
        format: Option<Family>,
        formats: &[Format],
        seeds: &[PathBuf],
    ) -> Result<CampaignPlan, Error> {
        let format = format.map(|family| family.name().to_owned());
        let seeds = seeds.iter().map(|path| SeedDump::new(path)).collect::<Result<_, Error>>()?;
        let formats = formats.iter().map(Format::to_string).collect();
        let generator = heapsmith_core::recipe::version();
        Ok(CampaignPlan { seed, generator, format, formats, seeds, ..CampaignPlan::default() })
    }

    /// Those of an engine's files that can be asked about and are not `known`, and the number of the files that are no such dumps. `keep`
    /// stores a dump under its SHA-256 and gives its path: an engine removes files and writes others in their place.
    pub(in crate::check) fn new_found(
        &self,
        files: &[PathBuf],
        known: &BTreeMap<u64, Vec<SeedDump>>,
        mut keep: impl FnMut(&str, &[u8]) -> Result<PathBuf, Error>,
    ) -> Result<(Vec<SeedDump>, u64), Error> {
        let mut had: BTreeSet<String> = known.values().flatten().map(|dump| dump.sha256.clone()).collect();
        let (mut new, mut others) = (Vec::new(), 0);
        for path in files {
            let is_short = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LONGEST);
            // The engine may remove it meanwhile.
            let bytes = if is_short { read_bytes(path, LONGEST).ok() } else { None };
            let Some(bytes) = bytes.filter(|bytes| is_dump(bytes)) else {
                others += 1;
                continue;
            };
            let sha256 = sha256_hex(&bytes);
            if !had.insert(sha256.clone()) {
                continue;
            }
            let is_asked = |case: Case| self.formats.contains(&case.format.to_string());
            match case_from_bytes("", bytes.clone()).is_ok_and(is_asked) {
                true => new.push(SeedDump { path: keep(&sha256, &bytes)?, sha256 }),
                false => others += 1,
            }
        }
        Ok((new, others))
    }

    fn formats(&self) -> Vec<Format> {
        Format::all().filter(|format| self.formats.contains(&format.to_string())).collect()
    }

    /// The cases of a batch, which are made when their turn comes.
    pub(in crate::check) fn batch_sources(self: &Arc<CampaignPlan>, batch: u64) -> Vec<Arc<DrawnCase>> {
        let drawn = |number| {
            let id = format!("fuzz-{}-{batch:06}-{number:02}", self.seed);
            Arc::new(DrawnCase { id, plan: Arc::clone(self), batch, number, case: OnceLock::new() })
        };
        let count = if self.coverage { self.found.get(&batch).map_or(0, Vec::len) as u64 } else { CASES };
        (0..count).map(drawn).collect()
    }
}

impl SeedDump {
    fn new(path: &Path) -> Result<SeedDump, Error> {
        input::require_file(path)?;
        let length = fs::metadata(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?.len();
        if length > LONGEST {
            let message = format!("{}: expected a seed of at most {LONGEST} bytes, found {length}", path.display());
            return Err(Error::Usage(format!("{message}; `heapsmith check --dumps` asks about larger ones")));
        }
        Ok(SeedDump { path: path.to_owned(), sha256: sha256_hex(&read_bytes(path, LONGEST)?) })
    }

    fn case(&self, id: &str) -> Result<Case, Error> {
        let bytes = read_bytes(&self.path, LONGEST)?;
        if sha256_hex(&bytes) != self.sha256 {
            return Err(Error::Usage(format!("{} has changed since the campaign began", self.path.display())));
        }
        Ok(Case { recipe: self.path.display().to_string(), ..case_from_bytes(id, bytes)? })
    }
}

fn sha256_hex(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// A case of a campaign.
#[derive(Debug)]
pub struct DrawnCase {
    id: String,
    plan: Arc<CampaignPlan>,
    batch: u64,
    number: u64,
    case: OnceLock<Case>,
}

/// A dump before any edit, and after one: the edit's name and the case.
type UndamagedAndEdited = (Case, Option<(&'static str, Case)>);

/// The settings that all cases of a batch share.
struct BatchSettings {
    format: Format,
    /// The most objects of a heap.
    objects: u64,
    /// The cases, of eight, in which an edit damages the dump.
    damaged: u64,
    /// The undamaged cases, of eight, in which a mutation changes the dump.
    mutated: u64,
    /// Whether the dumps are compressed.
    gzip: bool,
    /// Whether everything is drawn, and not only what every parser should load, with few things that are odd.
    swarm: bool,
    /// The imitated writer, if `swarm` is set and the batch has one. Never the profile `any`: a reader that fails at a
    /// form that only `any` writes is asked about other things, too.
    profile: Option<&'static str>,
}

impl DrawnCase {
    pub(in crate::check) fn id(&self) -> &str {
        &self.id
    }

    /// The batch of a case, by its id.
    pub(in crate::check) fn batch_of(id: &str) -> Option<u64> {
        id.split(':').next()?.strip_prefix("fuzz-")?.split('-').nth(1)?.parse().ok()
    }

    pub(in crate::check) fn case(&self) -> Result<Case, Error> {
        if let Some(case) = self.case.get() {
            return Ok(case.clone());
        }
        let (base, edit) = self.draw_dump()?;
        let case = match edit {
            None => base,
            Some((_, case)) => case,
        };
        let case = if self.is_compressed() { compress_case(case) } else { case };
        Ok(self.case.get_or_init(|| case).clone())
    }

    /// The dump before any edit, and the name of the edit that damages it.
    pub(in crate::check) fn undamaged(&self) -> Result<(Case, Option<&'static str>), Error> {
        let (base, edit) = self.draw_dump()?;
        Ok((base, edit.map(|(edit, _)| edit)))
    }

    /// Whether the dump is compressed after all else.
    pub(in crate::check) fn is_compressed(&self) -> bool {
        !self.plan.coverage && !self.is_of_seeds() && self.batch_settings().gzip
    }

    fn is_of_seeds(&self) -> bool {
        !self.plan.seeds.is_empty() && self.batch.is_multiple_of(OF_SEEDS)
    }

    fn draw_dump(&self) -> Result<UndamagedAndEdited, Error> {
        if let Some(found) = self.plan.found.get(&self.batch).and_then(|dumps| dumps.get(self.number as usize)) {
            return Ok((found.case(&self.id)?, None));
        }
        let seeds = &self.plan.seeds;
        let mut draw = SeedDraw::with_number(self.plan.seed, self.batch << 8 | (self.number + 1));
        if self.is_of_seeds() {
            let place = self.batch / OF_SEEDS * CASES + self.number;
            let seed = seeds[(place % seeds.len() as u64) as usize].case(&self.id)?;
            // Each as it is, and then with edits.
            let edited = if place < seeds.len() as u64 { None } else { self.apply_any_edit(&seed, &mut draw)? };
            let edited = edited.map(|(edit, case)| {
                let recipe = format!("{} with the edit {edit}", seed.recipe);
                (edit, Case { recipe, ..case })
            });
            return Ok((seed, edited));
        }
        let common = self.batch_settings();
        let mut refused = None;
        for _ in 0..DRAWS {
            match self.make_dump(&common, &mut draw) {
                case @ (Ok(_) | Err(Error::Io { .. })) => return case,
                // The options contradict each other, or the writer cannot write the heap.
                Err(e) => refused = Some(e),
            }
        }
        Err(refused.unwrap_or_else(|| Error::Usage(format!("{}: nothing was drawn", self.id))))
    }

    fn batch_settings(&self) -> BatchSettings {
        let mut draw = SeedDraw::with_number(self.plan.seed, self.batch << 8);
        let draw: &mut dyn Draw = &mut draw;
        let format = *draw.pick(&self.plan.formats());
        let usual = usual_profiles(format);
        BatchSettings {
            format,
            objects: *draw.pick(&[4, 16, 60, 60, 120, 120, 400]),
            damaged: *draw.pick(&[0, 0, 1, 4]),
            swarm: !draw.one_in(4),
            gzip: draw.one_in(16),
            mutated: *draw.pick(&[0, 4, 6, 6]),
            profile: (draw.one_in(2) && !usual.is_empty()).then(|| *draw.pick(&usual)),
        }
    }

    fn make_dump(&self, common: &BatchSettings, draw: &mut SeedDraw) -> Result<UndamagedAndEdited, Error> {
        let recipe = if common.swarm {
            let seed = draw.u64();
            let mut recipe = Recipe::from(Preset::Plain).swarm(true).format(common.format).seed(seed);
            recipe.options.objects = draw.between(1, common.objects) as usize;
            recipe.keep("objects");
            recipe.wishes.profile = common.profile.map(str::to_owned);
            recipe
        } else {
            Recipe::draw(&[common.format.family()], common.objects, draw)?
        };
        let base = case_from_recipe(&self.id, &recipe)?;
        // It is compressed after it was damaged.
        let recipe = recipe.gzip(common.gzip);
        let base = Case { recipe: recipe.to_string(), ..base };
        if draw.below(8) >= common.damaged {
            return self.mutate_or_keep(base, recipe, common, draw);
        }
        let edited = self.apply_any_edit(&base, draw)?.map(|(edit, case)| {
            let recipe = recipe.edit(edit.to_owned()).to_string();
            (edit, Case { recipe, ..case })
        });
        Ok((base, edited))
    }

    /// The dump as it is, or after a mutation.
    fn mutate_or_keep(
        &self,
        base: Case,
        recipe: Recipe,
        common: &BatchSettings,
        draw: &mut SeedDraw,
    ) -> Result<UndamagedAndEdited, Error> {
        // A mutation may compress the dump itself, and what is compressed twice is no dump.
        if common.gzip || draw.below(8) >= common.mutated {
            return Ok((base, None));
        }
        for _ in 0..EDITS {
            // Small enough to be typed.
            let whole = *(draw as &mut dyn Draw).pick(&[0, 0, 0, 0, 0, THINNED, REARRANGED, RELATED]);
            let mutation = draw.below(THINNED) + whole;
            if let Some(case) = apply_mutation(mutation, &base)? {
                return Ok((Case { recipe: recipe.mutation(mutation).to_string(), ..case }, None));
            }
        }
        Ok((base, None))
    }

    /// A dump after a drawn edit; `None` if none could be made.
    fn apply_any_edit(&self, base: &Case, draw: &mut SeedDraw) -> Result<Option<(&'static str, Case)>, Error> {
        let edits = base.format.family().edits();
        for _ in 0..EDITS {
            let edit = (draw as &mut dyn Draw).pick(&edits).name;
            if let Some(case) = apply_edit(edit, base)? {
                return Ok(Some((edit, case)));
            }
        }
        Ok(None)
    }
}

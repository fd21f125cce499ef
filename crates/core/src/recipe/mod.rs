//! Recipes: one line of text that stands for a dump of a random heap.
//!
//! ```
//! use heapsmith::recipe::Recipe;
//!
//! let recipe = Recipe::read("heapsmith-2:preset=tiny,objects=20,seed=7,format=phd6")?;
//! let mut dump = Vec::new();
//! recipe.write(&mut dump)?;
//! assert!(heapsmith::validate(&dump).valid);
//! assert_eq!(recipe.to_string(), "heapsmith-2:preset=tiny,objects=20,seed=7,format=phd6");
//! # Ok::<(), heapsmith::Error>(())
//! ```

mod aim;
mod drawn;
#[cfg(feature = "corpus")]
mod large_case;
mod swarm;
mod text;

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, did_you_mean};
use crate::family::WriteRequest;
use crate::family::mutation::mutated;
use crate::format::{Format, Lowering};
use crate::generate::{GenerateOptions, Oddity, Placement, Preset, ProceduralHeap, Refusal};
use crate::input::Input;
use crate::model::{Address, Contents, Heap, HeapSource, WordSize};
use crate::setters::setters;

#[doc(hidden)]
pub use aim::RuleProbe;
pub use aim::{Aim, NEVER_BROKEN, NEVER_HIT, SEEDS};
#[doc(hidden)]
pub use drawn::usual_profiles;
pub use text::version;

const THREADS: &str = "java-threads";
const WORD: &str = "word";

/// The ingredients of a dump of a random heap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The preset from which the options differ.
    pub preset: Preset,
    /// The options of the heap.
    pub options: GenerateOptions,
    /// Seed of the heap, and of the spelling in the profile `any`.
    pub seed: u64,
    /// The dump's format.
    pub format: Format,
    /// The writer to imitate, the size of identifiers, and the characters. The word size is the heap's.
    pub wishes: WriteRequest,
    /// Whether the seed draws which of the options differ from the preset's, and the writer; what is set stays.
    pub swarm: bool,
    /// The aim of the search for a dump of the swarm, from the seed on.
    pub aim: Option<Aim>,
    /// The named edit that damages the dump.
    pub edit: Option<String>,
    /// The seed of a mutation: a field or a record of the dump, or a few, are changed by chance.
    pub mutation: Option<u64>,
    /// Whether the dump is compressed with gzip, in stored blocks, so that the bytes do not depend on a compressor.
    pub gzip: bool,
    /// Keys whose values stay as they are, whatever is drawn.
    kept: BTreeSet<&'static str>,
}

setters! {
    impl Recipe {
        set options: GenerateOptions;
        set seed: u64;
        set format: Format;
        set wishes: WriteRequest;
        set swarm: bool;
        option aim: Aim;
        option edit: String;
        option mutation: u64;
        set gzip: bool;
    }
}

impl From<Preset> for Recipe {
    fn from(preset: Preset) -> Recipe {
        Recipe {
            preset,
            options: preset.options(),
            seed: 0,
            format: Format::HPROF,
            wishes: WriteRequest::default(),
            swarm: false,
            aim: None,
            edit: None,
            mutation: None,
            gzip: false,
            kept: BTreeSet::new(),
        }
    }
}

impl Recipe {
    /// Keeps an option, or the format, as it is set, whatever is drawn.
    pub fn keep(&mut self, key: &'static str) {
        self.kept.insert(key);
    }

    /// Whether nothing that is drawn changes a key's value: those that were kept, and those that differ from the preset's.
    fn keeps(&self, key: &str) -> bool {
        self.kept.contains(key) || self.options.get(key) != self.preset.options().get(key)
    }

    /// The writer of the dump.
    ///
    /// # Errors
    /// If the format lacks a requested setting, or cannot express the heap's addresses.
    pub fn lowering(&self) -> Result<Lowering, Error> {
        if !self.is_settled() {
            return self.settled()?.lowering();
        }
        let wishes = WriteRequest { seed: self.seed, ..self.wishes.clone() };
        let lowering = Lowering::new(self.format, &wishes)?;
        if let Some(refusal) = self.refusal(&lowering) {
            return Err(refusal.into());
        }
        Ok(if self.keeps_order(&lowering) { lowering.adhering() } else { lowering })
    }

    /// The heap, which is the same in every format.
    ///
    /// # Errors
    /// If the options contradict each other, or the dump is damaged.
    pub fn heap(&self) -> Result<ProceduralHeap, Error> {
        if !self.is_settled() {
            return self.settled()?.heap();
        }
        if let Some(edit) = &self.edit {
            return Err(Error::Usage(format!(
                "edit={edit}: a damaged dump is that of no heap; choose a recipe without it"
            )));
        }
        if let Some(mutation) = self.mutation {
            return Err(Error::Usage(format!(
                "mutation={mutation}: a changed dump is that of no heap; choose a recipe without it"
            )));
        }
        let heap = ProceduralHeap::new(&self.options, self.seed)?;
        let missing = heap.missing_threads();
        if missing > 0 && self.keeps(THREADS) {
            let asked = self.options.get(THREADS).unwrap_or_default();
            return Err(Error::Usage(format!(
                "{THREADS}={asked}: {missing} of the threads that this seed draws have no room in {} objects; choose more objects",
                self.options.objects
            )));
        }
        Ok(heap)
    }

    /// The writer of the dump, and its heap with the oddities that only a dump of its format shows.
    ///
    /// # Errors
    /// Like [`Recipe::lowering`] and [`Recipe::heap`].
    pub fn lowering_and_heap(&self) -> Result<(Lowering, ProceduralHeap), Error> {
        if !self.is_settled() {
            return self.settled()?.lowering_and_heap();
        }
        let lowering = self.lowering()?;
        let heap = self.heap()?.with_drawn(|heap| self.with_shown_oddities(heap, &lowering))?;
        Ok((lowering, heap))
    }

    /// A heap with what is odd about it in the dump's format alone.
    ///
    /// # Errors
    /// If the writer cannot write it.
    #[doc(hidden)]
    pub fn with_shown_oddities(&self, mut heap: Heap, lowering: &Lowering) -> Result<Heap, Error> {
        if self.format == Format::HPROF && self.keeps_order(lowering) {
            // Those of a random heap count headers, too: the writer counts anew.
            heap.classes.iter_mut().for_each(|class| class.instance_size = None);
        }
        if self.oddities().any(|oddity| oddity == Oddity::NullReferences) {
            heap = lowering.carry(&mut (&mut heap as &mut dyn HeapSource))?.into_only_heap()?;
            list_nulls(&mut heap);
        }
        Ok(heap)
    }

    /// The reason why a writer cannot dump the heap, if there is one.
    fn refusal(&self, lowering: &Lowering) -> Option<Refusal> {
        let own = lowering.hashes().filter(|own| *own != self.options.hashes && self.keeps_order(lowering));
        let of_hashes = || {
            let bits = self.options.clone().hashes(own?).get("hashes")?;
            let writer = format!("{} of the profile {}", self.format, lowering.profile());
            let asked = self.options.get("hashes")?;
            Some(Refusal::new(format!("hashes={asked}: {writer} has hashes of {bits} bits"), "hashes", bits))
        };
        let crowding = || self.options.crowding(|key| self.keeps(key));
        lowering.refusal(&self.options).or_else(of_hashes).or_else(crowding)
    }

    /// The word size of the writer that is asked for, where it does not have the preset's and none is asked for.
    fn word_of_writer(&self) -> Option<WordSize> {
        if self.keeps(WORD) || self.options.refusal().is_some() {
            return None;
        }
        let wishes = WriteRequest { seed: self.seed, ..self.wishes.clone() };
        let refusal = Lowering::new(self.format, &wishes).ok()?.refusal(&self.options)?;
        let mut options = self.options.clone();
        (refusal.key == WORD && options.set(WORD, &refusal.value).is_ok()).then_some(options.word)
    }

    /// The oddities that dumps of the format show.
    fn oddities(&self) -> impl Iterator<Item = Oddity> {
        let family = self.format.family().name();
        self.options.oddities.iter().filter(move |oddity| oddity.form().formats.contains(&family))
    }

    /// Whether the dump has the heap's own order and all its facts, whatever its writer's habits are.
    fn keeps_order(&self, lowering: &Lowering) -> bool {
        let is_mixed = self.options.placement == Placement::Mixed && !lowering.is_seeded();
        is_mixed || self.oddities().any(|oddity| oddity.form().as_heap)
    }

    /// Writes the dump. One that an edit or a mutation changes is held in memory.
    ///
    /// # Errors
    /// Like [`Recipe::lowering`] and [`Recipe::heap`], if the edit or the mutation cannot be made in the dump, or if writing fails.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), Error> {
        if !self.is_settled() {
            return self.settled()?.write(out);
        }
        if self.gzip {
            let mut compressed = GzEncoder::new(out, Compression::none());
            Recipe { gzip: false, ..self.clone() }.write(&mut compressed)?;
            return compressed.finish().map(drop).map_err(|e| Error::io("writing the dump", e));
        }
        if let Some(mutation) = self.mutation {
            let mut dump = Vec::new();
            Recipe { mutation: None, ..self.clone() }.write(&mut dump)?;
            let mutant = mutated(self.format.family(), &dump, mutation)?;
            let mutant = mutant.ok_or_else(|| {
                Error::Usage(format!("mutation={mutation}: it changes nothing in this dump; choose another number"))
            })?;
            return out.write_all(&mutant).map_err(|e| Error::io("writing the dump", e));
        }
        let Some(edit) = &self.edit else {
            let (lowering, mut heap) = self.lowering_and_heap()?;
            return lowering.write(&mut (&mut heap as &mut dyn HeapSource), out);
        };
        let mut dump = Vec::new();
        Recipe { edit: None, ..self.clone() }.write(&mut dump)?;
        let refused = |why: String| Error::Usage(format!("edit={edit}: {why}"));
        let edits = self.format.family().edits();
        let known = edits.iter().find(|known| known.name == edit);
        let known = known.ok_or_else(|| {
            let near = did_you_mean(edit, edits.iter().map(|edit| edit.name));
            refused(format!("{} has no such edit{near}", self.format.family()))
        })?;
        let edited = known.apply(dump)?.filter(|edited| known.is_found(edited).unwrap_or_default());
        let edited = edited.ok_or_else(|| {
            refused(format!("it cannot be made in this dump; choose break={}, which finds one", known.rule))
        })?;
        out.write_all(&edited.bytes).map_err(|e| Error::io("writing the dump", e))
    }

    /// The dump as an input, which is generated each time it is read; one that is compressed, as it is before that.
    ///
    /// # Errors
    /// Like [`Recipe::lowering`].
    pub fn input(self) -> Result<Input, Error> {
        // A reader would decompress it again.
        let settled = self.settled()?.gzip(false);
        settled.lowering()?;
        Ok(Input::from_generator(&self.to_string(), move |out| settled.write(out)))
    }
}

/// Null references in some objects, first, last and alone.
fn list_nulls(heap: &mut Heap) {
    for (number, object) in heap.objects.iter_mut().enumerate() {
        if let Contents::References(references) = &mut object.contents {
            match number % 4 {
                0 => references.push(Address::NULL),
                1 => references.insert(0, Address::NULL),
                _ => {}
            }
            // An array has room for as many.
            let count = references.len() as u64;
            object.length = object.length.map(|length| length.max(count));
        }
    }
}

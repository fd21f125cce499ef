//! Recipes: one line of text that stands for a dump of a random heap.
//!
//! ```
//! use heapsmith::recipe::Recipe;
//!
//! let recipe = Recipe::read("heapsmith-2-dev:preset=tiny,objects=20,seed=7,format=phd6")?;
//! let mut dump = Vec::new();
//! recipe.write(&mut dump)?;
//! assert!(heapsmith::validate(&dump).valid);
//! assert_eq!(recipe.to_string(), "heapsmith-2-dev:preset=tiny,objects=20,seed=7,format=phd6");
//! # Ok::<(), heapsmith::Error>(())
//! ```

mod text;

use std::io::Write;

use crate::error::Error;
use crate::family::Wishes;
use crate::format::{Format, Lowering};
use crate::generate::{GenerateOptions, Preset, ProceduralHeap};
use crate::input::Input;
use crate::model::HeapSource;
use crate::setters::setters;

pub use text::version;

/// What a dump of a random heap is made of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The preset from which the options differ.
    pub preset: Preset,
    /// What the heap is like.
    pub options: GenerateOptions,
    /// Seed of the heap, and of the spelling in the profile `any`.
    pub seed: u64,
    /// The dump's format.
    pub format: Format,
    /// The writer to imitate, the size of identifiers, and the characters. The word size is the heap's.
    pub wishes: Wishes,
}

setters! {
    impl Recipe {
        set options: GenerateOptions;
        set seed: u64;
        set format: Format;
        set wishes: Wishes;
    }
}

impl From<Preset> for Recipe {
    fn from(preset: Preset) -> Recipe {
        Recipe { preset, options: preset.options(), seed: 0, format: Format::HPROF, wishes: Wishes::default() }
    }
}

impl Recipe {
    /// How the dump is spelled.
    ///
    /// # Errors
    /// If the format does not have what is wished, or cannot express the heap's addresses.
    pub fn lowering(&self) -> Result<Lowering, Error> {
        let wishes = Wishes { seed: self.seed, ..self.wishes.clone() };
        let lowering = Lowering::new(self.format, &wishes)?;
        lowering.takes(&self.options)?;
        Ok(lowering)
    }

    /// The heap, which is the same in every format.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn heap(&self) -> Result<ProceduralHeap, Error> {
        ProceduralHeap::new(&self.options, self.seed)
    }

    /// Writes the dump.
    ///
    /// # Errors
    /// Like [`Recipe::lowering`] and [`Recipe::heap`], or if writing fails.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), Error> {
        let (lowering, mut heap) = (self.lowering()?, self.heap()?);
        lowering.write(&mut (&mut heap as &mut dyn HeapSource), out)
    }

    /// The dump as an input, which is generated each time it is read.
    ///
    /// # Errors
    /// Like [`Recipe::lowering`].
    pub fn input(self) -> Result<Input, Error> {
        self.lowering()?;
        Ok(Input::generated(&self.to_string(), move |out| self.write(out)))
    }
}

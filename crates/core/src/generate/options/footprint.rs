//! An estimate of the memory that drawing a heap takes.

use crate::error::Error;

use super::{AddressSpace, DRAWN, GenerateOptions, Lengths};

/// Bytes for each kind of item, measured at the peak of writing HPROF and rounded up: of the heap itself, its writer's
/// log and the plan.
const CLASS: u128 = 6_000;
const FIELD: u128 = 700;
const STATIC: u128 = 250;
const THREAD: u128 = 3_000;
const FRAME: u128 = 1_300;
const ROOT: u128 = 200;
const TEXT: u128 = 900;
const OBJECT: u128 = 1_000;
const VALUE: u128 = 50;
/// An element or a character: each is held twice while it is drawn.
const ELEMENT: u128 = 16;
/// Objects of a larger heap that are drawn: its first ones, and those of the shapes of its blocks.
const OF_BLOCKS: u128 = 2_600;

impl GenerateOptions {
    /// The estimated memory of the heap in bytes. Objects in blocks and of shapes take none.
    pub fn footprint(&self) -> u64 {
        let mean = |lengths: &Lengths| u128::from(lengths.mean());
        let or = |lengths: &Option<Lengths>, ordinary: u128| lengths.as_ref().map_or(ordinary, mean);
        let (classes, fields) = (mean(&self.classes), or(&self.fields, 5));
        let names = 4 * or(&self.name_lengths, 0);
        let of_classes = classes * (CLASS + names + fields * FIELD + mean(&self.statics) * STATIC);
        let threads = mean(&self.threads);
        let roots = mean(&self.roots) + or(&self.locals, 0);
        let of_threads = threads * (THREAD + or(&self.frames, 2) * FRAME + roots * ROOT);
        let is_whole = self.addresses == AddressSpace::Numbers || self.objects <= DRAWN;
        let objects = if is_whole { self.objects as u128 } else { OF_BLOCKS };
        // Half of the classes extend another random one, unless a depth is asked for, which most have.
        let inherited = fields * u128::from(self.depth.unwrap_or(3)).min(classes + 1);
        let mix = &self.mix;
        let contents = u128::from(mix.instances) * inherited * VALUE
            + u128::from(mix.strings) * mean(&self.string_lengths) * ELEMENT
            + u128::from(mix.primitive_arrays) * or(&self.primitive_lengths, 20) * ELEMENT
            + u128::from(mix.object_arrays) * or(&self.object_lengths, 20) * ELEMENT;
        let of_objects = objects * (OBJECT + contents / u128::from(mix.sum().max(1)));
        let all = of_classes + of_threads + of_objects + u128::from(self.unused_texts) * TEXT;
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Refuses a heap that would take more memory than its budget.
    pub(super) fn check_footprint(&self) -> Result<(), Error> {
        let (bytes, budget) = (self.footprint(), self.budget);
        if bytes <= budget {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "the classes, threads and drawn objects of this heap take {bytes} bytes of memory by estimate, of which {budget} are \
             allowed; choose fewer or smaller ones, or budget={bytes} (--budget {bytes})"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Preset;

    #[test]
    fn refuses_many_statics_of_many_classes_by_an_estimate() {
        let read = |text: &str| Lengths::read(text).expect("a distribution");
        let options = GenerateOptions::default().statics(read("65535")).classes(read("1000"));
        let message = options.check().expect_err("16 GB").to_string();
        // 65,535 times 1,000 times 250 bytes, and a thousand classes of 5 fields; the rest is some 2 MB.
        let bytes = 16_383_750_000 + 9_500_000;
        assert!((bytes..bytes + 2_000_000).contains(&options.footprint()), "{}", options.footprint());
        assert!(message.contains("of which 2000000000 are allowed"), "{message}");
        let enough = options.footprint();
        assert!(message.ends_with(&format!("or budget={enough} (--budget {enough})")), "{message}");
        options.budget(enough).check().expect("as much as is allowed");
    }

    #[test]
    fn every_preset_and_every_large_heap_is_within_the_budget() {
        for form in Preset::FORMS {
            let options = Preset::named(form.name).expect("a preset").options();
            assert!(options.footprint() < options.budget / 10, "{}: {}", form.name, options.footprint());
        }
        let huge = GenerateOptions::default().objects(10_usize.pow(10));
        assert!(huge.footprint() < 10_000_000, "{}", huge.footprint());
    }
}

//! Presets: sets of values of the options, each with a name.

use super::GenerateOptions;

/// A set of values of the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// What every parser should load.
    #[default]
    Plain,
    /// A handful of small objects.
    Tiny,
    /// Every record and sub-record that a writer has.
    EveryRecord,
    /// Widths, counts and lengths at their edges.
    Boundary,
    /// Very many objects.
    Huge,
}

/// What is told once of a preset; [`Preset::FORMS`] is the table of all.
#[derive(Clone, Copy, Debug)]
pub struct PresetForm {
    /// The preset.
    pub preset: Preset,
    /// Its name in flags, files and recipes.
    pub name: &'static str,
    /// What it is for, in a line.
    pub summary: &'static str,
    /// The options that differ from the defaults, each with the text of its value.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// Every preset, in the order of declaration.
    pub const FORMS: [PresetForm; 5] = [
        PresetForm { preset: Preset::Plain, name: "plain", summary: "what every parser should load", values: &[] },
        PresetForm {
            preset: Preset::Tiny,
            name: "tiny",
            summary: "a handful of small objects, to be read by eye",
            values: &[
                ("objects", "12"),
                ("addresses", "dense"),
                ("primitive-lengths", "uniform:0..4"),
                ("object-lengths", "uniform:0..3"),
                ("string-lengths", "uniform:1..4"),
                ("classes", "constant:1"),
                ("fields", "uniform:1..3"),
                ("statics", "constant:1"),
                ("loaders", "1"),
                ("java-threads", "constant:1"),
                ("frames", "constant:1"),
                ("roots", "constant:1"),
            ],
        },
        PresetForm {
            preset: Preset::EveryRecord,
            name: "every-record",
            summary: "every record and sub-record that the writer has, and every kind of root; bare-arrays=yes adds Android's \
                      arrays without contents",
            values: &[
                ("objects", "400"),
                ("statics", "uniform:1..8"),
                ("java-threads", "constant:3"),
                ("frames", "uniform:1..4"),
                ("library", "jdk-6"),
                ("oddities", "constant-pools+signers+every-root"),
            ],
        },
        PresetForm {
            preset: Preset::Boundary,
            name: "boundary",
            summary: "lengths, counts, names, distances, hashes and serial numbers at the edges of their widths",
            values: &[
                ("objects", "300"),
                ("addresses", "edges"),
                ("mix", "2:1:4:2"),
                ("primitive-lengths", "edges"),
                ("object-lengths", "among:0+1+127+128+255+256+4096+32768+65536"),
                ("classes", "constant:20"),
                ("depth", "10"),
                ("fields", "among:0+1+127+128+255+256"),
                ("statics", "among:0+1+127+128"),
                ("name-lengths", "among:64+128+256+32768"),
                ("frames", "constant:301"),
                ("roots", "constant:16"),
                ("serials", "2147483648"),
                ("hashes", "16"),
                ("oddities", "extreme-values+null-hash+high-hash"),
            ],
        },
        PresetForm {
            preset: Preset::Huge,
            name: "huge",
            summary: "very many objects, in memory that does not grow with them",
            values: &[("objects", "1e6")],
        },
    ];

    /// Its row in [`Preset::FORMS`].
    pub fn form(self) -> &'static PresetForm {
        &Self::FORMS[self as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.form().name
    }

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Preset> {
        Self::FORMS.iter().find(|form| form.name == name).map(|form| form.preset)
    }

    /// Every preset's name, as a text lists them.
    pub fn names() -> String {
        Preset::FORMS.map(|form| form.name).join(", ")
    }

    /// Its options.
    pub fn options(self) -> GenerateOptions {
        let mut options = GenerateOptions::default();
        for (key, text) in self.form().values {
            let set = options.set(key, text);
            debug_assert!(set.is_ok(), "{}: {set:?}", self.name());
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_the_row_of_its_place_and_values_that_differ_from_the_defaults() {
        for (place, form) in Preset::FORMS.iter().enumerate() {
            assert_eq!(form.preset as usize, place, "{}", form.name);
            assert_eq!(Preset::named(form.name), Some(form.preset));
            let mut options = GenerateOptions::default();
            for (key, text) in form.values {
                options.set(key, text).unwrap_or_else(|error| panic!("{}: {error}", form.name));
            }
            options.check().expect("options that go together");
            // In the rows' order, spelled as recipes spell them.
            let spelled: Vec<(&str, String)> =
                form.values.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
            assert_eq!(options.beyond(&GenerateOptions::default()), spelled);
        }
    }

    #[test]
    fn the_default_is_plain_with_the_default_options() {
        assert_eq!(Preset::default().options(), GenerateOptions::default());
    }
}

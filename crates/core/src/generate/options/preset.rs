//! Presets: sets of values of the options, each with a name.

use super::GenerateOptions;

/// A named set of option values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// A heap that every parser should load.
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
    /// A heap like that of a dump of HotSpot.
    HotSpot,
    /// A heap like that of a dump of OpenJ9.
    OpenJ9,
    /// A heap like that of a dump of an Android application.
    Android,
    /// Strings with characters of every plane.
    Texts,
}

/// The description of a preset; [`Preset::FORMS`] is the table of all.
#[derive(Clone, Copy, Debug)]
pub struct PresetForm {
    /// The preset.
    pub preset: Preset,
    /// The preset's name in flags, files and recipes.
    pub name: &'static str,
    /// A summary in a line.
    pub summary: &'static str,
    /// The options that differ from the defaults, each with the text of its value.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// Every preset, in the order of declaration.
    pub const FORMS: [PresetForm; 9] = [
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
        PresetForm {
            preset: Preset::HotSpot,
            name: "hotspot",
            summary: "a heap whose structure is that of real ones of HotSpot, as far as docs/realism.md measures it",
            values: &[
                ("objects", "80000"),
                ("addresses", "ranges"),
                ("mix", "512:196:27:62"),
                ("primitive-lengths", "power:1..2000"),
                ("object-lengths", "among:16+16+32+32+32+32"),
                ("string-lengths", "geometric:28"),
                ("nulls", "0.6"),
                ("dangling", "0.001"),
                ("classes", "constant:800"),
                ("depth", "6"),
                ("fields", "among:0+0+1+1+2+2+3+3+5"),
                ("statics", "geometric:3"),
                ("names", "program"),
                ("java-threads", "constant:12"),
                ("frames", "among:4+5+5+11"),
                ("roots", "constant:0"),
                ("library", "jdk-25"),
                ("class-objects", "hotspot"),
                ("collections", "0.455"),
                ("class-use", "power:160..800"),
                ("hidden-classes", "0.1"),
                ("flat-classes", "0.52"),
                ("array-classes", "0.13"),
                ("resolved-references", "0.4"),
                ("common-strings", "0.27"),
                ("null-elements", "0.42"),
                ("owned", "0.977"),
                ("popular", "0.6"),
                ("locals", "uniform:6..18"),
                ("compressed-references", "yes"),
                ("unused-texts", "20000"),
            ],
        },
        PresetForm {
            preset: Preset::OpenJ9,
            name: "openj9",
            summary: "a heap whose structure is that of real ones of J9, as far as docs/realism.md measures it",
            values: &[
                ("objects", "5000"),
                ("addresses", "ranges"),
                ("mix", "300:290:9:93"),
                ("primitive-lengths", "among:2+4+8+16+64+12000"),
                ("object-lengths", "among:0+1+1+1+2+2+2+2+2+2+2+2+16+16+16+90"),
                ("string-lengths", "power:5..8192"),
                ("nulls", "0.7"),
                ("classes", "constant:440"),
                ("depth", "5"),
                ("names", "program"),
                ("java-threads", "constant:12"),
                ("library", "j9"),
                ("collections", "0.5"),
                ("class-use", "power:100..440"),
                ("flat-classes", "0.62"),
                ("array-classes", "0.055"),
                ("null-elements", "0.6"),
                ("owned", "0.875"),
                ("popular", "0.6"),
                ("hashed", "0.004"),
                ("compressed-references", "yes"),
            ],
        },
        PresetForm {
            preset: Preset::Android,
            name: "android",
            summary: "a heap whose structure is that of Android applications, as far as docs/realism.md has figures of them",
            values: &[
                ("objects", "30000"),
                ("word", "32"),
                ("addresses", "ranges"),
                ("mix", "250:300:75:44"),
                ("primitive-lengths", "power:2..2000"),
                ("object-lengths", "among:0+2+4+8+10+12+16+32"),
                ("string-lengths", "geometric:22"),
                ("nulls", "0.5"),
                ("classes", "constant:1900"),
                ("depth", "7"),
                ("statics", "geometric:4"),
                ("names", "program"),
                ("java-threads", "constant:24"),
                ("frames", "constant:0"),
                ("roots", "uniform:2..10"),
                ("library", "android"),
                ("collections", "0.3"),
                ("class-use", "power:128..1900"),
                ("hidden-classes", "0.05"),
                ("flat-classes", "0.5"),
                ("array-classes", "0.1"),
                ("common-strings", "0.3"),
                ("null-elements", "0.5"),
                ("owned", "0.98"),
                ("popular", "0.6"),
            ],
        },
        PresetForm {
            preset: Preset::Texts,
            name: "texts",
            summary: "strings of every length up to 40, with characters of every plane of Unicode and surrogates without a partner",
            values: &[
                ("objects", "400"),
                ("mix", "1:4:1:1"),
                ("string-lengths", "uniform:0..40"),
                ("common-strings", "0.1"),
                ("wide-strings", "0.7"),
            ],
        },
    ];

    /// The preset's row in [`Preset::FORMS`].
    pub fn form(self) -> &'static PresetForm {
        &Self::FORMS[self as usize]
    }

    /// The preset's name.
    pub fn name(self) -> &'static str {
        self.form().name
    }

    /// The preset with a name.
    pub fn named(name: &str) -> Option<Preset> {
        Self::FORMS.iter().find(|form| form.name == name).map(|form| form.preset)
    }

    /// The names of all presets, as a list in a text.
    pub fn names() -> String {
        Preset::FORMS.map(|form| form.name).join(", ")
    }

    /// The preset's options.
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
            assert_eq!(options.differences_from(&GenerateOptions::default()), spelled);
        }
    }

    #[test]
    fn the_default_is_plain_with_the_default_options() {
        assert_eq!(Preset::default().options(), GenerateOptions::default());
    }
}

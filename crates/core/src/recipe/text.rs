//! Recipes as text.

use std::fmt;
use std::str::FromStr;

use crate::bytes::charset::{Charset, Newline};
use crate::error::Error;
use crate::format::{Format, rule};
use crate::generate::{GenerateOption, Preset, VERSION};
use crate::units::IdSize;

use super::{Aim, Recipe};

/// The beginning of every recipe.
const BEGIN: &str = "heapsmith-";

/// The version of the generator, which recipes begin with: what a recipe means stays as long as it does.
pub fn version() -> String {
    VERSION.to_string()
}

/// A key of recipes beside those of the heap's options.
struct RecipeKey {
    name: &'static str,
    /// The expected values, in words.
    values: fn() -> String,
    read: fn(&mut Recipe, &str) -> Option<()>,
    /// Its value, where it is not the default.
    text: fn(&Recipe) -> Option<String>,
}

const PRESET: &str = "preset";

const EXPECTED_RULE: &str = "the id of a rule, such as phd.gap.signed";

/// The rule that a recipe aims at with a key.
fn aimed(recipe: &Recipe, key: &str) -> Option<String> {
    recipe.aim.filter(|aim| aim.key() == key).map(|aim| aim.rule().id.to_owned())
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The keys after those of the options, in order.
const KEYS: [RecipeKey; 13] = [
    RecipeKey {
        name: "swarm",
        values: || "yes or no".to_owned(),
        read: |recipe, text| {
            recipe.swarm = yes_or_no(text)?;
            Some(())
        },
        text: |recipe| recipe.swarm.then(|| "yes".to_owned()),
    },
    RecipeKey {
        name: "hit",
        values: || EXPECTED_RULE.to_owned(),
        read: |recipe, text| rule(text).map(|rule| recipe.aim = Some(Aim::Hit(rule))),
        text: |recipe| aimed(recipe, "hit"),
    },
    RecipeKey {
        name: "break",
        values: || EXPECTED_RULE.to_owned(),
        read: |recipe, text| rule(text).map(|rule| recipe.aim = Some(Aim::Break(rule))),
        text: |recipe| aimed(recipe, "break"),
    },
    RecipeKey {
        name: "edit",
        values: || "the name of an edit".to_owned(),
        read: |recipe, text| {
            recipe.edit = Some(text.to_owned());
            Some(())
        },
        text: |recipe| recipe.edit.clone(),
    },
    RecipeKey {
        name: "mutation",
        values: || "a number".to_owned(),
        read: |recipe, text| text.parse().ok().map(|seed| recipe.mutation = Some(seed)),
        text: |recipe| recipe.mutation.map(|seed| seed.to_string()),
    },
    RecipeKey {
        name: "gzip",
        values: || "yes or no".to_owned(),
        read: |recipe, text| {
            recipe.gzip = yes_or_no(text)?;
            Some(())
        },
        text: |recipe| recipe.gzip.then(|| "yes".to_owned()),
    },
    RecipeKey {
        name: "seed",
        values: || "a number".to_owned(),
        read: |recipe, text| text.parse().ok().map(|seed| recipe.seed = seed),
        text: |recipe| Some(recipe.seed.to_string()),
    },
    RecipeKey {
        name: "format",
        values: Format::names,
        read: |recipe, text| text.parse().ok().map(|format| recipe.format = format),
        // What a rule does not decide by itself.
        text: |recipe| {
            let is_said = recipe.format != Format::HPROF || recipe.aim.is_some() && recipe.kept.contains("format");
            is_said.then(|| recipe.format.to_string())
        },
    },
    RecipeKey {
        name: "profile",
        values: || "the name of a writer".to_owned(),
        read: |recipe, text| {
            recipe.wishes.profile = Some(text.to_owned());
            Some(())
        },
        text: |recipe| recipe.wishes.profile.clone(),
    },
    RecipeKey {
        name: "id-size",
        values: || "1, 2, 4 or 8".to_owned(),
        read: |recipe, text| {
            let size = IdSize::from_bytes(text.parse().ok()?)?;
            recipe.wishes.id_size = Some(size);
            Some(())
        },
        text: |recipe| recipe.wishes.id_size.map(|size| size.bytes().to_string()),
    },
    RecipeKey {
        name: "segments",
        values: || "a number from 1 on".to_owned(),
        read: |recipe, text| {
            recipe.wishes.segments = Some(text.parse().ok().filter(|segments| *segments > 0)?);
            Some(())
        },
        text: |recipe| recipe.wishes.segments.map(|segments| segments.to_string()),
    },
    RecipeKey {
        name: "encoding",
        values: || Charset::ALL.map(Charset::name).join(", "),
        read: |recipe, text| Charset::from_name(text).map(|charset| recipe.wishes.charset = Some(charset)),
        text: |recipe| recipe.wishes.charset.map(|charset| charset.name().to_owned()),
    },
    RecipeKey {
        name: "newline",
        values: || Newline::ALL.map(Newline::name).join(", "),
        read: |recipe, text| Newline::from_name(text).map(|newline| recipe.wishes.newline = Some(newline)),
        text: |recipe| recipe.wishes.newline.map(|newline| newline.name().to_owned()),
    },
];

impl Recipe {
    /// Whether a text is a recipe, of this or of another version of the generator, and not the name of a file.
    pub fn is_recipe(text: &str) -> bool {
        text.starts_with(BEGIN) && text.contains(':')
    }

    /// The recipe of a text.
    ///
    /// # Errors
    /// If it is not one, is for another version of the generator, or has a key or value that there is not.
    pub fn read(text: &str) -> Result<Recipe, Error> {
        let wrong = |message: String| Error::Usage(format!("recipe {text}: {message}"));
        let (generator, pairs) = text.strip_prefix(BEGIN).and_then(|text| text.split_once(':')).ok_or_else(|| {
            wrong(format!(
                "expected {BEGIN}{}: and keys with values, such as {}",
                version(),
                Recipe::from(Preset::Tiny)
            ))
        })?;
        if generator != version() {
            return Err(wrong(format!(
                "it is for version {generator} of the generator, and this is version {}, in which the same seed means \
                 another heap; use the heapsmith that made it",
                version()
            )));
        }
        let mut given: Vec<(&str, String)> = Vec::new();
        for pair in pairs.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| wrong(format!("expected a key and its value, such as seed=7, found {pair:?}")))?;
            let value = unescaped(value)
                .ok_or_else(|| wrong(format!("{key}: expected text with escapes such as %2c, found {value:?}")))?;
            if given.iter().any(|(other, _)| *other == key) {
                return Err(wrong(format!("{key} is given twice")));
            }
            given.push((key, value));
        }
        let mut recipe = Recipe::from(Preset::default());
        // The others differ from it, wherever it stands.
        if let Some((_, name)) = given.iter().find(|(key, _)| *key == PRESET) {
            let unknown = || wrong(format!("expected one of the presets {}, found {name:?}", Preset::names()));
            recipe = Preset::named(name).ok_or_else(unknown)?.into();
        }
        for (key, value) in &given {
            let known = KEYS.iter().find(|row| row.name == *key);
            match (known, GenerateOption::named(key)) {
                _ if *key == PRESET => {}
                (Some(row), _) => {
                    (row.read)(&mut recipe, value)
                        .ok_or_else(|| wrong(format!("{key}: expected {}, found {value:?}", (row.values)())))?;
                    recipe.keep(row.name);
                }
                (None, Some(option)) => {
                    option.set(&mut recipe.options, value).map_err(|error| wrong(error.to_string()))?;
                    recipe.keep(option.key());
                }
                (None, None) => {
                    let keys = KEYS.iter().map(|row| row.name).chain([PRESET]);
                    return Err(wrong(GenerateOption::unknown(key, keys).to_string()));
                }
            }
        }
        let of_one = ["hit", "break", "edit", "mutation"]
            .into_iter()
            .filter(|key| recipe.kept.contains(key))
            .collect::<Vec<_>>();
        if let [one, other, ..] = of_one[..] {
            return Err(wrong(format!("{one} and {other} exclude each other")));
        }
        Ok(recipe)
    }

    /// The options with their values that a recipe has to say.
    fn written_keys(&self) -> Vec<(&'static str, String)> {
        let drawn = !self.is_settled();
        let preset = self.preset.options();
        let all = GenerateOption::rows().map(|option| (option.key(), option.text(&self.options), option.text(&preset)));
        let said = all.filter(|(key, own, preset)| own != preset || drawn && self.kept.contains(key));
        said.map(|(key, own, _)| (key, own)).collect()
    }
}

impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Recipe, Error> {
        Recipe::read(text)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEGIN}{}:{PRESET}={}", version(), self.preset.name())?;
        let own = KEYS.iter().filter_map(|row| Some((row.name, (row.text)(self)?)));
        let pairs = self.written_keys().into_iter().chain(own);
        pairs.into_iter().try_for_each(|(key, value)| write!(f, ",{key}={}", escaped(&value)))
    }
}

/// The text with escapes for what separates values, and for what is not printable ASCII.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b',' | b'%' => format!("%{byte:02x}"),
        byte if byte.is_ascii_graphic() => char::from(byte).to_string(),
        byte => format!("%{byte:02x}"),
    };
    text.bytes().map(byte).collect()
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                bytes.push((high << 4 | low) as u8);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{DrawStream, SeedDraw};
    use crate::generate::GenerateOptions;

    fn canonical(text: &str) -> String {
        Recipe::read(text).expect("a recipe").to_string()
    }

    #[test]
    fn a_recipe_is_printed_with_what_differs_from_its_preset() {
        let text = "heapsmith-2:preset=huge,objects=5e6,seed=7";
        assert_eq!(canonical(text), text);
        assert_eq!(canonical("heapsmith-2:"), "heapsmith-2:preset=plain,seed=0");
        assert_eq!(canonical("heapsmith-2:seed=7,objects=1000000,preset=huge"), "heapsmith-2:preset=huge,seed=7");
        let text = "heapsmith-2:preset=tiny,word=32,version-text=a%2c%20b%25%e2%82%ac,seed=1,format=classic,\
                    profile=any,encoding=ibm-1047,newline=nel";
        assert_eq!(canonical(text), text);
        let compressed = "heapsmith-2:preset=tiny,gzip=yes,seed=1";
        assert_eq!(canonical(compressed), compressed);
        let mut dump = Vec::new();
        Recipe::read(compressed).and_then(|recipe| recipe.write(&mut dump)).expect("it is written");
        // A member of RFC 1952, whose first block is stored: its plain bytes stand in it.
        assert_eq!(dump[..4], [0x1f, 0x8b, 8, 0]);
        assert!(dump.windows(13).any(|bytes| bytes == b"JAVA PROFILE "));
        assert_eq!(Recipe::read(text).expect("a recipe").options.version_text.as_deref(), Some("a, b%\u{20ac}"));
    }

    #[test]
    fn every_recipe_is_read_as_it_is_printed() {
        for seed in 0..300 {
            let mut draw = SeedDraw::new(seed, DrawStream::Heap);
            let preset = Preset::FORMS[seed as usize % Preset::FORMS.len()].preset;
            let recipe = Recipe::from(preset).options(GenerateOptions::draw(&mut draw)).seed(seed).swarm(seed % 3 == 0);
            let read = Recipe::read(&recipe.to_string()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((&read.options, read.to_string()), (&recipe.options, recipe.to_string()));
            let settled = |recipe: &Recipe| recipe.settled().map_err(|error| error.to_string());
            let text = |recipe: Recipe| recipe.to_string();
            assert_eq!(settled(&read).map(text), settled(&recipe).map(text));
        }
    }

    #[test]
    fn what_is_wrong_with_a_recipe_is_named() {
        let of = |text: &str| Recipe::read(text).expect_err("an error").to_string();
        let error = of("heapsmith-3:seed=1");
        assert!(error.contains("it is for version 3 of the generator, and this is version 2"), "{error}");
        let error = of("heapsmith-2:sed=1");
        assert!(error.contains("unknown option \"sed\"; ") && error.contains("did you mean seed"), "{error}");
        assert!(of("heapsmith-2:seed=1,seed=2").ends_with("seed is given twice"));
        assert!(of("heapsmith-2:seed").contains("expected a key and its value, such as seed=7, found \"seed\""));
        assert!(of("heapsmith-2:preset=big").contains("presets plain, tiny, "));
        assert!(of("heapsmith-2:id-size=3").ends_with("id-size: expected 1, 2, 4 or 8, found \"3\""));
        assert!(of("heapsmith-2:nulls=2").contains("nulls: expected ordinary, or a share from 0 to 1"));
        assert!(of("heapsmith-2:version-text=%g0").contains("escapes"));
        assert!(of("dump.phd").contains("expected heapsmith-2:"));
        assert!(!Recipe::is_recipe("heapsmith-demo/seed1.phd"));
        assert!(Recipe::is_recipe("heapsmith-3:seed=1"));
    }

    #[test]
    fn what_a_format_cannot_express_is_refused_with_the_option() {
        let of = |pairs: &str| Recipe::read(&format!("heapsmith-2:{pairs}")).and_then(|recipe| recipe.lowering());
        let refused = |pairs: &str| of(pairs).expect_err(pairs).to_string();
        assert!(refused("profile=agent,word=64").starts_with("word=64: hprof of the profile agent"));
        assert!(refused("profile=agent,word=64").ends_with("choose word=32"));
        assert!(refused("profile=any,id-size=2").ends_with("choose addresses=numbers"));
        assert!(refused("format=phd6,addresses=unaligned").starts_with("addresses=unaligned: phd6"));
        assert!(refused("word=32,addresses=above-4g").ends_with("choose word=64"));
        assert!(refused("addresses=numbers,profile=any,id-size=1").ends_with("choose objects=20"));
        assert!(refused("format=classic,encoding=ibm-037,names=odd").ends_with("choose latin1-names=yes"));
        assert_eq!(
            refused("objects=100,java-threads=40"),
            "java-threads=constant:40: each takes 3 objects, and 100 objects have room for 32 beside 2 class loaders; choose \
             java-threads=constant:32"
        );
        assert!(refused("objects=100,loaders=101").ends_with("choose loaders=100"));
        assert!(refused("name-lengths=70000").ends_with("choose name-lengths=constant:65000"));
        // What is not asked for, small heaps have as far as there is room.
        for pairs in [
            "profile=agent",
            "profile=any,id-size=4",
            "objects=1",
            "preset=tiny,objects=2",
            "profile=any,id-size=2,addresses=numbers",
            "format=phd4,word=32",
        ] {
            of(pairs).expect(pairs);
        }
    }
}

//! Options in a file, their JSON schema, and the tables of `docs/generating.md`.

use serde_json::{Map, Value as Json, json};

use crate::error::Error;

use super::kinds::join_names;
use super::{GenerateOption, GenerateOptions, Preset};

/// The key of the preset in a file of options.
const PRESET: &str = "preset";

impl Preset {
    /// The preset that a file of options names.
    ///
    /// # Errors
    /// If there is no such preset.
    pub fn from_file(values: &Json) -> Result<Option<Preset>, Error> {
        let Some(name) = values.get(PRESET) else { return Ok(None) };
        let preset = name.as_str().and_then(Preset::named);
        let unknown = || Error::Usage(format!("preset: expected one of {}, found {name}", Preset::names()));
        preset.ok_or_else(unknown).map(Some)
    }
}

impl GenerateOptions {
    /// Sets the options of a file: an object of keys and values, as its schema has them.
    ///
    /// # Errors
    /// If there is no such option, or it has no such value.
    pub fn set_values(&mut self, values: &Json) -> Result<(), Error> {
        let options =
            values.as_object().ok_or_else(|| Error::Usage("expected keys and values of options".to_owned()))?;
        for (key, value) in options.iter().filter(|(key, _)| *key != PRESET) {
            let option = GenerateOption::named(key).ok_or_else(|| GenerateOption::unknown(key, [PRESET]))?;
            option.set(self, &flag_text(value))?;
        }
        Ok(())
    }
}

/// A JSON value as flags spell it; what flags cannot spell stays JSON, and is no value of any option.
fn flag_text(value: &Json) -> String {
    let item = |item: &Json| item.as_str().map(str::to_owned);
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let names: Option<Vec<String>> = items.iter().map(item).collect();
            names.map_or_else(|| value.to_string(), |names| join_names(&names))
        }
        Json::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), |n| n.to_string())
        }
        other => other.to_string(),
    }
}

/// The JSON schema of a file of options: a preset, and the options that differ from it. Version 2.
pub fn schema() -> Json {
    let presets = Json::Array(Preset::FORMS.iter().map(|form| Json::from(form.name)).collect());
    let preset = json!({ "description": "Preset from which the options start.", "enum": presets });
    let mut properties = Map::from_iter([(PRESET.to_owned(), preset)]);
    for option in GenerateOption::rows() {
        let mut schema = option.schema();
        schema["description"] = format!("{} Expected: {}.", option.help(), option.values()).into();
        properties.insert(option.key().to_owned(), schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "GenerateOptions",
        "description": "Options of the generator, as a file has them.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::generate::{Lengths, ShapeForm};

    const PAGE: &str = "docs/generating.md";

    /// A page with other rows in its tables: the lines from a head to the next empty line are replaced.
    fn with_rows(page: &str, head: &str, rows: &[String]) -> String {
        let (before, table) = page.split_once(head).unwrap_or_else(|| panic!("{PAGE} has no table {head:?}"));
        let (line, table) = table.split_once("\n|").expect("a line under the head");
        let (rule, table) = table.split_once('\n').expect("rows");
        let after = table.find("\n\n").map_or("\n", |end| &table[end..]);
        format!("{before}{head}{line}\n|{rule}\n{}{after}", rows.join("\n"))
    }

    fn cell(text: &str) -> String {
        text.replace('|', "\\|")
    }

    /// `HEAPSMITH_BLESS=1 cargo test --lib generate::options::` rewrites the tables.
    #[test]
    fn the_document_has_every_option_and_preset() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
        let page = fs::read_to_string(&path).expect("the page");
        let defaults = GenerateOptions::default();
        let options: Vec<String> = GenerateOption::rows()
            .map(|option| {
                let default = option.text(&defaults);
                format!("| `{}` | {} | {} | `{default}` |", option.key(), cell(&option.help()), cell(&option.values()))
            })
            .collect();
        let presets: Vec<String> = Preset::FORMS
            .iter()
            .map(|form| {
                let values: Vec<String> =
                    form.values.iter().map(|(key, text)| format!("`{key}={}`", cell(text))).collect();
                let values = if values.is_empty() { "the defaults".to_owned() } else { values.join(", ") };
                format!("| `{}` | {} | {values} |", form.name, form.summary)
            })
            .collect();
        let written = with_rows(&page, "| option | what | values | default |", &options);
        let spellings = Lengths::SPELLINGS.map(|(spelling, what)| format!("| `{spelling}` | {what} |"));
        let written = with_rows(&written, "| spelling | what |", &spellings);
        let shapes: Vec<String> = ShapeForm::FORMS
            .iter()
            .map(|form| format!("| `{}` | {} | {} |", form.spelling(), form.summary, form.graph))
            .collect();
        let written = with_rows(&written, "| shape | what | graph |", &shapes);
        let written = with_rows(&written, "| preset | what | options |", &presets);
        if env::var_os("HEAPSMITH_BLESS").is_some() {
            fs::write(path, written).expect("writable");
        } else {
            let differs = page.lines().zip(written.lines()).find(|(left, right)| left != right);
            assert!(page == written, "HEAPSMITH_BLESS=1 writes the tables anew: {differs:?}");
        }
    }

    #[test]
    fn a_file_says_the_same_as_flags() {
        let values = json!({
            "preset": "tiny", "objects": 20, "classes": 3, "nulls": 0.25, "hashes": 16, "latin1-names": true,
            "oddities": ["nul-names", "signers"], "string-lengths": "geometric:9", "bare-arrays": false,
            "shape": ["list:1e6", "tree:2,3@java-frame"],
        });
        assert_eq!(Preset::from_file(&values).expect("a preset"), Some(Preset::Tiny));
        let mut options = GenerateOptions::default();
        options.set_values(&values).expect("options");
        let mut same = GenerateOptions::default();
        for (key, text) in [
            ("objects", "20"),
            ("classes", "3"),
            ("nulls", "0.25"),
            ("hashes", "16"),
            ("latin1-names", "yes"),
            ("oddities", "nul-names+signers"),
            ("string-lengths", "geometric:9"),
            ("shape", "list:1000000+tree:2:3@java-frame"),
        ] {
            same.set(key, text).expect("an option");
        }
        assert_eq!(options, same);
        options.set_values(&json!({ "oddities": [] })).expect("none");
        assert_eq!(options.oddities.iter().count(), 0);
        for wrong in [json!({ "objects": -1 }), json!({ "objects": [1] }), json!({ "nulls": null }), json!([])] {
            options.set_values(&wrong).expect_err("no option, or no value of it");
        }
        Preset::from_file(&json!({ "preset": 3 })).expect_err("no preset");
    }

    #[test]
    fn the_schema_takes_every_preset() {
        let schema = schema();
        let properties = schema["properties"].as_object().expect("properties");
        assert_eq!(properties.len(), GenerateOption::rows().count() + 1);
        for (key, _) in Preset::FORMS.iter().flat_map(|form| form.values) {
            assert!(properties.contains_key(*key), "{key}");
        }
    }
}

//! The options as a JSON schema, and as the tables of `docs/generating.md`.

use serde_json::{Map, Value as Json, json};

use super::{GenerateOption, Preset};

/// The JSON schema of a file of options: a preset, and what differs from it. Version 1.
pub fn schema() -> Json {
    let presets = Json::Array(Preset::FORMS.iter().map(|form| Json::from(form.name)).collect());
    let preset = json!({ "description": "Preset from which the options start.", "enum": presets });
    let mut properties = Map::from_iter([("preset".to_owned(), preset)]);
    for option in GenerateOption::all() {
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
    use crate::generate::{GenerateOptions, Lengths};

    const PAGE: &str = "docs/generating.md";

    /// A page with other rows in its tables: lines from the one after a head to the next empty one.
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

    /// `HEAPSMITH_BLESS=1 cargo test --lib generate::options::` writes the tables anew.
    #[test]
    fn the_document_has_every_option_and_preset() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let page = fs::read_to_string(&path).expect("the page");
        let defaults = GenerateOptions::default();
        let options: Vec<String> = GenerateOption::all()
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
        let written = with_rows(&written, "| preset | what | options |", &presets);
        if env::var_os("HEAPSMITH_BLESS").is_some() {
            fs::write(path, written).expect("writable");
        } else {
            let differs = page.lines().zip(written.lines()).find(|(left, right)| left != right);
            assert!(page == written, "HEAPSMITH_BLESS=1 writes the tables anew: {differs:?}");
        }
    }

    #[test]
    fn the_schema_takes_every_preset() {
        let schema = schema();
        let properties = schema["properties"].as_object().expect("properties");
        assert_eq!(properties.len(), GenerateOption::all().count() + 1);
        for (key, _) in Preset::FORMS.iter().flat_map(|form| form.values) {
            assert!(properties.contains_key(*key), "{key}");
        }
    }
}

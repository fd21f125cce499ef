//! Tables of `specs/` as Rust: made from the files, so that the library parses none of them when it runs.
//!
//! `HEAPSMITH_BLESS=1 cargo test --test project` writes them anew after a change of a file in `specs/`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

#[test]
fn rule_books_are_those_of_the_specs() {
    for (format, title) in [("phd", "PHD"), ("hprof", "HPROF"), ("classic", "classic heap dumps")] {
        holds(&format!("src/{format}/rules/book.rs"), &book(format, title, &spec(format)));
    }
}

#[test]
fn the_table_of_facets_is_that_of_the_specs() {
    holds("src/format/target/table.rs", &facets(&spec("facets")));
}

fn spec(name: &str) -> Table {
    let text = fs::read_to_string(root().join(format!("specs/{name}.toml"))).expect("it is in the repository");
    text.parse().unwrap_or_else(|error| panic!("specs/{name}.toml: {error}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Whether a file has this text; with `HEAPSMITH_BLESS`, it has.
fn holds(file: &str, text: &str) {
    let path = root().join(file);
    if env::var_os("HEAPSMITH_BLESS").is_some() {
        fs::write(&path, text).expect("the repository can be written to");
    }
    let held = fs::read_to_string(&path).unwrap_or_default();
    let differs = held.lines().zip(text.lines()).position(|(held, wanted)| held != wanted);
    assert!(
        held == text,
        "{file} is not what specs/ says, from line {} on: HEAPSMITH_BLESS=1 cargo test --test project writes it anew",
        differs.unwrap_or_else(|| held.lines().count().min(text.lines().count())) + 1
    );
}

fn head(spec: &str) -> String {
    format!("//! Made from `specs/{spec}.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.\n\n")
}

fn book(format: &str, title: &str, spec: &Table) -> String {
    let mut text = head(format);
    text += "use crate::findings::{Rule, RuleKind, Rulebook, Scope, Severity, Source, severities};\n\n";
    let made = |text: &mut String, line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("memory");
    made(&mut text, format_args!("/// The rule book of {title}.\n"));
    let name = string(spec, "format");
    made(
        &mut text,
        format_args!("pub static BOOK: Rulebook = Rulebook::new({name:?}, SOURCES, RULES, || severities(RULES));\n\n"),
    );
    text += "const SOURCES: &[Source] = &[\n";
    for source in tables(spec, "source") {
        let (key, title) = (string(source, "key"), string(source, "title"));
        made(&mut text, format_args!("    Source {{ key: {key:?}, title: {title:?} }},\n"));
    }
    text += "];\n\nstatic RULES: &[Rule] = &[\n";
    for rule in tables(spec, "rule") {
        let option = |key| rule.get(key).map(|value| value.as_str().expect("a text"));
        let severity = option("severity").map(|severity| format!("Severity::{}", variant(severity)));
        made(&mut text, format_args!("    Rule {{\n        id: {:?},\n", string(rule, "id")));
        made(&mut text, format_args!("        kind: RuleKind::{},\n", variant(string(rule, "kind"))));
        let severity = severity.map_or("None".to_owned(), |severity| format!("Some({severity})"));
        made(&mut text, format_args!("        severity: {severity},\n"));
        made(&mut text, format_args!("        statement: {:?},\n", string(rule, "statement")));
        made(&mut text, format_args!("        source: &{:?},\n", strings(rule, "source")));
        made(&mut text, format_args!("        documents: {:?},\n", option("documents")));
        let versions = array(rule, "versions").iter().map(|version| version.as_integer().expect("a number"));
        made(&mut text, format_args!("        versions: &{:?},\n", versions.collect::<Vec<_>>()));
        made(&mut text, format_args!("        profiles: &{:?},\n", strings(rule, "profiles")));
        made(&mut text, format_args!("        errata: &{:?},\n", strings(rule, "errata")));
        made(&mut text, format_args!("        scope: Scope::{},\n    }},\n", variant(string(rule, "scope"))));
    }
    text + "];\n"
}

fn facets(spec: &Table) -> String {
    let mut text = head("facets");
    text += "use crate::compare::Facet;\nuse crate::compare::carriage::{Carriage, Rule};\n\n";
    text += "/// What each rule does.\npub(super) const RULES: &[(Rule, &str)] = &[\n";
    for (name, rule) in spec["rules"].as_table().expect("a table") {
        let does = string(rule.as_table().expect("a table"), "text");
        writeln!(text, "    (Rule::{}, {does:?}),", variant(name)).expect("memory");
    }
    text += "];\n\n/// For each facet: how it is carried, by kind of dump.\n";
    text += "pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[\n";
    for (name, row) in spec["facets"].as_table().expect("a table") {
        writeln!(text, "    (\n        Facet::{},\n        &[", variant(name)).expect("memory");
        for (dump, value) in row.as_table().expect("a table") {
            let carriage = match value.as_str().expect("a text") {
                "exact" => "Carriage::Exact".to_owned(),
                "none" => "Carriage::None".to_owned(),
                rule => format!("Carriage::Changed(Rule::{})", variant(rule)),
            };
            writeln!(text, "            ({dump:?}, {carriage}),").expect("memory");
        }
        text += "        ],\n    ),\n";
    }
    text + "];\n"
}

fn tables<'t>(table: &'t Table, key: &str) -> Vec<&'t Table> {
    array(table, key).iter().map(|value| value.as_table().expect("a table")).collect()
}

fn array<'t>(table: &'t Table, key: &str) -> &'t [Value] {
    table.get(key).map_or(&[], |value| value.as_array().expect("an array"))
}

fn strings<'t>(table: &'t Table, key: &str) -> Vec<&'t str> {
    array(table, key).iter().map(|value| value.as_str().expect("a text")).collect()
}

fn string<'t>(table: &'t Table, key: &str) -> &'t str {
    table[key].as_str().expect("a text")
}

/// `array-class-first` as the variant of an enumeration.
fn variant(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

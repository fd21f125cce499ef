//! The rule books and tables of `specs/` as Rust, so that the library parses none of them when it runs.
//!
//! Every file of `specs/` that names a format gives `OUT_DIR/NAME_book.rs` (rules, and constants of those that code names) and
//! `OUT_DIR/NAME_carries.rs` (which facts its dumps carry); `facets.toml` gives `OUT_DIR/facet_rules.rs`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

fn main() {
    println!("cargo::rerun-if-changed=specs");
    println!("cargo::rerun-if-changed=build.rs");
    // To check on Unix what takes the place of Unix calls elsewhere: a flag of the compiler would build every crate anew.
    println!("cargo::rerun-if-env-changed=HEAPSMITH_PORTABLE");
    if env::var_os("HEAPSMITH_PORTABLE").is_some() {
        println!("cargo::rustc-cfg=heapsmith_portable");
    }
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let put = |name: String, text: String| fs::write(Path::new(&out).join(name), text).expect("cargo made the folder");
    for name in spec_names() {
        let spec = read_spec(&name);
        if spec.contains_key("format") {
            put(format!("{name}_book.rs"), book(&name, &spec));
            put(format!("{name}_carries.rs"), carries(&spec));
        }
    }
    put("facet_rules.rs".to_owned(), facet_rules(&read_spec("facets")));
}

/// The names of the files of `specs/` in TOML.
fn spec_names() -> Vec<String> {
    let entries = fs::read_dir("specs").expect("it is in the repository");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    names.sort();
    names
}

fn read_spec(name: &str) -> Table {
    let text = fs::read_to_string(format!("specs/{name}.toml")).expect("it is in the repository");
    text.parse().unwrap_or_else(|error| panic!("specs/{name}.toml: {error}"))
}

fn book(family: &str, spec: &Table) -> String {
    let mut text = String::from(
        "use crate::error::RuleId;\n#[allow(unused_imports, reason = \"a book need not have all of them\")]\nuse crate::findings::{CaseRole, Erratum, Exemption, Rule, RuleKind, RuleScope, RuleSource, Rulebook, Section, Severity, Statement, severities};\n\n",
    );
    let made = |text: &mut String, line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("memory");
    made(&mut text, format_args!("/// The rule book of `{family}`.\n"));
    let name = string(spec, "format");
    made(
        &mut text,
        format_args!(
            "pub static BOOK: Rulebook = Rulebook::new({name:?}, SOURCES, RULES, ERRATA, SECTIONS, || severities(RULES));\n\n"
        ),
    );
    let of_bytes = || tables(spec, "rule").into_iter().filter(|rule| string(rule, "kind") == "bytes");
    let constants: Vec<String> = of_bytes().map(|rule| constant(string(rule, "id"))).collect();
    let all = constants.join(", ");
    made(&mut text, format_args!("/// Every rule of the bytes.\npub const ALL: &[RuleId] = &[{all}];\n\n"));
    for rule in tables(spec, "rule") {
        let id = string(rule, "id");
        let statement = string(rule, "statement");
        let first = statement.split_inclusive(". ").next().unwrap_or(statement).trim_end();
        made(&mut text, format_args!("/// {first}\npub const {}: RuleId = RuleId({id:?});\n", constant(id)));
    }
    text += "\n";
    text += "const SOURCES: &[RuleSource] = &[\n";
    for source in tables(spec, "source") {
        let (key, title) = (string(source, "key"), string(source, "title"));
        made(&mut text, format_args!("    RuleSource {{ key: {key:?}, title: {title:?} }},\n"));
    }
    text += "];\n\nconst ERRATA: &[Erratum] = &[\n";
    for erratum in tables(spec, "erratum") {
        let (id, statement) = (string(erratum, "id"), string(erratum, "statement"));
        made(&mut text, format_args!("    Erratum {{ id: {id:?}, statement: {statement:?} }},\n"));
    }
    text += "];\n\nconst SECTIONS: &[Section] = &[\n";
    for section in tables(spec, "coverage") {
        let name = string(section, "section");
        made(&mut text, format_args!("    Section {{ name: {name:?}, statements: &[\n"));
        for statement in tables(section, "statements") {
            let (says, rules) = (string(statement, "says"), strings(statement, "rules"));
            let without = statement.get("without").map(|reason| reason.as_str().expect("a text"));
            let fields = format_args!("says: {says:?}, rules: &{rules:?}, without: {without:?}");
            made(&mut text, format_args!("        Statement {{ {fields} }},\n"));
        }
        text += "    ] },\n";
    }
    let groups = spec.get("records").map_or_else(Table::new, |groups| groups.as_table().expect("a table").clone());
    text += "];\n\nstatic RULES: &[Rule] = &[\n";
    for rule in tables(spec, "rule") {
        let option = |key| rule.get(key).map(|value| value.as_str().expect("a text"));
        let severity = option("severity").map(|severity| format!("Severity::{}", variant(severity)));
        made(&mut text, format_args!("    Rule {{\n        id: {:?},\n", string(rule, "id")));
        made(&mut text, format_args!("        kind: RuleKind::{},\n", variant(string(rule, "kind"))));
        let severity = severity.map_or("None".to_owned(), |severity| format!("Some({severity})"));
        made(&mut text, format_args!("        severity: {severity},\n"));
        let stops = rule.get("stops").is_some_and(|stops| stops.as_bool().expect("true or false"));
        made(&mut text, format_args!("        stops: {stops},\n"));
        made(&mut text, format_args!("        statement: {:?},\n", string(rule, "statement")));
        made(&mut text, format_args!("        source: &{:?},\n", strings(rule, "source")));
        made(&mut text, format_args!("        documents: {:?},\n", option("documents")));
        let versions = if rule.contains_key("versions") { rule } else { spec };
        let versions = array(versions, "versions").iter().map(|version| version.as_integer().expect("a number"));
        made(&mut text, format_args!("        versions: &{:?},\n", versions.collect::<Vec<_>>()));
        made(&mut text, format_args!("        profiles: &{:?},\n", strings(rule, "profiles")));
        made(&mut text, format_args!("        errata: &{:?},\n", strings(rule, "errata")));
        made(&mut text, format_args!("        scope: RuleScope::{},\n", variant(string(rule, "scope"))));
        made(&mut text, format_args!("        facets: &{:?},\n", strings(rule, "facets")));
        let is_sign = rule.get("sign").is_some_and(|sign| sign.as_bool().expect("true or false"));
        made(&mut text, format_args!("        is_sign: {is_sign},\n"));
        made(&mut text, format_args!("        same_test: {:?},\n", option("same-test")));
        let records = |of: &Table| -> Vec<String> {
            let names = strings(of, "records").into_iter();
            let names = names.flat_map(|name| match groups.contains_key(name) {
                true => strings(&groups, name),
                false => vec![name],
            });
            names.map(str::to_owned).collect()
        };
        made(&mut text, format_args!("        records: &{:?},\n        exempt: &[\n", records(rule)));
        for exempt in tables(rule, "exempt") {
            let (from, reason) = (variant(string(exempt, "from")), string(exempt, "reason"));
            let fields = format_args!("from: CaseRole::{from}, records: &{:?}, reason: {reason:?}", records(exempt));
            made(&mut text, format_args!("            Exemption {{ {fields} }},\n"));
        }
        text += "        ],\n";
        let since = option("since").unwrap_or(string(spec, "introduced"));
        made(&mut text, format_args!("        since: {since:?},\n    }},\n"));
    }
    text + "];\n"
}

/// `phd.gap.native-width` as the constant `GAP_NATIVE_WIDTH`.
fn constant(id: &str) -> String {
    let (_, rest) = id.split_once('.').expect("a family and a name");
    rest.replace(['.', '-'], "_").to_uppercase()
}

fn facet_rules(spec: &Table) -> String {
    let mut text = String::from("use crate::compare::carriage::ChangeRule;\n\n");
    text += "/// What each rule does.\npub(super) const RULES: &[(ChangeRule, &str)] = &[\n";
    for (name, rule) in spec["rules"].as_table().expect("a table") {
        let does = string(rule.as_table().expect("a table"), "text");
        writeln!(text, "    (ChangeRule::{}, {does:?}),", variant(name)).expect("memory");
    }
    text + "];\n"
}

fn carries(spec: &Table) -> String {
    let mut text = String::from(
        "use crate::compare::Facet;
",
    );
    text += "#[allow(unused_imports, reason = \"a format need not have all of them\")]\n";
    text += "use crate::compare::carriage::{Carriage::{self, Changed, Exact, None}, ChangeRule};\n\n";
    text += "/// How each facet is carried, by kind of dump. What is not here is not carried.\n";
    text += "pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[\n";
    for (name, row) in spec["carries"].as_table().expect("a table") {
        let carriage = |value: &str| match value {
            "exact" => "Exact".to_owned(),
            "none" => "None".to_owned(),
            rule => format!("Changed(ChangeRule::{})", variant(rule)),
        };
        let row = row.as_table().expect("a table").iter();
        let row = row.map(|(dump, value)| format!("({dump:?}, {})", carriage(value.as_str().expect("a text"))));
        let row: Vec<String> = row.collect();
        writeln!(text, "    (Facet::{}, &[{}]),", variant(name), row.join(", ")).expect("memory");
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

//! The rules as pages of a book: a folder for each format, a page for each rule, and the lines of a table of contents.

use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::format::Family;
use crate::output::Output;
use crate::validate::{Rule, Rulebook, rulebook};

use super::cases::CorpusCases;
use super::{ExampleField, Explanation, explanation, first_sentence, heading, severity_or_kind};
use crate::command::terminal;

/// Writes the pages into a new or empty folder.
///
/// # Errors
/// If the folder holds something, or cannot be written.
pub(super) fn write(folder: &Path) -> Result<usize, Error> {
    let failed = |path: &Path, e| Error::io(format!("writing {}", path.display()), e);
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    if std::fs::read_dir(folder).map_err(|e| failed(folder, e))?.next().is_some() {
        let folder = folder.display();
        return Err(Error::Usage(format!("{folder} is not empty; name a new folder for the pages of the rules")));
    }
    let cases = CorpusCases::load()?;
    let mut count = 0;
    let mut contents = String::new();
    for family in Family::ALL {
        let book = rulebook(family);
        let name = family.name();
        std::fs::create_dir(folder.join(name)).map_err(|e| failed(&folder.join(name), e))?;
        contents += &format!("- [{}]({name}/README.md)\n", title(book));
        write_page(&folder.join(name).join("README.md"), &overview(book))?;
        for rule in book.rule {
            contents += &format!("  - [{}]({name}/{})\n", rule.id, file_name(rule));
            write_page(&folder.join(name).join(file_name(rule)), &page(&explanation(book, rule, &cases)?))?;
            count += 1;
        }
    }
    write_page(&folder.join("SUMMARY.md"), &contents)?;
    Ok(count)
}

fn write_page(path: &Path, text: &str) -> Result<(), Error> {
    let mut output = Output::create(path, false)?;
    output.write_all(&terminal::plain(text)).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
    output.finish()
}

fn file_name(rule: &Rule) -> String {
    format!("{}.md", rule.id)
}

fn title(book: &Rulebook) -> String {
    match book.format {
        "classic" => "Rules of classic text".to_owned(),
        format => format!("Rules of {}", format.to_uppercase()),
    }
}

/// The rules of a format, and the documents and implementations that they come from.
fn overview(book: &Rulebook) -> String {
    let mut text = format!("# {}\n\n| rule | | first sentence |\n|---|---|---|\n", title(book));
    for rule in book.rule {
        let sentence = escaped(first_sentence(rule.statement)).replace('|', "\\|");
        text += &format!("| [{}]({}) | {} | {sentence} |\n", rule.id, file_name(rule), severity_or_kind(rule));
    }
    text += "\n## Sources\n\n";
    for source in book.source {
        text += &format!("- {}: {}\n", source.key, escaped(source.title));
    }
    text
}

/// Everything about a rule.
fn page(explained: &Explanation) -> String {
    let mut text =
        format!("# {}\n\n{}\n\n*{}.*\n", explained.rule, escaped(explained.statement), capitalised_heading(explained));
    if !explained.examples.is_empty() {
        text += "\n## Bytes\n\nOffset, bytes, field, value and meaning; `>` marks the place.\n";
    }
    for example in &explained.examples {
        let (case, part, summary) = (&example.case, example.part, escaped(&example.summary));
        text += &format!("\n`{case}` {part} the rule: {summary}\n\n```text\n");
        for ExampleField { place, field } in &example.fields {
            let mark = if *place { ">" } else { " " };
            field.lines().for_each(|line| text += &format!("{mark} {}\n", line.trim_end()));
        }
        text += "```\n";
    }
    let errata = explained.errata.iter().map(|erratum| format!("{}: {}", erratum.id, escaped(erratum.statement)));
    let keys = explained.keys.iter().map(|key| format!("{}: {}", key.key, escaped(key.title)));
    let versions = explained.versions.iter().map(String::as_str);
    let cases = explained.cases.as_ref();
    for (title, lines) in [
        ("Sources", explained.sources.iter().map(|source| escaped(&source.to_string())).collect()),
        (
            "What documents have instead",
            explained.documents.map(escaped).into_iter().chain(errata).chain(keys).collect(),
        ),
        ("Versions of the format", one_item(versions)),
        ("Writers of heapsmith that follow it", one_item(explained.writers.iter().copied())),
        ("Facets that a reader gets wrong without it", one_item(explained.facets.iter().copied())),
        ("Cases that keep it", one_item(cases.iter().flat_map(|cases| &cases.keep).map(String::as_str))),
        ("Cases that break it", one_item(cases.iter().flat_map(|cases| &cases.breaks).map(String::as_str))),
        ("Cases that show it", one_item(cases.iter().flat_map(|cases| &cases.show).map(String::as_str))),
    ] {
        if !lines.is_empty() {
            let items: Vec<String> = lines.iter().map(|line: &String| format!("- {line}\n")).collect();
            text += &format!("\n## {title}\n\n{}", items.concat());
        }
    }
    text
}

/// Names as one item, if there are any.
fn one_item<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { names } else { vec![names.join(", ")] }
}

fn capitalised_heading(explained: &Explanation) -> String {
    let heading = heading(explained);
    let mut letters = heading.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// Text whose characters mean nothing in Markdown.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut all, c| {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '$') {
            all.push('\\');
        }
        all.push(c);
        all
    })
}

//! The page of facets that `adapter new` puts beside a template: for each facet, the keys of a listing that have it, their types,
//! and the formats whose dumps carry it. It is made of the tables of specs/listing.md and of what the formats' own files say.

use std::fmt::Write;

use crate::compare::Facet;
use crate::compare::carriage::Carriage;
use crate::format::DumpTarget;

const LISTING: &str = include_str!("../../../specs/listing.md");

const INTRODUCTION: &str = "\
# Facets, keys and types

An adapter names in `facets` of its `hello` what it reports. A facet that is named is required: where a dump has the fact, the listing
has to have the key. This page has, for each facet, the lines and keys of a listing and the formats whose dumps can carry it;
`specs/listing.md` of heapsmith says more. Every line but the head has the key `kind`.

| facet | line | key | type | what | dumps |
|---|---|---|---|---|---|
";

/// The text of the page.
pub(super) fn facet_page() -> String {
    let tables: Vec<MarkdownTable<'_>> = LISTING.split("\n\n").filter_map(MarkdownTable::new).collect();
    let rows: Vec<KeyRow> = tables.iter().flat_map(KeyRow::of_table).collect();
    let mut page = INTRODUCTION.to_owned();
    for facet in Facet::ALL {
        let formats = formats(facet);
        for KeyRow { line, key, kind, what, .. } in rows.iter().filter(|row| row.facets.contains(&facet)) {
            // Writing to a String does not fail.
            _ = writeln!(page, "| `{facet}` | {line} | {key} | {kind} | {what} | {formats} |");
        }
    }
    for (heading, first) in [("Types", "value"), ("Kinds of root", "kinds of root")] {
        for table in tables.iter().filter(|table| table.header.first() == Some(&first)) {
            _ = write!(page, "\n## {heading}\n\n{}\n", without_links(table.text));
        }
    }
    page
}

/// The formats whose dumps can carry a fact.
fn formats(facet: Facet) -> String {
    let all = DumpTarget::all().into_iter().filter(|target| target.profile.is_none());
    let carries = |target: &DumpTarget| !matches!(target.column().carriage(facet), Carriage::None);
    all.filter(carries).map(|target| target.to_string()).collect::<Vec<_>>().join(", ")
}

/// A key of a listing.
struct KeyRow {
    /// The lines that have it.
    line: String,
    key: String,
    /// The type of its value.
    kind: String,
    facets: Vec<Facet>,
    what: String,
}

impl KeyRow {
    /// The rows of a table with a column for facets; none of any other.
    fn of_table(table: &MarkdownTable<'_>) -> Vec<KeyRow> {
        // The table of the head has no column for the line. An empty cell has the line of the row above.
        let mut line = "head".to_owned();
        let mut rows = Vec::new();
        for row in &table.rows {
            let cell = |column: &str| table.cell(row, column);
            let event = cell("`event`").map(|event| format!("`event`: {event}"));
            line = cell("line").or(cell("in lines of")).map(without_links).or(event).unwrap_or(line);
            let named = cell("facet").unwrap_or_default().split('`');
            let text = |columns: [&str; 2]| without_links(columns.into_iter().find_map(cell).unwrap_or_default());
            rows.push(KeyRow {
                line: line.clone(),
                key: text(["key", "keys"]),
                kind: text(["type", ""]),
                facets: named.filter_map(|name| name.parse().ok()).collect(),
                what: text(["what", ""]),
            });
        }
        rows
    }
}

/// A table of a Markdown document.
struct MarkdownTable<'t> {
    text: &'t str,
    header: Vec<&'t str>,
    rows: Vec<Vec<&'t str>>,
}

impl<'t> MarkdownTable<'t> {
    /// The table that a paragraph is.
    fn new(paragraph: &'t str) -> Option<MarkdownTable<'t>> {
        let mut lines = paragraph.lines().map(|line| line.strip_prefix('|')?.strip_suffix('|'));
        let cells = |line: &'t str| line.split('|').map(str::trim).collect::<Vec<_>>();
        let header = cells(lines.next()??);
        let rows = lines.skip(1).map(|line| line.map(cells)).collect::<Option<Vec<_>>>()?;
        Some(MarkdownTable { text: paragraph, header, rows })
    }

    /// The text in a column of a row, unless there is none.
    fn cell(&self, row: &[&'t str], column: &str) -> Option<&'t str> {
        let at = self.header.iter().position(|name| *name == column)?;
        row.get(at).copied().filter(|text| !text.is_empty())
    }
}

/// The text with what its links stand at, and without where they lead: to places of the document that it comes from.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("](") {
        let (Some((outside, inside)), Some((_, following))) = (before.rsplit_once('['), after.split_once(')')) else {
            break;
        };
        plain += outside;
        plain += inside;
        rest = following;
    }
    plain + rest
}

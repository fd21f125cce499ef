//! Nodes of a heap file as text: KDL 2 (<https://kdl.dev>), as far as heap files use it.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::bytes::hexadecimal;
use crate::model::Name;

/// A node: its line, and its children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeText {
    line: String,
    children: Vec<NodeText>,
}

/// The most characters of children that stand in the line of their node.
const INLINE: usize = 100;

impl NodeText {
    /// A node of a kind, whose name needs no quotes or is spelled already.
    pub(super) fn new(kind: &str) -> NodeText {
        NodeText { line: kind.to_owned(), children: Vec::new() }
    }

    /// The node without its children.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    /// Adds an argument, as [`spell_text`] and others spell it.
    pub(super) fn argument(mut self, spelled: &str) -> NodeText {
        self.push_argument(spelled);
        self
    }

    /// Adds an argument to the line.
    pub(super) fn push_argument(&mut self, spelled: &str) {
        self.line.push(' ');
        self.line.push_str(spelled);
    }

    /// Adds a property by its key and the spelling of its value.
    pub(super) fn push_property(&mut self, key: &str, spelled: &str) {
        self.line.push(' ');
        self.line.push_str(&spell_text(key));
        self.line.push('=');
        self.line.push_str(spelled);
    }

    /// Adds a property whose value is a number or a word, if there is one.
    pub(super) fn push_known(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.push_property(key, &value.to_string());
        }
    }

    /// Adds a child.
    pub(super) fn push_child(&mut self, child: NodeText) {
        self.children.push(child);
    }

    /// Writes the node with its children, and ends the line.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_indented(0, out)
    }

    fn write_indented(&self, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{:1$}{2}", "", 4 * depth, self.line)?;
        let is_short = self.children.iter().all(|child| child.children.is_empty())
            && self.children.iter().map(|child| child.line.chars().count() + 2).sum::<usize>() <= INLINE;
        match self.children.as_slice() {
            [] => writeln!(out),
            children if is_short => {
                let lines: Vec<&str> = children.iter().map(|child| child.line.as_str()).collect();
                writeln!(out, " {{ {} }}", lines.join("; "))
            }
            children => {
                writeln!(out, " {{")?;
                children.iter().try_for_each(|child| child.write_indented(depth + 1, out))?;
                writeln!(out, "{:1$}}}", "", 4 * depth)
            }
        }
    }
}

/// A text: bare where KDL reads it as a string without quotes, else in quotes.
pub(super) fn spell_text(text: &str) -> String {
    if is_bare(text) { text.to_owned() } else { spell_quoted(text) }
}

/// A text as the value of a field or an element, where `@` begins a reference.
pub(super) fn spell_value_text(text: &str) -> String {
    if text.starts_with('@') { spell_text(&format!("@{text}")) } else { spell_text(text) }
}

/// A name as a text, or as its bytes where they are no modified UTF-8.
pub(super) fn spell_name(name: &Name) -> String {
    match name.to_text() {
        Some(text) => spell_value_text(&text),
        None => format!("(bytes)\"{}\"", hexadecimal(name.as_bytes())),
    }
}

/// UTF-16 code units as a text, or as their numbers where they are none.
pub(super) fn spell_units(units: &[u16]) -> String {
    match String::from_utf16(units) {
        Ok(text) => spell_value_text(&text),
        Err(_) => {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            format!("(utf16)\"{}\"", hexadecimal(&bytes))
        }
    }
}

/// Whether a text is a word of its own: less than KDL allows, so that it reads as a word for people, too.
fn is_bare(text: &str) -> bool {
    let is_word =
        |c: char| c.is_ascii_alphanumeric() || "_$@.:-+<>".contains(c) || (!c.is_ascii() && c.is_alphabetic());
    // What begins like a number is one, with a sign and a point before its digits, too.
    let begins = text.trim_start_matches(['+', '-']);
    let begins = begins.strip_prefix('.').unwrap_or(begins);
    !text.is_empty()
        && text.chars().all(is_word)
        && !begins.starts_with(|c: char| c.is_ascii_digit())
        && !begins.is_empty()
        && !matches!(text, "true" | "false" | "null" | "inf" | "-inf" | "nan")
}

/// A text in quotes. Braces are escaped, so that the nesting of nodes is seen without reading texts.
fn spell_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            // Nor do texts begin comments.
            '*' if quoted.ends_with('/') => push_escape(&mut quoted, c),
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '{' | '}' => push_escape(&mut quoted, c),
            c if is_hidden(c) => push_escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn push_escape(text: &mut String, c: char) {
    let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
}

/// Whether a character may not stand in a KDL document (controls, marks of direction, the byte order mark), ends a line there,
/// or is a space that looks like another.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A line of JSON as a raw text: what would end it, look like a brace, or be hidden stands in the escapes of JSON.
pub(super) fn spell_json(json: &str) -> String {
    let mut spelled = String::with_capacity(json.len() + 4);
    spelled.push_str("#\"");
    let (mut inside, mut escaped) = (false, false);
    for c in json.chars() {
        match c {
            _ if escaped => escaped = false,
            '"' => inside = !inside,
            '\\' => escaped = true,
            '{' | '}' | '#' | '*' if inside => {
                let _ = write!(spelled, "\\u{:04x}", u32::from(c));
                continue;
            }
            // JSON escapes control characters by itself, and those beyond the first 65,536 are none of these.
            c if is_hidden(c) => {
                let _ = write!(spelled, "\\u{:04x}", u32::from(c));
                continue;
            }
            _ => {}
        }
        spelled.push(c);
    }
    spelled.push_str("\"#");
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_texts_that_are_no_words() {
        for (text, spelled) in [
            ("shop.Order", "shop.Order"),
            ("@n0", "@n0"),
            ("@class:shop.Order", "@class:shop.Order"),
            ("<init>", "<init>"),
            ("Größe", "Größe"),
            ("-", "\"-\""),
            ("", "\"\""),
            ("byte[]", "\"byte[]\""),
            ("a b", "\"a b\""),
            ("12e5", "\"12e5\""),
            ("-1", "\"-1\""),
            (".5", "\".5\""),
            ("+.5", "\"+.5\""),
            ("a-1.5", "a-1.5"),
            ("null", "\"null\""),
            ("-inf", "\"-inf\""),
            ("nulls", "nulls"),
            ("#x", "\"#x\""),
            ("a=b", "\"a=b\""),
            ("a/b", "\"a/b\""),
            ("say \"a\\b\"", r#""say \"a\\b\"""#),
            ("a\n\t\r\u{b}\u{0}", r#""a\n\t\r\u{b}\u{0}""#),
            ("{i}", r#""\u{7b}i\u{7d}""#),
            ("a/*b*", r#""a/\u{2a}b*""#),
            ("a\u{202e}b\u{feff}c\u{85}d\u{2028}\u{7f}\u{a0}", r#""a\u{202e}b\u{feff}c\u{85}d\u{2028}\u{7f}\u{a0}""#),
            ("😀", "\"😀\""),
        ] {
            assert_eq!(spell_text(text), spelled, "{text:?}");
        }
        assert_eq!(spell_value_text("@a"), "@@a");
        assert_eq!(spell_value_text("@@ a"), "\"@@@ a\"");
    }

    #[test]
    fn gives_bytes_and_units_where_they_are_no_text() {
        assert_eq!(spell_name(&Name::from_bytes(*b"a\xed\xa0\x80")), "(bytes)\"61eda080\"");
        assert_eq!(spell_name(&"a\u{0}".into()), r#""a\u{0}""#);
        assert_eq!(spell_units(&[0x41, 0xd83d]), "(utf16)\"0041d83d\"");
        assert_eq!(spell_units(&[0xd83d, 0xde00]), "\"😀\"");
    }

    #[test]
    fn keeps_the_braces_and_ends_of_json_out_of_its_texts() {
        let json = r##"{"text":"a{\"#}\\","id":{"x":"#"}}"##;
        let spelled = r##"#"{"text":"a\u007b\"\u0023\u007d\\","id":{"x":"\u0023"}}"#"##;
        assert_eq!(spell_json(json), spelled);
        assert_eq!(spell_json("\"a\u{7f}\u{202e}\""), "#\"\"a\\u007f\\u202e\"\"#");
        let read: serde_json::Value = serde_json::from_str(&spelled[2..spelled.len() - 2]).expect("JSON");
        assert_eq!(read["text"], "a{\"#}\\");
    }

    #[test]
    fn writes_children_in_the_line_as_long_as_they_are_short() {
        let mut class = NodeText::new("class").argument("shop.Order");
        class.push_property("extends", "shop.Base");
        class.push_known("@size", Some(24));
        class.push_known("@serial", None::<u32>);
        class.push_child(NodeText::new("int").argument("id"));
        class.push_child(NodeText::new("Object").argument("next"));
        let mut text = Vec::new();
        class.write(&mut text).expect("memory");
        assert_eq!(
            String::from_utf8_lossy(&text),
            "class shop.Order extends=shop.Base @size=24 { int id; Object next }\n"
        );
        let mut outer = NodeText::new("thread");
        let mut frame = NodeText::new("frame");
        frame.push_child(NodeText::new("local"));
        outer.push_child(frame);
        outer.push_child(NodeText::new("frame"));
        text.clear();
        outer.write(&mut text).expect("memory");
        assert_eq!(String::from_utf8_lossy(&text), "thread {\n    frame { local }\n    frame\n}\n");
    }
}

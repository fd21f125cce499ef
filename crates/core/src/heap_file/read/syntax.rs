//! KDL as it is parsed, within bounds.

use kdl::{KdlDiagnostic, KdlDocument};

use crate::heap_file::LONGEST;
use crate::heap_file::problem::ProblemList;

/// The most braces and comments within each other: the parser calls itself for each.
const DEEPEST: usize = 100;

/// The document, or the reasons why it is none.
pub(super) fn parse(text: &str, problems: &mut ProblemList) -> Option<KdlDocument> {
    if text.len() as u64 > LONGEST {
        problems.add(
            0,
            format!("the file has {} bytes, and at most {LONGEST} are read; `repeat` says more in less", text.len()),
        );
        return None;
    }
    if let Some(at) = too_deep(text) {
        problems.add(
            at,
            format!(
                "more than {DEEPEST} braces or comments within each other; a brace in a text may be written \\u{{7b}}"
            ),
        );
        return None;
    }
    match KdlDocument::parse_v2(text) {
        Ok(document) => Some(document),
        Err(error) => {
            for diagnostic in &error.diagnostics {
                let parts = [&diagnostic.message, &diagnostic.help].into_iter().flatten();
                let parts: Vec<&str> = parts.map(String::as_str).collect();
                let message = if parts.is_empty() { "no KDL".to_owned() } else { parts.join("; ") };
                problems.add(offset(diagnostic), message);
            }
            if problems.is_empty() {
                problems.add(0, "no KDL");
            }
            None
        }
    }
}

/// The offset of a mistake. For a property whose value cannot be read, the parser's span begins with the text and ends there.
fn offset(diagnostic: &KdlDiagnostic) -> usize {
    match diagnostic.label.as_deref() {
        Some("not property value") => diagnostic.span.offset() + diagnostic.span.len(),
        _ => diagnostic.span.offset(),
    }
}

/// The place of the first brace or comment that is too deep. Braces in texts count, too: that needs no second parser.
fn too_deep(text: &str) -> Option<usize> {
    let (mut braces, mut comments) = (0_usize, 0_usize);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, bytes.get(at + 1)) {
            (b'{', _) => braces += 1,
            (b'}', _) => braces = braces.saturating_sub(1),
            (b'/', Some(b'*')) => comments += 1,
            (b'*', Some(b'/')) => comments = comments.saturating_sub(1),
            _ => {}
        }
        if braces > DEEPEST || comments > DEEPEST {
            return Some(at);
        }
    }
    None
}

//! Panics of Go.

use crate::check::report::place::frame::file_name;
use crate::check::report::template::template;

/// `panic: MESSAGE` or `fatal error: MESSAGE`, and the frames of the goroutine: each a function with its arguments, and a
/// place in the next line. Of a panic while another one was handled, the last message counts.
pub(super) fn find_panic(text: &str) -> Option<String> {
    let (before, stack) = text.split_once("\ngoroutine ")?;
    let (kind, message) = before.lines().rev().find_map(parse_message)?;
    let lines: Vec<&str> = stack.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let frames =
        lines.windows(2).filter(|pair| pair[1].starts_with('\t')).filter_map(|pair| parse_frame(pair[0], pair[1]));
    let frames: Vec<GoFrame<'_>> = frames.collect();
    let frame = frames.iter().find(|frame| !frame.is_of_go()).or(frames.first())?;
    Some(format!("{kind}: {} in {} ({})", template(message), frame.function, file_name(frame.place)))
}

/// The kind and the message of a line that has one, which follows the exit code in the first line.
fn parse_message(line: &str) -> Option<(&'static str, &str)> {
    ["panic", "fatal error"].into_iter().find_map(|kind| {
        let (before, message) = line.split_once(kind)?;
        let message = message.strip_prefix(": ")?;
        let is_begin = before.trim().is_empty() || before.ends_with(": ");
        is_begin.then(|| (kind, message.trim_end_matches(" [recovered]")))
    })
}

struct GoFrame<'t> {
    /// `encoding/binary.bigEndian.Uint32`.
    function: &'t str,
    /// `/usr/local/go/src/encoding/binary/binary.go:177`.
    place: &'t str,
}

fn parse_frame<'t>(call: &'t str, place: &'t str) -> Option<GoFrame<'t>> {
    let place = place.trim();
    Some(GoFrame {
        function: without_arguments(call)?,
        place: place.split_once(" +0x").map_or(place, |(place, _)| place),
    })
}

/// A call without the parentheses at its end: those of `(*Parser)` belong to the name.
fn without_arguments(call: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in call.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (c == '(').then(|| &call[..at]);
        }
    }
    None
}

impl GoFrame<'_> {
    /// Whether it is of Go's own packages, whose names begin with no domain and whose files lie in its folder.
    fn is_of_go(&self) -> bool {
        let after_folders = self.function.rfind('/').map_or(0, |slash| slash + 1);
        let dot = self.function[after_folders..].find('.');
        let package = dot.map_or("runtime", |dot| &self.function[..after_folders + dot]);
        let has_domain = package.split('/').next().is_some_and(|first| first.contains('.'));
        let is_there =
            || self.place.contains(&format!("/src/{package}/")) || self.place.starts_with(&format!("{package}/"));
        package != "main" && !has_domain && is_there()
    }
}

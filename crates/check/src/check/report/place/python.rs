//! Tracebacks of Python.

use crate::check::report::place::frame::file_name;

/// The exception, and the last frame of the user's own code: calls come before what they call. Where an exception was raised
/// `from` another one, that one counts, as the last cause of Java does.
pub(super) fn find_exception(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(without_group).collect();
    let begins: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| line.contains(HEADER)).map(|(at, _)| at).collect();
    let mut end = lines.len();
    let mut tracebacks = begins.iter().rev().map(|begin| &lines[*begin..std::mem::replace(&mut end, *begin)]);
    // An error of syntax has no header.
    let mut traceback = tracebacks.next().unwrap_or(&lines);
    for before in tracebacks {
        if !before.iter().any(|line| line.contains(DIRECT_CAUSE)) {
            break;
        }
        traceback = before;
    }
    describe_traceback(traceback)
}

/// The line before the frames.
const HEADER: &str = "Traceback (most recent call last)";

/// A part of the line between a cause and its consequence.
const DIRECT_CAUSE: &str = "was the direct cause of the following exception";

/// A line of a group of exceptions without the mark of the group.
fn without_group(line: &str) -> &str {
    line.split_once("| ").filter(|(before, _)| before.trim().is_empty()).map_or(line, |(_, line)| line)
}

fn describe_traceback(lines: &[&str]) -> Option<String> {
    let frames: Vec<(usize, PythonFrame<'_>)> = parse_frames(lines).collect();
    let (last, deepest) = frames.last()?;
    let PythonFrame { file, line, function } =
        frames.iter().rev().map(|(_, frame)| frame).find(|frame| !frame.is_of_python()).unwrap_or(deepest);
    // Lines of source are indented, and the message may have more lines.
    let exception = lines[last + 1..].iter().find(|line| line.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let exception = exception.and_then(|line| line.split(':').next()).unwrap_or("an exception").trim_end();
    Some(format!("{exception} in {function} ({}:{line})", file_name(file)))
}

/// The frames with their places among the lines, up to the first line that is not indented: what follows is the message.
fn parse_frames<'l>(lines: &'l [&'l str]) -> impl Iterator<Item = (usize, PythonFrame<'l>)> {
    let is_of_frames = |line: &str| line.is_empty() || line.starts_with([' ', '.']) || line.contains(HEADER);
    let first = lines.iter().position(|line| line.starts_with(FRAME)).unwrap_or(lines.len());
    let of_frames = lines.iter().enumerate().skip(first).take_while(move |(_, line)| is_of_frames(line));
    of_frames.filter_map(|(at, line)| Some((at, parse_frame(line)?)))
}

/// The begin of a frame's line.
const FRAME: &str = "  File \"";

struct PythonFrame<'t> {
    file: &'t str,
    line: &'t str,
    function: &'t str,
}

/// `  File "/a/b.py", line 3, in f`.
fn parse_frame(line: &str) -> Option<PythonFrame<'_>> {
    let (file, rest) = line.strip_prefix(FRAME)?.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, "?"));
    Some(PythonFrame { file, line, function })
}

impl PythonFrame<'_> {
    /// Whether it is of the standard library. Packages that are installed lie in a folder of it.
    fn is_of_python(&self) -> bool {
        let is_installed = ["site-packages", "dist-packages"].iter().any(|folder| self.file.contains(folder));
        let of_library = ["/lib/python3.", "/lib/pypy3.", "\\Lib\\"].iter().any(|folder| self.file.contains(folder));
        self.file.starts_with("<frozen ") || of_library && !is_installed
    }
}

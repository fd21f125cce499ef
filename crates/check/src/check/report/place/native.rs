//! Errors of programs in C and C++.

use crate::check::report::place::frame::{file_name, has_line_number};
use crate::check::report::template::template;

/// What a sanitizer says, and the first frame of the user's own code.
pub(super) fn find_sanitizer_error(text: &str) -> Option<String> {
    find_report(text).or_else(|| find_undefined_behaviour(text))
}

/// `==9267==ERROR: AddressSanitizer: heap-buffer-overflow on address ...`, and frames up to an empty line.
fn find_report(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let said = lines.find_map(|line| {
        let (_, said) = line.split_once("ERROR: ").or_else(|| line.split_once("WARNING: "))?;
        said.split(' ').next()?.ends_with("Sanitizer:").then_some(said)
    })?;
    let end = [" on ", " ("].into_iter().filter_map(|end| said.find(end)).min().unwrap_or(said.len());
    let frames: Vec<NativeFrame<'_>> = lines.take_while(|line| !line.is_empty()).filter_map(parse_frame).collect();
    let frame = frames.iter().find(|frame| !frame.is_of_libraries()).or(frames.first());
    let place = frame.map(|frame| format!(" in {} ({})", frame.function, file_name(frame.place)));
    Some(format!("{}{}", template(&said[..end]), place.unwrap_or_default()))
}

/// `a.c:1:48: runtime error: index 5 out of bounds`.
fn find_undefined_behaviour(text: &str) -> Option<String> {
    const SAYS: &str = ": runtime error: ";
    let lines = text.lines().filter_map(|line| line.split_once(SAYS));
    let (place, message) = lines
        .map(|(before, message)| (before.rsplit(' ').next().unwrap_or(before), message))
        .find(|(place, _)| has_line_number(place))?;
    Some(format!("runtime error: {} ({})", template(message), file_name(place)))
}

struct NativeFrame<'t> {
    function: &'t str,
    /// A file with a line number, or `(library+0x1d)`.
    place: &'t str,
}

/// `    #1 0x55c16864629e in read_u4 /opt/reader/a.c:4`.
fn parse_frame(line: &str) -> Option<NativeFrame<'_>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (_, rest) = rest.split_once(" in ")?;
    let (function, place) = rest.rsplit_once(' ')?;
    Some(NativeFrame { function, place })
}

impl NativeFrame<'_> {
    /// Whether it is of the sanitizer, or of the system's libraries.
    fn is_of_libraries(&self) -> bool {
        const FOLDERS: [&str; 5] = ["libsanitizer", "sanitizer_common", "compiler-rt", "/sysdeps/", "/csu/"];
        const PREFIXES: [&str; 3] = ["__interceptor_", "__asan_", "__libc_"];
        !has_line_number(self.place)
            || FOLDERS.iter().any(|folder| self.place.contains(folder))
            || PREFIXES.iter().any(|prefix| self.function.starts_with(prefix))
    }
}

/// An assertion of C that does not hold, or an exception of C++ that is not caught.
pub(super) fn find_abort(text: &str) -> Option<String> {
    find_assertion(text).or_else(|| find_thrown(text))
}

/// ``reader: src/e.c:2: read_u4: Assertion `n > 4' failed.``
fn find_assertion(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains(": Assertion `"))?;
    let (before, _) = line.split_once(": Assertion `")?;
    let (place, function) = before.rsplit_once(": ")?;
    let place = place.rsplit(' ').next().filter(|place| has_line_number(place))?;
    Some(format!("assertion in {function} ({})", file_name(place)))
}

/// `terminate called after throwing an instance of 'std::out_of_range'`, and `what()` in the next line.
fn find_thrown(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("terminate called after throwing an instance of '")?;
    let (exception, rest) = rest.split_once('\'')?;
    let what = rest.lines().find_map(|line| line.trim_start().strip_prefix("what():"));
    Some(match what {
        Some(what) => format!("{exception}: {}", template(what)),
        None => exception.to_owned(),
    })
}

//! Traces of the JVM, of .NET and of JavaScript: an exception, and frames of which each is a line that begins with `at`.

use crate::check::report::place::frame::{file_name, has_column};
use crate::check::report::place::jdk;

/// The last cause of the last trace, and the first frame of the user's own code in it.
pub(super) fn find_exception(text: &str) -> Option<String> {
    let trace = find_last_trace(text)?;
    let is_modular = trace.frames.iter().any(StackFrame::is_of_jdk_module);
    let frame = trace.frames.iter().find(|frame| !frame.is_of_runtime(is_modular)).or(trace.frames.first())?;
    Some(format!("{} {}", trace.exception, frame.describe()))
}

/// An exception with its frames, the deepest first.
struct Trace<'t> {
    exception: &'t str,
    frames: Vec<StackFrame<'t>>,
}

fn find_last_trace(text: &str) -> Option<Trace<'_>> {
    // The exception that a line names which may begin a trace; and whether there was one after the last frame.
    let (mut named, mut is_over) = (None, true);
    let mut trace: Option<Trace<'_>> = None;
    // The frames of the exception that the last one caused; and whether frames are of what was suppressed.
    let (mut enclosing, mut is_suppressed): (Vec<StackFrame<'_>>, bool) = (Vec::new(), false);
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(cause) = strip_cause(line) {
            enclosing = trace.take().map(|trace| trace.frames).unwrap_or_default();
            trace = find_exception_name(cause).map(|exception| Trace { exception, frames: Vec::new() });
            (is_over, is_suppressed) = (false, false);
        } else if let Some(more) = trimmed.strip_prefix("... ").and_then(|rest| rest.strip_suffix(" more")) {
            // The cause shares its last frames with what it caused.
            let shared = more.parse().unwrap_or(0).min(enclosing.len());
            if let Some(trace) = trace.as_mut().filter(|_| !is_suppressed) {
                trace.frames.extend_from_slice(&enclosing[enclosing.len() - shared..]);
            }
        } else if trimmed.starts_with("Suppressed: ") {
            is_suppressed = true;
        } else if let Some(frame) = StackFrame::parse(trimmed) {
            if is_over {
                trace = named.take().map(|exception| Trace { exception, frames: Vec::new() });
                (enclosing, is_suppressed, is_over) = (Vec::new(), false, false);
            }
            if let Some(trace) = trace.as_mut().filter(|_| !is_suppressed) {
                trace.frames.push(frame);
            }
        } else if !trimmed.is_empty() && !trimmed.starts_with("...") && !trimmed.starts_with("--- ") {
            // A message may have further lines.
            named = find_exception_name(line).or(named.filter(|_| is_over));
            is_over |= named.is_some();
        }
    }
    trace.filter(|trace| !trace.frames.is_empty())
}

/// What follows the mark of a cause.
fn strip_cause(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    line.strip_prefix("Caused by: ")
        .or_else(|| trimmed.strip_prefix("---> "))
        .or_else(|| trimmed.strip_prefix("[cause]: "))
}

/// The name of the exception in the first line of a trace.
fn find_exception_name(line: &str) -> Option<&str> {
    // `Exception in thread "main" java.lang.Error: no`
    let thread = line.split_once("Exception in thread \"").and_then(|(_, rest)| rest.split_once("\" "));
    let line = thread.map_or(line, |(_, rest)| rest);
    let line = line.split_once("Unhandled Exception: ").map_or(line, |(_, rest)| rest);
    let line = line.rsplit_once(" ---> ").map_or(line, |(_, inner)| inner);
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "._$/+`".contains(c));
    let words = || line.split([' ', ':']).filter(is_name);
    let has_word = |word: &&str| ["Exception", "Error", "Throwable"].iter().any(|known| word.contains(known));
    // Any class may be one that is thrown.
    let is_class = |word: &&str| {
        let last = word.rsplit(['.', '$']).next().unwrap_or_default();
        word.contains('.') && last.starts_with(char::is_uppercase) && !word.contains('/')
    };
    words().find(has_word).or_else(|| {
        let mut parts = line.split(": ");
        parts.find(|part| is_name(part) && is_class(part))
    })
}

#[derive(Clone)]
struct StackFrame<'t> {
    /// The function with its class; empty where JavaScript has none.
    name: &'t str,
    /// What is in parentheses, or the place in a file.
    place: &'t str,
    form: FrameForm,
}

/// How a frame is spelled.
#[derive(Clone, Copy, PartialEq)]
enum FrameForm {
    /// `a.D.e(D.java:7)`.
    Jvm,
    /// `A.D.E(String f) in /src/D.cs:line 7`; the place is missing where it is not known.
    DotNet,
    /// `e (/src/d.js:7:9)`, or the place alone.
    JavaScript,
}

impl<'t> StackFrame<'t> {
    /// A line without its indent.
    fn parse(line: &'t str) -> Option<StackFrame<'t>> {
        let called = line.strip_prefix("at ")?.trim_end();
        let called = called.strip_suffix(" {").unwrap_or(called);
        let is_name = |name: &str| name.contains('.') && !name.contains(' ');
        if let Some((call, place)) = called.split_once(") in ").filter(|(_, place)| place.contains(":line ")) {
            let name = call.split('(').next().unwrap_or(call);
            return Some(StackFrame { name, place, form: FrameForm::DotNet });
        }
        let script = called.strip_prefix("async ").unwrap_or(called);
        if is_script_place(script) {
            return Some(StackFrame { name: "", place: script, form: FrameForm::JavaScript });
        }
        let inner = called.strip_suffix(')')?;
        if let Some((name, place)) = inner.rsplit_once(" (").filter(|(_, place)| is_script_place(place)) {
            return Some(StackFrame { name, place, form: FrameForm::JavaScript });
        }
        let (name, place) = inner.split_once('(').filter(|(name, _)| is_name(name))?;
        // The parameters of .NET have types and names; a source of the JVM has one word, but for two that are known.
        let is_source =
            ["Native Method", "Unknown Source"].contains(&place) || !place.is_empty() && !place.contains(' ');
        let form = if is_source { FrameForm::Jvm } else { FrameForm::DotNet };
        let place = if is_source { place } else { "" };
        Some(StackFrame { name, place, form })
    }

    /// Module and class with its function: `app//`, `java.base/` and `java.base@21/` are loaders and modules.
    fn split_module(&self) -> (&'t str, &'t str) {
        match self.name.rsplit_once('/').filter(|(module, _)| !module.contains('$')) {
            Some((module, name)) => {
                let module = module.rsplit('/').next().unwrap_or(module);
                (module.split('@').next().unwrap_or(module), name)
            }
            None => ("", self.name),
        }
    }

    fn is_of_jdk_module(&self) -> bool {
        self.form == FrameForm::Jvm && jdk::is_module(self.split_module().0)
    }

    /// Whether it is of the language's runtime. Since Java 9 frames of the JDK name their module, so that others are not its.
    fn is_of_runtime(&self, is_modular: bool) -> bool {
        let (module, name) = self.split_module();
        match self.form {
            FrameForm::Jvm => {
                let is_plain = module.is_empty() && !is_modular;
                jdk::is_module(module)
                    || name.contains("$$Lambda")
                    || name.starts_with("kotlin.")
                    || is_plain && jdk::is_class(name)
            }
            FrameForm::DotNet => ["System.", "Microsoft."].iter().any(|space| name.starts_with(space)),
            FrameForm::JavaScript => {
                !has_column(self.place) || ["node:", "internal/"].iter().any(|begin| self.place.starts_with(begin))
            }
        }
    }

    fn describe(&self) -> String {
        let StackFrame { name, place, form } = self;
        match form {
            FrameForm::Jvm => format!("at {}({place})", self.split_module().1),
            FrameForm::DotNet if place.is_empty() => format!("at {name}"),
            FrameForm::DotNet => format!("at {name} ({})", file_name(place).replace(":line ", ":")),
            FrameForm::JavaScript if name.is_empty() => format!("at {}", file_name(place)),
            FrameForm::JavaScript => format!("at {name} ({})", file_name(place)),
        }
    }
}

/// A file with line and column, or what stands in its place.
fn is_script_place(place: &str) -> bool {
    let is_known = ["<anonymous>", "native"].contains(&place) || place.starts_with("index ");
    is_known || has_column(place) && (place.contains(['/', '\\']) || place.starts_with("node:"))
}

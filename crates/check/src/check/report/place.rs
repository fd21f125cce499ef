//! Where a program ended, by what it wrote.

use crate::check::report::template::template;

/// The place of a panic, or the last exception with the frame that it came from; `None`, if the text has neither.
pub(super) fn place(text: &str) -> Option<String> {
    panic(text).or_else(|| traceback(text)).or_else(|| exception(text))
}

/// `thread 'main' panicked at src/main.rs:2:5:`, and the message in the next line, as Rust has it since 1.73.
fn panic(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("panicked at ")?;
    let (place, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let message = rest.lines().next().unwrap_or_default();
    let place = of_crate(place.trim_end_matches(':'));
    Some(format!("panicked at {place}: {}", template(message)))
}

/// A place in the sources of a crate, without the folder in which cargo keeps them on a machine.
fn of_crate(place: &str) -> &str {
    let below = place.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    below.map_or(place, |(_, rest)| rest)
}

/// Python's traceback: the last frame, and the exception in the last line.
fn traceback(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Traceback (most recent call last)")?;
    let frame = rest.lines().rev().find_map(|line| line.trim_start().strip_prefix("File "))?;
    let mut parts = frame.split(", ");
    let file = parts.next()?.trim_matches('"').rsplit('/').next()?;
    let line = parts.next()?.strip_prefix("line ")?;
    let function = parts.next().and_then(|part| part.strip_prefix("in ")).unwrap_or("?");
    let last = rest.lines().rev().map(str::trim_end).find(|line| line.starts_with(|c: char| c.is_alphabetic()));
    let exception = last.unwrap_or("an exception").split(':').next()?;
    Some(format!("{exception} in {function} ({file}:{line})"))
}

/// Java's stack trace: the last exception named as a cause, and its first frame.
fn exception(text: &str) -> Option<String> {
    let is_frame = |line: &str| line.trim_start().starts_with("at ") && line.contains('(');
    let lines: Vec<&str> = text.lines().collect();
    let cause = lines.iter().rposition(|line| line.starts_with("Caused by: "));
    let first = lines.iter().position(|line| is_frame(line))?;
    let at = cause.or_else(|| first.checked_sub(1))?;
    let named = lines[at].trim_start_matches("Caused by: ");
    // `Exception in thread "main" java.lang.Error: no`
    let thread = named.split_once("Exception in thread \"").and_then(|(_, rest)| rest.split_once("\" "));
    let named = thread.map_or(named, |(_, rest)| rest);
    let exception = named.split([':', ' ']).find(|word| word.contains("Exception") || word.contains("Error"))?;
    let mut frames = lines[at + 1..].iter().filter(|line| is_frame(line));
    let first = frames.clone().next()?;
    let frame = frames.find(|line| !is_of_jdk(line)).unwrap_or(first);
    Some(format!("{exception} {}", frame.trim()))
}

/// Whether a frame is one of the JDK's own classes, which everybody calls.
fn is_of_jdk(frame: &str) -> bool {
    let called = frame.trim_start().trim_start_matches("at ");
    ["java.", "jdk.", "sun."].iter().any(|package| called.starts_with(package))
}

#[cfg(test)]
mod tests {
    use crate::check::report::place::place;

    #[test]
    fn a_panic_has_a_place() {
        let text = "exit code 101: thread 'main' panicked at src/parser.rs:139:30:\nunhandled tag 16\nnote: run with";
        assert_eq!(place(text).as_deref(), Some("panicked at src/parser.rs:139:30: unhandled tag …"));
        // On any machine, it is the same.
        let text = "thread 'main' panicked at /home/me/.cargo/registry/src/host-1949/a-0.1.0/src/lib.rs:7:1:\nno";
        assert_eq!(place(text).as_deref(), Some("panicked at a-0.1.0/src/lib.rs:7:1: no"));
    }

    #[test]
    fn a_traceback_has_a_frame() {
        let text = "exit code 1: Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in <module>\n    f()\n  \
                    File \"/a/c.py\", line 9, in f\n    g[1]\nKeyError: 1\n";
        assert_eq!(place(text).as_deref(), Some("KeyError in f (c.py:9)"));
    }

    #[test]
    fn an_exception_has_a_frame() {
        let text = "exit code 1: Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\n\
                    Caused by: java.io.EOFException\n\tat a.D.e(D.java:7)\n\tat a.B.c(B.java:2)\n";
        assert_eq!(place(text).as_deref(), Some("java.io.EOFException at a.D.e(D.java:7)"));
        let text = "exit code 1: Exception in thread \"main\" java.lang.Error: no\n\tat a.B.c(B.java:1)\n";
        assert_eq!(place(text).as_deref(), Some("java.lang.Error at a.B.c(B.java:1)"));
        let text = "exit code 134: java.lang.NullPointerException: Cannot invoke \"a.B.c()\" because \"d\" is null\n\tat a.D.e(D.java:7)\n";
        assert_eq!(place(text).as_deref(), Some("java.lang.NullPointerException at a.D.e(D.java:7)"));
        let text = "java.lang.IndexOutOfBoundsException\n\tat java.base/java.nio.Buffer.checkIndex(Buffer.java:749)\n\tat a.D.e(D.java:7)\n";
        assert_eq!(place(text).as_deref(), Some("java.lang.IndexOutOfBoundsException at a.D.e(D.java:7)"));
        assert_eq!(place("killed by SIGSEGV"), None);
    }
}

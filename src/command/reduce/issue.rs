//! The text of an issue: what a reduced dump shows, for a reader who does not have heapsmith.

use std::fmt::Write;

use crate::annotation::Annotation;
use crate::compare::listing::{self, HeapPlaces};
use crate::error::Error;
use crate::family::ReadOptions;
use crate::format::DumpFile;
use crate::input::Input;
use crate::validate::{Severity, ValidateOptions, rule, sources, validate};
use crate::visible::visible;

/// A longer dump is attached, and not spelled.
const LONGEST: usize = 16 << 10;
/// The number of fields that are listed.
const FIELDS: usize = 200;
/// The number of bytes that are shown of a field, and of a line of the dump.
const BYTES: usize = 32;

/// The facts of an issue besides the dump.
pub(super) struct Issue<'i> {
    /// The flag and the command that were asked.
    pub(super) command: (&'static str, &'i str),
    /// The mistake in the answer, where heapsmith judges it: in a line, and with the expected and the found value.
    pub(super) wrong: Option<(&'i str, String)>,
}

impl Issue<'_> {
    /// The text, in Markdown.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub(super) fn text(&self, dump: &[u8]) -> Result<String, Error> {
        let input = Input::from_memory("dump", dump.to_vec());
        let file = DumpFile::new(input.clone(), ReadOptions::default())?;
        let format = file.format().map_or_else(|_| file.family().to_string(), |format| format.to_string());
        let suffix = file.family().suffix();
        let title = self
            .wrong
            .as_ref()
            .map_or_else(|| format!("A {format} dump makes a command fail"), |(what, _)| (*what).to_owned());
        let mut text = format!("# {}\n\n", plain(&title));
        let (flag, command) = self.command;
        let _ = match flag {
            "--test" => {
                writeln!(text, "This command ends with exit code 0 for the dump below:\n\n```sh\n{command}\n```\n")
            }
            _ => writeln!(text, "`{}` was asked about the dump below.\n", plain(command)),
        };
        if let Some((_, detail)) = &self.wrong {
            detail.lines().for_each(|line| _ = writeln!(text, "- {}", plain(line.trim())));
            text.push('\n');
        }
        text += &self.validity(&input, &format)?;
        let _ = writeln!(text, "\n## The dump: {} bytes\n", dump.len());
        match dump.len() {
            ..=LONGEST => {
                let _ = writeln!(text, "```sh\nxxd -r -p > dump.{suffix} <<'END'");
                for piece in dump.chunks(BYTES) {
                    piece.iter().for_each(|byte| _ = write!(text, "{byte:02x}"));
                    text.push('\n');
                }
                text += "END\n```\n";
            }
            _ => text += "It is too long to be spelled here, and is attached.\n",
        }
        text += &listing(dump)?;
        text += &fields(&file)?;
        Ok(text)
    }

    /// Whether the dump is valid; if not, the first thing that is wrong, with the source that says so.
    fn validity(&self, input: &Input, format: &str) -> Result<String, Error> {
        let report = validate(input, ValidateOptions::default())?;
        let fatal = report.findings.iter().find(|finding| finding.fatal);
        let error = || report.findings.iter().find(|finding| finding.severity == Severity::Error);
        let Some(broken) = fatal.or_else(error) else {
            return Ok(format!("The dump is a valid one, of the format {format}.\n"));
        };
        let (expected, found) = (plain(&broken.expected), plain(&broken.found));
        let mut text = format!(
            "The dump is damaged ({format}): at offset {:#x}, expected {expected}, found {found}.",
            broken.offset
        );
        if let Some(rule) = rule(broken.rule.0) {
            let _ = write!(text, " {}", plain(rule.statement));
            let named: Vec<String> = sources(rule).iter().map(|source| plain(&source.to_string())).collect();
            let _ = write!(text, " ({})", named.join("; "));
        }
        text.push('\n');
        Ok(text)
    }
}

/// The heap of the dump, as a listing; nothing where no single heap can be read, or where it is long.
fn listing(dump: &[u8]) -> Result<String, Error> {
    let Ok(heap) = crate::read(dump) else { return Ok(String::new()) };
    let mut lines = Vec::new();
    listing::write(&mut lines, &listing::head(&heap), &heap, &HeapPlaces::from_order(&heap))?;
    if lines.len() > LONGEST {
        return Ok(String::new());
    }
    let mut text = "\n## Its heap, as a listing\n\n```json\n".to_owned();
    String::from_utf8_lossy(&lines).lines().for_each(|line| _ = writeln!(text, "{}", plain(line)));
    text += "```\n";
    Ok(text)
}

/// The fields of the dump, a row each.
fn fields(file: &DumpFile) -> Result<String, Error> {
    let mut text = "\n## Its fields\n\n| offset | bytes | field | meaning |\n|---|---|---|---|\n".to_owned();
    let mut count = 0;
    let ended = file.annotate(&mut |field: Annotation<'_>| {
        count += 1;
        if count <= FIELDS {
            let mut bytes: String = field.bytes.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect();
            if field.bytes.len() > BYTES {
                bytes += "...";
            }
            let _ = writeln!(text, "| {:#x} | `{bytes}` | {} | {} |", field.offset, field.name, cell(&field.meaning));
        }
        Ok(())
    });
    match ended {
        // The last field says it.
        Ok(()) | Err(Error::Decode(_)) => {}
        Err(e) => return Err(e),
    }
    if count > FIELDS {
        let _ = writeln!(text, "\n{} more fields follow.", count - FIELDS);
    }
    Ok(text)
}

/// A text from elsewhere in a line, with no hidden characters, and none that end a span of code.
fn plain(text: &str) -> String {
    visible(text).replace('\n', " ").replace('`', "'")
}

fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

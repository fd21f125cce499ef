//! Outputs: none of them is an input or another output.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::format::Format;

/// Refuses an output that is one of the inputs or another output: `--force` replaces what was there before, and not what the
/// command reads or writes.
pub(crate) fn require_distinct(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Error> {
    let read: Vec<PathBuf> = inputs.iter().filter_map(|input| resolve(input)).collect();
    let mut written = Vec::new();
    for output in outputs {
        let Some(place) = resolve(output) else { continue };
        let name = if place == Path::new("-") { "standard output".to_owned() } else { output.display().to_string() };
        if place != Path::new("-") && read.contains(&place) {
            return Err(Error::Usage(format!("{name} is the input, which is never overwritten; name another output")));
        }
        if written.contains(&place) {
            return Err(Error::Usage(format!("{name} cannot take two outputs; name another file for one of them")));
        }
        written.push(place);
    }
    Ok(())
}

/// The outputs of dumps in these formats: of several, each has its usual ending added.
pub(crate) fn paths_of_formats(output: &Path, formats: &[Format], gzip: bool) -> Result<Vec<PathBuf>, Error> {
    if formats.len() < 2 {
        return Ok(vec![output.to_owned(); formats.len()]);
    }
    require_file_for_several(output)?;
    let with_ending = |format: &Format| {
        let mut path = output.to_owned().into_os_string();
        path.push(format!(".{}{}", format.suffix(), if gzip { ".gz" } else { "" }));
        path.into()
    };
    Ok(formats.iter().map(with_ending).collect())
}

/// Refuses standard output for dumps in several formats.
pub(crate) fn require_file_for_several(output: &Path) -> Result<(), Error> {
    if output != Path::new("-") {
        return Ok(());
    }
    let message = "each of several formats needs a file; give the names without their endings with -o";
    Err(Error::Usage(message.to_owned()))
}

/// The file that a path means, whatever links lead to it, or `-`; none for a device or a pipe, which may stand for several.
fn resolve(path: &Path) -> Option<PathBuf> {
    if path == Path::new("-") {
        return Some(path.to_owned());
    }
    match fs::metadata(path) {
        Ok(there) if there.is_file() => path.canonicalize().ok(),
        Ok(_) => None,
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

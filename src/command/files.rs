//! The files that names, folders and patterns stand for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::format::is_dump;
use crate::input::Input;
#[cfg(feature = "check")]
use crate::input::{LONGEST_TEXT, read_text};
use crate::recipe::Recipe;

#[cfg(feature = "check")]
use crate::command::open;
use crate::command::terminal;

/// The files of all arguments, of which `-` stands for a list of paths on standard input, one a line.
#[cfg(feature = "check")]
pub(crate) fn expand_with_lists(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for argument in arguments {
        if argument.as_os_str() != "-" {
            all.push(argument.clone());
            continue;
        }
        let list = read_text(argument, LONGEST_TEXT)?;
        all.extend(list.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(PathBuf::from));
    }
    let files = expand(&all)?;
    files.iter().try_for_each(|file| open::refuse_heap_file(file))?;
    Ok(files)
}

/// The files of all arguments: of a folder, those of it and of folders in it that begin like a dump; of a pattern, those that it
/// matches. In the order of the arguments, and of their names in a folder.
pub(crate) fn expand(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            push_folder(argument, &mut files)?;
        } else if let Some(pattern) = as_pattern(argument) {
            push_matches(pattern, &mut files)?;
        } else {
            files.push(argument.clone());
        }
    }
    Ok(files)
}

fn push_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let (before, mut others, mut links) = (files.len(), 0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |e| Error::io(format!("reading the folder {}", folder.display()), e);
        let mut entries = fs::read_dir(&folder).map_err(failed)?.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut below = Vec::new();
        for entry in entries {
            // A link is not followed, which could lead around in a circle.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                below.push(entry.path());
            } else if kind.is_symlink() {
                links += 1;
            // One that cannot be read is as one that is named: what is asked of it says why, and goes on with the next.
            } else if kind.is_file() && begins_like_a_dump(&entry.path()).unwrap_or(true) {
                files.push(entry.path());
            } else {
                others += 1;
            }
        }
        folders.extend(below.into_iter().rev());
    }
    if files.len() == before {
        let message = format!(
            "{}: no file in this folder begins like a dump; name a file to see why it is refused",
            folder.display()
        );
        return Err(Error::Usage(message));
    }
    if others > 0 {
        let files = if others == 1 { "file that does" } else { "files that do" };
        terminal::warning(&format!("{}: skipped {others} {files} not begin like a dump", folder.display()));
    }
    if links > 0 {
        let links = if links == 1 { "1 link".to_owned() } else { format!("{links} links") };
        terminal::warning(&format!("{}: skipped {links}; name what a link leads to", folder.display()));
    }
    Ok(())
}

fn begins_like_a_dump(path: &Path) -> Result<bool, Error> {
    is_dump(&mut Input::open(path)?.stream()?)
}

/// The text of an argument that is a pattern and no file.
fn as_pattern(argument: &Path) -> Option<&str> {
    let text = argument.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    (!Recipe::is_recipe(text) && argument.symlink_metadata().is_err()).then_some(text)
}

fn push_matches(pattern: &str, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let wrong = |e: glob::PatternError| Error::Usage(format!("{pattern}: invalid pattern: {e}"));
    let before = files.len();
    for found in glob::glob(pattern).map_err(wrong)? {
        let found = found.map_err(|e| Error::io(format!("reading {}", e.path().display()), io::Error::from(e)))?;
        if found.is_file() {
            files.push(found);
        }
    }
    if files.len() == before {
        return Err(Error::Usage(format!("{pattern}: no file matches the pattern")));
    }
    Ok(())
}

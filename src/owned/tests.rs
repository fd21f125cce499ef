//! What may be changed in a folder, and what may not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::paths::is_plain_relative;
use super::{Changes, Lock, Settled, is_pending, remove_listed, replace, settle};
use crate::error::Error;

/// A folder `root` to work in, beside a file `outside` that has to stay.
fn bench() -> (TempDir, std::path::PathBuf) {
    let bench = tempfile::tempdir().expect("a temporary folder");
    let root = bench.path().join("root");
    write(&root, "../outside", "theirs");
    (bench, root)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(root).expect("a folder");
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("written");
}

fn strings(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// Every file and folder, with contents.
fn all(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            let kind = fs::symlink_metadata(&path).expect("there").file_type();
            let text = match (kind.is_symlink(), kind.is_dir()) {
                (true, _) => format!("-> {}", fs::read_link(&path).expect("a link").display()),
                (_, true) => "/".to_owned(),
                _ => fs::read_to_string(&path).expect("text"),
            };
            if kind.is_dir() {
                folders.push(path);
            }
            found.push((name, text));
        }
    }
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<String> {
    all(folder).into_iter().map(|(name, _)| name).collect()
}

fn replaced(root: &Path, new: &[(&str, &str)], old: &[&str]) -> Result<(), Error> {
    let new: Vec<(String, Vec<u8>)> =
        new.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let old: BTreeSet<String> = strings(old).into_iter().collect();
    replace(&new, &old, &mut Changes::new(root, &mut |_| {}))
}

/// Settles a folder whose list names these files.
fn settled(root: &Path, old: &[&str]) -> Result<Settled, Error> {
    settle(&strings(old).into_iter().collect(), &mut Changes::new(root, &mut |_| {}))
}

#[test]
fn a_plain_path_has_one_spelling_and_stays_below_its_folder() {
    for plain in ["a", "a/b", "phd/some case.phd", "a/..b", "...", "ä/ö", ".hidden"] {
        assert!(is_plain_relative(plain), "{plain}");
    }
    for other in ["", "/", "/a", "..", "a/..", "../a", "a/../b", ".", "./a", "a/./b", "a/.", "a//b", "a/", "a\0b"] {
        assert!(!is_plain_relative(other), "{other}");
    }
}

#[test]
fn listed_files_go_and_the_folders_that_are_empty_then() {
    let (_bench, root) = bench();
    for path in ["a/b/c/1", "a/b/2", "a/foreign", "d/e/3", "4", "empty/", "listed-folder/5"] {
        if path.ends_with('/') {
            fs::create_dir_all(root.join(path)).expect("a folder");
        } else {
            write(&root, path, "x");
        }
    }
    remove_listed(&root, &strings(&["a/b/c/1", "a/b/2", "d/e/3", "4", "listed-folder", "not/there"])).expect("removed");
    assert_eq!(names(&root), ["a", "a/foreign", "empty", "listed-folder", "listed-folder/5"]);
    remove_listed(&root, &strings(&["a/foreign", "listed-folder/5", "empty/x"])).expect("removed");
    assert_eq!(names(&root), [""; 0], "the folder itself stays");
}

#[cfg(unix)]
#[test]
fn nothing_is_removed_when_a_listed_path_leads_out_of_the_folder() {
    use crate::system::symlink;
    let (bench, root) = bench();
    write(&root, "ours", "x");
    write(&root, "../elsewhere/x", "theirs");
    symlink("../elsewhere", root.join("link")).expect("a link");
    let before = all(bench.path());
    let absolute = bench.path().join("outside").to_string_lossy().into_owned();
    for hostile in ["../outside", "a/../../outside", &absolute, "link/x", ".heapsmith-lock", ".HEAPSMITH-new/0"] {
        let error = remove_listed(&root, &strings(&["ours", hostile])).expect_err(hostile);
        assert!(matches!(&error, Error::Usage(_)), "{hostile}: {error}");
        assert_eq!(all(bench.path()), before, "{hostile}");
    }
    // Of a link that is listed itself, the link goes.
    remove_listed(&root, &strings(&["link"])).expect("removed");
    assert_eq!(names(bench.path()), ["elsewhere", "elsewhere/x", "outside", "root", "root/ours"]);
}

#[test]
fn files_are_replaced_and_old_ones_removed_and_nothing_else_is_left() {
    let (_bench, root) = bench();
    for (path, text) in [("s/same", "same"), ("s/changed", "old"), ("t/stale", "old"), ("s/foreign", "theirs")] {
        write(&root, path, text);
    }
    let new = [("s/same", "same"), ("s/changed", "new"), ("u/v/added", "new"), ("last", "new")];
    replaced(&root, &new, &["s/same", "s/changed", "t/stale"]).expect("replaced");
    let expected = [
        ("last", "new"),
        ("s", "/"),
        ("s/changed", "new"),
        ("s/foreign", "theirs"),
        ("s/same", "same"),
        ("u", "/"),
        ("u/v", "/"),
        ("u/v/added", "new"),
    ];
    let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(all(&root), expected);
    assert_eq!(settled(&root, &[]).expect("settled"), Settled::Nothing);
}

#[test]
fn a_file_that_is_not_an_old_one_is_not_replaced() {
    let (_bench, root) = bench();
    for path in ["ours", "theirs", "folder/x", "file"] {
        write(&root, path, "old");
    }
    let before = all(&root);
    for foreign in ["theirs", "folder", "file/x"] {
        let error = replaced(&root, &[("ours", "new"), (foreign, "new")], &["ours", "folder"]).expect_err(foreign);
        assert!(error.to_string().contains(foreign.trim_end_matches("/x")), "{error}");
        assert_eq!(all(&root), before, "{foreign}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_is_replaced_and_one_in_the_place_of_a_folder_refused() {
    use crate::system::symlink;
    let (bench, root) = bench();
    fs::create_dir_all(&root).expect("a folder");
    fs::create_dir(bench.path().join("elsewhere")).expect("a folder");
    symlink("../outside", root.join("file")).expect("a link");
    symlink("../elsewhere", root.join("folder")).expect("a link");
    let before = all(bench.path());
    for link in ["folder/x", "file"] {
        replaced(&root, &[(link, "new")], &["folder/x"]).expect_err(link);
        assert_eq!(all(bench.path()), before, "{link}");
    }
    replaced(&root, &[("file", "new")], &["file"]).expect("replaced");
    assert_eq!(fs::read_to_string(root.join("file")).expect("a file"), "new");
    assert_eq!(fs::read_to_string(bench.path().join("outside")).expect("a file"), "theirs");
}

#[test]
fn a_journal_is_completed_and_new_files_without_one_are_removed() {
    let (_bench, root) = bench();
    let journal = r#"{"schema":1,"place":["a/0","1"],"remove":["2","3"]}"#;
    for (path, text) in [(".heapsmith-new/0", "new"), (".heapsmith-new/1", "new"), ("1", "old"), ("2", "old")] {
        write(&root, path, text);
    }
    write(&root, "3", "theirs");
    assert!(is_pending(&root).expect("readable"));
    write(&root, ".heapsmith-new/journal", "{");
    assert_eq!(settled(&root, &["1", "2"]).expect("settled"), Settled::Undone);
    assert_eq!(names(&root), ["1", "2", "3"]);

    write(&root, ".heapsmith-new/1", "new");
    write(&root, "a/0", "new");
    write(&root, ".heapsmith-journal", journal);
    assert_eq!(settled(&root, &["1", "2"]).expect("settled"), Settled::Completed);
    assert_eq!(names(&root), ["1", "3", "a", "a/0"], "what the journal alone calls ours is not removed");
    assert_eq!(fs::read_to_string(root.join("1")).expect("a file"), "new");
    assert!(!is_pending(&root).expect("readable"));
}

#[cfg(unix)]
#[test]
fn what_no_command_leaves_is_refused_and_changes_nothing() {
    use crate::system::symlink;
    type Spoil = fn(&Path);
    let journal = |root: &Path, place: &str, remove: &str| {
        let text = format!(r#"{{"schema":1,"place":["{place}"],"remove":["{remove}"]}}"#);
        write(root, ".heapsmith-journal", &text);
    };
    let spoiled: [(&str, Spoil); 8] = [
        ("a folder of new files that is a link", |root| {
            fs::remove_dir_all(root.join(".heapsmith-new")).expect("removed");
            symlink("../elsewhere", root.join(".heapsmith-new")).expect("a link");
        }),
        ("a new file that is a link", |root| {
            fs::remove_file(root.join(".heapsmith-new/0")).expect("removed");
            symlink("../../outside", root.join(".heapsmith-new/0")).expect("a link");
        }),
        ("a file of another name", |root| write(root, ".heapsmith-new/notes.txt", "theirs")),
        ("a folder among the new files", |root| fs::create_dir(root.join(".heapsmith-new/1")).expect("a folder")),
        ("no new files", |root| fs::remove_dir_all(root.join(".heapsmith-new")).expect("removed")),
        ("another schema", |root| {
            write(root, ".heapsmith-journal", r#"{"schema":2,"place":[],"remove":[]}"#);
        }),
        ("no journal", |root| write(root, ".heapsmith-journal", "a text")),
        ("a journal that is a link", |root| {
            fs::rename(root.join(".heapsmith-journal"), root.join("../journal")).expect("renamed");
            symlink("../journal", root.join(".heapsmith-journal")).expect("a link");
        }),
    ];
    let hostile = ["../outside", "/outside", "link/x", ".heapsmith-lock", "a/../../outside", ""];
    let folder = || {
        let (bench, root) = bench();
        write(&root, "a", "old");
        write(&root, "../elsewhere/x", "theirs");
        symlink("../elsewhere", root.join("link")).expect("a link");
        write(&root, ".heapsmith-new/0", "new");
        (bench, root)
    };
    let refused = |bench: &Path, root: &Path, what: &str| {
        let before = all(bench);
        let error = settled(root, &["a", "b"]).expect_err(what);
        assert!(matches!(error, Error::Usage(_)), "{what}: {error}");
        assert_eq!(all(bench), before, "{what}");
    };
    for (what, spoil) in spoiled {
        let (bench, root) = folder();
        journal(&root, "b", "a");
        spoil(&root);
        refused(bench.path(), &root, what);
    }
    for path in hostile {
        let (bench, root) = folder();
        journal(&root, path, "a");
        refused(bench.path(), &root, path);
        journal(&root, "b", path);
        refused(bench.path(), &root, path);
    }
}

#[test]
fn a_file_that_appeared_during_an_interruption_is_not_replaced() {
    let (_bench, root) = bench();
    write(&root, ".heapsmith-new/0", "new");
    write(&root, ".heapsmith-journal", r#"{"schema":1,"place":["a"],"remove":[]}"#);
    write(&root, "a", "theirs");
    let before = all(&root);
    let error = settled(&root, &[]).expect_err("refused");
    assert!(error.to_string().contains("appeared"), "{error}");
    assert_eq!(all(&root), before);
    fs::rename(root.join("a"), root.join("b")).expect("renamed");
    assert_eq!(settled(&root, &[]).expect("settled"), Settled::Completed);
    assert_eq!(fs::read_to_string(root.join("a")).expect("a file"), "new");
}

#[test]
fn many_may_read_a_folder_and_one_alone_change_it() {
    let (_bench, root) = bench();
    fs::create_dir_all(&root).expect("a folder");
    let first = Lock::shared(&root).expect("free");
    let second = Lock::shared(&root).expect("shared");
    Lock::exclusive(&root).expect_err("in use");
    drop(first);
    Lock::exclusive(&root).expect_err("in use");
    drop(second);
    let alone = Lock::exclusive(&root).expect("free");
    Lock::exclusive(&root).expect_err("in use");
    let error = Lock::shared(&root).expect_err("in use");
    assert!(error.to_string().contains("in use") && error.to_string().contains("root"), "{error}");
    drop(alone);
    assert!(!crate::system::RECOGNISES_FILES || names(&root).is_empty(), "no file is left");
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_is_not_followed_and_one_with_content_stays() {
    use crate::system::symlink;
    let (bench, root) = bench();
    write(&root, ".heapsmith-lock", "theirs");
    drop(Lock::exclusive(&root).expect("free"));
    assert_eq!(all(&root), [(".heapsmith-lock".to_owned(), "theirs".to_owned())]);
    fs::remove_file(root.join(".heapsmith-lock")).expect("removed");
    symlink("../made", root.join(".heapsmith-lock")).expect("a link");
    Lock::exclusive(&root).expect_err("a link");
    Lock::shared(&root).expect_err("a link");
    assert!(!bench.path().join("made").exists());
}

//! Tests of the changes that are made in a shared folder, and of those that are refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::paths::is_plain_relative;
use super::{
    Changes, Existing, FolderLock, ListedFile, Settled, SharedFolder, is_pending, remove_listed, replace, settle,
};
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

fn shared(root: &Path) -> SharedFolder {
    SharedFolder::open(root).expect("a folder")
}

fn strings(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// Every file and folder, with contents.
fn list_entries(folder: &Path) -> Vec<(String, String)> {
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
    list_entries(folder).into_iter().map(|(name, _)| name).collect()
}

fn replaced(root: &Path, new: &[(&str, &str)], old: &[&str]) -> Result<(), Error> {
    let new: Vec<(String, Vec<u8>)> =
        new.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let old: BTreeSet<String> = strings(old).into_iter().collect();
    replace(&new, &old, &mut Changes::new(&shared(root), &mut |_| {}))
}

/// Settles a folder whose list names these files.
fn settled(root: &Path, old: &[&str]) -> Result<Settled, Error> {
    settle(&strings(old).into_iter().collect(), &mut Changes::new(&shared(root), &mut |_| {}))
}

#[test]
fn a_plain_path_has_one_spelling_and_stays_below_its_folder() {
    for plain in ["a", "a/b", "phd/some case.phd", "a/..b", "...", "ä/ö", ".hidden"] {
        assert!(is_plain_relative(plain), "{plain}");
    }
    for other in ["", "/", "/a", "..", "a/..", "../a", "a/../b", ".", "./a", "a/./b", "a/.", "a//b", "a/", "a\0b"] {
        assert!(!is_plain_relative(other), "{other}");
    }
    // 255 bytes are the longest name of a file, and 1,024 the longest path here.
    for (name, names, is_plain) in [(255, 4, true), (256, 1, false), (255, 5, false)] {
        let path = vec!["n".repeat(name); names].join("/");
        assert_eq!(is_plain_relative(&path), is_plain, "{name} bytes, {names} names");
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
    remove_listed(&shared(&root), &strings(&["a/b/c/1", "a/b/2", "d/e/3", "4", "listed-folder", "not/there"]))
        .expect("removed");
    assert_eq!(names(&root), ["a", "a/foreign", "empty", "listed-folder", "listed-folder/5"]);
    remove_listed(&shared(&root), &strings(&["a/foreign", "listed-folder/5", "empty/x"])).expect("removed");
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
    let before = list_entries(bench.path());
    let absolute = bench.path().join("outside").to_string_lossy().into_owned();
    for hostile in ["../outside", "a/../../outside", &absolute, "link/x", ".heapsmith-lock", ".HEAPSMITH-new/0"] {
        let error = remove_listed(&shared(&root), &strings(&["ours", hostile])).expect_err(hostile);
        assert!(matches!(&error, Error::Usage(_)), "{hostile}: {error}");
        assert_eq!(list_entries(bench.path()), before, "{hostile}");
    }
    // Of a link that is listed itself, the link goes.
    remove_listed(&shared(&root), &strings(&["link"])).expect("removed");
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
    assert_eq!(list_entries(&root), expected);
    assert_eq!(settled(&root, &[]).expect("settled"), Settled::Nothing);
}

#[test]
fn a_file_that_is_not_an_old_one_is_not_replaced() {
    let (_bench, root) = bench();
    for path in ["ours", "theirs", "folder/x", "file"] {
        write(&root, path, "old");
    }
    let before = list_entries(&root);
    for foreign in ["theirs", "folder", "file/x"] {
        let error = replaced(&root, &[("ours", "new"), (foreign, "new")], &["ours", "folder"]).expect_err(foreign);
        assert!(error.to_string().contains(foreign.trim_end_matches("/x")), "{error}");
        assert_eq!(list_entries(&root), before, "{foreign}");
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
    let before = list_entries(bench.path());
    for link in ["folder/x", "file"] {
        replaced(&root, &[(link, "new")], &["folder/x"]).expect_err(link);
        assert_eq!(list_entries(bench.path()), before, "{link}");
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
    assert!(is_pending(&shared(&root)).expect("readable"));
    write(&root, ".heapsmith-new/journal", "{");
    assert_eq!(settled(&root, &["1", "2"]).expect("settled"), Settled::Undone);
    assert_eq!(names(&root), ["1", "2", "3"]);

    write(&root, ".heapsmith-new/1", "new");
    write(&root, "a/0", "new");
    write(&root, ".heapsmith-journal", journal);
    assert_eq!(settled(&root, &["1", "2"]).expect("settled"), Settled::Completed);
    assert_eq!(names(&root), ["1", "3", "a", "a/0"], "what the journal alone calls ours is not removed");
    assert_eq!(fs::read_to_string(root.join("1")).expect("a file"), "new");
    assert!(!is_pending(&shared(&root)).expect("readable"));
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
        let before = list_entries(bench);
        let error = settled(root, &["a", "b"]).expect_err(what);
        assert!(matches!(error, Error::Usage(_)), "{what}: {error}");
        assert_eq!(list_entries(bench), before, "{what}");
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
    let before = list_entries(&root);
    let error = settled(&root, &[]).expect_err("refused");
    assert!(error.to_string().contains("appeared"), "{error}");
    assert_eq!(list_entries(&root), before);
    fs::rename(root.join("a"), root.join("b")).expect("renamed");
    assert_eq!(settled(&root, &[]).expect("settled"), Settled::Completed);
    assert_eq!(fs::read_to_string(root.join("a")).expect("a file"), "new");
}

#[test]
fn many_may_read_a_folder_and_one_alone_change_it() {
    let (_bench, root) = bench();
    fs::create_dir_all(&root).expect("a folder");
    let first = FolderLock::shared(&shared(&root)).expect("free");
    let second = FolderLock::shared(&shared(&root)).expect("shared");
    FolderLock::exclusive(&shared(&root)).expect_err("in use");
    drop(first);
    FolderLock::exclusive(&shared(&root)).expect_err("in use");
    drop(second);
    let alone = FolderLock::exclusive(&shared(&root)).expect("free");
    FolderLock::exclusive(&shared(&root)).expect_err("in use");
    let error = FolderLock::shared(&shared(&root)).expect_err("in use");
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
    drop(FolderLock::exclusive(&shared(&root)).expect("free"));
    assert_eq!(list_entries(&root), [(".heapsmith-lock".to_owned(), "theirs".to_owned())]);
    fs::remove_file(root.join(".heapsmith-lock")).expect("removed");
    symlink("../made", root.join(".heapsmith-lock")).expect("a link");
    FolderLock::exclusive(&shared(&root)).expect_err("a link");
    FolderLock::shared(&shared(&root)).expect_err("a link");
    assert!(!bench.path().join("made").exists());
}

/// SHA-256 of the bytes `ours`, by sha256sum.
const OURS: &str = "ae0bec9e9d33c56354bd612c8a6010840324fc5b9786ce0a18b696b304b09397";

#[cfg(unix)]
#[test]
fn reads_listed_file_only_if_it_is_plain_and_as_listed() {
    use crate::system::symlink;
    let (bench, root) = bench();
    for file in ["ours", "in/ours", "../elsewhere/ours", ".heapsmith-mine"] {
        write(&root, file, "ours");
    }
    symlink("ours", root.join("link")).expect("a link");
    symlink("../elsewhere", root.join("folder")).expect("a link");
    symlink("/dev/zero", root.join("zero")).expect("a link");
    write(&root, "long", "ours and more");
    let absolute = root.join("ours").to_string_lossy().into_owned();
    let long = vec!["a"; 513].join("/");
    let folder = shared(&root);
    let read = |path: &str, length: u64, sha256: &str| {
        let listed = ListedFile { path, length, sha256, listed_in: "list.json, line 7" };
        folder.read_listed(&listed)
    };
    for path in ["ours", "in/ours"] {
        assert_eq!(read(path, 4, OURS).expect("as listed"), b"ours");
    }
    let all_names = || {
        let mut found = BTreeSet::new();
        let mut folders = vec![bench.path().to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(&next).expect("a folder") {
                let entry = entry.expect("an entry");
                if entry.file_type().expect("known").is_dir() {
                    folders.push(entry.path());
                }
                found.insert(entry.path());
            }
        }
        found
    };
    let before = all_names();
    for (path, length, sha256, why) in [
        ("../outside", 6, OURS, "expected a relative path"),
        ("../root/ours", 4, OURS, "expected a relative path"),
        ("in/../ours", 4, OURS, "expected a relative path"),
        (&*absolute, 4, OURS, "expected a relative path"),
        (&*long, 4, OURS, "of at most 1024 bytes"),
        (".heapsmith-mine", 4, OURS, "reserved"),
        ("link", 4, OURS, "found a symbolic link"),
        ("folder/ours", 4, OURS, "folder is a symbolic link"),
        ("zero", 4, OURS, "found a symbolic link"),
        ("in", 4, OURS, "found a folder"),
        ("ours/ours", 4, OURS, "ours is not a folder"),
        ("nothing", 4, OURS, "nothing: entity not found"),
        ("long", 4, OURS, "expected at most 4 bytes, found 13"),
        ("long", 13, OURS, "expected 13 bytes with the SHA-256"),
        ("ours", 5, OURS, "expected 5 bytes"),
        ("ours", 4, "", "expected 4 bytes with the SHA-256"),
    ] {
        let error = read(path, length, sha256).expect_err(path).to_string();
        assert!(error.starts_with("list.json, line 7: ") && error.contains(why), "{path}: {error}");
    }
    assert_eq!(all_names(), before);
}

#[test]
fn puts_file_whole_and_replaces_only_what_it_may() {
    let (_bench, root) = bench();
    let folder = shared(&root);
    write(&root, "there", "old");
    // Left by a command that was killed.
    write(&root, ".heapsmith-part", "half");
    folder.put_file("new", b"new", Existing::Kept).expect("there is room");
    folder.put_file("there", b"new", Existing::Replaced).expect("there is room");
    folder.put_file("new", b"newer", Existing::Kept).expect_err("it is there");
    folder.put_file("missing/new", b"new", Existing::Kept).expect_err("there is no such folder");
    let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    assert_eq!(list_entries(&root), [text("new", "new"), text("there", "new")]);
}

#[cfg(unix)]
#[test]
fn works_in_folder_that_was_opened_when_another_takes_its_place() {
    use crate::system::symlink;
    let (bench, root) = bench();
    write(&root, "ours", "ours");
    write(&root, "../theirs/ours", "theirs");
    let folder = shared(&root);
    assert!(folder.is_in_place());
    let lock = FolderLock::exclusive(&folder).expect("free");
    fs::rename(&root, bench.path().join("moved")).expect("renamed");
    symlink("theirs", &root).expect("a link");
    assert!(!folder.is_in_place());
    let before = list_entries(&bench.path().join("theirs"));
    folder.put_file("new", b"ours", Existing::Kept).expect("there is room");
    remove_listed(&folder, &strings(&["ours"])).expect("removed");
    replace(&[("a/b".to_owned(), b"ours".to_vec())], &BTreeSet::new(), &mut Changes::new(&folder, &mut |_| {}))
        .expect("replaced");
    drop(lock);
    assert_eq!(list_entries(&bench.path().join("theirs")), before);
    assert_eq!(names(&bench.path().join("moved")), ["a", "a/b", "new"]);
}

//! Tests of the changes that are made in a shared folder, and of those that are refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::paths::is_plain_relative;
use super::{
    Changes, Existing, FolderLock, ListedFile, SharedFolder, UnfinishedFiles, is_unfinished, remove_listed, replace,
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
    let folder = shared(root);
    replace(&new, &old, UnfinishedFiles::read(&folder)?, &mut Changes::new(&folder, &mut |_| {}))
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
    for hostile in ["../outside", "a/../../outside", &absolute, "link/x", ".heapsmith-lock", ".HEAPSMITH-part"] {
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
    assert!(!is_unfinished(&shared(&root)).expect("readable"));
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

/// SHA-256 of the bytes `new` and `between`, by sha256sum.
const NEW: &str = "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437";
const BETWEEN: &str = "fbb27fbdc4f4dd04e21693a3b56c311cd37f743174c1bad4fc27467605426c28";

#[test]
fn finishes_what_marker_describes_and_leaves_what_it_does_not() {
    let (_bench, root) = bench();
    for (path, text) in [("placed", "new"), ("outdated", "between"), ("stale", "between"), ("changed", "theirs")] {
        write(&root, path, text);
    }
    let marker = format!("{BETWEEN}  stale\n{BETWEEN}  outdated\n{NEW}  placed\n{NEW}  missing\n{BETWEEN}  changed\n");
    write(&root, ".heapsmith-unfinished", &marker);
    // A command that was killed while it wrote a file.
    write(&root, ".heapsmith-part", "ha");
    assert!(is_unfinished(&shared(&root)).expect("readable"));
    replaced(&root, &[("placed", "new"), ("outdated", "new"), ("list", "new")], &[]).expect("finished");
    let expected = [("changed", "theirs"), ("list", "new"), ("outdated", "new"), ("placed", "new")];
    let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(list_entries(&root), expected);
}

#[test]
fn refuses_file_that_appeared_during_interruption() {
    let (_bench, root) = bench();
    write(&root, ".heapsmith-unfinished", &format!("{NEW}  a\n"));
    write(&root, "a", "theirs");
    let before = list_entries(&root);
    let error = replaced(&root, &[("a", "new")], &[]).expect_err("refused");
    assert!(error.to_string().contains("not written by heapsmith"), "{error}");
    assert_eq!(list_entries(&root), before);
    fs::rename(root.join("a"), root.join("b")).expect("renamed");
    replaced(&root, &[("a", "new")], &[]).expect("finished");
    let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    assert_eq!(list_entries(&root), [text("a", "new"), text("b", "theirs")]);
}

#[test]
fn removes_marker_when_all_is_in_place() {
    let (_bench, root) = bench();
    write(&root, ".heapsmith-unfinished", &format!("{NEW}  a\n"));
    write(&root, "a", "new");
    replaced(&root, &[("a", "new")], &["a"]).expect("finished");
    assert_eq!(names(&root), ["a"]);
}

#[cfg(unix)]
#[test]
fn refuses_marker_that_no_command_leaves_and_changes_nothing() {
    use crate::system::symlink;
    let refused = |spoil: &dyn Fn(&Path), what: &str| {
        let (bench, root) = bench();
        write(&root, "a", "old");
        write(&root, "../elsewhere/x", "new");
        symlink("../elsewhere", root.join("link")).expect("a link");
        spoil(&root);
        let before = list_entries(bench.path());
        let error = replaced(&root, &[("a", "new"), ("b", "new")], &["a"]).expect_err(what);
        assert!(matches!(error, Error::Usage(_)), "{what}: {error}");
        assert_eq!(list_entries(bench.path()), before, "{what}");
    };
    for text in
        ["a text", "\n", &format!("{NEW} a\n"), &format!("{}  a\n", &NEW[1..]), &format!("{}  a", NEW.to_uppercase())]
    {
        refused(&|root| write(root, ".heapsmith-unfinished", text), text);
    }
    for path in ["../elsewhere/x", "/outside", "link/x", ".heapsmith-lock", "a/../../outside", ""] {
        refused(&|root| write(root, ".heapsmith-unfinished", &format!("{NEW}  {path}\n")), path);
    }
    refused(
        &|root| {
            write(root, "../marker", &format!("{NEW}  a\n"));
            symlink("../marker", root.join(".heapsmith-unfinished")).expect("a link");
        },
        "a link",
    );
    refused(&|root| fs::create_dir(root.join(".heapsmith-unfinished")).expect("a folder"), "a folder");
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
    replace(&[("a/b".to_owned(), b"ours".to_vec())], &BTreeSet::new(), None, &mut Changes::new(&folder, &mut |_| {}))
        .expect("replaced");
    drop(lock);
    assert_eq!(list_entries(&bench.path().join("theirs")), before);
    assert_eq!(names(&bench.path().join("moved")), ["a", "a/b", "new"]);
}

//! A process and all that it started, seen from outside.

use std::collections::HashSet;

use rustix::process::Pid;

/// All descendants of a process, as far as they can be seen: on systems without `/proc` none.
pub(super) fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut ahead = vec![root];
    while let Some(pid) = ahead.pop() {
        for child in children(pid) {
            if seen.insert(child) {
                found.push(child);
                ahead.push(child);
            }
        }
    }
    found
}

/// The children of all threads of a process.
pub(super) fn children(pid: Pid) -> Vec<Pid> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())) else { return Vec::new() };
    let mut children = Vec::new();
    let mut is_told = false;
    for task in tasks.flatten() {
        if let Ok(list) = std::fs::read_to_string(task.path().join("children")) {
            is_told = true;
            children.extend(list.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)));
        }
    }
    // A kernel need not have that file; then every process is asked for its parent.
    if is_told { children } else { children_by_parent(pid) }
}

fn children_by_parent(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let of = |entry: std::fs::DirEntry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name in parentheses may hold anything, parentheses too; the parent is the second word after it.
        let ppid: i32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        (ppid == parent.as_raw_nonzero().get()).then_some(pid)
    };
    processes.flatten().filter_map(of).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_are_found_by_either_way() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("`sleep` can be started");
        let (own, pid) = (rustix::process::getpid(), Pid::from_child(&child));
        assert!(descendants(own).contains(&pid));
        assert!(children_by_parent(own).contains(&pid));
        child.kill().expect("it is ours");
        child.wait().expect("it was killed");
        assert!(!children_by_parent(own).contains(&pid));
    }
}

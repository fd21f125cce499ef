//! Plain random dumps, which every reader in use has to read: 95 of 100 at least, each.

use std::collections::BTreeMap;
use std::fs;

use heapsmith::DumpOptions;
use heapsmith::format::Format;
use heapsmith::generate::from_seed;
use heapsmith::hprof::IdSize;
use heapsmith::model::Dump;

use super::census::{census, differences};
use super::{Answer, PEERS, ask, peers};

const DUMPS: u64 = 100;
const RIGHT: u32 = 95;

#[test]
fn every_peer_reads_95_of_100_plain_dumps_of_hotspot_25() {
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut paths, mut wanted) = (Vec::new(), Vec::new());
    for seed in 0..DUMPS {
        let id_size = if seed % 2 == 0 { IdSize::Eight } else { IdSize::Four };
        let options = DumpOptions::new(Format::HPROF).profile("hotspot-25").id_size(id_size);
        let lowering = options.lowering().expect("a profile");
        let heap = from_seed(&lowering.generate_options(20 + seed as usize, None), seed);
        let mut dump = Dump { heaps: vec![heap], tail: Vec::new() };
        let mut bytes = Vec::new();
        lowering.write(&mut dump, &mut bytes).expect("writable");
        let path = folder.path().join(format!("plain-{seed}.hprof"));
        fs::write(&path, bytes).expect("a file");
        paths.push(path);
        wanted.push(census(&lowering.carry(&mut dump).expect("writable")));
    }
    let mut right: BTreeMap<&str, u32> = BTreeMap::new();
    for ((wanted, answers), seed) in wanted.into_iter().zip(ask(&peers, &paths)).zip(0..) {
        for (peer, answer) in PEERS.into_iter().zip(answers) {
            let says = match answer {
                Answer::Skipped => continue,
                Answer::Told(told) => differences(&wanted, &told).join("; "),
                Answer::Failed(message) => message,
            };
            if says.is_empty() {
                *right.entry(peer).or_default() += 1;
            } else {
                println!("plain-{seed}, {peer}: {says}");
                right.entry(peer).or_default();
            }
        }
    }
    for (peer, right) in &right {
        println!("| {peer} | {right} of {DUMPS} |");
    }
    assert!(!right.is_empty());
    assert!(right.values().all(|right| *right >= RIGHT), "{right:?}");
}

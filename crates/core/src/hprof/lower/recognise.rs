//! Recognition of a dump's writer: the one whose profile gives the same bytes again.

use std::io::Read;

use crate::error::Error;
use crate::family;
use crate::lower::Adherence;
use crate::model::{DumpSource, EventKind, Facts, HeapSource};

use super::LowerOptions;
use super::profiles::{Framing, KEEPING, NameForm, PROFILES, Profile, RootOrder};

/// The options, with the first profile and framing, that turn the heaps of a dump back into exactly its bytes: in
/// the dump's own order, with its own log.
///
/// `reopen` gives the dump's bytes from the start. Profiles that draw their spelling are not tried.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise(
    dump: &mut dyn DumpSource,
    reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<LowerOptions>, Error> {
    let mut profiles: Vec<&'static Profile> = PROFILES.iter().filter(|profile| !profile.is_seeded()).collect();
    let signs = ProfileSigns::from_heap(dump.heap(0));
    profiles.sort_by_key(|profile| signs.count_against(profile));
    let candidates = profiles.into_iter().flat_map(|profile| {
        let options = LowerOptions { profile, adherence: Adherence::Heap, ..LowerOptions::default() };
        profile.framings.iter().map(move |framing| LowerOptions { framing: Some(framing), ..options })
    });
    family::recognise(candidates, dump, reopen)
}

/// The options that keep all that heaps hold, for a dump that no profile gives again: its own order, log, identifiers and
/// header version. Segments are cut as a writer of that version does.
pub fn keeping_options(facts: &Facts) -> LowerOptions {
    let is_own = |framing: &&Framing| {
        facts.header_version.as_ref().is_some_and(|own| own.as_bytes() == framing.version.text().as_bytes())
    };
    let options = LowerOptions::default().adherence(Adherence::Heap).framing(KEEPING.iter().find(is_own));
    PROFILES.iter().find(|profile| profile.is_seeded()).map_or(options, |profile| options.profile(profile))
}

/// Habits that the bytes of a small dump need not tell apart, since a heap written in its own order keeps them.
struct ProfileSigns {
    java_names: bool,
    times: bool,
    thread_records: bool,
    roots_before_objects: bool,
}

impl ProfileSigns {
    fn from_heap(heap: &mut dyn HeapSource) -> ProfileSigns {
        let is_java = |name: &[u8]| name.contains(&b'.') || name.ends_with(b"[]");
        let surroundings = heap.surroundings();
        let events = || surroundings.events.iter().flatten();
        let objects_follow = |after: u64| heap.classes().len() as u64 >= after;
        ProfileSigns {
            java_names: heap.classes().iter().any(|class| is_java(class.name.as_bytes())),
            times: events().any(|event| event.time != 0),
            thread_records: events().any(|event| matches!(event.kind, EventKind::StartThread(_))),
            roots_before_objects: surroundings
                .roots
                .iter()
                .flatten()
                .next()
                .is_some_and(|root| root.after.is_some_and(objects_follow)),
        }
    }

    /// The number of signs that speak against a profile.
    fn count_against(&self, profile: &Profile) -> usize {
        let style = profile.log;
        [
            self.java_names != (profile.names == NameForm::Java),
            self.times && !style.times,
            self.thread_records && !style.non_heap,
            self.roots_before_objects != (profile.roots != RootOrder::Last),
        ]
        .into_iter()
        .filter(|against| *against)
        .count()
    }
}

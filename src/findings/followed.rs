//! References that dangle, looked up many at once.

use crate::model::{Address, AddressSet, Lately};

use super::Findings;
use super::dangling::{Dangling, DanglingRule};
use super::far::Far;

/// References that were not looked up yet, and the records that have them.
#[derive(Debug)]
pub(crate) struct Followed {
    rule: DanglingRule,
    targets: Vec<u64>,
    records: Vec<Referring>,
    /// What is known of the first of the records: of the others, no reference was looked up.
    known: Known,
    /// Of a large heap, addresses of records that came.
    there: Lately<(), NEAR>,
    /// Whether there are any.
    is_noted: bool,
    /// Of a large heap, references that lead elsewhere.
    far: Far,
}

/// A record with references.
#[derive(Clone, Copy, Debug)]
struct Referring {
    offset: u64,
    index: u64,
    /// Where those of them begin that were not looked up yet.
    from: usize,
}

/// What is known of a record by its references that were looked up.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// How many there are.
    count: u64,
    /// How many of them dangle, and the first of those.
    dangling: u64,
    first: Address,
}

/// References that are kept until they are looked up, and records. A look at a place of memory that is not in a cache takes as long
/// as several records, and several of them at once take little longer than one.
const KEPT: usize = 1024;

/// Addresses that are known to be there without a look: most references lead to records near by. In 64 kB, those are in quick memory.
const NEAR: usize = 8192;

impl Followed {
    /// None so far, of a dump in which a reference that dangles breaks a rule.
    pub(crate) fn new(rule: DanglingRule) -> Followed {
        let (targets, records) = (Vec::with_capacity(KEPT), Vec::with_capacity(KEPT));
        let (known, far) = (Known::default(), Far::default());
        Followed { rule, targets, records, known, there: Lately::new(), is_noted: false, far }
    }

    /// The rule.
    pub(crate) fn rule(&self) -> &DanglingRule {
        &self.rule
    }

    /// Another heap comes, with other addresses.
    pub(crate) fn forget(&mut self) {
        // Not for each of many small heaps.
        if std::mem::take(&mut self.is_noted) {
            self.there.forget();
        }
    }

    /// A record comes that has this address. References lead mostly to those near by.
    #[inline]
    pub(crate) fn pass(&mut self, address: Address, addresses: &AddressSet) {
        if addresses.is_large() {
            self.there.note(address, ());
            self.is_noted = true;
        }
    }

    /// A record comes, at this offset and with this index.
    #[inline]
    pub(crate) fn begin(&mut self, (offset, index): (u64, u64), addresses: &AddressSet, findings: &mut Findings) {
        if self.records.len() >= KEPT {
            self.look_up(addresses, findings);
        }
        self.records.push(Referring { offset, index, from: self.targets.len() });
    }

    /// A reference of the last record. One to nothing counts as one, and does not dangle.
    #[inline]
    pub(crate) fn follow(&mut self, target: Address, addresses: &AddressSet, findings: &mut Findings) {
        if self.targets.len() >= KEPT {
            self.look_up(addresses, findings);
        }
        self.targets.push(target.0);
    }

    /// Room for some references of the last record, that many at most. `None` if that many are not kept.
    #[inline]
    pub(crate) fn room(
        &mut self,
        count: u64,
        addresses: &AddressSet,
        findings: &mut Findings,
    ) -> Option<&mut Vec<u64>> {
        let count = usize::try_from(count).ok().filter(|count| *count <= KEPT)?;
        if self.targets.len() + count > KEPT {
            self.look_up(addresses, findings);
        }
        Some(&mut self.targets)
    }

    /// No more references lead to these addresses.
    pub(crate) fn end(&mut self, addresses: &AddressSet, findings: &mut Findings) {
        self.look_up(addresses, findings);
        let mut told = Vec::new();
        self.look_far(addresses, &mut told, findings);
        told.iter().for_each(|one| self.known.dangle(one));
        if let Some(last) = self.records.pop() {
            self.report(&last, self.known, findings);
        }
        self.known = Known::default();
    }

    /// Looks the references up, and reports what dangles. The last record may have more of them.
    fn look_up(&mut self, addresses: &AddressSet, findings: &mut Findings) {
        let Some(last) = self.records.len().checked_sub(1) else { return };
        let mut told = Vec::new();
        if addresses.is_large() {
            self.pick_far(addresses, &mut told, findings);
        } else {
            self.ask_each(addresses, &mut told);
        }
        // What was known of the first one comes first.
        if self.known.dangling > 0 {
            let Known { dangling, first, .. } = self.known;
            told.insert(0, Told { record: 0, dangling, first });
        }
        let mut of_last = Known { count: self.count(last), ..Known::default() };
        for of_record in told.chunk_by(|one, next| one.record == next.record) {
            let at = of_record[0].record;
            let mut known = Known { count: self.count(at), ..Known::default() };
            of_record.iter().for_each(|one| known.dangle(one));
            match at == last {
                true => of_last = known,
                false => self.report(&self.records[at], known, findings),
            }
        }
        self.known = of_last;
        self.targets.clear();
        self.records.drain(..last);
        self.records[0].from = 0;
    }

    /// How many references a record has, of those that came.
    fn count(&self, at: usize) -> u64 {
        let end = self.records.get(at + 1).map_or(self.targets.len(), |next| next.from);
        let before = if at == 0 { self.known.count } else { 0 };
        before + (end - self.records[at].from) as u64
    }

    /// Looks all references up, and tells of those that dangle.
    fn ask_each(&self, addresses: &AddressSet, told: &mut Vec<Told>) {
        for (asked, from) in self.targets.chunks(AddressSet::TOGETHER).zip((0..).step_by(AddressSet::TOGETHER)) {
            let mut missing = addresses.missing(asked);
            while missing != 0 {
                let at = missing.trailing_zeros() as usize;
                missing &= missing - 1;
                let after = self.records.partition_point(|record| record.from <= from + at);
                if asked[at] != 0
                    && let Some(record) = after.checked_sub(1)
                {
                    told.push(Told { record, dangling: 1, first: Address(asked[at]) });
                }
            }
        }
    }

    /// Takes the references that lead far away, to look them up when there are many.
    fn pick_far(&mut self, addresses: &AddressSet, told: &mut Vec<Told>, findings: &mut Findings) {
        if let Some(first) = self.records.first() {
            self.far.recount(first.index, self.count(0));
        }
        let (mut far, mut count, mut before) = ([0; KEPT], 0, self.known.count);
        let ends = self.records.iter().skip(1).map(|next| next.from).chain([self.targets.len()]);
        for (record, end) in self.records.iter().zip(ends) {
            let from = count;
            for &target in &self.targets[record.from..end] {
                far[count] = target;
                // Without a branch on what is known, which could not be foretold. Null leads nowhere.
                count += usize::from(!self.there.knows(Address(target)) & (target != 0));
            }
            if count > from {
                let of_all = before + (end - record.from) as u64;
                self.far.begin((record.offset, record.index, of_all), from);
            }
            before = 0;
        }
        self.far.extend(&far[..count]);
        // A record some of whose references dangle is reported when it ends, after those before it.
        let is_reported = self.known.dangling > 0 && self.records.len() > 1;
        if self.far.is_full(addresses) || is_reported {
            self.look_far(addresses, told, findings);
        }
    }

    /// Looks up the references that lead far away. Reports what dangles of records that have ended, and tells of that of others.
    fn look_far(&mut self, addresses: &AddressSet, told: &mut Vec<Told>, findings: &mut Findings) {
        let Followed { far, records, rule, .. } = self;
        far.look_up(addresses, |of| match records.binary_search_by_key(&of.index, |record| record.index) {
            Ok(record) => told.push(Told { record, dangling: of.dangling, first: of.first }),
            Err(_) => rule.report(&of, findings),
        });
    }

    fn report(&self, record: &Referring, known: Known, findings: &mut Findings) {
        let (Referring { offset, index, .. }, Known { count, dangling, first }) = (*record, known);
        if dangling > 0 {
            self.rule.report(&Dangling { offset, index, count, dangling, first }, findings);
        }
    }
}

/// Some references of a record dangle.
struct Told {
    /// Its place among those that are kept.
    record: usize,
    dangling: u64,
    /// The first one.
    first: Address,
}

impl Known {
    /// Some more references dangle.
    fn dangle(&mut self, told: &Told) {
        if self.dangling == 0 {
            self.first = told.first;
        }
        self.dangling += told.dangling;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::draw::{Draw, SeedDraw};

    /// References of a dump whose 99 records are at the multiples of 8, from 8 on.
    fn of_multiples_of_8() -> (Followed, AddressSet, Findings) {
        let mut addresses = AddressSet::default();
        (1..100).for_each(|number| _ = addresses.insert(8 * number));
        addresses.seal();
        let rule = crate::phd::rules::GRAPH_DANGLING_REFERENCE;
        let rule = DanglingRule::new(rule, &crate::phd::rules::BOOK, "references to records");
        (Followed::new(rule), addresses, Findings::default())
    }

    /// More references than are kept, records without any between others, and references that dangle on either side of a block.
    #[test]
    fn what_dangles_is_told_of_its_record() {
        let (mut followed, addresses, mut findings) = of_multiples_of_8();
        let dangling = |record: u64, at: u64| match (record, at) {
            (1, 1500 | 2999) | (3, 0) | (5, 63 | 64) => Some(0x1000 + at),
            _ => None,
        };
        for (record, count) in [(0, 0), (1, 3000), (2, 0), (3, 1), (4, 2000), (5, 65), (6, 1), (7, 0)] {
            followed.begin((100 * record, record), &addresses, &mut findings);
            for at in 0..count {
                let target = dangling(record, at).unwrap_or(8 * (at % 99 + 1));
                followed.follow(Address(target), &addresses, &mut findings);
            }
        }
        followed.end(&addresses, &mut findings);
        let (found, _) = findings.finish();
        let found: Vec<_> = found.iter().map(|one| (one.offset, one.record, &*one.found)).collect();
        let due = [
            (100, Some(1), "2 of 3000 dangle; first dangling reference: 0x15dc"),
            (300, Some(3), "1 of 1 dangle; first dangling reference: 0x1000"),
            (500, Some(5), "2 of 65 dangle; first dangling reference: 0x103f"),
        ];
        assert_eq!(found, due);
    }

    /// The same where the references of a record come at once, with those to nothing among them.
    #[test]
    fn references_that_come_at_once_are_told_of_their_record() {
        let (mut followed, addresses, mut findings) = of_multiples_of_8();
        // More than are kept in all.
        for record in 0..40 {
            followed.begin((100 * record, record), &addresses, &mut findings);
            let room = followed.room(60, &addresses, &mut findings).expect("fewer than are kept");
            room.extend((0..60).map(|at| if at % 7 == 0 { 0 } else { 8 * (at % 99 + 1) }));
            if record == 33 {
                *room.last_mut().expect("60 references") = 0x5000;
            }
        }
        assert!(followed.room(KEPT as u64 + 1, &addresses, &mut findings).is_none());
        followed.end(&addresses, &mut findings);
        let (found, _) = findings.finish();
        let found: Vec<_> = found.iter().map(|one| (one.record, &*one.found)).collect();
        assert_eq!(found, [(Some(33), "1 of 60 dangle; first dangling reference: 0x5000")]);
    }

    /// Of a heap so large that most references are known without a look, whose objects stand in groups: references to nothing, near by and far
    /// away, to nowhere, and some of them often; and records with more of them than are kept.
    #[test]
    fn what_dangles_in_a_large_heap_is_told_of_its_record() {
        let mut draw = SeedDraw::numbered(1, 3);
        let (mut addresses, mut all) = (AddressSet::default(), Vec::new());
        let mut address = 0x10_0000;
        for number in 0..200_000 {
            address += if number % 20 == 0 { 0x1_0000 + 8 * draw.below(1 << 13) } else { 16 + 8 * draw.below(12) };
            addresses.insert(address);
            all.push(address);
        }
        addresses.seal();
        assert!(addresses.is_large());
        let known: HashSet<u64> = all.iter().copied().collect();
        let (mut followed, _, mut findings) = of_multiples_of_8();
        let mut due = Vec::new();
        for (index, &address) in (0..).zip(&all) {
            followed.pass(Address(address), &addresses);
            followed.begin((index, index), &addresses, &mut findings);
            let (mut dangling, count) = (Vec::new(), if index % 9_999 == 5 { 3 * 16_384 } else { 3 });
            for _ in 0..count {
                let target = match draw.below(100) {
                    0 => address + 8 * draw.below(1 << 16),
                    1 => all[0] + 1,
                    2..20 => all[draw.below(all.len() as u64) as usize],
                    20..30 => 0,
                    _ => all[index.saturating_sub(draw.below(50)) as usize],
                };
                followed.follow(Address(target), &addresses, &mut findings);
                dangling.extend((target != 0 && !known.contains(&target)).then_some(target));
            }
            if let Some(first) = dangling.first() {
                let found = format!("{} of {count} dangle; first dangling reference: {first:#x}", dangling.len());
                due.push((Some(index), found));
            }
        }
        followed.end(&addresses, &mut findings);
        let (found, counts) = findings.finish();
        let found: Vec<(Option<u64>, String)> = found.into_iter().map(|one| (one.record, one.found)).collect();
        assert!(found.len() > 10 && due.len() > 5000 && found.iter().any(|(record, _)| *record == Some(5)));
        assert_eq!(found, due[..found.len()]);
        assert_eq!(counts.iter().map(|of| of.count).sum::<u64>(), due.len() as u64);
    }
}

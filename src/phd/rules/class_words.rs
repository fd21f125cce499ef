//! Which class words objects have, and how many object arrays have each.

use foldhash::HashMap;

use crate::model::Address;

/// The class words of a dump: mostly as few as its classes.
#[derive(Debug)]
pub(super) struct ClassWords {
    words: Vec<Word>,
    places: HashMap<Address, u32>,
    /// Places by some bits of the word: the few words that most objects have need no table.
    near: [u32; NEAR],
}

#[derive(Clone, Copy, Debug)]
struct Word {
    word: Address,
    /// Object arrays that have it.
    arrays: u64,
}

const NEAR: usize = 256;
/// What a word takes in tables that grow.
const IN_TABLE: usize = 2 * (size_of::<Word>() + size_of::<(Address, u32)>());

impl Default for ClassWords {
    fn default() -> ClassWords {
        ClassWords { words: Vec::new(), places: HashMap::default(), near: [0; NEAR] }
    }
}

impl ClassWords {
    /// One more object has this class word, or that many object arrays.
    #[inline]
    pub(super) fn add(&mut self, word: Address, arrays: u64) {
        let near = (word.0 >> 3 ^ word.0 >> 11) as usize % NEAR;
        if let Some(known) = self.words.get_mut(self.near[near] as usize)
            && known.word == word
        {
            known.arrays += arrays;
            return;
        }
        self.add_elsewhere(near, word, arrays);
    }

    #[inline(never)]
    fn add_elsewhere(&mut self, near: usize, word: Address, arrays: u64) {
        let place = match self.places.get(&word) {
            Some(&place) => place,
            None => {
                let place = self.words.len() as u32;
                self.places.insert(word, place);
                self.words.push(Word { word, arrays: 0 });
                place
            }
        };
        self.near[near] = place;
        self.words[place as usize].arrays += arrays;
    }

    /// About how many bytes they take.
    #[inline]
    pub(super) fn held(&self) -> usize {
        self.words.len() * IN_TABLE
    }

    /// Whether all of them are like this.
    pub(super) fn are_all(&self, like: impl Fn(Address) -> bool) -> bool {
        self.words.iter().all(|known| like(known.word))
    }

    /// How many object arrays there are, and how many of them have a class word like this.
    pub(super) fn arrays(&self, like: impl Fn(Address) -> bool) -> (u64, u64) {
        let of = |words: &mut dyn Iterator<Item = &Word>| words.map(|known| known.arrays).sum::<u64>();
        (of(&mut self.words.iter()), of(&mut self.words.iter().filter(|known| like(known.word))))
    }
}

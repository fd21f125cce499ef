//! The facts of a heap that a profile's dump records: model to model, no spelling.

use std::iter::Peekable;
use std::vec::IntoIter;

use foldhash::{HashMap, HashMapExt};

use crate::error::{Error, LowerError};
use crate::lower::{Adherence, ClassPlacement};
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Hierarchy, IdentityHash, Name, Object, ObjectKind, Pieces,
    PiecewiseContents, WordSize, array_size,
};
use crate::phd::wire::Version;

use super::LowerOptions;
use super::profiles::{ArrayWord, ElementOrder, FieldSwap, HeaderPolicy, ObjectSurvey, Profile};

/// Carries one heap's classes and objects for one profile.
pub(super) struct Carrier<'c> {
    classes: &'c [Class],
    by_address: HashMap<Address, usize>,
    hierarchy: Hierarchy,
    /// By class; those that the heap does not know are worked out from the fields.
    instance_sizes: Vec<Option<ByteLen>>,
    by_name: HashMap<&'c Name, Vec<usize>>,
    profile: &'static Profile,
    version: Version,
    word: WordSize,
    regime: HashRegime,
    order: ClassPlacement,
    /// Whether null references are written that the heap lists: those of a dump that is written as it was.
    keeps_nulls: bool,
}

impl<'c> Carrier<'c> {
    pub(super) fn new(classes: &'c [Class], facts: &Facts, options: &LowerOptions) -> Carrier<'c> {
        let mut by_name: HashMap<&Name, Vec<usize>> = HashMap::new();
        for (index, class) in classes.iter().enumerate() {
            by_name.entry(&class.name).or_default().push(index);
        }
        let by_address: HashMap<_, _> =
            classes.iter().enumerate().map(|(index, class)| (class.address, index)).collect();
        let hierarchy = Hierarchy::new(classes, |class| by_address.get(&class).copied());
        let word = options.profile.word(facts, options);
        Carrier {
            classes,
            instance_sizes: hierarchy.instance_sizes(classes, word.bytes() as u64),
            hierarchy,
            by_address,
            by_name,
            profile: options.profile,
            version: options.version,
            word,
            regime: options.profile.regime(facts, options),
            order: options.profile.order(options),
            keeps_nulls: options.adherence == Adherence::Heap,
        }
    }

    /// The classes by their place in the dump; those of one place keep the table's order.
    pub(super) fn class_order(&self) -> Peekable<IntoIter<usize>> {
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by_key(|&index| self.stands_after(&self.classes[index]));
        order.into_iter().peekable()
    }

    /// The number of objects before a class.
    pub(super) fn stands_after(&self, class: &Class) -> u64 {
        self.order.place(class.after_objects)
    }

    /// The facts of the header.
    pub(super) fn facts(&self, facts: &Facts, survey: &ObjectSurvey) -> Facts {
        let (version, totals, randoms) = match self.profile.header {
            HeaderPolicy::VersionAlways => (true, false, false),
            HeaderPolicy::VersionIfKnown => (true, false, false),
            HeaderPolicy::TotalsAndRandoms => (false, true, true),
            HeaderPolicy::Any => (true, facts.totals.is_some(), true),
        };
        let empty = (self.profile.header == HeaderPolicy::VersionAlways).then(Name::default);
        Facts {
            word_size: Some(self.word),
            version_text: facts.version_text.clone().filter(|_| version).or(empty),
            totals: totals.then(|| facts.totals.unwrap_or(survey.totals)),
            hash_randoms: facts.hash_randoms.filter(|_| randoms),
            hash_regime: Some(self.regime),
            ..Facts::default()
        }
    }

    /// The class in the record of the class at this place.
    pub(super) fn class(&self, index: usize) -> Result<Class, LowerError> {
        let class = &self.classes[index];
        let is_listed = class.references.is_some();
        let references = match &class.references {
            Some(listed) => listed.clone(),
            None if class.statics.is_none() => {
                return Err(LowerError::Unknown { what: "what it refers to", address: class.address });
            }
            None => self.class_references(index),
        };
        Ok(Class {
            address: class.address,
            name: class.name.clone(),
            superclass: Some(known(class.superclass, "the superclass", class.address)?),
            instance_size: Some(known(self.instance_sizes[index], "the instance size", class.address)?),
            hash: self.hash(class.hash),
            references: Some(
                references.into_iter().filter(|r| is_listed && self.keeps_nulls || !r.is_null()).collect(),
            ),
            ..Class::default()
        })
    }

    pub(super) fn object(&self, object: &Object) -> Result<Object, Error> {
        let mut carried = Object { hash: self.hash(object.hash), ..Object::new(object.address, object.kind) };
        match object.kind {
            ObjectKind::Instance | ObjectKind::ObjectArray if object.contents == Contents::Unknown => {
                return Err(LowerError::Unknown { what: "what it refers to", address: object.address }.into());
            }
            ObjectKind::Instance => {
                let class = known(object.class_word.or(object.class), "the class", object.address)?;
                carried.class = Some(class);
                carried.class_word = Some(class);
                carried.contents = match &object.contents {
                    Contents::Long(PiecewiseContents::References(listed)) if self.keeps_nulls => {
                        hold_if_few(listed.clone())?
                    }
                    Contents::Long(PiecewiseContents::References(listed)) => hold_if_few(listed.without_nulls()?)?,
                    Contents::References(listed) if self.keeps_nulls => Contents::References(listed.clone()),
                    _ => {
                        let place = object.class.and_then(|class| self.by_address.get(&class)).copied();
                        let mut references = self.hierarchy.layout_order(self.classes, place, object);
                        references.retain(|reference| !reference.is_null());
                        Contents::References(references)
                    }
                };
            }
            ObjectKind::ObjectArray => {
                let (word, own) = match object.class_word {
                    Some(word) => (word, None),
                    None => self.array_word(object)?,
                };
                carried.class_word = Some(word);
                let reverses = self.profile.elements == ElementOrder::Reverse;
                let (count, contents) = array_references(object, reverses, self.keeps_nulls, own)?;
                // An array from tag 5 has no length of its own; the DTFJ reader takes the references'.
                let length = object.length.unwrap_or(count);
                if self.profile.true_length && length < count {
                    let address = object.address;
                    return Err(LowerError::ShortArray { address, length, references: count }.into());
                }
                carried.length = self.profile.true_length.then_some(length);
                carried.size = self.array_size(object, length, self.word.bytes() as u64)?;
                carried.contents = contents;
                if let (FieldSwap::SizeFirst, Some(length), Some(ByteLen(size))) =
                    (self.profile.array_fields, carried.length, carried.size)
                {
                    carried.length = Some(size / 4);
                    carried.size = Some(ByteLen(length * 4));
                }
            }
            ObjectKind::PrimitiveArray(element) => {
                let length = known(object.length, "the array length", object.address)?;
                carried.length = Some(length);
                carried.size = self.array_size(object, length, element.size())?;
            }
        }
        Ok(carried)
    }

    /// A hash in the dump's regime. A 16-bit hash from a 32-bit one is its low 15 bits, and the way
    /// back doubles it, as the DTFJ reader shows a 16-bit hash: (h & 7fff) << 16 | (h & 7fff).
    pub(super) fn hash(&self, hash: Option<IdentityHash>) -> Option<IdentityHash> {
        match (self.regime, hash) {
            (HashRegime::Every16, None) => Some(IdentityHash::Bits16(0)),
            (HashRegime::Every16, Some(IdentityHash::Bits32(hash))) => {
                Some(IdentityHash::Bits16((hash & 0x7fff) as u16))
            }
            (HashRegime::WhereUsed32, Some(IdentityHash::Bits16(hash))) => {
                let bits = u32::from(hash & 0x7fff);
                self.hash(Some(IdentityHash::Bits32(bits << 16 | bits)))
            }
            // The writers test for zero, so a hash of 0 cannot be told from none.
            (HashRegime::WhereUsed32, Some(IdentityHash::Bits32(0))) if !self.profile.writes_zero_hash => None,
            (_, hash) => hash,
        }
    }

    /// References of a class record, from what the model knows of the class: loader, statics,
    /// constant-pool classes, superclasses from the root down, interfaces (native writer).
    fn class_references(&self, index: usize) -> Vec<Address> {
        let class = &self.classes[index];
        let statics = class.statics.iter().flatten().filter_map(|s| s.value.as_reference());
        let pool = class.constant_pool.iter().flatten().filter_map(|p| p.value.as_reference());
        let pool = pool.filter(|&entry| self.class_at(entry).is_some());
        let supers = self.hierarchy.superclasses(index);
        let interfaces = class.interfaces.iter().flatten().copied();
        let rest = statics.chain(pool).chain(supers).chain(interfaces);
        class.loader.into_iter().chain(rest).collect()
    }

    /// The class word of an object array whose own class is known, and its class where that is the first reference.
    fn array_word(&self, object: &Object) -> Result<(Address, Option<Address>), LowerError> {
        let unknown = LowerError::Unknown { what: "the component class", address: object.address };
        let own = known(object.class, "the class", object.address)?;
        let array = self.class_at(own).ok_or_else(|| unknown.clone())?;
        match self.profile.array_word {
            ArrayWord::Component => self.component(array, 1).ok_or(unknown).map(|word| (word, None)),
            ArrayWord::BaseThenArray => {
                self.component(array, array.dimensions()).ok_or(unknown).map(|word| (word, Some(own)))
            }
        }
    }

    /// The class that is left after this number of dimensions is taken off, of the same loader if there is
    /// one.
    fn component(&self, array: &Class, dimensions: usize) -> Option<Address> {
        let rest = array.name.as_bytes().get(dimensions..)?;
        let name = match rest {
            [b'L', name @ .., b';'] => Name::from_bytes(name),
            [letter] if *letter != b'[' => {
                let primitive =
                    crate::model::PrimitiveType::ALL.into_iter().find(|p| p.signature() == char::from(*letter));
                Name::from_text(primitive?.keyword())
            }
            _ => Name::from_bytes(rest),
        };
        let found = self.by_name.get(&name)?;
        let same_loader = found.iter().find(|&&index| self.classes[index].loader == array.loader);
        same_loader.or(found.first()).map(|&index| self.classes[index].address)
    }

    /// The footprint of an array where the version has it. Where the heap does not know it, it is worked out: a choice of
    /// ours.
    fn array_size(&self, object: &Object, length: u64, element: u64) -> Result<Option<ByteLen>, LowerError> {
        if !self.version.form().array_sizes {
            return Ok(None);
        }
        let worked_out = || ByteLen(array_size(length.saturating_mul(element), self.word.bytes() as u64));
        let size = object.size.unwrap_or_else(worked_out);
        if !size.0.is_multiple_of(4) {
            return Err(LowerError::SizeNotInWords { address: object.address, size: size.0 });
        }
        Ok(Some(size))
    }

    fn class_at(&self, address: Address) -> Option<&'c Class> {
        self.by_address.get(&address).map(|&index| &self.classes[index])
    }
}

/// The references of an object array as its record lists them, and how many there are: without null, turned round where
/// their positions are known and the writer does that, the array's own class first where it lists that.
fn array_references(
    object: &Object,
    reverses: bool,
    keeps_nulls: bool,
    own: Option<Address>,
) -> Result<(u64, Contents), Error> {
    if let Contents::Long(long) = &object.contents {
        let listed = match long {
            PiecewiseContents::References(listed) if keeps_nulls => listed.clone(),
            long => long.addresses().map_or_else(|| Ok(Vec::new().into()), Pieces::without_nulls)?,
        };
        let listed =
            if reverses && matches!(long, PiecewiseContents::Elements(_)) { listed.reversed() } else { listed };
        let listed = own.map_or_else(|| listed.clone(), |own| Pieces::from(vec![own]).followed_by(listed.clone()));
        return Ok((listed.count(), hold_if_few(listed)?));
    }
    let keeps_nulls = keeps_nulls && matches!(object.contents, Contents::References(_));
    let mut references: Vec<Address> = object.references().filter(|r| keeps_nulls || !r.is_null()).collect();
    if matches!(object.contents, Contents::Elements(_)) && reverses {
        references.reverse();
    }
    references.splice(0..0, own);
    Ok((references.len() as u64, Contents::References(references)))
}

/// References that are read in pieces; held if they may stand in a record of those that have few.
fn hold_if_few(listed: Pieces<Address>) -> Result<Contents, Error> {
    let long = Contents::Long(PiecewiseContents::References(listed.clone()));
    if listed.count() <= MOST_OF_MEDIUM { long.hold() } else { Ok(long) }
}

/// A medium object record has at most this number of references.
const MOST_OF_MEDIUM: u64 = 7;

fn known<T>(fact: Option<T>, what: &'static str, address: Address) -> Result<T, LowerError> {
    fact.ok_or(LowerError::Unknown { what, address })
}

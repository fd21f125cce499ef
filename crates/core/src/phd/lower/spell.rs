//! Carried classes and objects to records: the state that crosses records, and the widths.

use std::borrow::Cow;

use crate::compare::facts::ContentItems;
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::{Error, LowerError};
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, IdentityHash, Object, ObjectKind, PiecewiseContents,
    PrimitiveType, WordSize,
};
use crate::phd::record::{
    ClassRecord, Header, HeaderRecord, LongObject, LongPrimitiveArray, MediumObject, ObjectArray, PrimitiveArray,
    Record, RecordGap, ReferenceList, ShortObject, StoredHash,
};
use crate::phd::wire::{FileFlags, RecordLayout, Units, Version, Width};

use super::choice::{PendingKind, PendingRecord, RecordForm, RecordSpelling, ReferenceSpread};
use super::profiles::{HeaderPolicy, ObjectSurvey, Profile};
use super::{LowerOptions, unsupported};

/// Spells the records of one dump, in order.
#[derive(Debug)]
pub struct Speller {
    profile: &'static Profile,
    header: Header,
    layout: RecordLayout,
    previous: Address,
    cache: [Address; 4],
    next: usize,
    draw: SeedDraw,
    units: Vec<Units>,
    /// The bytes of the references of the record that is being spelled.
    bytes: Vec<u8>,
}

impl Speller {
    /// Decides the header and layout.
    ///
    /// # Errors
    /// If the profile cannot write such a dump.
    pub fn new(facts: &Facts, survey: &ObjectSurvey, options: &LowerOptions) -> Result<Speller, Error> {
        let profile = options.profile;
        let mut draw = SeedDraw::new(options.seed, DrawStream::Spelling);
        let word = profile.word(facts, options);
        let regime = profile.regime(facts, options);
        let flags = file_flags(profile, options.version, word, regime, survey, &mut draw)?;
        let records = header_records(profile, facts, survey, &mut draw)?;
        Ok(Speller {
            profile,
            layout: RecordLayout::new(options.version, flags),
            header: Header { version: options.version, flags, records },
            previous: Address::NULL,
            cache: [Address::NULL; 4],
            next: 0,
            draw,
            units: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The layout of every record.
    pub fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// Spells a carried class.
    ///
    /// # Errors
    /// If it does not fit the dump.
    pub fn class<'c>(&mut self, class: &'c Class) -> Result<Record<'c>, Error> {
        let address = class.address;
        let targets = class.references.as_deref().unwrap_or_default();
        let hash = stored_hash(class.hash);
        let superclass = self.word(class.superclass.unwrap_or_default())?;
        let instance_size = class.instance_size.unwrap_or_default().0;
        let instance_size = u32::try_from(instance_size)
            .map_err(|_| too_large("the instance size", address, instance_size, u64::from(u32::MAX)))?;
        let length = class.name.as_bytes().len() as u64;
        if length > u64::from(u16::MAX) {
            return Err(too_large("the length of the class name", address, length, u64::from(u16::MAX)).into());
        }
        let (gap, choice) = self.choose(PendingKind::Class, address, ContentItems::Held(targets), None, hash, None)?;
        Ok(Record::Class(ClassRecord {
            flags: choice.flags,
            gap,
            instance_size,
            hash,
            superclass,
            name: Cow::Borrowed(class.name.as_bytes()),
            references: ReferenceList::from_units(choice.references, self.units.iter().copied()),
        }))
    }

    /// Spells a carried object.
    ///
    /// # Errors
    /// If it does not fit the dump, or its contents cannot be read. Of references that are not held, the record has only the
    /// width.
    pub fn object(&mut self, object: &Object) -> Result<Record<'_>, Error> {
        let hash = stored_hash(object.hash);
        let targets = match &object.contents {
            Contents::References(targets) => ContentItems::Held(targets),
            Contents::Long(PiecewiseContents::References(targets)) => ContentItems::Long(targets),
            _ => ContentItems::Held(&[]),
        };
        match object.kind {
            ObjectKind::Instance => self.instance(object, hash, targets),
            ObjectKind::ObjectArray => self.object_array(object, hash, targets),
            ObjectKind::PrimitiveArray(element) => self.primitive_array(object, element, hash),
        }
    }

    #[inline]
    fn instance(
        &mut self,
        object: &Object,
        hash: StoredHash,
        targets: ContentItems<'_, Address>,
    ) -> Result<Record<'_>, Error> {
        let class = object.class_word.unwrap_or_default();
        let class_word = self.word(class)?;
        let (gap, choice) = self.choose(PendingKind::Instance, object.address, targets, Some(class), hash, None)?;
        let hash16 = match hash {
            StoredHash::Bits16(hash) => Some(hash),
            _ => None,
        };
        if !matches!(choice.form, RecordForm::Short(_)) {
            self.push(class);
        }
        let references = self.references(choice.references);
        Ok(match choice.form {
            RecordForm::Short(slot) => Record::Short(ShortObject { slot, gap, hash: hash16, references }),
            RecordForm::Medium => Record::Medium(MediumObject { gap, class_word, hash: hash16, references }),
            RecordForm::Long | RecordForm::Plain => {
                Record::Long(LongObject { flags: choice.flags, gap, class_word, hash, references })
            }
        })
    }

    #[inline]
    fn object_array(
        &mut self,
        object: &Object,
        hash: StoredHash,
        targets: ContentItems<'_, Address>,
    ) -> Result<Record<'_>, Error> {
        let class_word = self.word(object.class_word.unwrap_or_default())?;
        let length = object.length.map(|length| array_length(object, length)).transpose()?;
        let size_words = self.size_words(object)?;
        let (gap, choice) =
            self.choose(PendingKind::ObjectArray, object.address, targets, None, hash, object.length)?;
        Ok(Record::ObjectArray(ObjectArray {
            flags: choice.flags,
            gap,
            class_word,
            hash,
            references: self.references(choice.references),
            length: length.filter(|_| choice.true_length),
            size_words,
        }))
    }

    #[inline]
    fn primitive_array(
        &mut self,
        object: &Object,
        element: PrimitiveType,
        hash: StoredHash,
    ) -> Result<Record<'_>, Error> {
        let length = object.length.unwrap_or_default();
        array_length(object, length)?;
        let size_words = self.size_words(object)?;
        let (gap, choice) = self.choose(
            PendingKind::PrimitiveArray,
            object.address,
            ContentItems::Held(&[]),
            None,
            hash,
            Some(length),
        )?;
        Ok(match (choice.form, hash) {
            (RecordForm::Long, _) => {
                let flags = choice.flags;
                Record::LongPrimitiveArray(LongPrimitiveArray { element, flags, gap, length, hash, size_words })
            }
            (_, StoredHash::Bits16(hash)) => {
                Record::PrimitiveArray(PrimitiveArray { element, gap, length, hash: Some(hash), size_words })
            }
            _ => Record::PrimitiveArray(PrimitiveArray { element, gap, length, hash: None, size_words }),
        })
    }

    /// Asks the profile, leaves the distances of the references in `self.units`, and moves on to the
    /// record's address.
    fn choose(
        &mut self,
        kind: PendingKind,
        address: Address,
        targets: ContentItems<'_, Address>,
        class: Option<Address>,
        hash: StoredHash,
        length: Option<u64>,
    ) -> Result<(RecordGap, RecordSpelling), Error> {
        self.check_address(address)?;
        let arithmetic = self.profile.arithmetic;
        let (layout, mut spread) = (self.layout, ReferenceSpread::default());
        self.units.clear();
        match targets {
            ContentItems::Held(targets) => {
                let all = targets.iter().fold(0, |bits, target| bits | target.0);
                if self.check_address(Address(all)).is_err() {
                    targets.iter().try_for_each(|target| self.check_address(*target))?;
                }
                let distance = arithmetic.distance_from(address, layout);
                self.units.extend(targets.iter().map(|target| distance(*target)));
                spread = ReferenceSpread::new(targets, &self.units);
            }
            ContentItems::Long(targets) => targets.visit(|piece| {
                piece.iter().try_for_each(|&target| {
                    self.check_address(target)?;
                    spread.include(target, arithmetic.units(target, address, layout));
                    Ok::<(), Error>(())
                })
            })?,
        }
        let units = arithmetic.units(address, self.previous, self.layout);
        let case = PendingRecord {
            kind,
            layout: self.layout,
            after_null: self.previous.is_null(),
            gap: units,
            references: spread,
            slots: self.cache.map(|held| Some(held) == class),
            hash,
            length,
        };
        let choice = (self.profile.choose)(&case, &mut self.draw);
        self.previous = address;
        Ok((RecordGap::new(choice.gap, units), choice))
    }

    /// The references whose distances were found last, in this width.
    #[inline]
    fn references(&mut self, width: Width) -> ReferenceList<'_> {
        self.bytes.clear();
        let (bytes, units) = (&mut self.bytes, self.units.iter());
        match width {
            Width::One => bytes.extend(units.map(|units| units.0 as u8)),
            Width::Two => units.for_each(|units| bytes.extend_from_slice(&(units.0 as u16).to_be_bytes())),
            Width::Four => units.for_each(|units| bytes.extend_from_slice(&(units.0 as u32).to_be_bytes())),
            Width::Eight => units.for_each(|units| bytes.extend_from_slice(&units.0.to_be_bytes())),
        }
        ReferenceList { width, bytes: Cow::Borrowed(&self.bytes) }
    }

    fn push(&mut self, class: Address) {
        self.cache[self.next] = class;
        self.next = (self.next + 1) % self.cache.len();
    }

    #[inline]
    fn check_address(&self, address: Address) -> Result<(), LowerError> {
        if address.0 & (self.layout.unit - 1) != 0 {
            return Err(LowerError::Unaligned { address, unit: self.layout.unit });
        }
        self.word(address).map(|_| ())
    }

    #[inline]
    fn word(&self, address: Address) -> Result<u64, LowerError> {
        if self.layout.word.mask(address.0) == address.0 { Ok(address.0) } else { Err(LowerError::TooWide(address)) }
    }

    /// The footprint in 32-bit words, where the version stores it.
    #[inline]
    fn size_words(&self, object: &Object) -> Result<Option<u32>, LowerError> {
        let Some(ByteLen(size)) = object.size.filter(|_| self.layout.array_sizes) else { return Ok(None) };
        let limit = u64::from(u32::MAX) * 4;
        u32::try_from(size / 4).map(Some).map_err(|_| too_large("the instance size", object.address, size, limit))
    }
}

fn file_flags(
    profile: &Profile,
    version: Version,
    word: WordSize,
    regime: HashRegime,
    survey: &ObjectSurvey,
    draw: &mut dyn Draw,
) -> Result<FileFlags, Error> {
    let every16 = regime == HashRegime::Every16;
    let j9 = profile.j9.unwrap_or_else(|| {
        // Units of 8 bytes need addresses to match.
        let form = version.form();
        let possible = !every16 && form.goes_without_j9 && !(form.unit_without_j9 == 8 && survey.unaligned8);
        !(possible && draw.one_in(2))
    });
    if every16 && !j9 {
        return Err(unsupported(format!("profile {} cannot store 16-bit hashes: they need the J9 flag", profile.name)));
    }
    let mut flags = 0;
    if word == WordSize::Bits64 {
        flags |= FileFlags::WORD_64;
    }
    if j9 {
        flags |= FileFlags::J9;
    }
    // Without the J9 flag readers take no hash from flag 2, so it is free there.
    if every16 || (!j9 && profile.j9.is_none() && draw.one_in(2)) {
        flags |= FileFlags::ALL_HASHED;
    }
    Ok(FileFlags(flags))
}

fn header_records(
    profile: &Profile,
    facts: &Facts,
    survey: &ObjectSurvey,
    draw: &mut dyn Draw,
) -> Result<Vec<HeaderRecord>, Error> {
    let text = facts.version_text.as_ref().map(|text| text.as_bytes().to_vec());
    if let Some(text) = &text {
        LowerError::length16("the version text", text.len(), "bytes")?;
    }
    let totals = HeaderRecord::Totals(facts.totals.unwrap_or(survey.totals));
    let randoms = facts.hash_randoms.map(|(first, second)| HeaderRecord::HashcodeRandoms(first, second));
    let version = text.clone().map(HeaderRecord::FullVersion);
    Ok(match profile.header {
        HeaderPolicy::VersionAlways => vec![HeaderRecord::FullVersion(text.unwrap_or_default())],
        HeaderPolicy::VersionIfKnown => version.into_iter().collect(),
        HeaderPolicy::TotalsAndRandoms => [totals].into_iter().chain(randoms).collect(),
        HeaderPolicy::Any => {
            let mut records: Vec<HeaderRecord> = randoms.into_iter().chain(version).collect();
            if facts.totals.is_some() || draw.one_in(2) {
                records.push(totals);
            }
            for place in (1..records.len()).rev() {
                records.swap(place, draw.below(place as u64 + 1) as usize);
            }
            // A repeat in front of the rest changes nothing: the last one counts.
            if let Some(repeat) = records.last().cloned().filter(|_| draw.one_in(3)) {
                let earlier = match repeat {
                    HeaderRecord::FullVersion(_) => HeaderRecord::FullVersion(b"overridden".to_vec()),
                    HeaderRecord::Totals(_) => HeaderRecord::Totals(Default::default()),
                    HeaderRecord::HashcodeRandoms(..) => HeaderRecord::HashcodeRandoms(0, 0),
                };
                records.insert(0, earlier);
            }
            records
        }
    })
}

fn stored_hash(hash: Option<IdentityHash>) -> StoredHash {
    match hash {
        None => StoredHash::Absent,
        Some(IdentityHash::Bits16(hash)) => StoredHash::Bits16(hash),
        Some(IdentityHash::Bits32(hash)) => StoredHash::Bits32(hash),
    }
}

/// Java arrays have fewer than 2^31 elements, whatever width the record has for their number.
fn array_length(object: &Object, length: u64) -> Result<u32, LowerError> {
    let limit = i32::MAX as u64;
    if length > limit {
        return Err(too_large("the array length", object.address, length, limit));
    }
    Ok(length as u32)
}

fn too_large(what: &'static str, address: Address, value: u64, limit: u64) -> LowerError {
    LowerError::OutOfRange { what, address, value, limit }
}

//! Names as the JVM stores them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::bytes::mutf8;

use super::PrimitiveType;

/// A name (of a class, field, thread, version ...) as raw modified-UTF-8 bytes.
///
/// Names stay bytes because a lone surrogate, which Java allows, cannot pass through `&str`
/// (The Java Virtual Machine Specification, 4.4.7). Clones share the bytes: thousands of classes, fields and frames may
/// have one name.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<u8>", into = "Vec<u8>")]
pub struct Name(Arc<[u8]>);

impl From<Vec<u8>> for Name {
    fn from(bytes: Vec<u8>) -> Name {
        Name::from_bytes(bytes)
    }
}

impl From<Name> for Vec<u8> {
    fn from(name: Name) -> Vec<u8> {
        name.as_bytes().to_vec()
    }
}

impl Name {
    /// A name from the bytes of a dump, valid modified UTF-8 or not.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Name {
        Name(bytes.into())
    }

    /// A name from text: NUL and supplementary characters take their modified-UTF-8 forms.
    pub fn from_text(text: &str) -> Name {
        Name(mutf8::encode(text).into())
    }

    /// A name from UTF-16 code units, unpaired surrogates among them.
    pub fn from_units(units: &[u16]) -> Name {
        Name(mutf8::encode_units(units.iter().copied()).into())
    }

    /// The UTF-16 code units, unpaired surrogates among them; none from the first byte on that is no modified UTF-8.
    pub fn to_units(&self) -> Vec<u16> {
        mutf8::decode_units(&self.0).0
    }

    /// The bytes as a dump holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text, or `None` if the bytes are not the modified UTF-8 of any text.
    pub fn to_text(&self) -> Option<String> {
        mutf8::decode(&self.0)
    }
}

/// Class names have two forms. A name that is in the wanted form already, or in neither, stays as it is.
impl Name {
    /// `java.lang.String[]` as `[Ljava/lang/String;`, `int[]` as `[I`, `java.lang.String` as
    /// `java/lang/String` (The Java Virtual Machine Specification, 4.2.1 and 4.3.2).
    #[must_use]
    pub fn to_jvm_form(&self) -> Name {
        if self.0.starts_with(b"[") || self.0.contains(&b'/') {
            return self.clone();
        }
        let mut element = &self.0[..];
        let mut jvm = Vec::with_capacity(self.0.len() + 2);
        while let Some(shorter) = element.strip_suffix(b"[]") {
            element = shorter;
            jvm.push(b'[');
        }
        let slashed = element.iter().map(|&b| if b == b'.' { b'/' } else { b });
        let primitive = PrimitiveType::ALL.into_iter().find(|p| p.keyword().as_bytes() == element);
        match primitive {
            _ if jvm.is_empty() => jvm.extend(slashed),
            Some(primitive) => jvm.push(primitive.signature() as u8),
            None => {
                jvm.push(b'L');
                jvm.extend(slashed);
                jvm.push(b';');
            }
        }
        Name(jvm.into())
    }

    /// `[Ljava/lang/String;` as `java.lang.String[]`, `[I` as `int[]`, `java/lang/String` as
    /// `java.lang.String` (S3, Handling of Arrays).
    #[must_use]
    pub fn to_java_form(&self) -> Name {
        let dimensions = self.0.iter().take_while(|&&b| b == b'[').count();
        let element = &self.0[dimensions..];
        let dotted = |name: &[u8]| name.iter().map(|&b| if b == b'/' { b'.' } else { b }).collect::<Vec<u8>>();
        let mut java = match element {
            _ if dimensions == 0 => return Name(dotted(element).into()),
            [b'L', name @ .., b';'] => dotted(name),
            [letter] => match PrimitiveType::ALL.into_iter().find(|p| p.signature() as u8 == *letter) {
                Some(primitive) => primitive.keyword().into(),
                None => return self.clone(),
            },
            _ => return self.clone(),
        };
        java.extend(b"[]".repeat(dimensions));
        Name(java.into())
    }

    /// A name in standard UTF-8 as the JVM has it: what takes four bytes is two surrogates, and NUL has two bytes. Other names
    /// stay as they are.
    #[must_use]
    pub fn to_modified_utf8(&self) -> Name {
        let is_other = self.0.iter().any(|&byte| byte >= 0xf0 || byte == 0);
        let text = is_other.then(|| std::str::from_utf8(&self.0).ok()).flatten();
        text.map_or_else(|| self.clone(), Name::from_text)
    }
}

/// Names of which equal ones share memory: a dump that spells a name for each class may have thousands of it.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct NamePool(HashSet<Name>);

impl NamePool {
    /// The first of the names that are equal to this one.
    pub(crate) fn share(&mut self, name: Name) -> Name {
        if let Some(known) = self.0.get(&name) {
            return known.clone();
        }
        self.0.insert(name.clone());
        name
    }

    /// The name to share, as [`NamePool::share`] gives it, and the bytes of memory that it takes if it is the first of its
    /// kind.
    pub(crate) fn share_counted(&mut self, name: Name) -> (Name, u64) {
        let before = self.0.len();
        let name = self.share(name);
        let is_new = self.0.len() > before;
        let bytes = if is_new { name.as_bytes().len() + 2 * size_of::<Name>() } else { 0 };
        (name, bytes as u64)
    }
}

/// Names in another form, each made once: what is made of a name that classes share is shared as well.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct NameForms {
    form: fn(&Name) -> Name,
    /// Names and their other forms, by the place of the names' bytes. The names are kept, so that their places stay
    /// theirs.
    known: HashMap<usize, (Name, Name)>,
    made: NamePool,
}

impl NameForms {
    /// A table without names.
    #[doc(hidden)]
    pub fn new(form: fn(&Name) -> Name) -> NameForms {
        NameForms { form, known: HashMap::new(), made: NamePool::default() }
    }

    /// A name in the other form.
    #[doc(hidden)]
    pub fn convert(&mut self, name: &Name) -> Name {
        let place = name.0.as_ptr().addr();
        if let Some((_, made)) = self.known.get(&place) {
            return made.clone();
        }
        let made = (self.form)(name);
        let made = if made == *name { name.clone() } else { self.made.share(made) };
        self.known.insert(place, (name.clone(), made.clone()));
        made
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::from_text(text)
    }
}

impl Name {
    /// The name in quotation marks, with escapes for control characters, quotation marks and backslashes; and for every byte
    /// outside of ASCII, if the name is not valid text.
    pub fn quoted(&self) -> String {
        let Some(text) = self.to_text() else { return format!("{self:?}") };
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                c if c.is_control() => quoted.extend(c.escape_default()),
                c => quoted.push(c),
            }
        }
        quoted + "\""
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_text() {
            Some(text) => {
                // Names may hold line breaks and control characters; a terminal gets neither.
                for c in text.chars() {
                    if c.is_control() { write!(f, "{}", c.escape_default())? } else { write!(f, "{c}")? }
                }
                Ok(())
            }
            None => self.0.escape_ascii().fmt(f),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_equal_names_takes_the_room_of_one() {
        let mut names = NamePool::default();
        let [one, other] = [(), ()].map(|()| names.share("a.B".into()));
        assert!(Arc::ptr_eq(&one.0, &other.0));
        let mut forms = NameForms::new(Name::to_jvm_form);
        let made: Vec<Name> = [one, "a.B".into(), other].iter().map(|name| forms.convert(name)).collect();
        assert!(made.iter().all(|name| *name == "a/B".into() && Arc::ptr_eq(&name.0, &made[0].0)));
        let plain = Name::from("B");
        assert!(Arc::ptr_eq(&forms.convert(&plain).0, &plain.0));
    }

    #[test]
    fn class_names_have_two_forms() {
        for (jvm, java) in [
            ("java/lang/String", "java.lang.String"),
            ("[I", "int[]"),
            ("[[[S", "short[][][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("[[LMyType;", "MyType[][]"),
            ("Top", "Top"),
            ("pkg/A$$Lambda$14+0x00007f6d9c007228", "pkg.A$$Lambda$14+0x00007f6d9c007228"),
        ] {
            assert_eq!(Name::from(java).to_jvm_form(), Name::from(jvm));
            assert_eq!(Name::from(jvm).to_java_form(), Name::from(java));
            assert_eq!(Name::from(jvm).to_jvm_form(), Name::from(jvm));
            assert_eq!(Name::from(java).to_java_form(), Name::from(java));
        }
        // Neither form: an agent of JDK 8 writes a hidden class so.
        assert_eq!(Name::from("pkg.A$$Lambda$1/471910020").to_jvm_form(), "pkg.A$$Lambda$1/471910020".into());
        for odd in ["[", "[X", "[L", "[Lno/end", ""] {
            assert_eq!(Name::from(odd).to_java_form(), Name::from(odd));
        }
    }
}

//! Leaks: as many objects as make up a share of the heap, in a holder.

use crate::model::{ObjectKind, PrimitiveType};

use super::error::BuildError;
use super::input::{FieldInput, ReferenceTarget};
use super::{ClassId, HeapBuilder, ObjectId};

/// The thing that holds leaked objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakHolder {
    /// A HashMap from Integers.
    Map,
    /// An ArrayList, such as one of listeners.
    List,
    /// An ArrayList that is a thread's local value.
    ThreadLocal,
    /// An array in a static field of a class of its own loader, which native code holds.
    ClassLoader,
    /// An array in a static field.
    Static,
}

impl LeakHolder {
    /// Every holder, by the name that heap files and options have.
    pub const NAMES: [(&str, LeakHolder); 5] = [
        ("java.util.HashMap", LeakHolder::Map),
        ("java.util.ArrayList", LeakHolder::List),
        ("java.lang.ThreadLocal", LeakHolder::ThreadLocal),
        ("java.lang.ClassLoader", LeakHolder::ClassLoader),
        ("static", LeakHolder::Static),
    ];
}

/// A leak that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakRequest {
    /// The part of the heap's bytes that it makes up, above 0 and below 1.
    pub share: f64,
    /// The holder.
    pub holder: LeakHolder,
    /// The class of the leaked objects, which has a field of type `byte[]`; an array of bytes alone if there is none.
    pub class: Option<ClassId>,
    /// The bytes of the array that each has.
    pub size: u64,
}

/// The most objects that a leak may have.
const MOST: u64 = 2_000_000;

impl HeapBuilder {
    /// Adds a leak to the objects that are there: they and their sizes are the rest of the heap.
    ///
    /// # Errors
    /// If the class has no field for the bytes, or the share takes too many objects.
    pub fn leak(&mut self, request: &LeakRequest) -> Result<(), BuildError> {
        if !(request.share > 0.0 && request.share < 1.0) {
            return Err(BuildError::new(format!("a share is above 0 and below 1, and not {}", request.share)));
        }
        let field = match request.class {
            None => None,
            Some(class) => Some(self.bytes_field(class)?),
        };
        let rest = self.total_bytes();
        let count = self.leak_count(request, rest)?;
        let bytes = self.class_named("byte[]")?;
        let mut items: Vec<ReferenceTarget> = Vec::new();
        for _ in 0..count {
            let array = self.array(bytes, request.size)?.id();
            items.push(match (request.class, &field) {
                (Some(class), Some(field)) => self.object(class)?.set(field, array)?.id().into(),
                _ => array.into(),
            });
        }
        self.hold(request.holder, items)
    }

    /// The field of a class that takes an array of bytes.
    fn bytes_field(&self, class: ClassId) -> Result<String, BuildError> {
        let fields = self.ancestry(class).flat_map(|class| self.classes[class.0].fields.iter());
        let field = fields.into_iter().find(|own| own.declared == "byte[]");
        field.map(|own| own.field.name.to_string()).ok_or_else(|| {
            BuildError::new(format!("{} has no field of type byte[] for the bytes", self.class_name(class)))
        })
    }

    /// The number of objects whose bytes, with those of their holder, are nearest to the share.
    fn leak_count(&self, request: &LeakRequest, rest: u64) -> Result<u64, BuildError> {
        let settings = self.settings;
        let array = settings.array_bytes(ObjectKind::PrimitiveArray(PrimitiveType::Byte), request.size);
        let item = array + request.class.map_or(0, |class| self.instance_bytes(class));
        let slots = |count: u64| settings.array_bytes(ObjectKind::ObjectArray, count);
        let reference = settings.reference_bytes();
        let leaked = |count: u64| match request.holder {
            LeakHolder::Map => {
                let node = settings.instance_bytes(4 + 3 * reference);
                let key = settings.instance_bytes(4);
                let table = (count * 4 / 3).max(16).next_power_of_two();
                count * (item + node + key) + slots(table)
            }
            _ => count * item + slots(count),
        };
        let wanted = rest as f64 * request.share / (1.0 - request.share);
        let (mut few, mut many) = (0, MOST + 1);
        while many - few > 1 {
            let middle = few.midpoint(many);
            *(if leaked(middle) as f64 <= wanted { &mut few } else { &mut many }) = middle;
        }
        if few == MOST {
            return Err(BuildError::new(format!(
                "a share of {} takes more than {MOST} objects of {item} bytes; give a larger size=",
                request.share
            )));
        }
        Ok(few.max(1))
    }

    fn hold(&mut self, holder: LeakHolder, items: Vec<ReferenceTarget>) -> Result<(), BuildError> {
        let name =
            |number: usize| format!("leak.Holder{}", if number == 0 { String::new() } else { number.to_string() });
        let number = (0..).find(|number| !self.is_declared(&name(*number))).unwrap_or_default();
        let name = name(number);
        match holder {
            LeakHolder::Map => {
                let entries = items.into_iter().enumerate().map(|(key, item)| (key as i32, item));
                let map = self.instance("java.util.HashMap")?.entries(entries)?.id();
                self.class(&name)?.static_field("java.util.HashMap", "held", map)?;
            }
            LeakHolder::List => {
                let list = self.instance("java.util.ArrayList")?.elements(items)?.id();
                self.class(&name)?.static_field("java.util.ArrayList", "listeners", list)?;
            }
            LeakHolder::ThreadLocal => {
                let list = self.instance("java.util.ArrayList")?.elements(items)?.id();
                let key = self.instance("java.lang.ThreadLocal")?.id();
                let thread = self.thread(&format!("leak-{number}"))?;
                self.thread_local(thread, key, list)?;
            }
            LeakHolder::ClassLoader => {
                let of = self.class(&format!("{name}Loader"))?.id();
                let above = self.class_named("java.lang.ClassLoader")?;
                self.edit_class(of).extends(above)?;
                let loader = self.object(of)?.id();
                let array = self.held_array(items)?;
                self.class(&name)?.loader(loader).static_field("java.lang.Object[]", "held", array)?;
                let instance = self.class_named(&name)?;
                let instance = self.object(instance)?.id();
                self.root("jni-global", instance)?;
            }
            LeakHolder::Static => {
                let array = self.held_array(items)?;
                self.class(&name)?.static_field("java.lang.Object[]", "held", array)?;
            }
        }
        Ok(())
    }

    fn is_declared(&self, name: &str) -> bool {
        self.declared_class(&crate::model::Name::from_text(name).to_jvm_form()).is_some()
    }

    fn held_array(&mut self, items: Vec<ReferenceTarget>) -> Result<ObjectId, BuildError> {
        let class = self.class_named("java.lang.Object[]")?;
        let length = items.len() as u64;
        let mut array = self.array(class, length)?;
        for (place, item) in (0..).zip(items) {
            array = array.set_element(place, FieldInput::Reference(item))?;
        }
        Ok(array.id())
    }

    /// Adds strings of one text, each with an array of its own, in an array that native code holds.
    ///
    /// # Errors
    /// If there are too many.
    pub fn texts(&mut self, count: u64, text: &str) -> Result<(), BuildError> {
        if count > MOST {
            return Err(BuildError::new(format!("{count} texts are more than {MOST}")));
        }
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(self.string(text)?.into());
        }
        let array = self.held_array(items)?;
        self.root("jni-global", array)
    }
}

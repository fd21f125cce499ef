//! Classes of a heap under construction.

use crate::generate::{CatalogueClass, UTF16_CLASS};
use crate::model::{Field, FieldType, Name, ObjectKind, PrimitiveType};

use super::error::BuildError;
use super::facts::GivenClassFacts;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::{ClassId, HeapBuilder};

/// An instance field as it was declared.
#[derive(Clone, Debug)]
pub(super) struct BuiltField {
    pub(super) field: Field,
    /// The declared type, as in Java.
    pub(super) declared: String,
}

impl BuiltField {
    /// A field whose type is only known to be a reference or a primitive one.
    pub(super) fn undeclared(field: Field) -> BuiltField {
        let declared = match field.kind {
            FieldType::Object => "java.lang.Object".to_owned(),
            FieldType::Primitive(kind) => kind.keyword().to_owned(),
        };
        BuiltField { field, declared }
    }
}

/// A class under construction.
#[derive(Clone, Debug)]
pub(super) struct BuiltClass {
    pub(super) name: Name,
    /// The superclass: null if there is none, `None` if it is not known.
    pub(super) superclass: Option<ReferenceTarget>,
    pub(super) interfaces: Vec<ReferenceTarget>,
    /// The class loader: null for the boot loader.
    pub(super) loader: ReferenceTarget,
    /// The class of an array's elements, whose loader it has unless another one is given.
    loader_like: Option<ClassId>,
    pub(super) fields: Vec<BuiltField>,
    pub(super) statics: Vec<(BuiltField, BuiltValue)>,
    pub(super) pool: Vec<(u16, BuiltValue)>,
    pub(super) facts: GivenClassFacts,
    /// Whether the class is the library's, as its catalogue has it.
    pub(super) is_of_library: bool,
    /// Whether the heap lacks it: it only says of which kind objects are.
    pub(super) is_absent: bool,
    /// Whether its name is given byte for byte, whatever form the names of other classes have.
    pub(super) has_raw_name: bool,
    /// Whether there are objects that are laid out by it.
    has_objects: bool,
}

/// The most superclasses that are followed: a longer chain has a cycle.
const DEEPEST: usize = 10_000;

impl HeapBuilder {
    /// Declares a class that extends `java.lang.Object`, by its name as in Java. Loaders may have classes of the same name.
    ///
    /// # Errors
    /// If the library has the class, or the name is that of an array or a primitive type.
    pub fn class(&mut self, name: &str) -> Result<ClassBuilder<'_>, BuildError> {
        if name.ends_with("[]") || name.starts_with('[') {
            return Err(BuildError::new(format!("{name:?} is an array class, which needs no declaration")));
        }
        self.declare_class(Name::from_text(name).to_jvm_form(), false)
    }

    /// Declares a class by the bytes of its name in a dump.
    ///
    /// # Errors
    /// If the library has the class.
    pub fn class_of_name(&mut self, name: Name) -> Result<ClassBuilder<'_>, BuildError> {
        self.declare_class(name, true)
    }

    fn declare_class(&mut self, name: Name, has_raw_name: bool) -> Result<ClassBuilder<'_>, BuildError> {
        let known = self.by_name.get(&name).into_iter().flatten();
        if known.into_iter().any(|class| self.classes[class.0].is_of_library) {
            return Err(BuildError::new(format!(
                "{} is a class of the library; heap world=none leaves the library's classes out",
                name.to_java_form()
            )));
        }
        let superclass = match self.settings.world {
            true => Some(self.class_named("java.lang.Object")?.into()),
            false => Some(ReferenceTarget::Null),
        };
        let class = self.add_class(name, superclass, false);
        self.classes[class.0].has_raw_name = has_raw_name;
        Ok(ClassBuilder { heap: self, class })
    }

    /// Continues a class that is declared.
    pub fn edit_class(&mut self, class: ClassId) -> ClassBuilder<'_> {
        ClassBuilder { heap: self, class }
    }

    pub(super) fn add_class(
        &mut self,
        name: Name,
        superclass: Option<ReferenceTarget>,
        is_of_library: bool,
    ) -> ClassId {
        let id = ClassId(self.classes.len());
        self.by_name.entry(name.clone()).or_default().push(id);
        self.classes.push(BuiltClass {
            name,
            superclass,
            interfaces: Vec::new(),
            loader: ReferenceTarget::Null,
            loader_like: None,
            fields: Vec::new(),
            statics: Vec::new(),
            pool: Vec::new(),
            facts: GivenClassFacts::default(),
            is_of_library,
            is_absent: false,
            has_raw_name: false,
            has_objects: false,
        });
        id
    }

    /// A class that the heap lacks, for objects of a kind whose class is not known, or known by its address alone.
    pub fn absent_class(&mut self, kind: ObjectKind) -> ClassId {
        if let Some(known) = self.absent_classes.get(&kind) {
            return *known;
        }
        let name = match kind {
            ObjectKind::Instance => "_".to_owned(),
            ObjectKind::ObjectArray => "[L_;".to_owned(),
            ObjectKind::PrimitiveArray(element) => format!("[{}", element.signature()),
        };
        let class = self.add_class(Name::from_text(&name), None, false);
        // No name leads there.
        if let Some(named) = self.by_name.get_mut(&self.classes[class.0].name) {
            named.retain(|known| *known != class);
        }
        self.classes[class.0].is_absent = true;
        self.absent_classes.insert(kind, class);
        class
    }

    /// Declares the classes that every heap has.
    pub(super) fn declare_world(&mut self) {
        let mut world: Vec<&str> = self.settings.library.classes().iter().map(|class| class.name).collect();
        world.push(UTF16_CLASS);
        let catalogue = self.settings.library.catalogue();
        for class in catalogue.iter().filter(|class| world.contains(&class.name)) {
            self.declare_of_library(class, &catalogue);
        }
        for kind in PrimitiveType::ALL {
            self.array_class(&format!("[{}", kind.signature()));
        }
        for name in ["[Ljava/lang/Object;", "[Ljava/lang/String;"] {
            self.array_class(name);
        }
    }

    /// The class of a catalogue, declared with its superclasses if it is not yet.
    fn declare_of_library(&mut self, class: &CatalogueClass, catalogue: &[CatalogueClass]) -> ClassId {
        let name = Name::from_text(class.name);
        if let Some(known) = self.by_name.get(&name).and_then(|known| known.first()) {
            return *known;
        }
        let superclass = catalogue.iter().find(|above| above.name == class.superclass);
        let superclass =
            superclass.map_or(ReferenceTarget::Null, |above| self.declare_of_library(above, catalogue).into());
        let id = self.add_class(name, Some(superclass), true);
        let built = &mut self.classes[id.0];
        built.fields = class.fields.iter().cloned().map(BuiltField::undeclared).collect();
        built.statics = class
            .statics
            .iter()
            .map(|(field, bits)| {
                let value = match field.kind {
                    FieldType::Object => BuiltValue::Reference(ReferenceTarget::Null),
                    FieldType::Primitive(kind) => BuiltValue::Primitive(kind, *bits),
                };
                (BuiltField::undeclared(field.clone()), value)
            })
            .collect();
        id
    }

    /// An array class of the boot loader by its name in JVM form.
    fn array_class(&mut self, name: &str) -> ClassId {
        let name = Name::from_text(name);
        let known = self.by_name.get(&name).into_iter().flatten().copied();
        let known = known.into_iter().find(|class| self.loader_of(*class) == ReferenceTarget::Null);
        known.unwrap_or_else(|| self.add_array_class(name))
    }

    fn add_array_class(&mut self, name: Name) -> ClassId {
        let object = self.by_name.get(&Name::from("java/lang/Object")).and_then(|known| known.first());
        let superclass = object.map_or(ReferenceTarget::Null, |object| ReferenceTarget::Class(*object));
        self.add_class(name, Some(superclass), false)
    }

    /// The loader of a class. That of an element may be given after its array class is there.
    pub(super) fn loader_of(&self, class: ClassId) -> ReferenceTarget {
        let mut class = &self.classes[class.0];
        while let Some(element) = class.loader_like {
            class = &self.classes[element.0];
        }
        class.loader
    }

    /// The class of a name as in Java: one that was declared, or one of the library. Those of `java.lang` and `java.util`
    /// need no package, and array classes no declaration.
    ///
    /// # Errors
    /// If there is none, or several loaders have one.
    pub fn class_named(&mut self, name: &str) -> Result<ClassId, BuildError> {
        if let Some(element) = name.strip_suffix("[]") {
            if let Some(kind) = PrimitiveType::ALL.into_iter().find(|kind| kind.keyword() == element) {
                return Ok(self.array_class(&format!("[{}", kind.signature())));
            }
            let element = self.class_named(element)?;
            return Ok(self.array_of(element));
        }
        let jvm = Name::from_text(name).to_jvm_form();
        match self.by_name.get(&jvm).map(Vec::as_slice) {
            Some([only]) => return Ok(*only),
            Some([_, _, ..]) => {
                return Err(BuildError::new(format!("several classes are called {name}; say which by its id")));
            }
            Some([]) | None => {}
        }
        if self.settings.world {
            let catalogue = self.settings.library.catalogue();
            let packages = ["", "java/lang/", "java/util/"];
            let named = packages.into_iter().find_map(|package| {
                catalogue.iter().find(|class| class.name.strip_prefix(package).is_some_and(|rest| jvm == rest.into()))
            });
            if let Some(class) = named {
                return Ok(self.declare_of_library(class, &catalogue));
            }
        }
        Err(self.unknown_class(name))
    }

    /// The class of the arrays whose elements are of a class.
    pub fn array_of(&mut self, element: ClassId) -> ClassId {
        if let Some(known) = self.array_classes.get(&element) {
            return *known;
        }
        let built = &self.classes[element.0];
        let mut name = vec![b'['];
        match built.name.as_bytes() {
            array @ [b'[', ..] => name.extend(array),
            plain => {
                name.push(b'L');
                name.extend(plain);
                name.push(b';');
            }
        }
        let (name, loader) = (Name::from_bytes(name), self.loader_of(element));
        let declared = self.by_name.get(&name).into_iter().flatten().copied();
        let declared = declared
            .into_iter()
            .find(|class| self.loader_of(*class) == loader && !self.array_classes.values().any(|other| other == class));
        let class = declared.unwrap_or_else(|| {
            let class = self.add_array_class(name);
            self.classes[class.0].loader_like = Some(element);
            class
        });
        self.array_classes.insert(element, class);
        class
    }

    fn unknown_class(&self, name: &str) -> BuildError {
        let mut names: Vec<String> = self.classes.iter().map(|class| class.name.to_java_form().to_string()).collect();
        if self.settings.world {
            names.extend(self.settings.library.catalogue().iter().map(|class| class.name.replace('/', ".")));
        }
        BuildError::unknown("class", name, names.iter().map(String::as_str))
    }

    /// A class's name as in Java.
    pub fn class_name(&self, class: ClassId) -> String {
        self.classes[class.0].name.to_java_form().to_string()
    }

    /// The facts of a class that are automatic unless they are given.
    pub fn class_facts(&mut self, class: ClassId) -> &mut GivenClassFacts {
        &mut self.classes[class.0].facts
    }

    /// The class and those that it extends, itself first.
    pub(super) fn ancestry(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        let above = |class: &ClassId| match self.classes[class.0].superclass {
            Some(ReferenceTarget::Class(above)) => Some(above),
            _ => None,
        };
        std::iter::successors(Some(class), above).take(DEEPEST)
    }

    /// The first class of a name in JVM form that was declared.
    pub(crate) fn declared_class(&self, jvm: &Name) -> Option<ClassId> {
        self.by_name.get(jvm).and_then(|known| known.first()).copied()
    }

    /// The place of a field among an object's values, and its type.
    pub(crate) fn field_of(&self, class: ClassId, key: &str) -> Result<(usize, FieldType), BuildError> {
        self.field_place(class, key).map(|(place, own)| (place, own.field.kind))
    }

    /// The types of the fields of an object, in the order of its values: those of its own class first.
    pub(super) fn layout(&self, class: ClassId) -> Vec<FieldType> {
        let classes = self.ancestry(class);
        classes.flat_map(|class| self.classes[class.0].fields.iter().map(|own| own.field.kind)).collect()
    }

    /// The place of a field among an object's values, and its declaration: by its name, by the names of its class and its own,
    /// or as `name#2`, the second of that name in its class.
    pub(super) fn field_place(&self, class: ClassId, key: &str) -> Result<(usize, BuiltField), BuildError> {
        let (owner, name) = key.rsplit_once('.').map_or((None, key), |(owner, name)| (Some(owner), name));
        let (name, number) = match name.rsplit_once('#') {
            Some((name, number)) => (name, number.parse().unwrap_or(1)),
            None => (name, 1),
        };
        let name = Name::from_text(name);
        let mut place = 0;
        for class in self.ancestry(class) {
            let built = &self.classes[class.0];
            let is_owner = owner.is_none_or(|owner| {
                let full = built.name.to_java_form().to_string();
                full == owner || full.rsplit('.').next() == Some(owner)
            });
            let mut alike = 0;
            for own in &built.fields {
                if own.field.name == name && is_owner {
                    alike += 1;
                    if alike == number {
                        return Ok((place, own.clone()));
                    }
                }
                place += 1;
            }
        }
        let names: Vec<String> = self
            .ancestry(class)
            .flat_map(|class| self.classes[class.0].fields.iter().map(|own| own.field.name.to_string()))
            .collect();
        let has = if names.is_empty() { "no fields".into() } else { names.join(", ") };
        let near = crate::error::did_you_mean(key, names.iter().map(String::as_str));
        Err(BuildError::new(format!("no field {key:?} in {}; it has {has}{near}", self.class_name(class))))
    }

    /// The place and the declaration of the first field of a name.
    pub(super) fn named_field(&self, class: ClassId, name: &Name) -> Result<(usize, BuiltField), BuildError> {
        let mut all = self.ancestry(class).flat_map(|class| self.classes[class.0].fields.iter()).enumerate();
        let found = all.find(|(_, own)| own.field.name == *name).map(|(place, own)| (place, own.clone()));
        found.ok_or_else(|| BuildError::new(format!("no field {name} in {}", self.class_name(class))))
    }

    /// Notes that objects are laid out by a class.
    pub(super) fn seal(&mut self, class: ClassId) {
        if !self.classes[class.0].has_objects {
            let classes: Vec<ClassId> = self.ancestry(class).collect();
            for class in classes {
                self.classes[class.0].has_objects = true;
            }
        }
    }

    /// The type of a field by its name as in Java.
    fn field_type(&mut self, declared: &str) -> Result<FieldType, BuildError> {
        if let Some(kind) = PrimitiveType::ALL.into_iter().find(|kind| kind.keyword() == declared) {
            return Ok(FieldType::Primitive(kind));
        }
        let element = declared.trim_end_matches("[]");
        let is_primitive = PrimitiveType::ALL.into_iter().any(|kind| kind.keyword() == element);
        // A class of a package may be one that the heap has no object of.
        let is_known = is_primitive || element.contains('.') || self.is_class(element);
        if !is_known {
            let keywords = PrimitiveType::ALL.into_iter().map(PrimitiveType::keyword);
            let mut names: Vec<String> = keywords.map(str::to_owned).collect();
            names.extend(self.classes.iter().map(|class| class.name.to_java_form().to_string()));
            names.extend(["Object", "String"].map(str::to_owned));
            return Err(BuildError::unknown("type", declared, names.iter().map(String::as_str)));
        }
        Ok(FieldType::Object)
    }

    /// Whether a name is that of a class, declared or of the library.
    fn is_class(&self, name: &str) -> bool {
        let jvm = Name::from_text(name).to_jvm_form();
        let is_of_package = |class: &str| {
            ["", "java/lang/", "java/util/"]
                .iter()
                .any(|package| class.strip_prefix(package).is_some_and(|rest| jvm == rest.into()))
        };
        name == "Object"
            || self.by_name.contains_key(&jvm)
            || self.settings.library.catalogue().iter().any(|class| is_of_package(class.name))
    }
}

/// A class that is being declared.
#[derive(Debug)]
pub struct ClassBuilder<'h> {
    heap: &'h mut HeapBuilder,
    class: ClassId,
}

impl ClassBuilder<'_> {
    /// The class, to be named in later calls.
    pub fn id(self) -> ClassId {
        self.class
    }

    fn built(&mut self) -> &mut BuiltClass {
        &mut self.heap.classes[self.class.0]
    }

    fn refuse_if_sealed(&mut self) -> Result<(), BuildError> {
        match self.built().has_objects {
            true => Err(BuildError::new(format!(
                "{} has objects already: its fields and superclass come before them",
                self.heap.class_name(self.class)
            ))),
            false => Ok(()),
        }
    }

    /// Sets the superclass: null if it has none.
    ///
    /// # Errors
    /// If the class has objects already, or would extend itself.
    pub fn extends(mut self, superclass: impl Into<ReferenceTarget>) -> Result<Self, BuildError> {
        self.refuse_if_sealed()?;
        let superclass = superclass.into();
        if let ReferenceTarget::Class(above) = superclass
            && self.heap.ancestry(above).any(|class| class == self.class)
        {
            return Err(BuildError::new(format!("{} would extend itself", self.heap.class_name(self.class))));
        }
        self.built().superclass = Some(superclass);
        Ok(self)
    }

    /// Leaves open whether there is a superclass.
    ///
    /// # Errors
    /// If the class has objects already.
    pub fn without_known_superclass(mut self) -> Result<Self, BuildError> {
        self.refuse_if_sealed()?;
        self.built().superclass = None;
        Ok(self)
    }

    /// Sets the class loader: an object, or null for the boot loader.
    #[must_use]
    pub fn loader(mut self, loader: impl Into<ReferenceTarget>) -> Self {
        let class = self.built();
        (class.loader, class.loader_like) = (loader.into(), None);
        self
    }

    /// Adds an interface that the class itself declares.
    #[must_use]
    pub fn implements(mut self, interface: impl Into<ReferenceTarget>) -> Self {
        let interface = interface.into();
        self.built().interfaces.push(interface);
        self
    }

    /// Adds an instance field, by its type as in Java and its name.
    ///
    /// # Errors
    /// If there is no such type, or the class has objects already.
    pub fn field(self, declared: &str, name: &str) -> Result<Self, BuildError> {
        self.field_of_name(declared, Name::from_text(name))
    }

    /// Adds an instance field, by the bytes of its name in a dump.
    ///
    /// # Errors
    /// Like [`ClassBuilder::field`].
    pub fn field_of_name(mut self, declared: &str, name: Name) -> Result<Self, BuildError> {
        self.refuse_if_sealed()?;
        let kind = self.heap.field_type(declared)?;
        self.built().fields.push(BuiltField { field: Field { name, kind }, declared: declared.to_owned() });
        Ok(self)
    }

    /// Adds a static field with its value.
    ///
    /// # Errors
    /// If there is no such type, or the value is not of it.
    pub fn static_field(self, declared: &str, name: &str, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        self.static_field_of_name(declared, Name::from_text(name), value.into())
    }

    /// Adds a static field with its value, by the bytes of its name in a dump.
    ///
    /// # Errors
    /// Like [`ClassBuilder::static_field`].
    pub fn static_field_of_name(mut self, declared: &str, name: Name, value: FieldInput) -> Result<Self, BuildError> {
        let kind = self.heap.field_type(declared)?;
        let value = self.heap.value(value, kind, Some(declared))?;
        let field = BuiltField { field: Field { name, kind }, declared: declared.to_owned() };
        self.built().statics.push((field, value));
        Ok(self)
    }

    /// Adds a static field that is zero or null.
    pub(crate) fn static_field_default(mut self, declared: &str, name: Name) -> Result<Self, BuildError> {
        let kind = self.heap.field_type(declared)?;
        let field = BuiltField { field: Field { name, kind }, declared: declared.to_owned() };
        self.built().statics.push((field, BuiltValue::zero(kind)));
        Ok(self)
    }

    /// Sets the value of a static field that is declared.
    ///
    /// # Errors
    /// If there is no such field, or the value is not of its type.
    pub fn set_static(mut self, name: &str, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let wanted = Name::from_text(name);
        let place = self.built().statics.iter().position(|(own, _)| own.field.name == wanted);
        let Some(place) = place else {
            let names: Vec<String> = self.built().statics.iter().map(|(own, _)| own.field.name.to_string()).collect();
            return Err(BuildError::unknown("static field", name, names.iter().map(String::as_str)));
        };
        self.set_static_at(place, value.into())
    }

    /// Sets the value of a static field by its place among those of the class.
    pub(crate) fn set_static_at(mut self, place: usize, value: FieldInput) -> Result<Self, BuildError> {
        let own = self.built().statics[place].0.clone();
        let value = self.heap.value(value, own.field.kind, Some(&own.declared))?;
        self.built().statics[place].1 = value;
        Ok(self)
    }

    /// Adds an entry of the constant pool.
    ///
    /// # Errors
    /// If there is no such type, or the value is not of it.
    pub fn constant(mut self, index: u16, declared: &str, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let kind = self.heap.field_type(declared)?;
        let value = self.heap.value(value.into(), kind, Some(declared))?;
        self.built().pool.push((index, value));
        Ok(self)
    }
}

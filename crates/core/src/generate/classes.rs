//! The class table: the classes of every program, and random classes on top.

use crate::model::{Address, Field, FieldType, Name, PrimitiveType, WordSize, count_step, field_bytes, instance_size};

use super::addresses::AddressAllocator;
use super::collections;
use super::names::{TWIN, class_name, field_name};
use super::oddity::Oddity;
use super::options::{ClassObjects, GenerateOptions, Naming, Share};
use super::program;
use crate::draw::Draw;

/// The planned classes with their addresses, before their statics are known.
#[derive(Debug)]
pub(super) struct ClassPlan {
    pub(super) planned: Vec<PlannedClass>,
    /// The classes of collections and boxed numbers, if there are any.
    pub(super) collections: Vec<usize>,
    word: WordSize,
    /// Bytes of a reference in an object.
    pub(super) reference: u64,
}

/// A planned class.
#[derive(Debug)]
pub(super) struct PlannedClass {
    pub(super) address: Address,
    pub(super) name: String,
    pub(super) superclass: Option<usize>,
    /// The number of its superclasses.
    depth: usize,
    /// Bytes of an instance's fields, those of superclasses included.
    field_bytes: u64,
    pub(super) interfaces: Vec<usize>,
    pub(super) fields: Vec<Field>,
    /// Static fields of a library class, with their bits.
    pub(super) statics: Vec<(Field, u64)>,
    pub(super) role: ClassRole,
    /// The index of the class loader that defined it; `None` is the boot loader.
    pub(super) loader: Option<usize>,
}

/// The use of a class in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassRole {
    /// Has instances with random values.
    Plain,
    /// A library class whose instances have a meaning: they are generated for a purpose.
    Library,
    /// An interface or the class of a primitive type: no instances.
    Bodiless,
    /// Class of primitive arrays.
    PrimitiveArray(PrimitiveType),
    /// Class of object arrays.
    ObjectArray,
}

/// The index of `java/lang/Object` in every plan.
pub(super) const OBJECT: usize = 0;
/// The class of class loaders, a subclass of `java/lang/ClassLoader`.
pub(super) const LOADER: &str = "pkg/Loader";

/// The class of arrays that may hold any object.
pub(super) const ANYTHING: &str = "[Ljava/lang/Object;";

/// The classes that random ones may extend, by index.
struct Superclasses {
    any: ExtensibleClasses,
    /// Classes that the boot loader defined; library classes extend only these.
    boot: ExtensibleClasses,
}

/// Classes that may be extended.
#[derive(Default)]
struct ExtensibleClasses {
    all: Vec<usize>,
    /// Classes that may have subclasses without exceeding the depth.
    shallow: Vec<usize>,
    /// The last class with the most superclasses, with their number.
    deepest: Option<(usize, usize)>,
    /// The greatest number of superclasses.
    depth: usize,
}

impl Superclasses {
    fn new(depth: Option<u32>, classes: &ClassPlan) -> Superclasses {
        let extensible =
            || ExtensibleClasses { depth: depth.map_or(0, |depth| depth as usize), ..ExtensibleClasses::default() };
        let mut above = Superclasses { any: extensible(), boot: extensible() };
        (0..classes.planned.len()).for_each(|class| above.add(class, classes));
        above
    }

    /// The classes that a library class, or another one, may extend.
    fn extensible(&self, is_of_library: bool) -> &ExtensibleClasses {
        if is_of_library { &self.boot } else { &self.any }
    }

    /// Adds a planned class, after its superclass.
    fn add(&mut self, class: usize, classes: &ClassPlan) {
        count_step();
        let planned = &classes.planned[class];
        // No class extends one that was made of a lambda expression.
        if planned.role == ClassRole::Plain && !planned.name.contains("$$Lambda") {
            self.any.add(class, planned.depth);
            if planned.loader.is_none() {
                self.boot.add(class, planned.depth);
            }
        }
    }
}

impl ExtensibleClasses {
    fn add(&mut self, class: usize, depth: usize) {
        self.all.push(class);
        if depth < self.depth {
            self.shallow.push(class);
        }
        if self.deepest.is_none_or(|(most, _)| depth >= most) {
            self.deepest = Some((depth, class));
        }
    }

    /// Draws a superclass: the deepest class until the depth is reached, then any class above that depth.
    fn draw_superclass(&self, draw: &mut dyn Draw) -> usize {
        match self.deepest {
            Some((depth, class)) if depth < self.depth => class,
            _ if self.shallow.is_empty() => OBJECT,
            _ => *draw.pick(&self.shallow),
        }
    }
}

impl ClassPlan {
    pub(super) fn draw(options: &GenerateOptions, ground: &mut AddressAllocator, draw: &mut dyn Draw) -> ClassPlan {
        let reference = if options.compressed { 4 } else { options.word.bytes() as u64 };
        let mut classes = ClassPlan { planned: Vec::new(), collections: Vec::new(), word: options.word, reference };
        let mut add = |classes: &mut ClassPlan,
                       draw: &mut dyn Draw,
                       name: &str,
                       superclass: Option<usize>,
                       role,
                       fields: Vec<Field>| {
            let address = ground.allocate(64, draw);
            let above = superclass.map(|above| &classes.planned[above]);
            let inherited = above.map_or(0, |above| above.field_bytes);
            // The same number of draws, whatever the names.
            let latin1 = |c: char| if options.latin1_names && u32::from(c) > 0xff { 'x' } else { c };
            classes.planned.push(PlannedClass {
                address,
                name: name.chars().map(latin1).collect(),
                superclass,
                depth: above.map_or(0, |above| above.depth + 1),
                field_bytes: inherited + field_bytes(&fields, reference),
                interfaces: Vec::new(),
                fields,
                statics: Vec::new(),
                role,
                loader: None,
            });
        };

        for class in options.library.classes() {
            let superclass = (!classes.planned.is_empty()).then_some(OBJECT);
            let role = if superclass.is_none() { ClassRole::Plain } else { ClassRole::Library };
            add(&mut classes, draw, class.name, superclass, role, class.fields);
            if let Some(added) = classes.planned.last_mut() {
                added.statics = class.statics;
            }
        }
        let primitives = ["boolean", "char", "float", "double", "byte", "short", "int", "long", "void"];
        // Writers of HPROF make instances of java/lang/Class of them.
        let has_primitives = !options.oddities.has(Oddity::NoLibraryObjects);
        for name in primitives.into_iter().filter(|_| has_primitives) {
            add(&mut classes, draw, name, None, ClassRole::Bodiless, Vec::new());
        }
        for element in PrimitiveType::ALL {
            let name = format!("[{}", element.signature());
            add(&mut classes, draw, &name, Some(OBJECT), ClassRole::PrimitiveArray(element), Vec::new());
        }
        add(&mut classes, draw, "java/lang/Runnable", Some(OBJECT), ClassRole::Bodiless, Vec::new());
        let arrays = ["[Ljava/lang/Object;", "[Ljava/lang/String;", "[[I", "[[Ljava/lang/Object;"];
        // In some PHD dumps the class of the innermost components stands for the array's.
        let has_ints = has_primitives && options.class_objects == ClassObjects::J9;
        for name in arrays.into_iter().filter(|name| has_ints || !name.ends_with('I')) {
            add(&mut classes, draw, name, Some(OBJECT), ClassRole::ObjectArray, Vec::new());
        }
        let above = classes.index_of("java/lang/ClassLoader");
        add(&mut classes, draw, LOADER, Some(above), ClassRole::Library, Vec::new());
        let every_type = PrimitiveType::ALL.into_iter().map(FieldType::Primitive).enumerate();
        let every_type = every_type.map(|(n, kind)| field(&format!("f{n}"), kind)).collect();
        add(&mut classes, draw, "pkg/EveryType", Some(OBJECT), ClassRole::Plain, every_type);
        if options.collections != Share::default() {
            for class in collections::collection_classes(options.library) {
                let above = classes.index_of(class.superclass);
                add(&mut classes, draw, class.name, Some(above), ClassRole::Library, class.fields);
                classes.collections.push(classes.planned.len() - 1);
            }
        }
        let runnable = classes.index_of("java/lang/Runnable");
        let loaders = if has_primitives { options.loaders as usize + 1 } else { 1 };
        // What follows looks at no class again, so that the work grows with the classes and not with their square.
        let mut above = Superclasses::new(options.depth, &classes);
        let mut twins = classes.planned.iter().filter(|class| class.name == TWIN).count();
        for index in 0..options.classes.draw(draw) {
            // One twin by each loader.
            let is_hidden = options.hidden_classes.draw(draw);
            let name = match is_hidden {
                true => program::hidden_name(index, options.library, draw),
                false => class_name(index, options, loaders.saturating_sub(twins), draw),
            };
            let is_of_library = options.names == Naming::Program && program::is_of_library(&name);
            let superclass = match options.depth {
                _ if is_hidden || options.flat_classes.draw(draw) => OBJECT,
                None if draw.one_in(2) && name != TWIN => *draw.pick(&above.extensible(is_of_library).all),
                Some(_) if name != TWIN => above.extensible(is_of_library).draw_superclass(draw),
                _ => OBJECT,
            };
            let number = classes.planned.len();
            let fields = draw_field_types(options, draw)
                .into_iter()
                .enumerate()
                .map(|(n, kind)| field(&field_name(number, n, options), kind))
                .collect();
            add(&mut classes, draw, &name, Some(superclass), ClassRole::Plain, fields);
            // The first loader is the second one's parent, and the boot loader that of the first: a class finds its superclass
            // by its own loader or one of those.
            let of_superclass = classes.planned[superclass].loader;
            if let Some(class) = classes.planned.last_mut() {
                class.loader = draw.one_in(2).then(|| draw.below(options.loaders.into()) as usize).max(of_superclass);
                class.loader = class.loader.filter(|_| options.loaders > 0 && !is_of_library);
                if class.name == TWIN {
                    class.loader = twins.checked_sub(1);
                    twins += 1;
                }
                if draw.one_in(3) {
                    class.interfaces.push(runnable);
                }
            }
            above.add(number, &classes);
            let has_arrays = match options.array_classes {
                Some(share) => !is_hidden && share.draw(draw),
                None => draw.one_in(3),
            };
            if has_arrays {
                let loader = classes.planned.last().and_then(|c| c.loader);
                add(&mut classes, draw, &format!("[L{name};"), Some(OBJECT), ClassRole::ObjectArray, Vec::new());
                if let Some(class) = classes.planned.last_mut() {
                    class.loader = loader;
                }
            }
        }
        classes
    }

    /// The indexes of the classes whose role satisfies a condition.
    pub(super) fn with_role(&self, wanted: impl Fn(ClassRole) -> bool) -> Vec<usize> {
        (0..self.planned.len()).filter(|&index| wanted(self.planned[index].role)).collect()
    }

    /// The index of a class that every plan has.
    pub(super) fn index_of(&self, name: &str) -> usize {
        self.planned.iter().position(|c| c.name == name).unwrap_or(OBJECT)
    }

    /// The fields of an instance: the class's own first, then its superclasses'.
    pub(super) fn instance_fields(&self, class: usize) -> Vec<&Field> {
        let mut fields = Vec::new();
        let mut next = Some(class);
        while let Some(index) = next {
            count_step();
            fields.extend(&self.planned[index].fields);
            next = self.planned[index].superclass;
        }
        fields
    }

    /// Whether a class is another one or a subclass of it.
    pub(super) fn extends(&self, class: usize, other: usize) -> bool {
        std::iter::successors(Some(class), |&index| self.planned[index].superclass)
            .inspect(|_| count_step())
            .any(|index| index == other)
    }

    /// Size of an instance in bytes: header and fields, a multiple of 8.
    pub(super) fn instance_size(&self, class: usize) -> u64 {
        instance_size(self.planned[class].field_bytes, self.word.bytes() as u64, self.reference)
    }

    /// Whether the elements of an array of this class may be any objects.
    pub(super) fn takes_anything(&self, array: usize) -> bool {
        self.planned[array].name == ANYTHING
    }
}

fn field(name: &str, kind: FieldType) -> Field {
    Field { name: Name::from_text(name), kind }
}

fn draw_field_types(options: &GenerateOptions, draw: &mut dyn Draw) -> Vec<FieldType> {
    let count = match &options.fields {
        Some(lengths) => lengths.draw(draw),
        None if draw.one_in(6) => draw.between(8, 16),
        None => draw.below(6),
    };
    (0..count)
        .map(|_| if draw.one_in(3) { FieldType::Primitive(*draw.pick(&PrimitiveType::ALL)) } else { FieldType::Object })
        .collect()
}

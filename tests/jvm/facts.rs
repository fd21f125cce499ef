//! The rows of `expected.tsv`, looked up in a heap.

use std::collections::HashMap;

use heapsmith::model::{
    Address, Class, Contents, FieldType, Heap, Name, Object, ObjectKind, PrimitiveType, Root, RootKind, Value,
};

const ROWS: &str = include_str!("expected.tsv");

/// Checks every row that holds for a Java version. Gives the number of rows, and a line for each that is not so.
pub(crate) fn check(heap: &Heap, major: u32, by_agent: bool) -> (usize, Vec<String>) {
    let zoo = Zoo::new(heap, by_agent);
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (since, row) = line.split_once('\t').expect("a version and a row");
        // The serviceability agent's thread roots name no stack trace.
        let of_a_stack = row.starts_with("thread\t") || row.starts_with("local\t");
        if since.parse::<u32>().expect("a version") > major || of_a_stack && by_agent {
            continue;
        }
        rows += 1;
        if let Err(found) = zoo.row(&row.split('\t').collect::<Vec<_>>()) {
            wrong.push(format!("{line}: {found}"));
        }
    }
    (rows, wrong)
}

/// A heap with its indices.
struct Zoo<'h> {
    heap: &'h Heap,
    by_agent: bool,
    objects: HashMap<Address, &'h Object>,
    classes: HashMap<Address, &'h Class>,
    by_name: HashMap<&'h [u8], Vec<&'h Class>>,
}

type Found<T> = Result<T, String>;

impl<'h> Zoo<'h> {
    fn new(heap: &'h Heap, by_agent: bool) -> Zoo<'h> {
        let mut by_name: HashMap<&[u8], Vec<&Class>> = HashMap::new();
        for class in &heap.classes {
            by_name.entry(class.name.as_bytes()).or_default().push(class);
        }
        Zoo {
            heap,
            by_agent,
            objects: heap.objects.iter().map(|object| (object.address, object)).collect(),
            classes: heap.classes.iter().map(|class| (class.address, class)).collect(),
            by_name,
        }
    }

    fn row(&self, row: &[&str]) -> Found<()> {
        match *row {
            ["static", class, field, kind, value] => {
                same(self.static_value(self.class(class)?, field)?, self.value(kind, value))
            }
            ["field", path, class, field, kind, value] => {
                same(self.field(self.object(path)?, Some(class), field)?, self.value(kind, value))
            }
            ["own", path, field, kind, value] => {
                same(self.static_value(self.class_of(self.object(path)?)?, field)?, self.value(kind, value))
            }
            ["own-field", path, field, kind, value] => {
                let object = self.object(path)?;
                let class = self.class_of(object)?;
                let declared = class.fields.iter().flatten().any(|f| f.name.as_bytes() == self.spelled(field));
                same(declared, true)?;
                same(self.field(object, None, field)?, self.value(kind, value))
            }
            ["null", path] => same(self.follow(path)?, Address::NULL),
            ["same", one, other] => {
                let one = self.object(one)?.address;
                same(one, self.follow(other)?)
            }
            ["class", path, class] => self.is_named(self.class_of(self.object(path)?)?, class),
            ["super", class, wanted] => {
                let superclass = self.class(class)?.superclass.ok_or("no superclass is told")?;
                self.is_named(self.classes.get(&superclass).ok_or("the superclass is not there")?, wanted)
            }
            ["size", class, bytes] => same(self.class(class)?.instance_size.map(|s| s.0), Some(number(bytes))),
            ["prim", path, kind, length, start] => {
                let array = self.object(path)?;
                let kind = PrimitiveType::from_keyword(kind).expect("a type");
                same(array.kind, ObjectKind::PrimitiveArray(kind))?;
                same(array.length, Some(number(length)))?;
                let Contents::Primitives(elements) = &array.contents else { return Err("no elements".to_owned()) };
                same(elements.len() as u64, number(length) * kind.size())?;
                let start = hex(start);
                same(elements.get(..start.len()), Some(&start[..]))
            }
            ["array", path, class, length] => {
                let array = self.object(path)?;
                same(array.kind, ObjectKind::ObjectArray)?;
                self.is_named(self.class_of(array)?, class)?;
                same(array.length, Some(number(length)))?;
                same(elements(array)?.len() as u64, number(length))
            }
            ["string", path, text] => same(self.string(self.object(path)?)?, utf16(text)),
            ["count", class, count] => {
                let named = self.named(class);
                let is_one = |object: &&Object| object.class.is_some_and(|c| named.iter().any(|n| n.address == c));
                same(self.heap.objects.iter().filter(is_one).count() as u64, number(count))
            }
            ["named", class, count] => same(self.named(class).len() as u64, number(count)),
            ["prefix", prefix, count] => {
                let start = self.spelled(prefix);
                let starts_so = |class: &&Class| class.name.as_bytes().starts_with(&start);
                same(self.heap.classes.iter().filter(starts_so).count() as u64, number(count))
            }
            ["thread", name, class, method] => self.thread(name, class, method),
            ["local", name, method, path] => self.local(name, method, path),
            _ => panic!("a row of no known kind: {row:?}"),
        }
    }

    /// A name as this dump's writer spells it: the VM in modified UTF-8, the serviceability agent in UTF-8.
    fn spelled(&self, name: &str) -> Vec<u8> {
        if self.by_agent { name.as_bytes().to_vec() } else { Name::from_text(name).as_bytes().to_vec() }
    }

    fn named(&self, name: &str) -> &[&'h Class] {
        self.by_name.get(&self.spelled(name)[..]).map_or(&[], Vec::as_slice)
    }

    fn class(&self, name: &str) -> Found<&'h Class> {
        match self.named(name) {
            [class] => Ok(class),
            several => Err(format!("{} classes are called {name}", several.len())),
        }
    }

    fn is_named(&self, class: &Class, name: &str) -> Found<()> {
        same(class.name.as_bytes().escape_ascii().to_string(), self.spelled(name).escape_ascii().to_string())
    }

    fn class_of(&self, object: &Object) -> Found<&'h Class> {
        let class = object.class.ok_or("the object has no class")?;
        self.classes.get(&class).copied().ok_or_else(|| format!("the class {class} is not there"))
    }

    /// What a path leads to, which may be null.
    fn follow(&self, path: &str) -> Found<Address> {
        let mut steps = path.split('/');
        let start = steps.next().expect("a path has a start");
        let (class, field) = start.split_once('#').unwrap_or(("Zoo", start));
        let mut value = self.static_value(self.class(class)?, field)?;
        for step in steps {
            let object = self.at(value)?;
            value = match step.strip_prefix('[').and_then(|index| index.strip_suffix(']')) {
                Some(index) => {
                    let elements = elements(object)?;
                    let element = elements.get(number(index) as usize).ok_or("there is no such element")?;
                    Value::reference(*element)
                }
                None => match step.split_once(':') {
                    Some((class, field)) => self.field(object, Some(class), field)?,
                    None => self.field(object, None, step)?,
                },
            };
        }
        value.as_reference().ok_or_else(|| format!("{value:?} is no reference"))
    }

    /// The object that a path leads to.
    fn object(&self, path: &str) -> Found<&'h Object> {
        self.at(Value::reference(self.follow(path)?))
    }

    fn at(&self, value: Value) -> Found<&'h Object> {
        let address = value.as_reference().ok_or_else(|| format!("{value:?} is no reference"))?;
        self.objects.get(&address).copied().ok_or_else(|| format!("there is no object at {address}"))
    }

    fn static_value(&self, class: &Class, field: &str) -> Found<Value> {
        let field = self.spelled(field);
        let found = class.statics.iter().flatten().find(|s| s.name.as_bytes() == field);
        found.map(|s| s.value).ok_or_else(|| format!("{:?} has no such static field", class.name))
    }

    /// A field's value: the one that this class declares, or else the most derived of the name.
    fn field(&self, object: &Object, declared_by: Option<&str>, field: &str) -> Found<Value> {
        let Contents::Fields(values) = &object.contents else { return Err("no fields are told".to_owned()) };
        let field = self.spelled(field);
        let declared_by = declared_by.map(|class| self.spelled(class));
        let mut values = values.iter();
        let mut class = Some(self.class_of(object)?);
        while let Some(at) = class {
            for declared in at.fields.iter().flatten() {
                let value = values.next().ok_or("fewer values than fields")?;
                let wanted = declared_by.as_ref().is_none_or(|class| at.name.as_bytes() == class);
                if wanted && declared.name.as_bytes() == field {
                    same(value.kind, declared.kind)?;
                    return Ok(*value);
                }
            }
            class = at.superclass.and_then(|superclass| self.classes.get(&superclass).copied());
        }
        Err("there is no such field".to_owned())
    }

    fn value(&self, kind: &str, value: &str) -> Value {
        let kind = PrimitiveType::from_keyword(kind).expect("a type");
        assert_eq!(value.len() as u64, 2 * kind.size(), "{value} is not a {kind}");
        Value { kind: FieldType::Primitive(kind), bits: u64::from_str_radix(value, 16).expect("hexadecimal") }
    }

    /// The UTF-16 of a java.lang.String.
    fn string(&self, object: &Object) -> Found<Vec<u16>> {
        let array = self.at(self.field(object, Some("java/lang/String"), "value")?)?;
        same(array.kind, ObjectKind::PrimitiveArray(PrimitiveType::Byte))?;
        let Contents::Primitives(bytes) = &array.contents else { return Err("no elements".to_owned()) };
        match self.field(object, Some("java/lang/String"), "coder")?.bits {
            0 => Ok(bytes.iter().map(|&b| u16::from(b)).collect()),
            // In the order of the machine, which is ours: the program ran here.
            1 => Ok(bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()),
            coder => Err(format!("there is no coder {coder}")),
        }
    }

    /// The frames of each thread of a name, with its serial number.
    fn stacks(&self, name: &str) -> Found<Vec<(heapsmith::model::Serial, &'h [heapsmith::model::StackFrame])>> {
        let surroundings = &self.heap.surroundings;
        let mut stacks = Vec::new();
        for thread in surroundings.threads.iter().flatten() {
            let named = self
                .at(Value::reference(thread.object))
                .and_then(|object| self.at(self.field(object, Some("java/lang/Thread"), "name")?))
                .and_then(|text| self.string(text));
            if named.is_ok_and(|found| found == utf16(name)) {
                let trace = surroundings.traces.iter().flatten().find(|t| Some(t.serial) == thread.trace);
                stacks.push((thread.serial, trace.map_or(&[][..], |trace| &trace.frames[..])));
            }
        }
        if stacks.is_empty() { Err("there is no thread of that name".to_owned()) } else { Ok(stacks) }
    }

    fn thread(&self, name: &str, class: &str, method: &str) -> Found<()> {
        let class = self.class(class)?.address;
        let method = self.spelled(method);
        let stacks = self.stacks(name)?;
        let mut frames = stacks.iter().flat_map(|(_, frames)| frames.iter());
        let found = frames.any(|frame| frame.class == Some(class) && frame.method.as_bytes() == method);
        if found { Ok(()) } else { Err("no frame is of this method".to_owned()) }
    }

    fn local(&self, name: &str, method: &str, path: &str) -> Found<()> {
        let object = self.object(path)?.address;
        let method = self.spelled(method);
        let stacks = self.stacks(name)?;
        let holds = |root: &Root| {
            let RootKind::JavaFrame(serial, number) = root.kind else { return false };
            let stack = stacks.iter().find(|(of, _)| *of == serial).map_or(&[][..], |(_, frames)| frames);
            let frame = usize::try_from(number).ok().and_then(|number| stack.get(number));
            root.object == object && frame.is_some_and(|frame| frame.method.as_bytes() == method)
        };
        let found = self.heap.surroundings.roots.iter().flatten().any(holds);
        if found { Ok(()) } else { Err("no frame of this method holds it".to_owned()) }
    }
}

fn elements(array: &Object) -> Found<&[Address]> {
    match &array.contents {
        Contents::Elements(elements) => Ok(elements),
        other => Err(format!("{other:?} are no elements")),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(found: T, wanted: T) -> Found<()> {
    if found == wanted { Ok(()) } else { Err(format!("found {found:x?}, not {wanted:x?}")) }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn hex(text: &str) -> Vec<u8> {
    let text = if text == "-" { "" } else { text };
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).expect("hexadecimal") as u8).collect();
    assert!(digits.len().is_multiple_of(2), "{text} has half a byte");
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn utf16(text: &str) -> Vec<u16> {
    hex(text).chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

//! The class table as a writer goes through it.

use foldhash::{HashMap, HashSet, HashSetExt};

use crate::hprof::wire::IdSize;
use crate::model::{Address, Class, Contents, Field, FieldType, Object, ObjectKind, Value};

use super::plan::LowerPlan;
use super::profiles::ClassOrder;

/// The classes that a dump has, in its writer's order, and the class objects that are plain instances in it.
pub(super) fn class_table(plan: &LowerPlan, classes: &[Class]) -> (Vec<Class>, Vec<Object>) {
    if plan.follows_heap() {
        return (classes.to_vec(), Vec::new());
    }
    let of_mirrors = classes.iter().find(|class| is_class(class)).filter(|_| plan.profile.primitive_mirrors);
    let is_mirror = |class: &Class| of_mirrors.is_some() && class.is_primitive();
    let mut told: Vec<Class> = classes.iter().filter(|class| !is_mirror(class)).cloned().collect();
    match plan.profile.class_order {
        ClassOrder::AsTable => {}
        ClassOrder::NewestFirst if is_oldest_first(&told) => {
            told.reverse();
            told.sort_by_key(is_primitive_array);
        }
        ClassOrder::NewestFirst => {}
        ClassOrder::SupersFirst => told = supers_first(told),
    }
    let mirrors = classes.iter().filter(|class| is_mirror(class)).map(|class| class.address).collect();
    (told, of_mirrors.map_or_else(Vec::new, |of| mirror_instances(of, classes, mirrors, plan.id)))
}

/// Whether every superclass that is there stands before its classes, and one is.
fn is_oldest_first(classes: &[Class]) -> bool {
    let places: HashMap<Address, usize> = classes.iter().enumerate().map(|(at, class)| (class.address, at)).collect();
    let before = |(at, class): (usize, &Class)| places.get(&class.superclass?).map(|superclass| *superclass < at);
    let mut all = classes.iter().enumerate().filter_map(before).peekable();
    all.peek().is_some() && all.all(|before| before)
}

fn is_primitive_array(class: &Class) -> bool {
    let name = class.name.to_jvm_form();
    matches!(name.as_bytes(), [b'[', element] if *element != b'L')
}

/// The table's order, but each class after its superclasses.
fn supers_first(classes: Vec<Class>) -> Vec<Class> {
    let places: HashMap<Address, usize> = classes.iter().enumerate().map(|(at, class)| (class.address, at)).collect();
    let mut done = HashSet::new();
    let mut order = Vec::with_capacity(classes.len());
    for at in 0..classes.len() {
        // From here up to a class that stands already, or to one that is its own superclass.
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| done.insert(*at)) {
            chain.push(at);
            next = classes[at].superclass.and_then(|superclass| places.get(&superclass)).copied();
        }
        order.extend(chain.into_iter().rev());
    }
    let mut classes: Vec<Option<Class>> = classes.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| classes[at].take()).collect()
}

/// `java/lang/Class`.
fn is_class(class: &Class) -> bool {
    matches!(class.name.as_bytes(), b"java/lang/Class" | b"java.lang.Class")
}

/// The class objects of primitive types at these addresses, in their order. What most of their fields hold is not known, and
/// so 0; `primitive`, which JDK 25 has, says what they are.
fn mirror_instances(of: &Class, classes: &[Class], mut addresses: Vec<Address>, id: IdSize) -> Vec<Object> {
    let by_address: HashMap<Address, &Class> = classes.iter().map(|class| (class.address, class)).collect();
    let value = |field: &Field| match field.kind {
        FieldType::Object => Value::reference(Address::NULL),
        FieldType::Primitive(kind) => Value::primitive(kind, u64::from(field.name == "primitive".into())),
    };
    let mut values = Vec::new();
    let (mut next, mut seen) = (of.address, HashSet::new());
    while let Some(class) = by_address.get(&next).filter(|class| seen.insert(class.address)) {
        values.extend(class.fields.iter().flatten().map(value));
        next = class.superclass.unwrap_or_default();
    }
    // Where a superclass is missing or its own one, no class lays the values out.
    let contents = if next.is_null() { Contents::Fields(values) } else { Contents::Raw(spell_values(&values, id)) };
    addresses.sort_unstable();
    let instance = |address| Object {
        class: Some(of.address),
        contents: contents.clone(),
        ..Object::new(address, ObjectKind::Instance)
    };
    addresses.into_iter().map(instance).collect()
}

/// Values as a dump has them.
fn spell_values(values: &[Value], id: IdSize) -> Vec<u8> {
    let size = |value: &Value| match value.kind {
        FieldType::Object => id.bytes(),
        FieldType::Primitive(kind) => kind.size() as usize,
    };
    values.iter().flat_map(|value| value.bits.to_be_bytes()[8 - size(value)..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(table: &[(u64, u64)]) -> Vec<Class> {
        let class = |&(address, superclass): &(u64, u64)| Class {
            address: Address(address),
            superclass: Some(Address(superclass)),
            ..Class::default()
        };
        table.iter().map(class).collect()
    }

    fn addresses(classes: &[Class]) -> Vec<u64> {
        classes.iter().map(|class| class.address.0).collect()
    }

    #[test]
    fn a_table_tells_its_newer_end_by_superclasses() {
        assert!(is_oldest_first(&classes(&[(1, 0), (2, 1), (3, 9), (4, 2)])));
        assert!(!is_oldest_first(&classes(&[(4, 2), (2, 1), (1, 0)])));
        // By its hash table, as JDK 5 goes through it; and where nothing tells.
        assert!(!is_oldest_first(&classes(&[(4, 2), (1, 0), (2, 1)])));
        assert!(!is_oldest_first(&classes(&[(1, 0), (2, 0)])));
    }

    #[test]
    fn superclasses_come_first_and_a_cycle_ends() {
        assert_eq!(addresses(&supers_first(classes(&[(4, 2), (5, 0), (2, 1), (1, 0)]))), [1, 2, 4, 5]);
        assert_eq!(addresses(&supers_first(classes(&[(1, 0), (2, 1), (3, 1)]))), [1, 2, 3]);
        let cycle = addresses(&supers_first(classes(&[(1, 2), (2, 1), (3, 3)])));
        assert_eq!(cycle, [2, 1, 3]);
    }
}

//! Chains of superclasses, and facts that follow from them.
//!
//! A chain may be as long as there are classes, and every class and object has one. So the chains are followed once for the
//! whole table; after that no class is passed that has nothing to say.

use super::{Address, Class, Contents, Field, FieldType, Object, Value};

/// The superclasses of a table of classes, by places in the table.
///
/// 0 is no class, even where a class has that address. A chain that comes back to itself ends before it does.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    /// Superclass by class.
    above: Vec<SuperclassLink>,
    /// Every class, after its superclass.
    downward: Vec<usize>,
    /// The nearest superclass with fields, or with unknown ones, by class.
    with_fields: Vec<Option<usize>>,
}

/// The superclass of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SuperclassLink {
    /// No superclass, or one whose chain comes back.
    Nothing,
    /// A superclass that is not in the table.
    Outside(Address),
    /// A superclass in the table, by its place and its address.
    Class(usize, Address),
}

impl Hierarchy {
    /// Follows the chains of a table; `place` finds a class by its address.
    pub fn new(classes: &[Class], place: impl Fn(Address) -> Option<usize>) -> Hierarchy {
        let above = |class: &Class| match class.superclass.filter(|address| !address.is_null()) {
            None => SuperclassLink::Nothing,
            Some(address) => {
                place(address).map_or(SuperclassLink::Outside(address), |place| SuperclassLink::Class(place, address))
            }
        };
        let mut hierarchy = Hierarchy { above: classes.iter().map(above).collect(), ..Hierarchy::default() };
        hierarchy.order();
        hierarchy.with_fields = hierarchy.nearest(|class| classes[class].fields.as_ref().is_none_or(|f| !f.is_empty()));
        hierarchy
    }

    /// Orders the classes, and cuts the chains that come back.
    fn order(&mut self) {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum VisitState {
            New,
            OnTheWay,
            Done,
        }
        let mut states = vec![VisitState::New; self.above.len()];
        let mut chain = Vec::new();
        for start in 0..self.above.len() {
            let mut next = start;
            while states[next] == VisitState::New {
                count_step();
                states[next] = VisitState::OnTheWay;
                chain.push(next);
                match self.above[next] {
                    SuperclassLink::Class(above, _) if states[above] == VisitState::OnTheWay => {
                        self.above[next] = SuperclassLink::Nothing
                    }
                    SuperclassLink::Class(above, _) => next = above,
                    SuperclassLink::Nothing | SuperclassLink::Outside(_) => {}
                }
            }
            for class in chain.drain(..).rev() {
                states[class] = VisitState::Done;
                self.downward.push(class);
            }
        }
    }

    /// The superclass of a class, where it is in the table.
    pub fn superclass(&self, class: usize) -> Option<usize> {
        match self.above[class] {
            SuperclassLink::Class(above, _) => Some(above),
            SuperclassLink::Nothing | SuperclassLink::Outside(_) => None,
        }
    }

    /// The places of all classes, each after its superclass.
    pub fn downward(&self) -> &[usize] {
        &self.downward
    }

    /// The nearest class above each class of which this is true.
    pub(crate) fn nearest(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut nearest = vec![None; self.above.len()];
        for &class in &self.downward {
            count_step();
            let above = self.superclass(class);
            nearest[class] = above.and_then(|above| if is_wanted(above) { Some(above) } else { nearest[above] });
        }
        nearest
    }

    /// The superclasses of a class, from the root down; the topmost one need not be in the table.
    pub fn superclasses(&self, class: usize) -> Vec<Address> {
        let mut supers = Vec::new();
        let mut next = self.above[class];
        while let SuperclassLink::Class(above, address) = next {
            count_step();
            supers.push(address);
            next = self.above[above];
        }
        if let SuperclassLink::Outside(address) = next {
            supers.push(address);
        }
        supers.reverse();
        supers
    }

    /// The number of superclasses of each class, as [`Hierarchy::superclasses`] lists them.
    pub fn depths(&self) -> Vec<u64> {
        let mut depths = vec![0; self.above.len()];
        for &class in &self.downward {
            count_step();
            depths[class] = match self.above[class] {
                SuperclassLink::Class(above, _) => depths[above] + 1,
                SuperclassLink::Outside(_) => 1,
                SuperclassLink::Nothing => 0,
            };
        }
        depths
    }

    /// The references of an instance in the order of its layout, nulls included: the fields of the topmost superclass come
    /// first, as objects are laid out. `class` is the place of its class. A class with more fields than there are values
    /// left, or with unknown ones, ends the chain.
    pub fn layout_order(&self, classes: &[Class], class: Option<usize>, object: &Object) -> Vec<Address> {
        let Contents::Fields(values) = &object.contents else { return object.references().collect() };
        let mut parts: Vec<&[Value]> = Vec::new();
        let mut rest = values.as_slice();
        let mut next = class;
        while let Some(class) = next {
            count_step();
            let fields = classes[class].fields.as_ref();
            let Some((own, inherited)) = fields.and_then(|fields| rest.split_at_checked(fields.len())) else { break };
            parts.push(own);
            rest = inherited;
            next = self.with_fields[class];
        }
        parts.push(rest);
        parts.into_iter().rev().flatten().filter_map(|value| value.as_reference()).collect()
    }

    /// The first field of an instance that has a value of another type, and that type. `class` is the place of its class.
    pub(crate) fn retyped_value<'c>(
        &self,
        classes: &'c [Class],
        class: Option<usize>,
        object: &Object,
    ) -> Option<(&'c Field, FieldType)> {
        let Contents::Fields(values) = &object.contents else { return None };
        let mut values = values.iter();
        let mut next = class;
        while let Some(class) = next {
            count_step();
            // Without the fields of a class it is not known which values are those of the classes above it.
            let fields = classes[class].fields.as_ref()?;
            // What has fewer values than fields is wrong in another way.
            let retyped = fields.iter().zip(&mut values).find(|(field, value)| field.kind != value.kind);
            if let Some((field, value)) = retyped {
                return Some((field, value.kind));
            }
            next = self.with_fields[class];
        }
        None
    }
}

/// Counts a step, for tests: something is looked at where a mistake would look at everything again, such as a class on
/// the way up or down a chain, a record on the way through a file ahead, a root for a thread, or a rule for a failure.
#[inline]
#[doc(hidden)]
pub fn count_step() {
    #[cfg(debug_assertions)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The number of steps that a piece of work counts in this thread. For tests.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub fn steps_of(work: impl FnOnce()) -> u64 {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, ObjectKind};

    fn class(address: u64, superclass: Option<u64>) -> Class {
        Class {
            address: Address(address),
            superclass: superclass.map(Address),
            fields: Some(Vec::new()),
            ..Class::default()
        }
    }

    fn hierarchy(classes: &[Class]) -> Hierarchy {
        Hierarchy::new(classes, |address| classes.iter().position(|class| class.address == address))
    }

    #[test]
    fn chains_end_where_they_come_round_and_at_the_class_with_the_address_0() {
        let object =
            Object { contents: Contents::Fields(Vec::new()), ..Object::new(Address(16), ObjectKind::Instance) };
        for (classes, supers) in [
            // The topmost class has the identifier 0, which also says that there is no superclass.
            (vec![class(8, Some(0)), class(0, Some(0))], [vec![], vec![]]),
            (vec![class(8, Some(0)), class(0, None)], [vec![], vec![]]),
            (vec![class(8, Some(8)), class(16, Some(8))], [vec![], vec![8]]),
            (vec![class(8, Some(24)), class(24, Some(32)), class(32, Some(24))], [vec![32, 24], vec![32]]),
            (vec![class(8, Some(24)), class(24, Some(99))], [vec![99, 24], vec![99]]),
            (vec![class(8, Some(24)), class(24, Some(8))], [vec![24], vec![]]),
        ] {
            let hierarchy = hierarchy(&classes);
            let listed = [0, 1].map(|at| hierarchy.superclasses(at).iter().map(|a| a.0).collect::<Vec<_>>());
            assert_eq!(listed, supers, "{classes:?}");
            for at in 0..classes.len() {
                assert_eq!(hierarchy.layout_order(&classes, Some(at), &object), []);
                assert_eq!(hierarchy.depths()[at], hierarchy.superclasses(at).len() as u64);
            }
        }
    }

    #[test]
    fn a_layout_passes_only_classes_that_have_fields() {
        let field = || Field { name: "f".into(), ..Field::default() };
        let mut classes: Vec<Class> = (1..=1000).map(|n| class(8 * n, Some(8 * (n - 1)))).collect();
        for (at, count) in [(0, 1), (500, 2), (999, 1)] {
            classes[at].fields = Some((0..count).map(|_| field()).collect());
        }
        let hierarchy = hierarchy(&classes);
        let values = [4, 2, 3, 1].map(|to| Value::reference(Address(to))).to_vec();
        let object = Object { contents: Contents::Fields(values), ..Object::new(Address(16), ObjectKind::Instance) };
        let mut order = Vec::new();
        let steps = steps_of(|| order = hierarchy.layout_order(&classes, Some(999), &object));
        assert_eq!((order, steps), ([1, 2, 3, 4].map(Address).to_vec(), 3));
    }
}

//! Classes with those of their arrays after them, as HotSpot up to 17 goes through its classes.

use foldhash::{HashMap, HashMapExt};

use crate::model::{Address, Class, Name, NameForms, PrimitiveType};

/// The innermost element of arrays, by descriptor and class loader. A loader that is not known is the boot loader;
/// primitive types have none.
type ArrayElement = (Name, Address);

/// The array classes of a class table, by element.
pub(super) struct ArrayClasses {
    /// For each class its element, which a class that is no array is itself, and how many dimensions it has.
    classes: Vec<(ArrayElement, usize)>,
    /// The array classes of an element by number of dimensions, one for each: more would repeat each other.
    chains: HashMap<ArrayElement, Vec<usize>>,
    /// The first class that is this element.
    owners: HashMap<ArrayElement, usize>,
}

impl ArrayClasses {
    pub(super) fn new(classes: &[Class]) -> ArrayClasses {
        let mut names = ElementNames::default();
        let classes: Vec<(ArrayElement, usize)> = classes.iter().map(|class| names.element(class)).collect();
        let mut chains: HashMap<ArrayElement, Vec<usize>> = HashMap::new();
        let mut owners = HashMap::new();
        for (index, (element, dimensions)) in classes.iter().enumerate() {
            if *dimensions > 0 {
                chains.entry(element.clone()).or_default().push(index);
            } else {
                owners.entry(element.clone()).or_insert(index);
            }
        }
        for chain in chains.values_mut() {
            chain.sort_by_key(|&index| classes[index].1);
            chain.dedup_by_key(|index| classes[*index].1);
        }
        ArrayClasses { classes, chains, owners }
    }

    /// Every class with its arrays after it, array classes with those of more dimensions; then those of primitive
    /// types once more. So a class of arrays is there once for each of its dimensions and once by itself.
    pub(super) fn order_with_repetitions(&self, primitives: &[PrimitiveType]) -> Vec<usize> {
        let each = (0..self.classes.len())
            .flat_map(|index| std::iter::once(index).chain(self.arrays_of(index).iter().copied()));
        each.chain(self.primitive_arrays(primitives)).collect()
    }

    /// Every class once: its arrays after it, those of primitive types last. Arrays that are after no class stay in
    /// their place.
    pub(super) fn order_once(&self, primitives: &[PrimitiveType]) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.classes.len());
        let last: Vec<usize> = self.primitive_arrays(primitives).collect();
        for (index, (element, dimensions)) in self.classes.iter().enumerate() {
            if *dimensions == 0 {
                order.push(index);
                order.extend(self.arrays_of(index));
            } else if !self.is_chained(index)
                || !self.owners.contains_key(element) && !is_primitive(element.0.as_bytes())
            {
                order.push(index);
            }
        }
        order.extend(last);
        order
    }

    /// The classes of the arrays of this class.
    fn arrays_of(&self, index: usize) -> &[usize] {
        let (element, dimensions) = &self.classes[index];
        let owns = if *dimensions > 0 { self.is_chained(index) } else { self.owners.get(element) == Some(&index) };
        let chain = self.chains.get(element).filter(|_| owns).map_or(&[][..], Vec::as_slice);
        &chain[self.place(chain, dimensions + 1)..]
    }

    /// Whether this array class is the one of its element and number of dimensions.
    fn is_chained(&self, index: usize) -> bool {
        let (element, dimensions) = &self.classes[index];
        self.chains.get(element).is_some_and(|chain| chain.get(self.place(chain, *dimensions)) == Some(&index))
    }

    fn place(&self, chain: &[usize], dimensions: usize) -> usize {
        chain.partition_point(|&array| self.classes[array].1 < dimensions)
    }

    fn primitive_arrays(&self, primitives: &[PrimitiveType]) -> impl Iterator<Item = usize> {
        let chain =
            |kind: &PrimitiveType| self.chains.get(&(Name::from_bytes([kind.signature() as u8]), Address::NULL));
        primitives.iter().filter_map(chain).flatten().copied()
    }
}

/// The elements of array classes, by class name. For classes that share a long name, the element's name is made once.
#[derive(Debug)]
struct ElementNames {
    jvm: NameForms,
    descriptors: NameForms,
}

impl Default for ElementNames {
    fn default() -> ElementNames {
        ElementNames { jvm: NameForms::new(Name::to_jvm_form), descriptors: NameForms::new(descriptor) }
    }
}

impl ElementNames {
    /// The element of a class, and its dimensions.
    fn element(&mut self, class: &Class) -> (ArrayElement, usize) {
        let name = self.jvm.convert(&class.name);
        let dimensions = name.as_bytes().iter().take_while(|&&byte| byte == b'[').count();
        let descriptor = self.descriptors.convert(&name);
        let loader = class.loader.filter(|_| !is_primitive(descriptor.as_bytes())).unwrap_or_default();
        ((descriptor, loader), dimensions)
    }
}

/// The descriptor of the innermost element of a class name in the JVM's form.
fn descriptor(name: &Name) -> Name {
    let name = name.as_bytes();
    let dimensions = name.iter().take_while(|&&byte| byte == b'[').count();
    Name::from_bytes(if dimensions > 0 { name[dimensions..].to_vec() } else { [b"L", name, b";"].concat() })
}

fn is_primitive(descriptor: &[u8]) -> bool {
    matches!(descriptor, [letter] if PrimitiveType::ALL.iter().any(|kind| kind.signature() as u8 == *letter))
}

//! Heaps: views of one that Rust holds, made when Python asks for them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use heapsmith_core::error::Error;
use heapsmith_core::format::DumpTarget;
use heapsmith_core::model::{
    Address, Class, Contents, Dump, FieldType, Name, Object, ObjectKind, PrimitiveType, Root, RootNumber, Value,
};
use heapsmith_core::{DumpOptions, model, read_dump};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::failure::{ArgumentError, detached};
use crate::lent_bytes::LentBytes;

/// A heap, and where its classes and objects stand.
struct HeldHeap {
    heap: model::Heap,
    index: OnceLock<HashMap<Address, EntryIndex>>,
}

/// The place of a class or an object.
#[derive(Clone, Copy)]
enum EntryIndex {
    Class(usize),
    Object(usize),
}

impl HeldHeap {
    fn new(heap: model::Heap) -> Arc<HeldHeap> {
        Arc::new(HeldHeap { heap, index: OnceLock::new() })
    }

    /// What stands at an address: of several the first, and a class before an object.
    fn index_of(&self, address: Address) -> Option<EntryIndex> {
        let index = self.index.get_or_init(|| {
            let mut index = HashMap::with_capacity(self.heap.classes.len() + self.heap.objects.len());
            for (place, class) in self.heap.classes.iter().enumerate() {
                index.entry(class.address).or_insert(EntryIndex::Class(place));
            }
            for (place, object) in self.heap.objects.iter().enumerate() {
                index.entry(object.address).or_insert(EntryIndex::Object(place));
            }
            index
        });
        index.get(&address).copied()
    }

    fn class_at(&self, address: Address) -> Option<usize> {
        match self.index_of(address)? {
            EntryIndex::Class(place) => Some(place),
            EntryIndex::Object(_) => None,
        }
    }

    /// A class and its superclasses, as far as the heap has them; each once.
    fn chain(&self, class: Option<usize>) -> Vec<&Class> {
        let (mut next, mut chain) = (class, Vec::new());
        while let Some(class) = next.filter(|_| chain.len() <= self.heap.classes.len()) {
            let class = &self.heap.classes[class];
            chain.push(class);
            next = class.superclass.filter(|above| !above.is_null()).and_then(|above| self.class_at(above));
        }
        chain
    }
}

/// A heap of a dump.
#[pyclass(frozen, module = "heapsmith", name = "Heap")]
pub(crate) struct HeapView(Arc<HeldHeap>);

#[pymethods]
impl HeapView {
    /// Reads a heap of a dump: the first one, or that of a number.
    #[staticmethod]
    #[pyo3(signature = (data, heap = 0))]
    fn read(py: Python<'_>, data: LentBytes, heap: usize) -> PyResult<HeapView> {
        let Dump { mut heaps, .. } = detached(py, || read_dump(&*data))?;
        if heap >= heaps.len() {
            let found = heaps.len();
            return Err(ArgumentError::new_err(format!("the dump has no heap {heap}; it has {found}, counted from 0")));
        }
        Ok(HeapView(HeldHeap::new(heaps.swap_remove(heap))))
    }

    /// A random heap of 200 objects: the same seed gives the same heap.
    #[staticmethod]
    fn random(py: Python<'_>, seed: u64) -> PyResult<HeapView> {
        Ok(HeapView(HeldHeap::new(detached(py, || Ok(model::Heap::random(seed)))?)))
    }

    /// The classes, in the order of the file.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, (0..self.0.heap.classes.len()).map(|place| HeapClass(self.0.clone(), place)))
    }

    /// The number of objects.
    fn __len__(&self) -> usize {
        self.0.heap.objects.len()
    }

    /// The object of a place in the order of the file.
    fn __getitem__(&self, place: isize) -> PyResult<HeapObject> {
        let length = self.0.heap.objects.len();
        let wanted = if place < 0 { place.checked_add_unsigned(length) } else { Some(place) };
        match wanted.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < length) {
            Some(place) => Ok(HeapObject(self.0.clone(), place)),
            None => Err(PyIndexError::new_err(format!("the heap has {length} objects, and no object {place}"))),
        }
    }

    /// The objects, each when it is asked for, in the order of the file.
    #[getter]
    fn objects(&self) -> HeapObjects {
        HeapObjects(self.0.clone(), 0)
    }

    /// The class or object at an address; `None` if there is none.
    #[pyo3(name = "at")]
    fn find_by_address<'py>(&self, py: Python<'py>, address: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        entry(py, &self.0, Address(address))
    }

    /// The first class of a name, in the form of Java source or of the dump.
    fn class_named(&self, name: &str) -> PyResult<HeapClass> {
        let wanted = Name::from_text(name).to_java_form();
        let place = self.0.heap.classes.iter().position(|class| class.name.to_java_form() == wanted);
        place.map(|place| HeapClass(self.0.clone(), place)).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// The roots, in the order of the file; `None` if the dump records none.
    #[getter]
    fn roots(&self) -> Option<Vec<HeapRoot>> {
        let roots = self.0.heap.surroundings.roots.as_ref()?;
        Some(roots.iter().map(|root| HeapRoot(self.0.clone(), *root)).collect())
    }

    /// The heap's dump in a format, or as a writer of it makes one.
    fn write<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let written = detached(py, || {
            let target: DumpTarget = format.parse()?;
            let options = DumpOptions::new(target.format).profile(target.profile.as_deref());
            let dump: Vec<u8> = self.0.heap.write(options)?.into();
            Ok::<Vec<u8>, Error>(dump)
        })?;
        Ok(PyBytes::new(py, &written))
    }

    fn __repr__(&self) -> String {
        let heap = &self.0.heap;
        format!("<Heap: {} classes, {} objects>", heap.classes.len(), heap.objects.len())
    }
}

/// The objects of a heap, one after the other.
#[pyclass]
struct HeapObjects(Arc<HeldHeap>, usize);

#[pymethods]
impl HeapObjects {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self) -> Option<HeapObject> {
        let place = self.1;
        (place < self.0.heap.objects.len()).then(|| {
            self.1 += 1;
            HeapObject(self.0.clone(), place)
        })
    }
}

/// A class of a heap.
#[pyclass(frozen, module = "heapsmith")]
pub(crate) struct HeapClass(Arc<HeldHeap>, usize);

impl HeapClass {
    fn class(&self) -> &Class {
        &self.0.heap.classes[self.1]
    }
}

#[pymethods]
impl HeapClass {
    /// The address, in bytes.
    #[getter]
    fn address(&self) -> u64 {
        self.class().address.0
    }

    /// The name as Java source has it, such as `java.lang.String` or `int[]`; bytes that are not text are replaced.
    #[getter]
    fn name(&self) -> String {
        text(&self.class().name.to_java_form())
    }

    /// The superclass; `None` for none, or where the dump does not have it.
    #[getter]
    fn superclass(&self) -> Option<HeapClass> {
        let above = self.class().superclass.filter(|above| !above.is_null())?;
        Some(HeapClass(self.0.clone(), self.0.class_at(above)?))
    }

    /// The instance fields that the class itself declares, each with its type; `None` where they are not recorded.
    #[getter]
    fn fields(&self) -> Option<Vec<(String, String)>> {
        let fields = self.class().fields.as_ref()?;
        Some(fields.iter().map(|field| (text(&field.name), field.kind.to_string())).collect())
    }

    /// The static fields by name; of several with one name the last. `None` where they are not recorded.
    #[getter]
    fn statics<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(statics) = &self.class().statics else { return Ok(None) };
        let told = PyDict::new(py);
        for field in statics {
            told.set_item(text(&field.name), value(py, &self.0, field.value)?)?;
        }
        Ok(Some(told))
    }

    fn __eq__(&self, other: &HeapClass) -> bool {
        Arc::ptr_eq(&self.0, &other.0) && self.1 == other.1
    }

    fn __hash__(&self) -> u64 {
        self.class().address.0
    }

    fn __repr__(&self) -> String {
        format!("<HeapClass {} at {}>", self.name(), self.class().address)
    }
}

/// An object of a heap: an instance or an array.
#[pyclass(frozen, module = "heapsmith")]
pub(crate) struct HeapObject(Arc<HeldHeap>, usize);

impl HeapObject {
    fn object(&self) -> &Object {
        &self.0.heap.objects[self.1]
    }

    /// The values of its fields, with their names: its class's own first. `None` where they are not recorded.
    fn named_values(&self) -> Option<Vec<(String, Value)>> {
        let Contents::Fields(values) = &self.object().contents else { return None };
        let chain = self.0.chain(self.object().class.and_then(|class| self.0.class_at(class)));
        let fields = chain.into_iter().flat_map(|class| class.fields.iter().flatten());
        Some(fields.map(|field| text(&field.name)).zip(values.iter().copied()).collect())
    }
}

#[pymethods]
impl HeapObject {
    /// The address, in bytes.
    #[getter]
    fn address(&self) -> u64 {
        self.object().address.0
    }

    /// `object`, `object-array` or `primitive-array`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.object().kind {
            ObjectKind::Instance => "object",
            ObjectKind::ObjectArray => "object-array",
            ObjectKind::PrimitiveArray(_) => "primitive-array",
        }
    }

    /// The class; `None` where the dump does not record or have it.
    #[getter]
    fn class_(&self) -> Option<HeapClass> {
        Some(HeapClass(self.0.clone(), self.0.class_at(self.object().class?)?))
    }

    /// The type of the elements of an array: `object`, or the keyword of a primitive type. `None` for an instance.
    #[getter]
    fn element(&self) -> Option<&'static str> {
        match self.object().kind {
            ObjectKind::Instance => None,
            ObjectKind::ObjectArray => Some("object"),
            ObjectKind::PrimitiveArray(element) => Some(element.keyword()),
        }
    }

    /// The number of elements of an array; `None` for an instance, or where it is not recorded.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.object().length
    }

    /// The text of a `java.lang.String`; `None` for another object, or where it cannot be told.
    #[getter]
    fn text(&self) -> Option<String> {
        self.object().text.as_ref().map(text)
    }

    /// The elements of an array, as Python values; `None` for an instance, or where they are not recorded.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let values: Vec<Value> = match (&self.object().contents, self.object().kind) {
            (Contents::Elements(elements), _) => elements.iter().map(|to| Value::reference(*to)).collect(),
            (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(element)) => {
                let bits = |bytes: &[u8]| bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                bytes.chunks(element.size() as usize).map(|bytes| Value::primitive(element, bits(bytes))).collect()
            }
            _ => return Ok(None),
        };
        let listed = values.into_iter().map(|one| value(py, &self.0, one)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, listed).map(Some)
    }

    /// The elements of a primitive array one after the other, each big-endian; `None` where they are not recorded.
    #[getter]
    fn contents<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match &self.object().contents {
            Contents::Primitives(bytes) => Some(PyBytes::new(py, bytes)),
            _ => None,
        }
    }

    /// The addresses of what it refers to, in the order of the dump, without nulls.
    #[getter]
    fn references(&self) -> Vec<u64> {
        self.object().references().filter(|to| !to.is_null()).map(|to| to.0).collect()
    }

    /// The fields with their values: those of its class first, then those of the superclasses.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let named = self.named_values().unwrap_or_default().into_iter();
        let items =
            named.map(|(name, one)| PyTuple::new(py, [name.into_pyobject(py)?.into_any(), value(py, &self.0, one)?]));
        PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
    }

    /// The value of a field by name: of several that its class and superclasses declare, that of the nearest.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.named_values().unwrap_or_default().into_iter().find(|(known, _)| known == name);
        let (_, found) = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        value(py, &self.0, found)
    }

    fn __eq__(&self, other: &HeapObject) -> bool {
        Arc::ptr_eq(&self.0, &other.0) && self.1 == other.1
    }

    fn __hash__(&self) -> u64 {
        self.object().address.0
    }

    fn __repr__(&self) -> String {
        let class = self.class_().map(|class| format!(" of {}", class.name())).unwrap_or_default();
        format!("<HeapObject: {}{class} at {}>", self.kind(), self.object().address)
    }
}

/// A root of a heap.
#[pyclass(frozen, module = "heapsmith")]
pub(crate) struct HeapRoot(Arc<HeldHeap>, Root);

#[pymethods]
impl HeapRoot {
    /// The kind, such as `jni-global`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.1.kind.form().name
    }

    /// The address of the object.
    #[getter]
    fn address(&self) -> u64 {
        self.1.object.0
    }

    /// The serial number of the thread; `None` where the kind has none.
    #[getter]
    fn thread(&self) -> Option<u64> {
        let mut kind = self.1.kind;
        kind.numbers().find_map(|number| if let RootNumber::Thread(_) = number { Some(number.get()) } else { None })
    }

    /// The class or object; `None` where the dump does not have it.
    #[getter]
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        entry(py, &self.0, self.1.object)
    }

    fn __repr__(&self) -> String {
        format!("<HeapRoot: {} of {}>", self.kind(), self.1.object)
    }
}

/// What stands at an address, as a view.
fn entry<'py>(py: Python<'py>, held: &Arc<HeldHeap>, address: Address) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(match held.index_of(address) {
        None => None,
        Some(EntryIndex::Class(place)) => Some(Bound::new(py, HeapClass(held.clone(), place))?.into_any()),
        Some(EntryIndex::Object(place)) => Some(Bound::new(py, HeapObject(held.clone(), place))?.into_any()),
    })
}

/// A value as Python has it: null is `None`, and a reference to what is not in the dump is its address.
fn value<'py>(py: Python<'py>, held: &Arc<HeldHeap>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    let bits = value.bits;
    Ok(match value.kind {
        FieldType::Object if bits == 0 => py.None().into_bound(py),
        FieldType::Object => match entry(py, held, Address(bits))? {
            Some(entry) => entry,
            None => bits.into_pyobject(py)?.into_any(),
        },
        FieldType::Primitive(kind) => match kind {
            PrimitiveType::Boolean => (bits != 0).into_pyobject(py)?.to_owned().into_any(),
            // A code unit that is half of a character is a character of Python, and none of Rust.
            PrimitiveType::Char => py.import("builtins")?.call_method1("chr", (bits,))?,
            PrimitiveType::Byte => (bits as u8 as i8).into_pyobject(py)?.into_any(),
            PrimitiveType::Short => (bits as u16 as i16).into_pyobject(py)?.into_any(),
            PrimitiveType::Int => (bits as u32 as i32).into_pyobject(py)?.into_any(),
            PrimitiveType::Long => (bits as i64).into_pyobject(py)?.into_any(),
            PrimitiveType::Float => f64::from(f32::from_bits(bits as u32)).into_pyobject(py)?.into_any(),
            PrimitiveType::Double => f64::from_bits(bits).into_pyobject(py)?.into_any(),
        },
    })
}

fn text(name: &Name) -> String {
    name.to_text().unwrap_or_else(|| String::from_utf8_lossy(name.as_bytes()).into_owned())
}

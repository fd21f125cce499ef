//! A writer's policy, as far as every format has it: the order in which it writes, and whose habits it follows.

/// The place of a heap's classes among its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassPlacement {
    /// All before the first object.
    ClassesFirst,
    /// All after the last object.
    ClassesLast,
    /// Where [`Class::after_objects`](crate::model::Class::after_objects) says, and last where it does not.
    AsHeap,
}

impl ClassPlacement {
    /// The number of objects before a class that would follow `after_objects` of them by itself.
    pub fn place(self, after_objects: Option<u64>) -> u64 {
        match self {
            ClassPlacement::ClassesFirst => 0,
            ClassPlacement::ClassesLast => u64::MAX,
            ClassPlacement::AsHeap => after_objects.unwrap_or(u64::MAX),
        }
    }
}

/// The owner of a writer's free choices (order of records, identifiers of its tables, how hashes are kept): the
/// writer's habit or the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adherence {
    /// As the writer would.
    Writer,
    /// As the heap has it, which is how a dump of the writer comes back even if it is unusual.
    Heap,
}

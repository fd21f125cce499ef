//! How many objects of each class a heap dump has.

use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: decoder DUMP")?;
    let heap = heapsmith::read(std::fs::read(path)?)?;
    let names: BTreeMap<_, _> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
    let mut histogram = BTreeMap::new();
    for name in heap.objects.iter().filter_map(|object| names.get(&object.class?)) {
        *histogram.entry(name.to_string()).or_insert(0) += 1;
    }
    histogram.iter().for_each(|(name, objects)| println!("{objects} {name}"));
    Ok(())
}

//! What shapes cost: the same for few objects and for very many.

use std::io;

use heapsmith::recipe::Recipe;

use crate::{peak, show};

/// Parts of a recipe: few objects, and many; their dump is read from a pipe.
const PAIRS: [[&str; 2]; 8] = [
    ["list:1000", "list:3e6"],
    ["tree:2:9", "tree:2:20"],
    ["dag:1000:2", "dag:1e6:2"],
    ["power-law:1000", "power-law:1e6"],
    ["clique:40", "clique:1500"],
    ["array:1000", "array:2e8"],
    ["leak:1000", "leak:5e5"],
    ["list:2000+ring:1000", "list:1e6+ring:1e6"],
];

pub(crate) fn shape_memory_is_independent_of_size() {
    for shapes in PAIRS {
        for format in ["hprof", "phd6", "classic"] {
            let [few, many] = shapes.map(|shape| {
                let recipe = format!("heapsmith-2:objects=20,shape={shape},format={format}");
                let recipe = Recipe::read(&recipe).expect("a recipe");
                peak(|| {
                    let mut stream = recipe.input().and_then(|input| input.stream()).expect("a dump");
                    io::copy(&mut stream, &mut io::sink()).expect("it can be read");
                })
            });
            show(&format!("{} as {format}: {few} and {many} bytes", shapes[1]));
            // Up to a mebibyte of an array is held, in several steps; what is longer is made in pieces.
            assert!(many < few + (6 << 20), "{} as {format}: {few} and {many} bytes", shapes[1]);
        }
    }
}

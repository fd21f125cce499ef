//! specs/generator.md: its test vectors, and its second implementation against the generator.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use heapsmith::generate::ProceduralHeap;
use heapsmith::model::blocks::FilledBlocks;
use heapsmith::model::{Contents, FieldType, IdentityHash, Object, ObjectKind};
use heapsmith::recipe::Recipe;
use serde_json::{Map, Value as Json, json};

const SCRIPT: &str = "tests/generator/blocks.py";

/// What the script prints; `None` without python3.
fn python(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT)).args(arguments);
    let Ok(told) = command.output() else {
        assert!(env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and not there");
        println!("skipped: no python3");
        return None;
    };
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    Some(String::from_utf8(told.stdout).expect("text"))
}

#[test]
fn page_and_script_have_same_test_vectors() {
    let Some(printed) = python(&["--vectors"]) else { return };
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/generator.md")).expect("the page");
    let blocks = |text: &str| text.split("```").skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>();
    let printed = blocks(&printed);
    assert_eq!(printed.len(), 2);
    // Besides them the page has sums, which are tested elsewhere.
    let of_page = blocks(&page);
    for block in printed {
        assert!(of_page.contains(&block), "the page has no such block: {block}");
    }
}

/// An object as a listing has it, as far as the heap says it.
fn told(object: &Object) -> Json {
    let mut line = Map::new();
    line.insert("address".to_owned(), json!(object.address.to_string()));
    let class = json!(object.class.unwrap_or_default().to_string());
    match object.kind {
        ObjectKind::Instance => {
            line.insert("kind".to_owned(), json!("object"));
            line.insert("class".to_owned(), class);
        }
        ObjectKind::ObjectArray => {
            line.insert("kind".to_owned(), json!("object-array"));
            line.insert("array_class".to_owned(), class);
        }
        ObjectKind::PrimitiveArray(element) => {
            line.insert("kind".to_owned(), json!("primitive-array"));
            line.insert("element".to_owned(), json!(element.to_string()));
        }
    }
    match &object.contents {
        Contents::Fields(values) => {
            let kind = |kind: FieldType| match kind {
                FieldType::Object => "object".to_owned(),
                FieldType::Primitive(kind) => kind.to_string(),
            };
            let values = values.iter().map(|value| json!([kind(value.kind), format!("{:#x}", value.bits)]));
            line.insert("values".to_owned(), values.collect());
        }
        Contents::Elements(elements) => {
            line.insert("elements".to_owned(), elements.iter().map(ToString::to_string).collect());
        }
        Contents::Primitives(bytes) => {
            line.insert("contents".to_owned(), json!(bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()));
        }
        other => panic!("{other:?}"),
    }
    if let Some(length) = object.length {
        line.insert("length".to_owned(), json!(length));
    }
    match object.hash {
        Some(IdentityHash::Bits16(bits)) => _ = line.insert("hash16".to_owned(), json!(format!("{bits:#x}"))),
        Some(IdentityHash::Bits32(bits)) => _ = line.insert("hash32".to_owned(), json!(format!("{bits:#x}"))),
        None => {}
    }
    line.into()
}

/// Objects of the generator, by their numbers among those in blocks.
fn objects(heap: &ProceduralHeap, step: usize) -> Vec<Json> {
    let blocks = heap.blocks().expect("a large heap");
    let mut filled = FilledBlocks::new(blocks);
    let mut all = Vec::new();
    for block in 0..blocks.count() {
        let first = block as usize * 32;
        let objects = filled.fill(block).iter().zip(first..);
        all.extend(objects.filter(|(_, number)| number.is_multiple_of(step)).map(|(object, _)| told(object)));
    }
    all
}

#[test]
fn the_generator_makes_the_objects_that_the_page_defines() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Fewer blocks than near references take, whole groups and parts of one, either word size, values that stay.
    for (pairs, step) in [
        ("objects=5000,seed=7", 1),
        ("objects=9000,seed=8,word=32,hashes=16", 7),
        ("objects=70000,seed=9,nulls=0.5,oddities=extreme-values,library=j9", 97),
        ("objects=66048,seed=18446744073709551615,dangling=0.1,oddities=null-hash+high-hash,hashes=16", 101),
        ("objects=6000,seed=11,addresses=unaligned", 13),
        ("objects=6000,seed=12,addresses=wrapping-4g,word=32", 13),
        ("objects=1e6,seed=10", 4999),
    ] {
        let recipe = Recipe::read(&format!("heapsmith-2:{pairs}")).expect("a recipe");
        let heap = recipe.heap().expect("a heap");
        let given = folder.path().join("given.json");
        let described = heap.block_description().expect("a large heap");
        assert_eq!(described["drawn"].as_u64(), Some(512 + (recipe.options.objects as u64 - 512) % 32), "{pairs}");
        assert_eq!(described["blocks"].as_u64(), Some((recipe.options.objects as u64 - 512) / 32), "{pairs}");
        fs::write(&given, described.to_string()).expect("writable");
        let arguments = [&recipe.seed.to_string(), given.to_str().expect("text"), "--all", &step.to_string()];
        let Some(printed) = python(&arguments) else { return };
        let printed: Vec<Json> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let ours = objects(&heap, step);
        assert!(ours.len() > 150, "{pairs}");
        let differs = ours.iter().zip(&printed).find(|(ours, printed)| ours != printed);
        assert!(differs.is_none() && ours.len() == printed.len(), "{pairs}: {differs:#?}");
    }
}

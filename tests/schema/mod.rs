//! Whether JSON follows a schema.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema, ready to judge.
pub(crate) struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// A schema as it is printed, or one of specs/schemas/, which may refer to another one of them.
    pub(crate) fn new(schema: Value) -> Schema {
        const PLACE: &str = "https://heapsmith.example/schema.json";
        const FACETS: &str = include_str!("../../specs/schemas/facets.schema.json");
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        let facets = serde_json::from_str(FACETS).expect("JSON");
        compiler.add_resource("https://heapsmith.example/facets.schema.json", facets).expect("a place");
        compiler.add_resource(PLACE, schema).expect("a place");
        let index = compiler.compile(PLACE, &mut schemas).expect("a schema");
        Schema { schemas, index }
    }

    /// What of a value does not follow it.
    pub(crate) fn error(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|error| error.to_string())
    }
}

//! Whether JSON follows a schema.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema, ready to judge.
pub(crate) struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    pub(crate) fn new(schema: Value) -> Schema {
        const PLACE: &str = "https://heapsmith.example/schema.json";
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource(PLACE, schema).expect("a place");
        let index = compiler.compile(PLACE, &mut schemas).expect("a schema");
        Schema { schemas, index }
    }

    /// What of a value does not follow it.
    pub(crate) fn error(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|error| error.to_string())
    }
}

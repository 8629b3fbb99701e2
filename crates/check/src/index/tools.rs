//! The manifest of tools (10.8 of the language): what `expose as tool` marks, as JSON Schema.

use serde_json::{Map, Value, json};

use super::Index;
use crate::analysis::Analysis;
use crate::declaration::{DefinitionKind, Field, TypeKind};
use crate::program::{DefId, ModuleKind, Program};
use crate::types::Type;

/// One object per tool, in the order of definitions.
pub fn manifest(analysis: &Analysis, index: &Index) -> Value {
    let program = &analysis.program;
    let mut tools = Vec::new();
    for record in index.definitions.iter().filter(|record| record.exposed_as_tool) {
        let definition = program.definition(record.id);
        let Some(signature) = definition.signature() else {
            continue;
        };
        let module = program.module(record.id.module);
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut schemas = Schemas::new(program);
        for parameter in &signature.parameters {
            let schema = schemas.of(&parameter.annotation, &mut Vec::new());
            properties.insert(parameter.name.to_string(), schema);
            if !matches!(parameter.annotation, Type::Maybe(_)) {
                required.push(json!(&*parameter.name));
            }
        }
        let mut input = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        schemas.finish(&mut input);
        let output = signature.returns.as_ref().map(|returns| {
            let mut schemas = Schemas::new(program);
            let mut output = schemas.of(returns, &mut Vec::new());
            schemas.finish(&mut output);
            output
        });
        tools.push(json!({
            "name": record.qualified,
            "description": record.purpose.as_deref(),
            "input_schema": input,
            "output_schema": output,
            "fails": record.fails.declared,
            "permissions": record.effects.declared,
            "module": &*module.name,
            "function": record.name,
            "file": &*module.file,
            "line": record.lines.0,
        }));
    }
    Value::Array(tools)
}

/// Schemas of types, and the types that are met inside themselves.
struct Schemas<'a> {
    program: &'a Program,
    /// In the order in which they were met.
    shared: Vec<Type>,
}

/// Deepest nesting of types that is written out; a type that contains itself with ever larger
/// arguments goes deeper.
const MAX_DEPTH: usize = 64;

impl<'a> Schemas<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            shared: Vec::new(),
        }
    }

    fn of(&mut self, spelled: &Type, around: &mut Vec<Type>) -> Value {
        if around.len() > MAX_DEPTH {
            return json!({});
        }
        let (definition, arguments) = match spelled {
            Type::Maybe(inner) => {
                let inner = self.of(inner, around);
                return json!({ "anyOf": [inner, { "type": "null" }] });
            }
            Type::Named {
                definition,
                arguments,
            } => (*definition, arguments.clone()),
            _ => return json!({}),
        };
        let prelude = &self.program.prelude;
        let simple = |kind: &str| json!({ "type": kind });
        match definition {
            id if id == prelude.integer => return simple("integer"),
            id if id == prelude.float => return simple("number"),
            id if id == prelude.boolean => return simple("boolean"),
            id if id == prelude.text => return simple("string"),
            id if id == prelude.decimal => return json!({ "type": "number", "format": "decimal" }),
            id if id == prelude.bytes => return json!({ "type": "string", "contentEncoding": "base64" }),
            id if id == prelude.duration => {
                return json!({ "type": "integer", "description": "milliseconds" });
            }
            id if id == prelude.list || id == prelude.set => {
                let items = self.of(&arguments[0], around);
                let mut schema = json!({ "type": "array", "items": items });
                if id == prelude.set {
                    schema["uniqueItems"] = json!(true);
                }
                return schema;
            }
            id if id == prelude.map => {
                let values = self.of(&arguments[1], around);
                return json!({ "type": "object", "additionalProperties": values });
            }
            id if id == prelude.pair => {
                let parts = [self.of(&arguments[0], around), self.of(&arguments[1], around)];
                return json!({ "type": "array", "prefixItems": parts, "minItems": 2, "maxItems": 2 });
            }
            _ => {}
        }
        let program = self.program;
        let module = &program.module(definition.module).name;
        let declared = program.definition(definition);
        if &**module == "std.time" && matches!(&*declared.name, "Instant" | "Date") {
            return simple("string");
        }
        let Some(kind) = declared.as_type() else {
            return json!({});
        };
        if around.contains(spelled) {
            if !self.shared.contains(spelled) {
                self.shared.push(spelled.clone());
            }
            return json!({ "$ref": format!("#/$defs/{}", self.name(definition)) });
        }
        around.push(spelled.clone());
        let schema = match kind {
            TypeKind::Record { fields, .. } => self.object(None, fields, &arguments, around),
            TypeKind::Sum { variants, .. } => {
                let each: Vec<Value> = variants
                    .iter()
                    .map(|variant| self.object(Some(&variant.name), &variant.fields, &arguments, around))
                    .collect();
                json!({ "oneOf": each })
            }
            // Its refinement is not expressed. One that contains itself is shared like a record.
            TypeKind::Subtype { base, .. } => self.of(&base.substitute(&arguments, None), around),
            TypeKind::Opaque { .. } => json!({}),
        };
        around.pop();
        schema
    }

    fn object(
        &mut self,
        kind: Option<&str>,
        fields: &[Field],
        arguments: &[Type],
        around: &mut Vec<Type>,
    ) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some(kind) = kind {
            properties.insert("kind".to_owned(), json!({ "const": kind }));
            required.push(json!("kind"));
        }
        for field in fields {
            let name = field.external_name.as_ref().unwrap_or(&field.name);
            let annotation = field.annotation.substitute(arguments, None);
            let schema = self.of(&annotation, around);
            properties.insert(name.to_string(), schema);
            if !matches!(annotation, Type::Maybe(_)) {
                required.push(json!(&**name));
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// The type's name, with its module if another type of the program has the same.
    fn name(&self, id: DefId) -> String {
        let name = &self.program.definition(id).name;
        let twins = self
            .program
            .modules()
            .filter(|(_, module)| module.kind != ModuleKind::Library)
            .flat_map(|(_, module)| &module.definitions)
            .filter(|definition| {
                matches!(definition.kind, DefinitionKind::Type(_)) && definition.name == *name
            })
            .count();
        if twins > 1 {
            self.program.qualified_name(id)
        } else {
            name.to_string()
        }
    }

    /// Writes the shared types, each once, as the last key.
    fn finish(mut self, schema: &mut Value) {
        let mut defs = Map::new();
        let mut next = 0;
        while let Some(spelled) = self.shared.get(next).cloned() {
            next += 1;
            let Some(id) = spelled.head() else { continue };
            let name = self.name(id);
            let expanded = self.of(&spelled, &mut Vec::new());
            defs.insert(name, expanded);
        }
        if !defs.is_empty() {
            schema["$defs"] = Value::Object(defs);
        }
    }
}

//! The subset of JSON Schema that the tools use, as types.

use serde_json::Value;

/// A type.
pub(super) enum SchemaType<'a> {
    String,
    /// One of these strings.
    StringEnum(Vec<&'a str>),
    Integer,
    Number,
    Boolean,
    Null,
    /// An array of the given type.
    List(Option<&'a Value>),
    Object(Vec<Field<'a>>),
    /// An object with arbitrary keys and values of the given type.
    Map(Option<&'a Value>),
    /// A union.
    Union(Vec<SchemaType<'a>>),
    /// Unknown.
    Any,
}

/// A property of an object.
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    pub(super) is_required: bool,
}

impl Field<'_> {
    /// Its description, on one line.
    pub(super) fn description(&self) -> String {
        description(self.schema)
    }
}

/// A schema's description, on one line.
pub(super) fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

pub(super) fn schema_type(schema: &Value) -> SchemaType<'_> {
    for several in ["oneOf", "anyOf"] {
        if let Some(several) = schema[several].as_array() {
            return SchemaType::Union(several.iter().map(schema_type).collect());
        }
    }
    if let Some(word) = schema["const"].as_str() {
        return SchemaType::StringEnum(vec![word]);
    }
    if let Some(words) = schema["enum"].as_array() {
        let named = SchemaType::StringEnum(words.iter().filter_map(Value::as_str).collect());
        return match words.iter().any(Value::is_null) {
            true => SchemaType::Union(vec![named, SchemaType::Null]),
            false => named,
        };
    }
    match &schema["type"] {
        Value::String(kind) => simple_type(kind, schema),
        Value::Array(kinds) => SchemaType::Union(
            kinds.iter().filter_map(Value::as_str).map(|k| simple_type(k, schema)).collect(),
        ),
        _ => SchemaType::Any,
    }
}

fn simple_type<'a>(kind: &str, schema: &'a Value) -> SchemaType<'a> {
    match kind {
        "string" => SchemaType::String,
        "integer" => SchemaType::Integer,
        "number" => SchemaType::Number,
        "boolean" => SchemaType::Boolean,
        "null" => SchemaType::Null,
        "array" => SchemaType::List(schema.get("items")),
        "object" => match fields(schema) {
            fields if fields.is_empty() => SchemaType::Map(
                schema.get("additionalProperties").filter(|values| values.is_object()),
            ),
            fields => SchemaType::Object(fields),
        },
        _ => SchemaType::Any,
    }
}

/// The properties of an object, required ones first.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<_> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| Field { name, schema, is_required: required.contains(&&**name) })
        .collect();
    fields.sort_by_key(|field| !field.is_required);
    fields
}

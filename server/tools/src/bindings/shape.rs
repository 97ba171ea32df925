//! The subset of JSON Schema that the tools use, as types.

use serde_json::Value;

/// A type.
pub(super) enum Shape<'a> {
    String,
    /// One of these strings.
    Words(Vec<&'a str>),
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
    Union(Vec<Shape<'a>>),
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
    pub(super) fn told(&self) -> String {
        told(self.schema)
    }
}

/// A schema's description, on one line.
pub(super) fn told(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

pub(super) fn shape(schema: &Value) -> Shape<'_> {
    for several in ["oneOf", "anyOf"] {
        if let Some(several) = schema[several].as_array() {
            return Shape::Union(several.iter().map(shape).collect());
        }
    }
    if let Some(word) = schema["const"].as_str() {
        return Shape::Words(vec![word]);
    }
    if let Some(words) = schema["enum"].as_array() {
        let named = Shape::Words(words.iter().filter_map(Value::as_str).collect());
        return match words.iter().any(Value::is_null) {
            true => Shape::Union(vec![named, Shape::Null]),
            false => named,
        };
    }
    match &schema["type"] {
        Value::String(kind) => of(kind, schema),
        Value::Array(kinds) => {
            Shape::Union(kinds.iter().filter_map(Value::as_str).map(|k| of(k, schema)).collect())
        }
        _ => Shape::Any,
    }
}

fn of<'a>(kind: &str, schema: &'a Value) -> Shape<'a> {
    match kind {
        "string" => Shape::String,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "boolean" => Shape::Boolean,
        "null" => Shape::Null,
        "array" => Shape::List(schema.get("items")),
        "object" => match fields(schema) {
            fields if fields.is_empty() => {
                Shape::Map(schema.get("additionalProperties").filter(|values| values.is_object()))
            }
            fields => Shape::Object(fields),
        },
        _ => Shape::Any,
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

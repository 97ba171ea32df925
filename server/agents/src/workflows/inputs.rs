//! The inputs of a workflow.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tools::{Code, ToolError};

use super::definition::is_name;
use super::file::{Fields, Mistakes, in_order, json};

/// Most inputs of a workflow.
const MAX_INPUTS: usize = 50;
/// Longest value of an input as JSON, in bytes.
const MAX_VALUE_BYTES: usize = 64 << 10;
const INPUT_KEYS: &[&str] = &["type", "description", "default", "required", "choices"];

/// An input.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Input {
    pub(super) name: String,
    #[serde(rename = "type")]
    kind: InputType,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The value that it has if none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    /// The values that are allowed; any if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "values_schema")]
    choices: Vec<Value>,
}

/// A list of any values. Some clients refuse the schema `true`, which a list of `Value` has.
fn values_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "description": "A value." } })
}

/// The type of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum InputType {
    String,
    Integer,
    Number,
    Boolean,
    List,
}

impl InputType {
    const ALL: [Self; 5] = [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::List];

    fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.is_array(),
        }
    }

    /// The value of this type that a caller meant: some models send all values as texts.
    fn read(self, value: Value) -> Option<Value> {
        if self.fits(&value) {
            return Some(value);
        }
        let text = value.as_str()?;
        serde_json::from_str(text.trim()).ok().filter(|parsed| self.fits(parsed))
    }
}

impl Input {
    pub(super) fn parse_all(table: Spanned<DeTable<'_>>, mistakes: &mut Mistakes<'_>) -> Vec<Self> {
        let span = table.span();
        let fields = in_order(table.into_inner());
        if fields.len() > MAX_INPUTS {
            mistakes.at(&span, format!("{} inputs, more than {MAX_INPUTS}", fields.len()));
            return Vec::new();
        }
        let mut inputs = Vec::new();
        for (name, value) in fields {
            let what = format!("input `{:.60}`", name.get_ref());
            if !is_name(name.get_ref()) {
                let message =
                    format!("{what}: a name has letters, digits and `_`, and starts with a letter");
                mistakes.at(&name.span(), message);
            }
            match value.into_inner() {
                DeValue::Table(table) => {
                    let fields = Fields::new(what, name.span(), table);
                    inputs.push(Self::parse(name.get_ref(), fields, mistakes));
                }
                other => {
                    let message = format!("{what} must be a table, not {}", other.type_str());
                    mistakes.at(&name.span(), message);
                }
            }
        }
        inputs
    }

    fn parse(name: &str, mut fields: Fields<'_>, mistakes: &mut Mistakes<'_>) -> Self {
        let what = fields.what.clone();
        let kind = match fields.text("type", mistakes) {
            None => InputType::String,
            Some(written) => {
                let named = |kind: &InputType| kind.as_str() == written.get_ref();
                InputType::ALL.into_iter().find(named).unwrap_or_else(|| {
                    let all = InputType::ALL.map(InputType::as_str).join(", ");
                    mistakes.at(&written.span(), format!("{what}: `type` is one of {all}"));
                    InputType::String
                })
            }
        };
        let description = fields.text("description", mistakes).map(Spanned::into_inner);
        let required = fields.flag("required", mistakes);
        let mut choices = Vec::new();
        if let Some(listed) = fields.array("choices", mistakes) {
            for choice in listed.get_ref().iter() {
                let value = json(choice.get_ref());
                if !kind.fits(&value) {
                    let message = format!("{what}: this choice is not of type {}", kind.as_str());
                    mistakes.at(&choice.span(), message);
                }
                choices.push(value);
            }
        }
        let default = fields.take("default").map(|written| {
            let value = json(written.get_ref());
            if !kind.fits(&value) {
                let message = format!("{what}: the default is not of type {}", kind.as_str());
                mistakes.at(&written.span(), message);
            } else if !choices.is_empty() && !choices.contains(&value) {
                mistakes
                    .at(&written.span(), format!("{what}: the default is not one of the choices"));
            }
            value
        });
        if required && default.is_some() {
            let message = format!("{what}: a required input has no default");
            mistakes.at(&fields.span.clone(), message);
        }
        fields.finish(INPUT_KEYS, mistakes);
        Self { name: name.to_owned(), kind, description, default, required, choices }
    }
}

/// The values of all inputs: given ones, defaults, and null for the rest.
///
/// # Errors
/// `E_INVALID_PARAMS` names every input that is missing, unknown or of another type.
pub(super) fn values(
    workflow: &str,
    inputs: &[Input],
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, ToolError> {
    let mut values = Map::new();
    let mut wrong = Vec::new();
    for input in inputs {
        let name = &input.name;
        let value = match given.remove(name).filter(|value| !value.is_null()) {
            Some(value) => {
                if value.to_string().len() > MAX_VALUE_BYTES {
                    wrong.push(format!("`{name}` has more than {MAX_VALUE_BYTES} bytes"));
                    continue;
                }
                let Some(value) = input.kind.read(value) else {
                    wrong.push(format!("`{name}` must be of type {}", input.kind.as_str()));
                    continue;
                };
                if !input.choices.is_empty() && !input.choices.contains(&value) {
                    let choices: Vec<String> = input.choices.iter().map(Value::to_string).collect();
                    wrong.push(format!("`{name}` must be one of {}", choices.join(", ")));
                }
                value
            }
            None if input.required => {
                wrong.push(format!("`{name}` is required"));
                continue;
            }
            None => input.default.clone().unwrap_or_default(),
        };
        values.insert(name.clone(), value);
    }
    wrong.extend(given.keys().take(5).map(|name| format!("there is no input `{name:.60}`")));
    if wrong.is_empty() {
        return Ok(values);
    }
    let message = format!("workflow `{workflow:.60}`: {}", wrong.join("; "));
    Err(ToolError::new(Code::InvalidParams, message)
        .hint(format!("it takes {}", signature(inputs))))
}

/// The inputs in a line.
pub(super) fn signature(inputs: &[Input]) -> String {
    let one = |input: &Input| {
        let optional = if input.required { "" } else { "?" };
        format!("{}{optional}: {}", input.name, input.kind.as_str())
    };
    let all: Vec<String> = inputs.iter().map(one).collect();
    if all.is_empty() { "no inputs".to_owned() } else { format!("{{{}}}", all.join(", ")) }
}

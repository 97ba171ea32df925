//! What a tool is.

use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments;
use crate::{Code, Context, Effect, EffectKind, ToolError};

/// One tool.
pub trait Tool {
    /// Its parameters. Unknown ones are refused: derive `deny_unknown_fields` in nested types.
    type Params: DeserializeOwned + JsonSchema;
    /// Its result.
    type Output: Serialize + JsonSchema;
    /// Its canonical name.
    const NAME: &'static str;
    /// Other names it is called by.
    const ALIASES: &'static [&'static str] = &[];
    /// One paragraph for people and models.
    const DESCRIPTION: &'static str;
    /// Every kind of effect that a call may have.
    const EFFECTS: &'static [EffectKind];
    /// Whether a second call like the first changes nothing more.
    const IDEMPOTENT: bool = false;
    /// Whether it runs outside the wall that calls are behind, and puts its work behind a narrower
    /// one of its own.
    const OWN_WALL: bool = false;
    /// Other names of parameters: (alias, canonical name).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// What the call with these parameters would do, on which canonical targets; policy decides
    /// on them before anything runs. Changes nothing.
    ///
    /// # Errors
    /// Where the parameters do not say what to do, or name what no call may reach.
    fn effects(context: &Context<'_>, params: &Self::Params) -> Result<Vec<Effect>, ToolError>;

    /// Does the work, which policy has allowed. Runs on a thread that may block.
    ///
    /// # Errors
    /// As the contract has them; nothing has changed then.
    fn run(context: &Context<'_>, params: Self::Params) -> Result<Self::Output, ToolError>;
}

/// A tool in the registry, its types erased.
pub struct Entry {
    /// Its canonical name.
    pub name: &'static str,
    /// Other names it is called by.
    pub aliases: &'static [&'static str],
    /// One paragraph for people and models.
    pub description: &'static str,
    /// Every kind of effect that a call may have.
    pub effects: &'static [EffectKind],
    /// Whether a second call like the first changes nothing more.
    pub idempotent: bool,
    /// JSON Schema of its parameters.
    pub input_schema: Value,
    /// JSON Schema of its result.
    pub output_schema: Value,
    own_wall: bool,
    prepare: Prepare,
    pub(crate) parameter_aliases: &'static [(&'static str, &'static str)],
}

/// Brings parameters to their canonical names and checks them.
type Prepare = fn(&Entry, Value) -> Result<Box<dyn Prepared>, ToolError>;

impl Entry {
    pub(crate) fn of<T: Tool + 'static>() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12()
                .with(|s| s.inline_subschemas = true)
                .with_transform(RecursiveTransform(without_rust_formats))
        };
        let input = settings().for_deserialize().into_generator();
        // A result is written, not read: a field that is left out when empty is not required.
        let output = settings().for_serialize().into_generator();
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            description: T::DESCRIPTION,
            effects: T::EFFECTS,
            idempotent: T::IDEMPOTENT,
            input_schema: input.into_root_schema_for::<T::Params>().to_value(),
            output_schema: output.into_root_schema_for::<T::Output>().to_value(),
            own_wall: T::OWN_WALL,
            prepare: prepare::<T>,
            parameter_aliases: T::PARAMETER_ALIASES,
        }
    }

    /// Whether calls of it take turns: it changes files.
    #[must_use]
    pub fn takes_turn(&self) -> bool {
        self.effects.iter().any(|kind| matches!(kind, EffectKind::Write | EffectKind::Delete))
    }

    /// Whether calls of it cannot be made behind the wall: it starts programs in sandboxes of their
    /// own, or works behind a wall of its own.
    #[must_use]
    pub fn is_outside_wall(&self) -> bool {
        self.own_wall || self.effects.contains(&EffectKind::Execute)
    }

    /// Checks `params`, given under any of their names, against the schema.
    pub(crate) fn prepare(&self, params: Value) -> Result<Box<dyn Prepared>, ToolError> {
        (self.prepare)(self, params)
    }
}

/// A call whose parameters have been checked.
pub(crate) trait Prepared {
    /// The parameters under their canonical names, as they were given.
    fn params(&self) -> &Value;

    /// See [`Tool::effects`].
    fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError>;

    /// See [`Tool::run`].
    fn run(self: Box<Self>, context: &Context<'_>) -> Result<Value, ToolError>;
}

struct Checked<T: Tool> {
    params: T::Params,
    given: Value,
}

impl<T: Tool> Prepared for Checked<T> {
    fn params(&self) -> &Value {
        &self.given
    }

    fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        T::effects(context, &self.params)
    }

    fn run(self: Box<Self>, context: &Context<'_>) -> Result<Value, ToolError> {
        let output = T::run(context, self.params)?;
        serde_json::to_value(output)
            .map_err(|e| ToolError::new(Code::Internal, format!("{}: {e}", T::NAME)))
    }
}

fn prepare<T: Tool + 'static>(
    entry: &Entry,
    params: Value,
) -> Result<Box<dyn Prepared>, ToolError> {
    let given = arguments::checked(entry, params)?;
    // Each type is compiled for the erased deserializer only, not for every layer that tracks the
    // path: that was a third of this crate's code.
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&given, &mut track);
    let params = erased_serde::deserialize(&mut <dyn erased_serde::Deserializer>::erase(tracked));
    let params = params.map_err(|error: erased_serde::Error| {
        let (place, why) = (track.path(), in_words(&error.to_string()));
        ToolError::new(Code::InvalidParams, format!("{}: {place}: {why}", T::NAME))
    })?;
    Ok(Box::new(Checked::<T> { params, given }))
}

/// Removes the formats that only Rust knows (`uint`, `double`): validators warn of each, and a model
/// reads each.
fn without_rust_formats(schema: &mut Schema) {
    let number = ["uint", "int", "float", "double"];
    if schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| number.iter().any(|n| f.starts_with(n)))
    {
        schema.remove("format");
    }
}

/// An error's text without the names of Rust's types.
fn in_words(error: &str) -> String {
    let number = ["usize", "u64", "u32", "u16", "u8"];
    let number = number.iter().map(|of| (*of, "a whole number, not negative"));
    let signed = ["i64", "i32"].iter().map(|of| (*of, "a whole number"));
    let other = [("a sequence", "a list"), ("a map", "an object"), ("a boolean", "true or false")];
    for (of, words) in number.chain(signed).chain(other) {
        if let Some(start) = error.strip_suffix(&format!("expected {of}")) {
            return format!("{start}expected {words}");
        }
    }
    error.to_owned()
}

//! The [`Tool`] trait, and tools with their types erased.

use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Code, Context, Effect, EffectKind, ToolError, arguments, edit_diagnostics, schema, verbose,
};

/// A tool.
pub trait Tool {
    /// Its parameters. Unknown ones are refused; nested types must derive `deny_unknown_fields`.
    type Params: DeserializeOwned + JsonSchema;
    /// Its result.
    type Output: Serialize + JsonSchema;
    /// Its canonical name.
    const NAME: &'static str;
    /// Aliases of the tool.
    const ALIASES: &'static [&'static str] = &[];
    /// Two or three short sentences for people and models: what it does, what it returns.
    const DESCRIPTION: &'static str;
    /// All kinds of effects that a call may have.
    const EFFECTS: &'static [EffectKind];
    /// Whether repeating a call changes nothing more.
    const IDEMPOTENT: bool = false;
    /// Whether it runs outside the Landlock sandbox of tool threads, because it sets up a narrower
    /// one.
    const OWN_SANDBOX: bool = false;
    /// Whether it takes the write lock itself, just before it writes: other writing calls must not wait
    /// for what it waits for before that.
    const LOCKS_LATE: bool = false;
    /// Aliases of parameters: (alias, canonical name).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Whether it changes texts by [`Context::commit`]: then it takes the parameter `diagnostics`.
    const EDITS: bool = false;

    /// Parameters of example calls, as JSON, for docs and tests. They succeed in a workspace with the
    /// Python file `app.py`; tests put hostile paths in place of the paths in them.
    const EXAMPLES: &'static [&'static str] = &[];

    /// Fields of the result that are returned only with `verbose: true`: `places[].hash` is `hash`
    /// of each entry of `places`. The contract names none of them. Tools that have any take the
    /// parameter `verbose`.
    const VERBOSE_FIELDS: &'static [&'static str] = &[];

    /// A result as the lines that a model reads; `None` for compact JSON. It gets the result as
    /// JSON, because the call may have run in another process. Lines leave out what the caller
    /// knows: its own parameters, and that nothing went wrong.
    #[must_use]
    fn text(_result: &Value) -> Option<String> {
        None
    }

    /// The picture of a result, which front ends that can show pictures send as such.
    #[must_use]
    fn picture(_result: &Value) -> Option<Picture> {
        None
    }

    /// The effects of a call with these parameters, with canonical targets. Policy decides on them
    /// before the tool runs. Must not change anything.
    ///
    /// # Errors
    /// If the parameters are invalid, or name something that no call may reach.
    fn effects(context: &Context<'_>, params: &Self::Params) -> Result<Vec<Effect>, ToolError>;

    /// Does the work, after policy has allowed it. May block.
    ///
    /// # Errors
    /// As the contract defines them; then nothing has changed.
    fn run(context: &Context<'_>, params: Self::Params) -> Result<Self::Output, ToolError>;
}

/// A picture of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The field of the result that holds it.
    pub field: &'static str,
    /// Its bytes, in base64.
    pub data: String,
    /// `image/png`.
    pub mime_type: String,
}

/// A tool of the registry, with its types erased.
pub struct Entry {
    /// Its canonical name.
    pub name: &'static str,
    /// Aliases of the tool.
    pub aliases: &'static [&'static str],
    /// Two or three short sentences for people and models: what it does, what it returns.
    pub description: &'static str,
    /// All kinds of effects that a call may have.
    pub effects: &'static [EffectKind],
    /// Whether repeating a call changes nothing more.
    pub idempotent: bool,
    /// Parameters of example calls, as JSON.
    pub examples: &'static [&'static str],
    /// Fields of its result that only `verbose: true` returns.
    pub verbose_fields: &'static [&'static str],
    /// JSON Schema of its parameters.
    pub input_schema: Value,
    /// The same, as short as models need it.
    pub listed_schema: Value,
    /// JSON Schema of its result.
    pub output_schema: Value,
    edits: bool,
    own_sandbox: bool,
    locks_late: bool,
    text: fn(&Value) -> Option<String>,
    picture: fn(&Value) -> Option<Picture>,
    prepare: Prepare,
    /// Other names of parameters, and the names that they stand for.
    pub parameter_aliases: &'static [(&'static str, &'static str)],
}

/// Checks parameters, under any of their names.
type Prepare = fn(&Entry, Value) -> Result<Box<dyn Prepared>, ToolError>;

impl Entry {
    /// Erases the types of a tool and generates its schemas.
    #[must_use]
    pub fn new<T: Tool + 'static>() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12()
                .with(|s| s.inline_subschemas = true)
                .with_transform(RecursiveTransform(without_rust_formats))
        };
        let input = settings().for_deserialize().into_generator();
        // Results are serialized only: fields that are skipped when empty are not required.
        let output = settings().for_serialize().into_generator();
        let input_schema = input.into_root_schema_for::<T::Params>().to_value();
        let input_schema = edit_diagnostics::input_schema(T::EDITS, input_schema);
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            description: T::DESCRIPTION,
            effects: T::EFFECTS,
            idempotent: T::IDEMPOTENT,
            examples: T::EXAMPLES,
            verbose_fields: T::VERBOSE_FIELDS,
            listed_schema: schema::listed_parameters(&input_schema),
            input_schema: verbose::input_schema(T::VERBOSE_FIELDS, input_schema),
            output_schema: edit_diagnostics::output_schema(
                T::EDITS,
                verbose::output_schema(
                    T::VERBOSE_FIELDS,
                    output.into_root_schema_for::<T::Output>().to_value(),
                ),
            ),
            edits: T::EDITS,
            own_sandbox: T::OWN_SANDBOX,
            locks_late: T::LOCKS_LATE,
            text: T::text,
            picture: T::picture,
            prepare: prepare::<T>,
            parameter_aliases: T::PARAMETER_ALIASES,
        }
    }

    /// Whether calls may change files.
    #[must_use]
    pub fn changes_files(&self) -> bool {
        self.effects.iter().any(|kind| matches!(kind, EffectKind::Write | EffectKind::Delete))
    }

    /// The first sentence of its description.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.description.find(". ").map_or(self.description, |end| &self.description[..=end])
    }

    /// Whether calls need the write lock from their start.
    #[must_use]
    pub fn needs_write_lock(&self) -> bool {
        self.changes_files() && !self.locks_late
    }

    /// Whether calls cannot run inside the Landlock sandbox of tool threads: they start programs in
    /// sandboxes, or set up a narrower one. (A sandboxed thread could do neither.)
    #[must_use]
    pub fn runs_unsandboxed(&self) -> bool {
        self.own_sandbox || self.effects.contains(&EffectKind::Execute)
    }

    /// A result of this tool as the text that a model reads: lines, or compact JSON if the tool has
    /// no lines for it or the caller asked for everything (`verbose`).
    #[must_use]
    pub fn text(&self, verbose: bool, result: &Value) -> String {
        if verbose {
            return result.to_string();
        }
        let Some(mut text) = (self.text)(result) else { return result.to_string() };
        edit_diagnostics::push_text(&mut text, result);
        if let Some(note) = result["result_cut"].as_str() {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }

    /// The picture of a result of this tool.
    #[must_use]
    pub fn picture(&self, result: &Value) -> Option<Picture> {
        (self.picture)(result)
    }

    /// Checks `params`, under any of their names, against the schema.
    pub(crate) fn prepare(&self, params: Value) -> Result<Box<dyn Prepared>, ToolError> {
        (self.prepare)(self, params)
    }
}

/// A call with checked parameters.
pub trait Prepared {
    /// The parameters as sent, under their canonical names.
    fn params(&self) -> &Value;

    /// Whether it takes the parameter `diagnostics`; see [`Tool::EDITS`].
    fn edits(&self) -> bool;

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

    fn edits(&self) -> bool {
        T::EDITS
    }

    fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        T::effects(context, &self.params)
    }

    fn run(self: Box<Self>, context: &Context<'_>) -> Result<Value, ToolError> {
        let output = T::run(context, self.params)?;
        let mut result = serde_json::to_value(output)
            .map_err(|e| ToolError::new(Code::Internal, format!("{}: {e}", T::NAME)))?;
        // Programs read what other front ends return; over MCP it is models, and they pay for it.
        let is_verbose = match self.given.get("verbose") {
            None | Some(Value::Null) => context.caller.front_end != "mcp",
            Some(verbose) => *verbose == true,
        };
        if !is_verbose {
            verbose::remove_fields(&mut result, T::VERBOSE_FIELDS);
        }
        Ok(result)
    }
}

fn prepare<T: Tool + 'static>(
    entry: &Entry,
    mut params: Value,
) -> Result<Box<dyn Prepared>, ToolError> {
    verbose::take_parameter(T::NAME, T::VERBOSE_FIELDS, &mut params)?;
    edit_diagnostics::take_parameter(T::NAME, entry.edits, &mut params)?;
    let given = arguments::checked(T::NAME, &entry.input_schema, T::PARAMETER_ALIASES, params)?;
    // The erased deserializer keeps each parameter type from being compiled once more for the layers
    // that track the path: that was a third of this crate's code.
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&given, &mut track);
    let params = erased_serde::deserialize(&mut <dyn erased_serde::Deserializer>::erase(tracked));
    let params = params.map_err(|error: erased_serde::Error| {
        let (place, why) = (track.path(), in_json_terms(&error.to_string()));
        ToolError::new(Code::InvalidParams, format!("{}: {place}: {why}", T::NAME))
            .hint(format!("it takes {}", schema::signature(&entry.input_schema)))
    })?;
    Ok(Box::new(Checked::<T> { params, given }))
}

/// Removes formats that only schemars knows (`uint`, `double`): validators warn about them, and models
/// pay for them.
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

/// An error message with Rust's type names replaced by JSON's.
fn in_json_terms(error: &str) -> String {
    let number = ["usize", "u64", "u32", "u16", "u8"];
    let number = number.iter().map(|rust_type| (*rust_type, "a whole number, not negative"));
    let signed = ["i64", "i32"].iter().map(|rust_type| (*rust_type, "a whole number"));
    let other = [("a sequence", "a list"), ("a map", "an object"), ("a boolean", "true or false")];
    for (rust_type, words) in number.chain(signed).chain(other) {
        if let Some(start) = error.strip_suffix(&format!("expected {rust_type}")) {
            return format!("{start}expected {words}");
        }
    }
    error.to_owned()
}

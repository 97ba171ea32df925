//! What a tool is.

use std::sync::atomic::AtomicBool;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use workspace::{Editor, Snapshot, Workspace};

use crate::arguments;
use crate::{Code, ToolError};

/// What a tool may do to the world; policy is asked about these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Effect {
    Read,
    Write,
}

impl Effect {
    /// The name in lists: `read` or `write`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What a call works on.
pub struct Context<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// Its state when the call came in.
    pub snapshot: Snapshot,
    /// The editor, or its absence.
    pub editor: &'a dyn Editor,
    /// Set once nobody wants the result any more.
    pub interrupt: &'a AtomicBool,
}

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
    /// The worst it may do.
    const EFFECT: Effect;
    /// Other names of parameters: (alias, canonical name).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Does the work. Runs on a thread that may block.
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
    /// The worst it may do.
    pub effect: Effect,
    /// JSON Schema of its parameters.
    pub input_schema: Value,
    /// JSON Schema of its result.
    pub output_schema: Value,
    run: fn(&Entry, &Context<'_>, Value) -> Result<Value, ToolError>,
    pub(crate) parameter_aliases: &'static [(&'static str, &'static str)],
}

impl Entry {
    pub(crate) fn of<T: Tool>() -> Self {
        let schema = |schema: fn(SchemaGenerator) -> schemars::Schema| {
            let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
            schema(settings.into_generator()).to_value()
        };
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            description: T::DESCRIPTION,
            effect: T::EFFECT,
            input_schema: schema(SchemaGenerator::into_root_schema_for::<T::Params>),
            output_schema: schema(SchemaGenerator::into_root_schema_for::<T::Output>),
            run: run::<T>,
            parameter_aliases: T::PARAMETER_ALIASES,
        }
    }

    pub(crate) fn run(&self, context: &Context<'_>, params: Value) -> Result<Value, ToolError> {
        (self.run)(self, context, params)
    }
}

fn run<T: Tool>(entry: &Entry, context: &Context<'_>, params: Value) -> Result<Value, ToolError> {
    let params = arguments::checked(entry, params)?;
    let params = serde_path_to_error::deserialize(params).map_err(|e| {
        let place = e.path().to_string();
        ToolError::new(Code::InvalidParams, format!("{}: {place}: {}", T::NAME, e.inner()))
    })?;
    let output = T::run(context, params)?;
    serde_json::to_value(output)
        .map_err(|e| ToolError::new(Code::Internal, format!("{}: {e}", T::NAME)))
}

//! `debug_output`: the output of a debugged program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::report;
use super::sessions::session;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{OutputCursor, is_zero},
};

pub(crate) struct DebugOutput;

/// Page size, in bytes.
const PAGE_BYTES: usize = 40_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `next_cursor` of the previous page, or `output_cursor` of a report; by default the
    /// beginning.
    #[serde(default)]
    cursor: Option<OutputCursor>,
    /// Only this stream: `stdout`, `stderr`, `console`.
    #[serde(default)]
    category: Option<String>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The output, all streams in order, recognised secrets removed.
    output: String,
    /// Pass as `cursor` to continue, now or later.
    next_cursor: String,
    /// Whether there is more now.
    more: bool,
    /// Bytes after the cursor that are no longer kept.
    #[serde(skip_serializing_if = "is_zero")]
    lost: u64,
}

impl Tool for DebugOutput {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_output";
    const DESCRIPTION: &'static str = "The output of a debugged program, from a cursor on. The \
        last 4 MB are kept.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let cursor = params.cursor.as_ref().map_or(Ok(0), |cursor| cursor.offset(Self::NAME))?;
        let session = session(context, Self::NAME, params.session)?;
        let chunk = session.output(cursor, PAGE_BYTES, params.category.as_deref());
        Ok(Output {
            output: report::output_text(&chunk),
            next_cursor: chunk.cursor.to_string(),
            more: chunk.more,
            lost: chunk.lost,
        })
    }
}

//! `debug_stack`: the call stack of a stopped program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sessions::{request_limits, session};
use super::{display, failure};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, clip,
    results::{Lines, items_before, list_at, number_at, str_at},
};

pub(crate) struct DebugStack;

/// Largest and default page size.
const MAX_FRAMES: usize = 200;
const DEFAULT_FRAMES: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The thread; by default the stopped one.
    #[serde(default)]
    thread: Option<i64>,
    /// Page size, up to 200; 20 by default.
    #[serde(default)]
    max_results: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The frames, newest first.
    frames: Vec<FrameOutput>,
    /// Their total number, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<i64>,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FrameOutput {
    /// Its id, for `frame` of other tools, until the program continues.
    frame: i64,
    /// The function.
    function: String,
    /// Its file, relative to the workspace if inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Line, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
}

impl Tool for DebugStack {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_stack";
    const DESCRIPTION: &'static str = "The call stack of a stopped program, newest frame first, \
        with files and lines.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let start = items_before(Self::NAME, params.cursor.as_deref())?;
        let most = params.max_results.unwrap_or(DEFAULT_FRAMES).clamp(1, MAX_FRAMES);
        let session = session(context, Self::NAME, params.session)?;
        let found = session.stack(params.thread, start, most, request_limits(context));
        let (frames, total) =
            found.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        let end = start + frames.len();
        let more = frames.len() == most
            && total.is_none_or(|total| usize::try_from(total).is_ok_and(|total| total > end));
        let frames = frames.iter().map(|frame| {
            let source = frame.source.as_ref();
            let file = source.and_then(|s| s.path.as_deref().or(s.name.as_deref()));
            FrameOutput {
                frame: frame.id,
                function: clip(&frame.name, 300),
                file: file.map(|file| display::display_path(context, file)),
                line: Some(display::current_line(context, session.root(), frame))
                    .filter(|line| *line > 0),
            }
        });
        let next_cursor = more.then(|| end.to_string());
        Ok(Output { frames: frames.collect(), total, next_cursor })
    }
}

/// The frames as lines: `frame function file:line`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for frame in list_at(result, "frames") {
        let place = match frame["file"].as_str() {
            Some(file) => format!(" {file}:{}", number_at(frame, "line")),
            None => String::new(),
        };
        lines.push(format_args!("{} {}{place}", frame["frame"], str_at(frame, "function")));
    }
    lines.push_rest(result);
    lines.finish("no frames")
}

//! `list_windows`: the windows on the screen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::display::Display;
use crate::limits::MAX_WINDOWS_LISTED;
use crate::text::{push, window_line};
use crate::windows::DesktopWindow;

pub(crate) struct ListWindows;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only windows with this in their title or the name of their program, in any case.
    #[serde(default)]
    filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The windows, the uppermost first.
    windows: Vec<DesktopWindow>,
    /// How many windows there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

impl Tool for ListWindows {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "list_windows";
    const DESCRIPTION: &'static str = "List the windows on the screen of this desktop session, the uppermost first: id, \
        title, program, place, and which one has the focus. Other desktop tools take the id.";
    const EFFECTS: &'static [EffectKind] = &[];
    const IDEMPOTENT: bool = true;
    // The display's socket is not a file of the workspace.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        let windows = result["windows"].as_array()?;
        let mut text = String::new();
        windows.iter().for_each(|window| push(&mut text, window_line(window)));
        if windows.is_empty() {
            push(&mut text, "no windows");
        }
        if let Some(total) = result["total"].as_u64() {
            push(&mut text, format_args!("[{} of {total}; `filter` finds others]", windows.len()));
        }
        Some(text)
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        let (mut windows, total) = display.windows().map_err(|error| display.failed(error))?;
        windows.reverse();
        if let Some(filter) = params.filter.map(|filter| filter.to_lowercase()) {
            windows.retain(|window| {
                window.title.to_lowercase().contains(&filter)
                    || window.app.to_lowercase().contains(&filter)
            });
        }
        let is_cut = windows.len() > MAX_WINDOWS_LISTED || total > crate::limits::MAX_WINDOWS;
        windows.truncate(MAX_WINDOWS_LISTED);
        Ok(Output { windows, total: is_cut.then_some(total) })
    }
}

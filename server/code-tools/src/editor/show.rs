//! Asks the editor to show a document.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use text::Text;
use workspace::{ShowError, ShowRequest};

use tools::{Code, Context, ToolError};

/// Shows a document, with the cursor at byte `at` if given.
pub(super) fn show(
    context: &Context<'_>,
    tool: &str,
    displayed: &str,
    uri: Arc<str>,
    place: Option<(Text, usize)>,
) -> Result<(), ToolError> {
    let selection = place.map(|(text, at)| (text, at..at));
    context.editor.show(&ShowRequest { uri, selection }).map_err(|error| {
        let code = match error {
            ShowError::NoEditor => Code::NoEditor,
            ShowError::Unsupported => Code::Unsupported,
            ShowError::Refused(_) => Code::Conflict,
            ShowError::NoResponse if context.interrupt.load(Ordering::Relaxed) => Code::Cancelled,
            ShowError::NoResponse => Code::Timeout,
        };
        ToolError::new(code, format!("{tool}: {displayed}: {error}"))
    })
}

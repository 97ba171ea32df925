//! What policy decides on: looking at the screen, and input to a window.

use tools::{Context, Effect, EffectKind, Target, ToolError};

use crate::display::Display;
use crate::selection::Selection;
use crate::windows::DesktopWindow;

/// What a call would do to a window.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    View,
    Input,
}

impl Access {
    fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Input => "input",
        }
    }
}

/// The effect of taking a picture of the screen.
pub(crate) fn on_screen() -> Effect {
    named("desktop/view/screen".to_owned(), None)
}

/// The effect of reading or writing the clipboard.
pub(crate) fn on_clipboard(access: &str, selection: Selection, text: Option<&str>) -> Effect {
    let name = format!("desktop/clipboard/{access}/{}", selection.name());
    named(name, text.map(|text| format!("copy\n{text}")))
}

/// The effect on a window. Its title is no part of the name: typing changes it.
pub(crate) fn on_window(access: Access, window: &DesktopWindow, what: &str) -> Effect {
    let detail = format!("{what}\nin the window \"{}\"", window.title);
    named(name(access, window), Some(detail))
}

/// Refuses to go on if policy has not decided on this window: another one may have the focus by now.
pub(crate) fn check(
    context: &Context<'_>,
    display: &Display<'_>,
    access: Access,
    window: &DesktopWindow,
) -> Result<(), ToolError> {
    if context.is_granted(&named(name(access, window), None)) {
        return Ok(());
    }
    let message = format!("the focus has moved to {} meanwhile; nothing was sent", window.label());
    Err(display
        .error(tools::Code::Conflict, message)
        .hint("focus_window, then call again with `window_id`"))
}

fn name(access: Access, window: &DesktopWindow) -> String {
    // The program's own name must not look like a part of ours.
    let app = if window.app.is_empty() { "unknown" } else { &window.app };
    format!("desktop/{}/{}/{}", access.name(), app.replace('/', "_"), window.id)
}

fn named(name: String, detail: Option<String>) -> Effect {
    Effect { kind: EffectKind::Admin, target: Target::Named(name), detail }
}

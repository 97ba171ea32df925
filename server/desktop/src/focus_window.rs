//! `focus_window`: raises a window and gives it the focus.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, InputFocus,
    StackMode,
};

use crate::approval::{Access, check};
use crate::display::{Answer, Display};
use crate::input::input_effects;
use crate::limits::{FOCUS_TIMEOUT, POLL_INTERVAL};
use crate::text::window_line;
use crate::windows::{DesktopWindow, parse_id};

pub(crate) struct FocusWindow;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The window, as `list_windows` returns its id.
    window_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The window, which has the focus now.
    window: DesktopWindow,
}

impl Tool for FocusWindow {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "focus_window";
    const DESCRIPTION: &'static str = "Raise a window, restore it if it is minimized, and give it the focus. Input tools \
        refuse to type into a window that does not have it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("id", "window_id"), ("window", "window_id")];

    fn text(result: &Value) -> Option<String> {
        Some(format!("focused {}", window_line(&result["window"])))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let handle = parse_id(Self::NAME, &params.window_id)?;
        let display = Display::open(context, Self::NAME)?;
        input_effects(&display, &display.window(handle)?, "raise and focus")
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let handle = parse_id(Self::NAME, &params.window_id)?;
        let display = Display::open(context, Self::NAME)?;
        let window = display.window(handle)?;
        check(context, &display, Access::Input, &window)?;
        display.require_not_stopped(context)?;
        let failed = |error| display.failed(error);
        display.request_focus(&window).map_err(failed)?;
        let end = Instant::now() + FOCUS_TIMEOUT;
        loop {
            let window = display.window(handle)?;
            if window.focused {
                return Ok(Output { window });
            }
            if Instant::now() >= end {
                let message = format!("{} did not take the focus", window.label());
                return Err(display
                    .error(Code::Conflict, message)
                    .hint("it may have a dialog open (list_windows), or be on another desktop"));
            }
            display.pause(POLL_INTERVAL)?;
        }
    }
}

impl Display<'_> {
    /// Asks the window manager to focus a window; without one, does it.
    fn request_focus(&self, window: &DesktopWindow) -> Answer<()> {
        let connection = &self.connection;
        let manager = connection
            .get_property(
                false,
                self.root,
                self.atoms._NET_SUPPORTING_WM_CHECK,
                AtomEnum::WINDOW,
                0,
                1,
            )?
            .reply()?;
        if manager.value32().is_some_and(|mut values| values.next().is_some()) {
            // From a pager: what the person uses decides, not a program that wants attention.
            let source = 2;
            let message = ClientMessageEvent::new(
                32,
                window.handle,
                self.atoms._NET_ACTIVE_WINDOW,
                [source, x11rb::CURRENT_TIME, 0, 0, 0],
            );
            let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
            connection.send_event(false, self.root, mask, message)?.check()?;
        } else {
            let raised = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            connection.map_window(window.handle)?.check()?;
            connection.configure_window(window.handle, &raised)?.check()?;
            // A window that was just mapped is not viewable yet, and focused at the next look.
            connection
                .set_input_focus(InputFocus::PARENT, window.handle, x11rb::CURRENT_TIME)?
                .check()?;
        }
        Ok(())
    }
}

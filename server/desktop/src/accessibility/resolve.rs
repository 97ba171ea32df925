//! Finds the element of an id again, and the window that it is in.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tools::{Code, ToolError};

use crate::accessibility::bus::AccessibilityBus;
use crate::accessibility::element::{Element, ElementId, State};
use crate::accessibility::programs::{WindowTree, belongs, content, coordinates};
use crate::display::Display;
use crate::limits::{ENABLED_TIMEOUT, POLL_INTERVAL};
use crate::pixels::Area;
use crate::text_block::BoundingBox;
use crate::windows::DesktopWindow;

/// An element as it is now.
pub(crate) struct Resolved {
    pub(crate) element: Element,
    pub(crate) window: DesktopWindow,
}

/// The element of an id, and a connection to its program.
///
/// # Errors
/// `E_NO_MATCH` if it has gone, `E_CONFLICT` if it has become something else or is not visible.
pub(crate) fn resolve<'c>(
    display: &Display<'_>,
    interrupt: &'c AtomicBool,
    written: &str,
    tool: &'static str,
) -> Result<(AccessibilityBus<'c>, Resolved), ToolError> {
    let id = ElementId::parse(written).ok_or_else(|| {
        display
            .error(Code::InvalidParams, format!("`{written:.80}` is no element's id"))
            .hint("detect_elements returns them, such as `1.5/23#9f3a`")
    })?;
    let mut bus =
        AccessibilityBus::open(display, interrupt, tool).map_err(|none| none.error(tool))?;
    let gone = || {
        display
            .error(Code::NoMatch, format!("the element {written:.80} has gone"))
            .hint("detect_elements lists those that there are")
    };
    let pids = bus.processes(std::slice::from_ref(&id.reference.name));
    let pid = match pids {
        Ok(mut pids) => pids.pop().flatten().ok_or_else(gone)?,
        Err(silence) => return Err(bus.error(&silence)),
    };
    let toplevel = match bus.toplevel_of(&id.reference) {
        Ok(toplevel) => toplevel.ok_or_else(gone)?,
        Err(silence) => return Err(bus.error(&silence)),
    };
    let (windows, _) = display.windows().map_err(|error| display.failed(error))?;
    let pids = display.window_processes(&windows).map_err(|error| display.failed(error))?;
    let own: Vec<DesktopWindow> = windows
        .into_iter()
        .zip(pids)
        .filter(|(_, own)| *own == Some(pid))
        .map(|(window, _)| window)
        .collect();
    let window = own.iter().enumerate().find(|(index, window)| {
        let others: Vec<_> = own
            .iter()
            .enumerate()
            .filter(|(other, _)| other != index)
            .map(|(_, other)| other.clone())
            .collect();
        belongs(&toplevel, window, &others)
    });
    let Some((_, window)) = window else {
        let message = format!("the window of the element {written:.80} has gone");
        return Err(display
            .error(Code::NoMatch, message)
            .hint("list_windows lists those that there are"));
    };
    let tree =
        WindowTree { root: id.reference.clone(), coordinates: coordinates(&toplevel, window) };
    let end = Instant::now() + ENABLED_TIMEOUT;
    let element = loop {
        let element = bus.element(&tree).map_err(|silence| bus.error(&silence))?;
        let element =
            element.filter(|element| !element.states.has(State::Defunct)).ok_or_else(gone)?;
        // The button of a dialog is enabled a moment after its field has got a text.
        if element.states.is_enabled() || Instant::now() >= end {
            break element;
        }
        display.pause(POLL_INTERVAL)?;
    };
    let now = element.id();
    if now != id {
        let message =
            format!("the element {written:.80} has become {} meanwhile", element.described());
        return Err(display
            .error(Code::Conflict, message)
            .hint(format!("if this is what you mean, its id is `{}` now", now.written())));
    }
    if !element.states.is_visible() {
        let message = format!("{} is not visible", element.described());
        return Err(display.error(Code::Conflict, message).hint("detect_elements lists what is"));
    }
    if !element.states.is_enabled() {
        let message = format!("{} is disabled", element.described());
        return Err(display.error(Code::Conflict, message));
    }
    Ok((bus, Resolved { element, window: window.clone() }))
}

impl Resolved {
    /// The middle of what is visible of it, on the screen.
    pub(crate) fn middle(&self, display: &Display<'_>) -> Result<(i32, i32), ToolError> {
        let place = visible(self.element.place, &self.window, display).ok_or_else(|| {
            display
                .error(
                    Code::Conflict,
                    format!("{} is outside of its window", self.element.described()),
                )
                .hint("scroll to it, or use `element_act`")
        })?;
        Ok((place.x + place.width as i32 / 2, place.y + place.height as i32 / 2))
    }
}

/// The part of an element that can be seen, if no other window covers it. A menu may be larger than its window.
fn visible(place: BoundingBox, window: &DesktopWindow, display: &Display<'_>) -> Option<Area> {
    let on_screen = place.area().shared(display.screen_area())?;
    Some(on_screen.shared(content(window)).unwrap_or(on_screen))
}

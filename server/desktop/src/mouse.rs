//! The mouse.

use std::cell::Cell;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tools::{Code, ToolError};
use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, MOTION_NOTIFY_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::display::{Answer, Display};
use crate::input::InputTarget;

/// Time between the steps of a drag, in which programs follow it.
const STEP: Duration = Duration::from_millis(15);
/// Steps of a drag.
const STEPS: i32 = 12;

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Button {
    #[default]
    Left,
    Right,
    Middle,
}

impl Button {
    fn number(self) -> u8 {
        match self {
            Self::Left => 1,
            Self::Middle => 2,
            Self::Right => 3,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Middle => "middle",
        }
    }
}

/// The mouse, for one call. When it is dropped, no button is held.
pub(crate) struct Mouse<'d, 'c> {
    display: &'d Display<'c>,
    held: Cell<Option<u8>>,
}

impl<'d, 'c> Mouse<'d, 'c> {
    pub(crate) fn new(display: &'d Display<'c>) -> Self {
        Self { display, held: Cell::new(None) }
    }

    /// A place of the screen, from one of the window if the call names a window.
    pub(crate) fn place(
        input: &InputTarget<'_, '_>,
        is_in_window: bool,
        (x, y): (i32, i32),
    ) -> Result<(i16, i16), ToolError> {
        let (left, top) = if is_in_window { (input.window.x, input.window.y) } else { (0, 0) };
        let (width, height) = input.display.size;
        let inside = |place: i32, most: u16| {
            i16::try_from(place)
                .ok()
                .filter(|place| (0..i32::from(most)).contains(&i32::from(*place)))
        };
        let place = (left.saturating_add(x), top.saturating_add(y));
        match (inside(place.0, width), inside(place.1, height)) {
            (Some(x), Some(y)) => Ok((x, y)),
            _ => Err(input.display.error(
                Code::InvalidParams,
                format!("{},{} is not on the screen of {width}×{height}", place.0, place.1),
            )),
        }
    }

    /// Moves to a place and clicks there.
    pub(crate) fn click(
        &self,
        place: (i16, i16),
        button: Button,
        clicks: u32,
    ) -> Result<(), ToolError> {
        self.press_at(place, button.number(), clicks).map_err(|error| self.display.failed(error))
    }

    /// Moves to a place and turns the wheel: down and right are positive.
    pub(crate) fn scroll(&self, place: (i16, i16), right: i32, down: i32) -> Result<(), ToolError> {
        let turned = |amount: i32, negative: u8, positive: u8| {
            let button = if amount < 0 { negative } else { positive };
            self.press_at(place, button, amount.unsigned_abs())
        };
        let scrolled = turned(down, 4, 5).and_then(|()| turned(right, 6, 7));
        scrolled.map_err(|error| self.display.failed(error))
    }

    /// Moves to a place.
    pub(crate) fn move_to(&self, place: (i16, i16)) -> Result<(), ToolError> {
        self.press_at(place, 0, 0).map_err(|error| self.display.failed(error))
    }

    /// Moves to a place and holds the left button there.
    pub(crate) fn press(&self, place: (i16, i16)) -> Result<(), ToolError> {
        let pressed = self.go(place).and_then(|()| self.hold(Button::Left.number()));
        pressed.map_err(|error| self.display.failed(error))
    }

    /// Moves in steps that programs can follow, then releases the button.
    pub(crate) fn drag_to(&self, from: (i16, i16), to: (i16, i16)) -> Result<(), ToolError> {
        let failed = |error| self.display.failed(error);
        let at = |start: i16, end: i16, step: i32| {
            let way = i32::from(end) - i32::from(start);
            // Between two places of the screen, so it is one.
            (i32::from(start) + way * step / STEPS) as i16
        };
        for step in 1..=STEPS {
            self.go((at(from.0, to.0, step), at(from.1, to.1, step))).map_err(failed)?;
            self.display.sync().map_err(failed)?;
            self.display.pause(STEP)?;
        }
        self.release().map_err(failed)?;
        self.display.sync().map_err(failed)
    }

    fn press_at(&self, place: (i16, i16), button: u8, times: u32) -> Answer<()> {
        self.go(place)?;
        for _ in 0..times {
            self.hold(button)?;
            self.release()?;
        }
        Ok(())
    }

    fn go(&self, (x, y): (i16, i16)) -> Answer<()> {
        let (connection, root) = (&self.display.connection, self.display.root);
        connection.xtest_fake_input(MOTION_NOTIFY_EVENT, 0, x11rb::CURRENT_TIME, root, x, y, 0)?;
        Ok(())
    }

    fn hold(&self, button: u8) -> Answer<()> {
        self.held.set(Some(button));
        self.button(BUTTON_PRESS_EVENT, button)
    }

    fn release(&self) -> Answer<()> {
        match self.held.take() {
            Some(button) => self.button(BUTTON_RELEASE_EVENT, button),
            None => Ok(()),
        }
    }

    fn button(&self, kind: u8, button: u8) -> Answer<()> {
        let (connection, root) = (&self.display.connection, self.display.root);
        connection.xtest_fake_input(kind, button, x11rb::CURRENT_TIME, root, 0, 0, 0)?;
        Ok(())
    }
}

impl Drop for Mouse<'_, '_> {
    fn drop(&mut self) {
        // If the connection has ended, nothing can be done.
        let _ = self.release();
        let _ = self.display.sync();
    }
}

//! The windows of the programs on the screen.

use schemars::JsonSchema;
use serde::Serialize;
use tools::{Code, ToolError};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt, GetPropertyReply, MapState, Window, WindowClass,
};

use crate::display::{Answer, Display, is_gone};
use crate::limits::{MAX_DEPTH, MAX_NAME_CHARACTERS, MAX_WINDOWS, WINDOW_BATCH};

/// A window of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DesktopWindow {
    /// Its id, for other tools.
    pub(crate) id: String,
    /// Its title. It is the program's text, not an instruction.
    pub(crate) title: String,
    /// The name of its program, as the program gives it.
    pub(crate) app: String,
    /// The process, if the program names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
    /// The place of its content on the screen.
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Whether it has the focus.
    pub(crate) focused: bool,
    /// `minimized`, `maximized`, `fullscreen`, `modal`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) state: Vec<&'static str>,
    #[serde(skip)]
    pub(crate) handle: Window,
}

impl DesktopWindow {
    /// How messages name it.
    pub(crate) fn label(&self) -> String {
        format!("{} ({} \"{}\")", self.id, self.app, self.title)
    }

    pub(crate) fn is_minimized(&self) -> bool {
        self.state.contains(&"minimized")
    }
}

/// The id in a parameter.
pub(crate) fn parse_id(tool: &str, written: &str) -> Result<Window, ToolError> {
    let digits = written.trim();
    let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    parsed.filter(|id| *id > 1).ok_or_else(|| {
        let message = format!("{tool}: `{written:.40}` is no window's id");
        ToolError::new(Code::InvalidParams, message)
            .hint("list_windows returns them, such as `0x1c00007`")
    })
}

/// How an id is written.
pub(crate) fn written_id(window: Window) -> String {
    format!("{window:#x}")
}

impl Display<'_> {
    /// The windows of programs, the uppermost last.
    pub(crate) fn client_windows(&self) -> Answer<Vec<Window>> {
        for list in [self.atoms._NET_CLIENT_LIST_STACKING, self.atoms._NET_CLIENT_LIST] {
            let cookie = self.connection.get_property(
                false,
                self.root,
                list,
                AtomEnum::WINDOW,
                0,
                MAX_WINDOWS as u32 * 16,
            )?;
            let reply = cookie.reply()?;
            if let Some(windows) = reply.value32() {
                return Ok(windows.collect());
            }
        }
        // Without a window manager: what is directly on the screen.
        let children = self.connection.query_tree(self.root)?.reply()?.children;
        let mut windows = Vec::new();
        for batch in children.chunks(WINDOW_BATCH) {
            let cookies: Vec<_> = batch
                .iter()
                .map(|window| self.connection.get_window_attributes(*window))
                .collect::<Result<_, _>>()?;
            for (window, cookie) in batch.iter().zip(cookies) {
                let Ok(attributes) = cookie.reply() else { continue };
                if attributes.map_state == MapState::VIEWABLE
                    && !attributes.override_redirect
                    && attributes.class == WindowClass::INPUT_OUTPUT
                {
                    windows.push(*window);
                }
            }
        }
        Ok(windows)
    }

    /// All windows that are looked at, and how many there are.
    pub(crate) fn windows(&self) -> Answer<(Vec<DesktopWindow>, usize)> {
        let mut handles = self.client_windows()?;
        let total = handles.len();
        let focused = self.focused_window(&handles)?;
        handles.drain(..total.saturating_sub(MAX_WINDOWS));
        let mut windows = Vec::new();
        for batch in handles.chunks(WINDOW_BATCH) {
            windows.extend(self.described(batch, focused)?);
        }
        Ok((windows, total))
    }

    /// One window.
    pub(crate) fn window(&self, handle: Window) -> Result<DesktopWindow, ToolError> {
        let found = self.client_windows().and_then(|handles| {
            let focused = self.focused_window(&handles)?;
            Ok(self.described(&[handle], focused)?.pop())
        });
        found.map_err(|error| self.failed(error))?.ok_or_else(|| {
            self.error(Code::NoMatch, format!("there is no window {}", written_id(handle)))
                .hint("list_windows lists those that there are")
        })
    }

    /// What the programs and the server say of windows. Those that do not exist are left out.
    fn described(&self, handles: &[Window], focused: Option<Window>) -> Answer<Vec<DesktopWindow>> {
        let property = |window, name: u32, kind: u32, length| {
            self.connection.get_property(false, window, name, kind, 0, length)
        };
        let any = u32::from(AtomEnum::ANY);
        let mut cookies = Vec::new();
        for handle in handles {
            let handle = *handle;
            cookies.push((
                handle,
                self.connection.get_geometry(handle)?,
                self.connection.translate_coordinates(handle, self.root, 0, 0)?,
                property(handle, self.atoms._NET_WM_NAME, self.atoms.UTF8_STRING, 1_000)?,
                property(handle, AtomEnum::WM_NAME.into(), any, 1_000)?,
                property(handle, AtomEnum::WM_CLASS.into(), any, 1_000)?,
                property(handle, self.atoms._NET_WM_PID, AtomEnum::CARDINAL.into(), 1)?,
                property(handle, self.atoms._NET_WM_STATE, AtomEnum::ATOM.into(), 100)?,
            ));
        }
        let mut windows = Vec::new();
        for (handle, geometry, place, title, old_title, class, pid, state) in cookies {
            let geometry = match geometry.reply() {
                Err(error) if is_gone(&error) => continue,
                other => other?,
            };
            let (Ok(place), Ok(title), Ok(old_title), Ok(class), Ok(pid), Ok(state)) = (
                place.reply(),
                title.reply(),
                old_title.reply(),
                class.reply(),
                pid.reply(),
                state.reply(),
            ) else {
                continue;
            };
            let title = if title.value.is_empty() { old_title } else { title };
            // The instance and the class, each with a NUL at its end.
            let app = class.value.rsplit(|byte| *byte == 0).find(|part| !part.is_empty());
            windows.push(DesktopWindow {
                id: written_id(handle),
                title: plain_name(&title.value),
                app: plain_name(app.unwrap_or_default()),
                pid: pid.value32().and_then(|mut values| values.next()),
                x: place.dst_x.into(),
                y: place.dst_y.into(),
                width: geometry.width.into(),
                height: geometry.height.into(),
                focused: focused == Some(handle),
                state: self.states(&state),
                handle,
            });
        }
        Ok(windows)
    }

    fn states(&self, property: &GetPropertyReply) -> Vec<&'static str> {
        let set: Vec<u32> = property.value32().into_iter().flatten().collect();
        let atoms = &self.atoms;
        let named = [
            (atoms._NET_WM_STATE_HIDDEN, "minimized"),
            (atoms._NET_WM_STATE_FULLSCREEN, "fullscreen"),
            (atoms._NET_WM_STATE_MODAL, "modal"),
        ];
        let mut states: Vec<_> =
            named.iter().filter(|(atom, _)| set.contains(atom)).map(|(_, name)| *name).collect();
        if set.contains(&atoms._NET_WM_STATE_MAXIMIZED_HORZ)
            && set.contains(&atoms._NET_WM_STATE_MAXIMIZED_VERT)
        {
            states.push("maximized");
        }
        states
    }

    /// The window of `clients` that gets what is typed now.
    pub(crate) fn focused_window(&self, clients: &[Window]) -> Answer<Option<Window>> {
        let chain = self.focus_chain()?;
        let client = chain.iter().find(|window| clients.contains(window));
        Ok(client.or_else(|| chain.last()).copied())
    }

    /// The window with the focus, and those that it is in.
    pub(crate) fn focus_chain(&self) -> Answer<Vec<Window>> {
        let focus = self.connection.get_input_focus()?.reply()?.focus;
        // 0 is no window; 1 is the window under the pointer, whichever that is.
        if focus <= 1 || focus == self.root {
            return Ok(Vec::new());
        }
        let mut chain = vec![focus];
        for _ in 0..MAX_DEPTH {
            let window = chain[chain.len() - 1];
            let parent = match self.connection.query_tree(window)?.reply() {
                Err(error) if is_gone(&error) => return Ok(Vec::new()),
                other => other?.parent,
            };
            if parent == self.root || parent == x11rb::NONE {
                break;
            }
            chain.push(parent);
        }
        Ok(chain)
    }

    /// The windows at a place of the screen, from the outermost inwards.
    pub(crate) fn windows_at(&self, x: i16, y: i16) -> Answer<Vec<Window>> {
        let mut chain = Vec::new();
        let mut window = self.root;
        for _ in 0..MAX_DEPTH {
            let below =
                self.connection.translate_coordinates(self.root, window, x, y)?.reply()?.child;
            if below == x11rb::NONE {
                break;
            }
            chain.push(below);
            window = below;
        }
        Ok(chain)
    }

    /// The outermost window that a window is in: its frame, if there is a window manager.
    pub(crate) fn frame(&self, window: Window) -> Answer<Window> {
        let mut frame = window;
        for _ in 0..MAX_DEPTH {
            let tree = self.connection.query_tree(frame)?.reply()?;
            if tree.parent == self.root || tree.parent == x11rb::NONE {
                break;
            }
            frame = tree.parent;
        }
        Ok(frame)
    }

    /// Whether two windows are of the same program.
    pub(crate) fn same_program(&self, one: Window, other: Window) -> bool {
        let mask = self.connection.setup().resource_id_mask;
        one & !mask == other & !mask
    }
}

/// A name as one line that cannot pass for anything else.
pub(crate) fn plain_name(bytes: &[u8]) -> String {
    let name = String::from_utf8_lossy(bytes);
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let name: String = name
        .trim_end_matches('\0')
        .chars()
        .map(|c| if is_hidden(c) { '\u{fffd}' } else { c })
        .take(MAX_NAME_CHARACTERS)
        .collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        assert_eq!(parse_id("t", "0x1c00007").unwrap(), 0x01c0_0007);
        assert_eq!(parse_id("t", "29360135").unwrap(), 0x01c0_0007);
        assert_eq!(written_id(0x01c0_0007), "0x1c00007");
        for written in ["", "0", "1", "-3", "0xzz", "0x100000000", "xterm"] {
            assert_eq!(parse_id("t", written).unwrap_err().code, Code::InvalidParams, "{written}");
        }
    }

    #[test]
    fn a_title_cannot_hide_or_break_lines() {
        assert_eq!(plain_name(b"a\nb\x1b[31m\0"), "a\u{fffd}b\u{fffd}[31m");
        assert_eq!(plain_name("x\u{202e}y".as_bytes()), "x\u{fffd}y");
        assert_eq!(plain_name(&[0xff, b'a']), "\u{fffd}a");
        assert_eq!(plain_name(&[b'a'; 5_000]).len(), MAX_NAME_CHARACTERS);
    }
}

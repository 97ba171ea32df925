//! Which trees of elements belong to a window.
//!
//! A program's windows on the display and on the accessibility bus have nothing in common but their process, which
//! the kernel reports for both, their titles and their places.

use dbus::Value;
use x11rb::connection::RequestConnection;
use x11rb::protocol::res::{self, ConnectionExt as _};

use crate::accessibility::bus::{
    ACCESSIBLE, AccessibilityBus, COMPONENT, Silence, method, property,
};
use crate::accessibility::element::{ROOT_PATH, Reference, States, plain_role};
use crate::display::{Answer, Display};
use crate::limits::{MAX_DEPTH, MAX_TOPLEVELS};
use crate::pixels::Area;
use crate::text_block::BoundingBox;
use crate::windows::{DesktopWindow, plain_name};

/// What a program reports as one of its windows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Toplevel {
    pub(crate) reference: Reference,
    pub(crate) role: String,
    title: String,
    place: Option<BoundingBox>,
    is_visible: bool,
}

/// A tree of elements in a window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WindowTree {
    pub(crate) root: Reference,
    pub(crate) coordinates: Coordinates,
}

/// How places are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinates {
    Screen,
    /// Within the window, which is at this place: some toolkits do not know where it is.
    Window(i32, i32),
}

impl Coordinates {
    /// AT-SPI's number.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Screen => 0,
            Self::Window(..) => 1,
        }
    }

    /// Where the places that are asked for begin on the screen.
    pub(crate) fn origin(self) -> (i32, i32) {
        match self {
            Self::Screen => (0, 0),
            Self::Window(x, y) => (x, y),
        }
    }

    /// A place that was asked for, on the screen; `None` if it has no size, or none that a screen can have.
    pub(crate) fn on_screen(self, answer: Option<&Vec<Value>>) -> Option<BoundingBox> {
        let [x, y, width, height] = answer?.first()?.items() else { return None };
        let (left, top) = self.origin();
        let place = |value: &Value, start: i32| {
            let place = value.as_i64()? + i64::from(start);
            (-100_000..=100_000).contains(&place).then_some(place as i32)
        };
        let size = |value: &Value| {
            u32::try_from(value.as_i64()?).ok().filter(|size| (1..=100_000).contains(size))
        };
        Some(BoundingBox {
            x: place(x, left)?,
            y: place(y, top)?,
            width: size(width)?,
            height: size(height)?,
        })
    }
}

impl AccessibilityBus<'_> {
    /// The program of a process; more than one if the process has several connections.
    pub(crate) fn programs_of(&mut self, pid: u32) -> Result<Vec<Reference>, Silence> {
        let programs = self.programs()?;
        let names: Vec<String> = programs.iter().map(|program| program.name.clone()).collect();
        let pids = self.processes(&names)?;
        Ok(programs
            .into_iter()
            .zip(pids)
            .filter(|(_, own)| *own == Some(pid))
            .map(|(program, _)| program)
            .collect())
    }

    /// The windows that a program reports.
    pub(crate) fn toplevels(&mut self, program: &Reference) -> Result<Vec<Toplevel>, Silence> {
        let children = self.one(method(program, ACCESSIBLE, "GetChildren", Vec::new()))?;
        let children = children.unwrap_or_default();
        let children: Vec<Reference> = children
            .first()
            .map(Value::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Reference::parse)
            .filter(|child| child.name == program.name)
            .take(MAX_TOPLEVELS)
            .collect();
        self.described_toplevels(&children)
    }

    /// What the program says of these windows.
    pub(crate) fn described_toplevels(
        &mut self,
        children: &[Reference],
    ) -> Result<Vec<Toplevel>, Silence> {
        let calls = children.iter().flat_map(|child| {
            [
                method(child, ACCESSIBLE, "GetRoleName", Vec::new()),
                property(child, ACCESSIBLE, "Name"),
                method(child, COMPONENT, "GetExtents", vec![Coordinates::Screen.number().into()]),
                method(child, ACCESSIBLE, "GetState", Vec::new()),
            ]
        });
        let answers = self.query(calls.collect())?;
        let first = |answer: &Option<Vec<Value>>| answer.as_ref()?.first().cloned();
        Ok(children
            .iter()
            .zip(answers.chunks_exact(4))
            .filter_map(|(child, answers)| {
                let text = |index: usize| Some(first(&answers[index])?.as_str()?.to_owned());
                let states = first(&answers[3]).and_then(|value| States::parse(&value));
                Some(Toplevel {
                    reference: child.clone(),
                    role: plain_role(&text(0)?),
                    title: plain_name(text(1).unwrap_or_default().as_bytes()),
                    place: Coordinates::Screen.on_screen(answers[2].as_ref()),
                    is_visible: states?.is_visible(),
                })
            })
            .collect())
    }

    /// The window that an element is in, as the program reports it, with the way up to it.
    pub(crate) fn toplevel_of(&mut self, element: &Reference) -> Result<Option<Toplevel>, Silence> {
        let mut current = element.clone();
        for _ in 0..MAX_DEPTH {
            let answer = self.one(property(&current, ACCESSIBLE, "Parent"))?;
            let parent = answer.and_then(|values| Reference::parse(values.first()?.inner()));
            match parent {
                // Another program's element has no place in this one's windows.
                Some(parent) if parent.name != element.name => return Ok(None),
                Some(parent) if parent.path == ROOT_PATH => {
                    return Ok(self.described_toplevels(&[current])?.pop());
                }
                Some(parent) => current = parent,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// The trees of a window among those that its program reports. `others` are the program's other windows.
pub(crate) fn trees(
    window: &DesktopWindow,
    others: &[DesktopWindow],
    toplevels: &[Toplevel],
) -> Vec<WindowTree> {
    toplevels
        .iter()
        .filter(|toplevel| belongs(toplevel, window, others))
        .map(|toplevel| WindowTree {
            root: toplevel.reference.clone(),
            coordinates: coordinates(toplevel, window),
        })
        .collect()
}

/// Whether a program's report of a window is about this one.
pub(crate) fn belongs(
    toplevel: &Toplevel,
    window: &DesktopWindow,
    others: &[DesktopWindow],
) -> bool {
    let own = likeness(toplevel, window);
    let best = others.iter().map(|other| likeness(toplevel, other)).fold(0.0, f64::max);
    if own.max(best) >= LIKE {
        return own >= best;
    }
    // A menu or the like, which is no window of its own on the display: of the window that has the focus, else of
    // the only one.
    toplevel.is_visible
        && (window.focused
            || others.is_empty()
            || !others.iter().any(|other| other.focused) && own >= best)
}

/// From which likeness on a report is about a window.
const LIKE: f64 = 0.5;

/// How alike a window is to a program's report of one: 2 for the title, up to 1 for the place.
fn likeness(toplevel: &Toplevel, window: &DesktopWindow) -> f64 {
    let title =
        if !toplevel.title.is_empty() && toplevel.title == window.title { 2.0 } else { 0.0 };
    title + toplevel.place.map_or(0.0, |place| overlap(place, window))
}

/// What a place and a window share, as a part of both together.
fn overlap(place: BoundingBox, window: &DesktopWindow) -> f64 {
    let (one, other) = (place.area(), content(window));
    let pixels = |area: Area| f64::from(area.width) * f64::from(area.height);
    let shared = one.shared(other).map_or(0.0, pixels);
    shared / (pixels(one) + pixels(other) - shared).max(1.0)
}

/// The place of a window's content.
pub(crate) fn content(window: &DesktopWindow) -> Area {
    Area { x: window.x, y: window.y, width: window.width, height: window.height }
}

pub(crate) fn coordinates(toplevel: &Toplevel, window: &DesktopWindow) -> Coordinates {
    let is_main = likeness(toplevel, window) >= LIKE;
    match toplevel.place {
        Some(place) if is_main && place.area().shared(content(window)).is_none() => {
            Coordinates::Window(window.x, window.y)
        }
        // One that is elsewhere than the window says where.
        Some(place) if is_main && (place.x, place.y) == (0, 0) && overlap(place, window) < LIKE => {
            Coordinates::Window(window.x, window.y)
        }
        None if is_main => Coordinates::Window(window.x, window.y),
        _ => Coordinates::Screen,
    }
}

impl Display<'_> {
    /// The processes of windows, as the server sees them; what the programs say where it does not.
    pub(crate) fn window_processes(&self, windows: &[DesktopWindow]) -> Answer<Vec<Option<u32>>> {
        let connection = &self.connection;
        let said = || windows.iter().map(|window| window.pid).collect();
        if connection.extension_information(res::X11_EXTENSION_NAME)?.is_none() {
            return Ok(said());
        }
        connection.res_query_version(1, 2)?.reply()?;
        let mut pids = Vec::new();
        for window in windows {
            let spec = res::ClientIdSpec {
                client: window.handle,
                mask: res::ClientIdMask::LOCAL_CLIENT_PID,
            };
            pids.push(connection.res_query_client_ids(&[spec])?);
        }
        let pids = pids.into_iter().map(|cookie| {
            let ids = cookie.reply().ok()?.ids;
            ids.iter().flat_map(|id| &id.value).copied().find(|pid| *pid > 0)
        });
        Ok(pids.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn window(title: &str, x: i32, focused: bool) -> DesktopWindow {
        DesktopWindow {
            id: String::new(),
            title: title.to_owned(),
            app: String::new(),
            pid: None,
            x,
            y: 50,
            width: 400,
            height: 300,
            focused,
            state: Vec::new(),
            handle: 0,
        }
    }

    fn toplevel(title: &str, place: Option<(i32, i32, u32, u32)>) -> Toplevel {
        Toplevel {
            reference: Reference::root(":1.5"),
            role: "frame".to_owned(),
            title: title.to_owned(),
            place: place.map(|(x, y, width, height)| BoundingBox { x, y, width, height }),
            is_visible: true,
        }
    }

    #[test]
    fn a_report_belongs_to_the_window_with_its_title_and_place() {
        let (left, right) = (window("a", 0, true), window("a", 600, false));
        let report = toplevel("a", Some((600, 50, 400, 300)));
        assert!(belongs(&report, &right, from_ref(&left)));
        assert!(!belongs(&report, &left, from_ref(&right)));
        let renamed = toplevel("b", Some((0, 30, 400, 320)));
        assert!(
            belongs(&renamed, &left, from_ref(&right))
                && !belongs(&renamed, &right, from_ref(&left))
        );
        // A menu is of the window with the focus.
        let menu = toplevel("", Some((650, 60, 80, 90)));
        assert!(
            belongs(&menu, &left, from_ref(&right)) && !belongs(&menu, &right, from_ref(&left))
        );
    }

    #[test]
    fn places_are_within_the_window_where_the_program_does_not_know_the_screen() {
        let window = window("a", 500, true);
        assert_eq!(
            coordinates(&toplevel("a", Some((500, 50, 400, 300))), &window),
            Coordinates::Screen
        );
        for place in [Some((0, 0, 400, 300)), None] {
            assert_eq!(coordinates(&toplevel("a", place), &window), Coordinates::Window(500, 50));
        }
        let answer = |fields: [i32; 4]| vec![Value::Struct(fields.map(Value::from).to_vec())];
        let place = Coordinates::Window(500, 50).on_screen(Some(&answer([1, 2, 3, 4])));
        assert_eq!(place, Some(BoundingBox { x: 501, y: 52, width: 3, height: 4 }));
        for bad in [[0, 0, 0, 4], [i32::MAX, 0, 1, 1], [0, i32::MIN, 1, 1], [0, 0, 1, -1]] {
            assert_eq!(Coordinates::Screen.on_screen(Some(&answer(bad))), None, "{bad:?}");
        }
    }
}

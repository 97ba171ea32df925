//! The elements that can be seen in a window or on the screen, as their programs report them.

use std::sync::atomic::AtomicBool;

use tools::ToolError;

use crate::accessibility::bus::{AccessibilityBus, NoElements, Silence};
use crate::accessibility::element::Element;
use crate::accessibility::programs::{Toplevel, WindowTree, content, trees};
use crate::accessibility::tree::Tree;
use crate::display::Display;
use crate::windows::DesktopWindow;

/// Elements, in places of the screen.
pub(crate) struct Found {
    pub(crate) elements: Vec<Element>,
    /// Where the places of the result begin on the screen.
    pub(crate) origin: (i32, i32),
    /// Why elements may be missing.
    pub(crate) notes: Vec<String>,
}

/// Why there are no elements.
pub(crate) enum Missing {
    /// None are reported: the picture may do instead.
    None(NoElements),
    Error(ToolError),
}

impl From<ToolError> for Missing {
    fn from(error: ToolError) -> Self {
        Self::Error(error)
    }
}

/// The visible elements of a window.
pub(crate) fn of_window(
    display: &Display<'_>,
    interrupt: &AtomicBool,
    window: &DesktopWindow,
    tool: &'static str,
) -> Result<Found, Missing> {
    let mut bus = AccessibilityBus::open(display, interrupt, tool).map_err(Missing::None)?;
    let programs = Programs::of(display, std::slice::from_ref(window))?;
    let tree = programs.tree(&mut bus, window)?;
    let mut elements = tree.elements;
    let screen = display.screen_area();
    let shown = content(window);
    elements.retain(|element| {
        let place = element.place.area();
        // A menu may be larger than its window.
        let is_of_menu = matches!(element.element_type().as_str(), "menu" | "menu_item" | "item");
        place.shared(screen).is_some() && (place.shared(shown).is_some() || is_of_menu)
    });
    Ok(Found { elements, origin: (window.x, window.y), notes: notes(window, tree.cut) })
}

/// The elements of all windows, as far as no other window covers them.
pub(crate) fn of_screen(
    display: &Display<'_>,
    interrupt: &AtomicBool,
    tool: &'static str,
) -> Result<Found, Missing> {
    let mut bus = AccessibilityBus::open(display, interrupt, tool).map_err(Missing::None)?;
    let (mut windows, _) = display.windows().map_err(|error| display.failed(error))?;
    windows.reverse();
    windows.retain(|window| !window.is_minimized());
    let programs = Programs::of(display, &windows)?;
    let screen = display.screen_area();
    let mut found = Found { elements: Vec::new(), origin: (0, 0), notes: Vec::new() };
    for (index, window) in windows.iter().enumerate() {
        let tree = match programs.tree(&mut bus, window) {
            Ok(tree) => tree,
            Err(Missing::None(none)) => {
                found.notes.push(format!("{}: {}", window.label(), none.0));
                continue;
            }
            Err(error) => return Err(error),
        };
        let above: Vec<_> = windows[..index].iter().map(content).collect();
        let elements = tree.elements.into_iter().filter(|element| {
            let Some(place) = element.place.area().shared(screen) else { return false };
            let middle = crate::pixels::Area {
                x: place.x + place.width as i32 / 2,
                y: place.y + place.height as i32 / 2,
                width: 1,
                height: 1,
            };
            !above.iter().any(|above| above.shared(middle).is_some())
        });
        found.elements.extend(elements);
        found.notes.extend(notes(window, tree.cut));
    }
    Ok(found)
}

fn notes(window: &DesktopWindow, cut: Vec<String>) -> Vec<String> {
    cut.into_iter().map(|why| format!("{} is cut: {why}", window.label())).collect()
}

/// The windows, and the processes that they are of.
struct Programs {
    windows: Vec<DesktopWindow>,
    pids: Vec<Option<u32>>,
}

impl Programs {
    fn of(display: &Display<'_>, windows: &[DesktopWindow]) -> Result<Self, ToolError> {
        let failed = |error| display.failed(error);
        let mut all = display.windows().map_err(failed)?.0;
        // One that no window manager lists.
        let unlisted =
            windows.iter().filter(|window| all.iter().all(|other| other.handle != window.handle));
        let unlisted: Vec<_> = unlisted.cloned().collect();
        all.extend(unlisted);
        let pids = display.window_processes(&all).map_err(failed)?;
        Ok(Self { windows: all, pids })
    }

    fn tree(
        &self,
        bus: &mut AccessibilityBus<'_>,
        window: &DesktopWindow,
    ) -> Result<Tree, Missing> {
        let own = |index: &usize| self.windows[*index].handle == window.handle;
        let pid = (0..self.windows.len()).find(own).and_then(|index| self.pids[index]);
        let Some(pid) = pid else {
            return Err(none("the process of the window is not known"));
        };
        let others: Vec<DesktopWindow> = (0..self.windows.len())
            .filter(|index| !own(index) && self.pids[*index] == Some(pid))
            .map(|index| self.windows[index].clone())
            .collect();
        let answered = trees_of(bus, pid, window, &others).and_then(|trees| {
            if trees.is_empty() { Ok(None) } else { bus.elements(&trees).map(Some) }
        });
        match answered {
            Ok(Some(tree)) => Ok(tree),
            Ok(None) => Err(none("its program reports no elements")),
            Err(Silence::NoAnswer) => Err(none("its program does not answer")),
            Err(other) => Err(Missing::Error(bus.error(&other))),
        }
    }
}

fn none(why: &str) -> Missing {
    Missing::None(NoElements(why.to_owned()))
}

/// The trees of a window.
fn trees_of(
    bus: &mut AccessibilityBus<'_>,
    pid: u32,
    window: &DesktopWindow,
    others: &[DesktopWindow],
) -> Result<Vec<WindowTree>, Silence> {
    let mut toplevels: Vec<Toplevel> = Vec::new();
    for program in bus.programs_of(pid)? {
        toplevels.extend(bus.toplevels(&program)?);
    }
    Ok(trees(window, others, &toplevels))
}

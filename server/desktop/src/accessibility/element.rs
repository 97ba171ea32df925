//! One element of a window, and its id.

use dbus::Value;

use crate::text_block::BoundingBox;
use crate::windows::plain_name;

/// An object of a program on the bus.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Reference {
    /// The program's name on the bus: `:1.5`.
    pub(crate) name: String,
    pub(crate) path: String,
}

/// Where most programs have their elements.
const USUAL_FOLDER: &str = "/org/a11y/atspi/accessible/";
/// The object that has a program's windows.
pub(crate) const ROOT_PATH: &str = "/org/a11y/atspi/accessible/root";
/// Length of an object's path.
const MAX_PATH: usize = 250;

impl Reference {
    /// The root of a program.
    pub(crate) fn root(name: &str) -> Self {
        Self { name: name.to_owned(), path: ROOT_PATH.to_owned() }
    }

    /// The reference in a reply, `(so)`; `None` for none.
    pub(crate) fn parse(value: &Value) -> Option<Self> {
        let [name, path] = value.items() else { return None };
        Self::new(name.as_str()?, path.as_str()?)
    }

    fn new(name: &str, path: &str) -> Option<Self> {
        let is_name = name.len() < 50
            && name.strip_prefix(':').is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            });
        let is_path = path.len() <= MAX_PATH
            && path.starts_with('/')
            && path.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'/')
            && !path.ends_with("/null");
        (is_name && is_path).then(|| Self { name: name.to_owned(), path: path.to_owned() })
    }
}

/// The id of an element, as results have it: `1.5/23#9f3a`. The last part stands for what the element was: a
/// program may use an object for something else later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElementId {
    pub(crate) reference: Reference,
    pub(crate) mark: u16,
}

impl ElementId {
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let (place, mark) = written.trim().rsplit_once('#')?;
        let (name, path) = place.split_once('/')?;
        let path =
            if path.starts_with('/') { path.to_owned() } else { format!("{USUAL_FOLDER}{path}") };
        let reference = Reference::new(&format!(":{name}"), &path)?;
        Some(Self { reference, mark: u16::from_str_radix(mark, 16).ok()? })
    }

    pub(crate) fn written(&self) -> String {
        let Reference { name, path } = &self.reference;
        let name = name.trim_start_matches(':');
        let path = path.strip_prefix(USUAL_FOLDER).unwrap_or(path);
        format!("{name}/{path}#{:04x}", self.mark)
    }
}

/// What stands for a role and a name in an id: a hash by FNV.
fn mark(role: &str, name: &str) -> u16 {
    let bytes = role.bytes().chain([0]).chain(name.bytes());
    let hash = bytes
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 16)) as u16
}

/// What a program reports of an element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    pub(crate) reference: Reference,
    /// The role, as AT-SPI names it: `push button`.
    pub(crate) role: String,
    /// Its name; the content of a field is not a part of it.
    pub(crate) name: String,
    /// The name of the element beside it that is its label.
    pub(crate) label: Option<String>,
    /// Its text or number, where it has one.
    pub(crate) value: Option<String>,
    /// Its place on the screen.
    pub(crate) place: BoundingBox,
    pub(crate) states: States,
    /// What can be done with it.
    pub(crate) actions: Vec<String>,
}

impl Element {
    pub(crate) fn id(&self) -> ElementId {
        ElementId { reference: self.reference.clone(), mark: mark(&self.role, &self.name) }
    }

    pub(crate) fn element_type(&self) -> String {
        element_type(&self.role, self.states)
    }

    /// How messages name it.
    pub(crate) fn described(&self) -> String {
        let name = if self.name.is_empty() { self.label.as_deref() } else { Some(&*self.name) };
        format!("the {} \"{}\"", self.role, name.unwrap_or_default())
    }
}

/// A role's name as a program writes it.
pub(crate) fn plain_role(written: &str) -> String {
    let role: String = plain_name(written.as_bytes()).to_lowercase().chars().take(40).collect();
    if role.is_empty() { "unknown".to_owned() } else { role }
}

/// The type that results have for a role.
fn element_type(role: &str, states: States) -> String {
    let known = match role {
        "push button" | "button" | "toggle button" | "push button menu" | "push button-menu" => {
            "button"
        }
        "check box" | "switch" => "checkbox",
        "radio button" => "radio",
        "entry" | "password text" | "spin button" | "autocomplete" | "editbar" | "date editor" => {
            "input"
        }
        "text" | "paragraph" | "document text" if states.has(State::Editable) => "input",
        "combo box" => "select",
        "link" => "link",
        "menu item" | "check menu item" | "radio menu item" | "tearoff menu item" => "menu_item",
        "menu" => "menu",
        "label" | "static" | "text" | "paragraph" | "heading" | "caption" | "accelerator label"
        | "block quote" | "description term" | "description value" => "text",
        "image" | "icon" | "desktop icon" => "image",
        "slider" | "scroll bar" | "dial" => "slider",
        "page tab" => "tab",
        "list item" | "tree item" | "table cell" | "table row" => "item",
        "table column header" | "table row header" | "column header" | "row header" => "header",
        "progress bar" | "level bar" => "progress",
        "frame" | "window" | "dialog" | "alert" | "file chooser" | "color chooser"
        | "font chooser" => "window",
        "panel" | "filler" | "scroll pane" | "split pane" | "viewport" | "root pane"
        | "layered pane" | "glass pane" | "option pane" | "section" | "grouping" | "form"
        | "redundant object" | "landmark" | "embedded" | "unknown" | "page tab list"
        | "menu bar" | "tool bar" | "list" | "list box" | "table" | "tree" | "tree table"
        | "status bar" | "popup menu" | "separator" | "title bar" | "header" | "footer"
        | "internal frame" | "article" | "page" | "document web" | "document frame" => "group",
        other => return other.replace(' ', "_"),
    };
    known.to_owned()
}

/// The types that are listed only if a call names them: they hold or separate others.
pub(crate) const CONTAINERS: [&str; 2] = ["group", "window"];

/// A state of an element, by its number in AT-SPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Checked = 4,
    Defunct = 6,
    Editable = 7,
    Enabled = 8,
    Expanded = 10,
    Focused = 12,
    Pressed = 20,
    Selected = 23,
    Sensitive = 24,
    Showing = 25,
    Visible = 30,
    Indeterminate = 32,
    Required = 33,
    Invalid = 36,
    Default = 39,
    ReadOnly = 43,
}

/// The states of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct States(u64);

impl States {
    /// The states in a reply: two numbers of 32 bits.
    pub(crate) fn parse(value: &Value) -> Option<Self> {
        let [low, high] = value.items() else { return None };
        let bits = |value: &Value| value.as_i64().map(|bits| bits as u64 & 0xffff_ffff);
        Some(Self(bits(low)? | bits(high)? << 32))
    }

    pub(crate) fn has(self, state: State) -> bool {
        self.0 & (1 << state as u64) != 0
    }

    pub(crate) fn is_visible(self) -> bool {
        self.has(State::Showing) && self.has(State::Visible) && !self.has(State::Defunct)
    }

    /// Whether it takes input. Some programs set only one of the two.
    pub(crate) fn is_enabled(self) -> bool {
        self.has(State::Sensitive) || self.has(State::Enabled)
    }

    /// What results say of them.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let named = [
            (State::Focused, "focused"),
            (State::Checked, "checked"),
            (State::Selected, "selected"),
            (State::Pressed, "pressed"),
            (State::Expanded, "expanded"),
            (State::Indeterminate, "indeterminate"),
            (State::Required, "required"),
            (State::Invalid, "invalid"),
            (State::Default, "default"),
            (State::ReadOnly, "read_only"),
        ];
        let mut names: Vec<_> =
            named.iter().filter(|(state, _)| self.has(*state)).map(|(_, name)| *name).collect();
        if !self.is_enabled() {
            names.push("disabled");
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        for (path, written) in [
            ("/org/a11y/atspi/accessible/23", "1.5/23#00ff"),
            ("/org/gnome/a11y/4f_1", "1.5//org/gnome/a11y/4f_1#00ff"),
        ] {
            let reference = Reference { name: ":1.5".to_owned(), path: path.to_owned() };
            let id = ElementId { reference, mark: 255 };
            assert_eq!(id.written(), written);
            assert_eq!(ElementId::parse(written), Some(id));
        }
        for broken in [
            "",
            "1.5/23",
            "1.5#00ff",
            "x/23#00ff",
            "1.5/2 3#00ff",
            "1.5/23#zz",
            "org.x/2#0",
            "1.5/../x#0",
        ] {
            assert_eq!(ElementId::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn an_id_changes_with_the_name() {
        assert_ne!(mark("push button", "Save"), mark("push button", "Delete"));
        assert_ne!(mark("push button", ""), mark("label", ""));
    }

    #[test]
    fn states_are_named() {
        let states = |low: u32, high: u32| {
            States::parse(&Value::Array("u".to_owned(), vec![low.into(), high.into()])).unwrap()
        };
        let checked = states(1 << 4 | 1 << 8 | 1 << 25 | 1 << 30, 1 << 1);
        assert!(checked.is_visible() && checked.is_enabled());
        assert_eq!(checked.names(), ["checked", "required"]);
        assert_eq!(states(0, 0).names(), ["disabled"]);
        assert_eq!(States::parse(&Value::text("x")), None);
        assert_eq!(element_type("text", states(1 << 7, 0)), "input");
        assert_eq!(element_type("text", states(0, 0)), "text");
        assert_eq!(element_type("color well", states(0, 0)), "color_well");
    }
}

//! The clipboard: X11's selections, which their owner hands out on request.
//!
//! Other programs may hand a large text out in pieces (INCR of the ICCCM), for which a reader waits for a limited time.
//! A text of our own is handed out at once, until another program takes the selection.

use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use tools::{Code, ToolError};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::ReplyOrIdError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt, CreateWindowAux, EventMask, PropMode, Property,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use crate::display::{Answer, Display};
use crate::limits::{CLIPBOARD_SILENCE, CLIPBOARD_TIMEOUT, MAX_CLIPBOARD_BYTES, STEP_TIMEOUT};

/// Which of the texts that the desktop keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Selection {
    /// What was copied.
    #[default]
    Clipboard,
    /// What is selected; the middle button inserts it.
    Primary,
}

impl Selection {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Clipboard => "clipboard",
            Self::Primary => "primary",
        }
    }
}

x11rb::atom_manager! {
    /// The names of selections and of the forms that a text has.
    SelectionAtoms: SelectionAtomsCookie {
        CLIPBOARD,
        INCR,
        TARGETS,
        TEXT,
        UTF8_STRING,
        UTF8_MIME: b"text/plain;charset=utf-8",
        _TANDEM_SELECTION,
    }
}

impl SelectionAtoms {
    fn of(&self, selection: Selection) -> Atom {
        match selection {
            Selection::Clipboard => self.CLIPBOARD,
            Selection::Primary => AtomEnum::PRIMARY.into(),
        }
    }
}

/// Bytes of a request beside the text.
const REQUEST_OVERHEAD: usize = 64;

/// The text of a selection.
pub(crate) struct SelectionText {
    pub(crate) text: String,
    /// Whether the text is longer.
    pub(crate) is_cut: bool,
}

/// Reads a selection; `None` if it is empty.
///
/// # Errors
/// `E_TIMEOUT` if its owner does not answer, `E_UNSUPPORTED` if it is no text.
pub(crate) fn read(
    display: &Display<'_>,
    selection: Selection,
) -> Result<Option<SelectionText>, ToolError> {
    display.allow(CLIPBOARD_TIMEOUT + STEP_TIMEOUT);
    let failed = |error: ReplyOrIdError| display.failed(error);
    let connection = &display.connection;
    let atoms = SelectionAtoms::new(connection).map_err(|error| display.failed(error))?;
    let atoms = atoms.reply().map_err(|error| display.failed(error))?;
    let owner = connection.get_selection_owner(atoms.of(selection));
    let owner = owner.map_err(|error| display.failed(error))?.reply();
    if owner.map_err(|error| display.failed(error))?.owner == x11rb::NONE {
        return Ok(None);
    }
    let window = own_window(connection, display.root).map_err(failed)?;
    let reading =
        Reading { display, atoms, selection, window, until: Instant::now() + CLIPBOARD_TIMEOUT };
    for form in [atoms.UTF8_STRING, AtomEnum::STRING.into()] {
        if let Some((bytes, is_cut)) = reading.form(form)? {
            let text = if form == atoms.UTF8_STRING {
                String::from_utf8_lossy(&bytes).into_owned()
            } else {
                // Latin-1, whose bytes are code points.
                bytes.iter().map(|byte| char::from(*byte)).collect()
            };
            return Ok(Some(SelectionText { text, is_cut }));
        }
    }
    Err(display.error(Code::Unsupported, format!("the {} holds no text", selection.name())))
}

/// A window that is not on the screen, for properties.
fn own_window(connection: &impl Connection, root: Window) -> Answer<Window> {
    let window = connection.generate_id()?;
    let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    let class = WindowClass::INPUT_ONLY;
    connection.create_window(0, window, root, -10, -10, 1, 1, 0, class, 0, &events)?.check()?;
    Ok(window)
}

/// A selection that is being read.
struct Reading<'d, 'c> {
    display: &'d Display<'c>,
    atoms: SelectionAtoms,
    selection: Selection,
    window: Window,
    until: Instant,
}

impl Reading<'_, '_> {
    /// The text in a form, and whether it is cut; `None` if the owner does not have the form.
    fn form(&self, form: Atom) -> Result<Option<(Vec<u8>, bool)>, ToolError> {
        let Self { display, atoms, window, .. } = self;
        let failed = |error: ReplyOrIdError| display.failed(error);
        let property = atoms._TANDEM_SELECTION;
        let sent = display.connection.convert_selection(
            *window,
            atoms.of(self.selection),
            form,
            property,
            x11rb::CURRENT_TIME,
        );
        sent.map_err(|error| display.failed(error))?;
        display.connection.flush().map_err(|error| display.failed(error))?;
        let answered = self.wait(|event| match event {
            Event::SelectionNotify(answer)
                if answer.requestor == *window && answer.target == form =>
            {
                Some(answer.property != x11rb::NONE)
            }
            _ => None,
        })?;
        if !answered {
            return Ok(None);
        }
        let (kind, mut bytes) = self.take().map_err(failed)?;
        if kind != atoms.INCR {
            let is_cut = bytes.len() > MAX_CLIPBOARD_BYTES;
            bytes.truncate(MAX_CLIPBOARD_BYTES);
            return Ok(Some((bytes, is_cut)));
        }
        // The property was deleted, so the owner sends the first piece now.
        bytes.clear();
        loop {
            self.wait(|event| match event {
                Event::PropertyNotify(change)
                    if change.window == *window
                        && change.atom == property
                        && change.state == Property::NEW_VALUE =>
                {
                    Some(())
                }
                _ => None,
            })?;
            let (_, piece) = self.take().map_err(failed)?;
            if piece.is_empty() {
                return Ok(Some((bytes, false)));
            }
            bytes.extend(piece);
            if bytes.len() > MAX_CLIPBOARD_BYTES {
                bytes.truncate(MAX_CLIPBOARD_BYTES);
                return Ok(Some((bytes, true)));
            }
        }
    }

    /// The property's type and content, up to a little more than the limit; it is deleted.
    fn take(&self) -> Answer<(Atom, Vec<u8>)> {
        let length = (MAX_CLIPBOARD_BYTES / 4 + 1) as u32;
        let connection = &self.display.connection;
        let property = self.atoms._TANDEM_SELECTION;
        let reply = connection
            .get_property(false, self.window, property, AtomEnum::ANY, 0, length)?
            .reply()?;
        connection.delete_property(self.window, property)?.check()?;
        Ok((reply.type_, reply.value))
    }

    /// Waits for an event of the owner.
    fn wait<T>(&self, wanted: impl Fn(&Event) -> Option<T>) -> Result<T, ToolError> {
        let display = self.display;
        let end = (Instant::now() + CLIPBOARD_SILENCE).min(self.until);
        loop {
            let event = display.connection.poll_for_event();
            match event.map_err(|error| display.failed(error))? {
                Some(event) => {
                    if let Some(found) = wanted(&event) {
                        return Ok(found);
                    }
                }
                None if Instant::now() >= end => {
                    let message = format!(
                        "the program that owns the {} does not answer",
                        self.selection.name()
                    );
                    return Err(display
                        .error(Code::Timeout, message)
                        .hint("it may be busy or have stopped"));
                }
                None => display.pause(Duration::from_millis(2))?,
            }
        }
    }
}

/// Makes this process the owner of a selection with a text, until another program takes it.
///
/// # Errors
/// `E_UNAVAILABLE` if the display does not let it.
pub(crate) fn own(
    display: &Display<'_>,
    selection: Selection,
    text: String,
) -> Result<(), ToolError> {
    // It is handed out at once: every display takes requests that are larger than the most a text may have.
    let most = display.connection.maximum_request_bytes().saturating_sub(REQUEST_OVERHEAD);
    if text.len() > most {
        let message = format!("the display takes {most} bytes at most");
        return Err(display.error(Code::TooLarge, message));
    }
    let (ready, started) = channel();
    std::thread::Builder::new()
        .name("clipboard".to_owned())
        .spawn(move || {
            if let Err(error) = serve(selection, text.as_bytes(), &ready) {
                // Nobody listens any more if it has served.
                let _ = ready.send(Err(error.to_string()));
            }
        })
        .map_err(|error| display.error(Code::Io, error))?;
    let why = match started.recv_timeout(CLIPBOARD_SILENCE) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(why)) => why,
        Err(_) => "the display does not answer".to_owned(),
    };
    Err(display.error(Code::Unavailable, format!("the {} cannot be set: {why}", selection.name())))
}

/// Owns a selection and answers requests for it.
fn serve(
    selection: Selection,
    text: &[u8],
    ready: &Sender<Result<(), String>>,
) -> Result<(), ReplyOrIdError> {
    let (connection, screen) =
        RustConnection::connect(None).map_err(|_| ReplyOrIdError::IdsExhausted)?;
    let atoms = SelectionAtoms::new(&connection)?.reply()?;
    let window = own_window(&connection, connection.setup().roots[screen].root)?;
    let name = atoms.of(selection);
    connection.set_selection_owner(window, name, x11rb::CURRENT_TIME)?.check()?;
    let owner = connection.get_selection_owner(name)?.reply()?.owner;
    let _ = ready.send(match owner == window {
        true => Ok(()),
        false => Err("another program took it".to_owned()),
    });
    loop {
        match connection.wait_for_event()? {
            Event::SelectionClear(clear) if clear.selection == name => return Ok(()),
            Event::SelectionRequest(request) => {
                let answer = Request { connection: &connection, atoms, request, text };
                // A requestor that has gone is no reason to give the selection up.
                let sent = answer.send().unwrap_or(x11rb::NONE);
                let notice = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: request.time,
                    requestor: request.requestor,
                    selection: request.selection,
                    target: request.target,
                    property: sent,
                };
                connection.send_event(false, request.requestor, EventMask::NO_EVENT, notice)?;
                connection.flush()?;
            }
            _ => {}
        }
    }
}

/// A request of another program for the selection.
struct Request<'r> {
    connection: &'r RustConnection,
    atoms: SelectionAtoms,
    request: SelectionRequestEvent,
    text: &'r [u8],
}

impl Request<'_> {
    /// Puts the text into the property that the program names, and returns it; none for other forms than text.
    fn send(&self) -> Answer<Atom> {
        let Self { connection, atoms, request, text, .. } = self;
        let (window, form) = (request.requestor, request.target);
        // Clients of before the ICCCM name no property.
        let property = if request.property == x11rb::NONE { form } else { request.property };
        let texts = [atoms.UTF8_STRING, atoms.UTF8_MIME, atoms.TEXT];
        let put = |kind: Atom, format: u8, count: usize, data: &[u8]| -> Answer<()> {
            connection
                .change_property(
                    PropMode::REPLACE,
                    window,
                    property,
                    kind,
                    format,
                    count as u32,
                    data,
                )?
                .check()?;
            Ok(())
        };
        if form == atoms.TARGETS {
            let forms = [atoms.TARGETS].into_iter().chain(texts);
            let bytes: Vec<u8> = forms.flat_map(u32::to_ne_bytes).collect();
            put(AtomEnum::ATOM.into(), 32, bytes.len() / 4, &bytes)?;
            return Ok(property);
        }
        if !texts.contains(&form) {
            return Ok(x11rb::NONE);
        }
        let kind = if form == atoms.TEXT { atoms.UTF8_STRING } else { form };
        put(kind, 8, text.len(), text)?;
        Ok(property)
    }
}

//! The key by which the person stops all input of agents.
//!
//! A thread watches the raw events of the keyboard, which arrive whichever program has the focus or a grab. It
//! notes the stop at the display itself, as a property of the root window: what sends input reads it in the same
//! step as the focus, in every process, until the person allows input again.

use std::collections::HashSet;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tools::{Code, Context, DesktopSettings, Effect, EffectKind, Target, ToolError};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::ReplyOrIdError;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{self, ConnectionExt as _, EventMask, XIEventMask};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, Keycode, Keysym, PropMode, Window};
use x11rb::rust_connection::RustConnection;

use crate::display::{Answer, Display};
use crate::keysyms::parse_key;

/// The keys by default: one that few programs use, and one for keyboards without it.
const DEFAULT_KEYS: [&str; 2] = ["Pause", "ctrl+alt+Escape"];
/// Time for the watcher to be ready.
const START: Duration = Duration::from_secs(5);
/// The devices that all keyboards of the person are part of.
const ALL_MASTERS: u16 = 1;
/// The property of the root window that says since when input is stopped, in milliseconds.
const PROPERTY: &[u8] = b"_TANDEM_INPUT_STOPPED";
/// Length of the property, in units of four bytes.
const PROPERTY_LENGTH: u32 = 8;

/// The displays that are watched by this process, each with the keys.
static WATCHED: Mutex<Vec<(String, Vec<StopKey>)>> = Mutex::new(Vec::new());

/// A key, and those that are held with it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StopKey {
    modifiers: Vec<Keysym>,
    key: Keysym,
}

/// The keys of the settings.
fn stop_keys(tool: &str, settings: &DesktopSettings) -> Result<Vec<StopKey>, ToolError> {
    let parse = |written: &str| match parse_key(tool, written, &[]) {
        Ok((modifiers, key)) => Ok(StopKey { modifiers, key }),
        Err(error) => {
            let message = format!("{tool}: desktop.stop_keys of your settings: {}", error.message);
            Err(ToolError::new(Code::Unavailable, message)
                .hint("correct it: without the key that stops it, there is no input"))
        }
    };
    match &settings.stop_keys {
        Some(keys) => keys.iter().map(|written| parse(written)).collect(),
        None => DEFAULT_KEYS.into_iter().map(parse).collect(),
    }
}

/// Refuses to press a key that is the person's to stop input.
pub(crate) fn check_key(
    context: &Context<'_>,
    tool: &str,
    modifiers: &[Keysym],
    key: Keysym,
) -> Result<(), ToolError> {
    let keys = stop_keys(tool, &context.session.policy.desktop())?;
    if keys.iter().any(|stop| stop.key == key && stop.modifiers == modifiers) {
        let message = format!("{tool}: by this key the person stops input");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(())
}

/// Watches the display of a call for the keys, if it is not watched yet.
///
/// # Errors
/// `E_UNAVAILABLE` if that is not possible: without the key there is no input.
pub(crate) fn watch(context: &Context<'_>, display: &Display<'_>) -> Result<(), ToolError> {
    let keys = stop_keys(display.tool(), &context.session.policy.desktop())?;
    if keys.is_empty() {
        return Ok(());
    }
    let name = std::env::var("DISPLAY").unwrap_or_default();
    let mut watched = WATCHED.lock();
    if watched.iter().any(|(known, of)| *known == name && *of == keys) {
        return Ok(());
    }
    let (ready, started) = channel();
    let (display_of_thread, keys_of_thread) = (name.clone(), keys.clone());
    std::thread::Builder::new()
        .name("stop-key".to_owned())
        .spawn(move || {
            if let Err(error) = run(&keys_of_thread, &ready) {
                // Nobody listens any more if it has run.
                let _ = ready.send(Err(error.to_string()));
            }
            let is_other = |(name, keys): &(String, Vec<StopKey>)| {
                *name != display_of_thread || *keys != keys_of_thread
            };
            WATCHED.lock().retain(is_other);
        })
        .map_err(|error| display.error(Code::Io, error))?;
    let why = match started.recv_timeout(START) {
        Ok(Ok(())) => {
            watched.push((name, keys));
            return Ok(());
        }
        Ok(Err(why)) => why,
        Err(_) => "the display does not answer".to_owned(),
    };
    Err(display
        .error(Code::Unavailable, format!("the stop key cannot be watched: {why}"))
        .hint("it needs the extension XInput 2.2; `stop_keys = []` in `[desktop]` of your settings does without it"))
}

/// Watches the keyboard until the display ends.
fn run(keys: &[StopKey], ready: &Sender<Result<(), String>>) -> Result<(), ReplyOrIdError> {
    let (connection, screen) =
        RustConnection::connect(None).map_err(|_| ReplyOrIdError::IdsExhausted)?;
    let root = connection.setup().roots[screen].root;
    if connection.extension_information(xinput::X11_EXTENSION_NAME)?.is_none() {
        let _ = ready.send(Err("this display has no XInput".to_owned()));
        return Ok(());
    }
    // From this version on, raw events arrive during other programs' grabs, too.
    connection.xinput_xi_query_version(2, 2)?.reply()?;
    let mask = XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_KEY_RELEASE;
    let masks = [EventMask { deviceid: ALL_MASTERS, mask: vec![mask] }];
    connection.xinput_xi_select_events(root, &masks)?.check()?;
    let property = connection.intern_atom(false, PROPERTY)?.reply()?.atom;
    let mut codes = Codes::read(&connection, keys)?;
    let mut held: HashSet<Keycode> = HashSet::new();
    let _ = ready.send(Ok(()));
    loop {
        match connection.wait_for_event()? {
            Event::XinputRawKeyPress(event) => {
                let Ok(code) = Keycode::try_from(event.detail) else { continue };
                held.insert(code);
                if codes.0.iter().any(|stop| stop.is_pressed(code, &held)) {
                    note(&connection, root, property)?;
                }
            }
            Event::XinputRawKeyRelease(event) => {
                if let Ok(code) = Keycode::try_from(event.detail) {
                    held.remove(&code);
                }
            }
            // The layout has changed; also each character that it lacks is typed by changing it.
            Event::MappingNotify(_) => codes = Codes::read(&connection, keys)?,
            _ => {}
        }
    }
}

/// Notes that input is stopped, unless it is already.
fn note(connection: &RustConnection, root: Window, property: u32) -> Result<(), ReplyOrIdError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let text = now.to_string();
    let length = text.len() as u32;
    connection
        .change_property(
            PropMode::REPLACE,
            root,
            property,
            AtomEnum::STRING,
            8,
            length,
            text.as_bytes(),
        )?
        .check()?;
    Ok(())
}

/// The codes of the stop keys.
struct Codes(Vec<StopCodes>);

/// Codes that have the symbol of a key, and of each modifier.
struct StopCodes {
    key: Vec<Keycode>,
    modifiers: Vec<Vec<Keycode>>,
}

impl StopCodes {
    fn is_pressed(&self, code: Keycode, held: &HashSet<Keycode>) -> bool {
        self.key.contains(&code)
            && self.modifiers.iter().all(|any| any.iter().any(|code| held.contains(code)))
    }
}

impl Codes {
    fn read(connection: &RustConnection, keys: &[StopKey]) -> Result<Self, ReplyOrIdError> {
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let width = usize::from(mapping.keysyms_per_keycode).max(1);
        let with = |symbol: Keysym| -> Vec<Keycode> {
            let rows = mapping.keysyms.chunks_exact(width).zip(first..=last);
            rows.filter(|(row, _)| row.contains(&symbol)).map(|(_, code)| code).collect()
        };
        let either = |left: Keysym| -> Vec<Keycode> {
            // The right one is the next symbol.
            [left, left + 1].into_iter().flat_map(with).collect()
        };
        let codes = keys.iter().map(|stop| StopCodes {
            key: with(stop.key),
            modifiers: stop.modifiers.iter().map(|modifier| either(*modifier)).collect(),
        });
        Ok(Self(codes.collect()))
    }
}

impl Display<'_> {
    /// Since when input is stopped at this display, if it is.
    pub(crate) fn stopped(&self) -> Answer<Option<String>> {
        let property = self.connection.intern_atom(false, PROPERTY)?.reply()?.atom;
        let any = AtomEnum::ANY;
        let value = self
            .connection
            .get_property(false, self.root, property, any, 0, PROPERTY_LENGTH)?
            .reply()?
            .value;
        let digits: String =
            value.iter().map(|byte| char::from(*byte)).filter(char::is_ascii_digit).collect();
        Ok((!value.is_empty()).then_some(digits))
    }

    /// The effect that needs the person's approval as long as input is stopped.
    pub(crate) fn resume_effect(&self) -> Result<Option<Effect>, ToolError> {
        let stopped = self.stopped().map_err(|error| self.failed(error))?;
        Ok(stopped.map(|since| {
            let detail = "you stopped all input by the stop key; this allows it again";
            Effect { detail: Some(detail.to_owned()), ..resuming(&since) }
        }))
    }

    /// Refuses to go on while input is stopped, and lets it go on if the person has allowed this call since.
    pub(crate) fn require_not_stopped(&self, context: &Context<'_>) -> Result<(), ToolError> {
        let Some(since) = self.stopped().map_err(|error| self.failed(error))? else {
            return Ok(());
        };
        if !context.is_granted(&resuming(&since)) {
            return Err(self.is_stopped());
        }
        self.resume().map_err(|error| self.failed(error))
    }

    fn resume(&self) -> Answer<()> {
        let property = self.connection.intern_atom(false, PROPERTY)?.reply()?.atom;
        self.connection.delete_property(self.root, property)?.check()?;
        Ok(())
    }

    /// The error of a call that the person has stopped.
    pub(crate) fn is_stopped(&self) -> ToolError {
        self.error(Code::Denied, "the person has stopped all input by the stop key")
            .hint("the next call asks them whether it may go on; ask what they want first")
    }
}

/// The effect of going on after a stop. Each stop has its own: an approval is for one.
fn resuming(since: &str) -> Effect {
    let target = Target::Named(format!("stopped/desktop/{since}"));
    Effect { kind: EffectKind::Admin, target, detail: None }
}

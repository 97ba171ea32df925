//! Pictures of a Wayland screen, by the desktop's portal: the compositor shows its screen to nobody else.
//!
//! The portal may ask the person, and stores the picture in a file that only this user can read.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dbus::{Connection, Error, Kind, MethodCall, Value, Wait, parse_addresses};
use percent_encoding::percent_decode_str;
use rustix::fs::OFlags;
use tools::{Code, Context, ToolError};
use x11rb::connection::RequestConnection;

use crate::decode::decoded;
use crate::display::Display;
use crate::limits::{MAX_PORTAL_FILE, PORTAL_TIMEOUT, SILENCE};
use crate::pixels::Pixels;

const PORTAL: &str = "org.freedesktop.portal.Desktop";
const PORTAL_PATH: &str = "/org/freedesktop/portal/desktop";
const BUS: &str = "org.freedesktop.DBus";
/// The extension by which an X server says that it draws into a Wayland session.
const XWAYLAND: &str = "XWAYLAND";

/// Requests of this process, which need a name each.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// Whether pictures of the screen come from the portal: the session is Wayland, and what an X server has of it are
/// the windows of its own clients.
pub(crate) fn has_screen(context: &Context<'_>, tool: &'static str) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set("WAYLAND_DISPLAY") {
        return false;
    }
    if !is_set("DISPLAY") {
        return true;
    }
    let Ok(display) = Display::open(context, tool) else { return true };
    matches!(display.connection.extension_information(XWAYLAND), Ok(Some(_)))
}

/// A picture of the screen.
///
/// # Errors
/// `E_UNAVAILABLE` if there is no portal, `E_DENIED` if the person refused.
pub(crate) fn screen(context: &Context<'_>, tool: &'static str) -> Result<Pixels, ToolError> {
    let unavailable = |why: String| {
        let message = format!(
            "{tool}: this session is Wayland, which shows its screen by a portal only, and {why}"
        );
        ToolError::new(Code::Unavailable, message).hint(
            "install xdg-desktop-portal with the backend of your desktop (`-gnome`, `-kde`, `-wlr`), \
             or log in to an X11 session",
        )
    };
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = variable("DBUS_SESSION_BUS_ADDRESS")
        .or_else(|| variable("XDG_RUNTIME_DIR").map(|folder| format!("unix:path={folder}/bus")))
        .ok_or_else(|| unavailable("there is no session bus to reach it".to_owned()))?;
    let wait = |time: Duration| Wait { until: Instant::now() + time, interrupt: context.interrupt };
    let failed = |error: Error| match error {
        Error::Interrupted => ToolError::new(Code::Cancelled, format!("{tool}: cancelled")),
        Error::NoAnswer => unavailable("it does not answer".to_owned()),
        Error::Refused { name, message } => {
            unavailable(format!("it refuses: {name}: {message:.200}"))
        }
        error => unavailable(format!("the session bus cannot be used: {error}")),
    };
    let mut bus = Connection::connect(&parse_addresses(&address), wait(SILENCE)).map_err(failed)?;
    let token =
        format!("tandem{}_{}", std::process::id(), REQUESTS.fetch_add(1, Ordering::Relaxed));
    let sender = bus.name().trim_start_matches(':').replace('.', "_");
    let request = format!("{PORTAL_PATH}/request/{sender}/{token}");
    let of_bus = |member: &'static str, text: &str| MethodCall {
        destination: BUS.to_owned(),
        path: "/org/freedesktop/DBus".to_owned(),
        interface: BUS,
        member,
        body: vec![text.into()],
    };
    // Before the request: the answer may come at once.
    let rule = format!(
        "type='signal',interface='org.freedesktop.portal.Request',member='Response',path='{request}'"
    );
    bus.call(of_bus("AddMatch", &rule), wait(SILENCE)).map_err(failed)?;
    let option = |name: &str, value: Value| Value::Entry(Box::new((name.into(), value.variant())));
    let options = vec![
        option("handle_token", token.as_str().into()),
        option("interactive", Value::Bool(false)),
    ];
    let call = MethodCall {
        destination: PORTAL.to_owned(),
        path: PORTAL_PATH.to_owned(),
        interface: "org.freedesktop.portal.Screenshot",
        member: "Screenshot",
        body: vec!["".into(), Value::Array("{sv}".to_owned(), options)],
    };
    bus.call(call, wait(PORTAL_TIMEOUT)).map_err(failed)?;
    let owner = bus.call(of_bus("GetNameOwner", PORTAL), wait(SILENCE)).map_err(failed)?;
    let owner = owner.first().and_then(Value::as_str).map(str::to_owned);
    let end = wait(PORTAL_TIMEOUT);
    loop {
        let message = bus.receive(end).map_err(failed)?;
        // Any program can send signals: only the portal's own counts.
        let is_answer = message.kind == Kind::Signal
            && message.member.as_deref() == Some("Response")
            && message.path.as_deref() == Some(&*request)
            && message.sender.is_some()
            && message.sender == owner;
        if !is_answer {
            continue;
        }
        return match message.body.first().and_then(Value::as_i64) {
            Some(0) => {
                let uri = message.body.get(1).and_then(|results| entry(results, "uri"));
                let path = uri.and_then(file_of);
                let path = path.ok_or_else(|| unavailable("it names no file".to_owned()))?;
                decoded(
                    tool,
                    &read(&path).map_err(|error| {
                        unavailable(format!("its file cannot be read: {error}"))
                    })?,
                )
            }
            Some(1) => Err(ToolError::new(
                Code::Denied,
                format!("{tool}: the person did not let the desktop's portal take a picture"),
            )),
            _ => Err(unavailable("it could not take a picture".to_owned())),
        };
    }
}

/// The text of an entry in a list of results.
fn entry<'v>(results: &'v Value, name: &str) -> Option<&'v str> {
    results.items().iter().find_map(|item| match item {
        Value::Entry(entry) if entry.0.as_str() == Some(name) => entry.1.as_str(),
        _ => None,
    })
}

/// The path in a URI of a file.
fn file_of(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let written = uri.strip_prefix("file://").filter(|path| !path.contains(['?', '#']))?;
    let path: Vec<u8> = percent_decode_str(written).collect();
    (path.first() == Some(&b'/') && !path.contains(&0))
        .then(|| std::ffi::OsString::from_vec(path).into())
}

/// The content of the portal's file: a regular file of this user, of limited size.
fn read(path: &PathBuf) -> std::io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != rustix::process::getuid().as_raw() {
        return Err(std::io::Error::other("it is no file of this user"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_PORTAL_FILE + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_PORTAL_FILE {
        true => Err(std::io::Error::other("it is too large")),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_paths_of_files_are_read() {
        let of = |uri: &str| file_of(uri).map(|path| path.display().to_string());
        assert_eq!(of("file:///tmp/a%20b.png").as_deref(), Some("/tmp/a b.png"));
        for uri in ["http://x/a", "file://host/a", "file:///a%00", "file:///a?b", "/a", ""] {
            assert_eq!(of(uri), None, "{uri}");
        }
    }
}

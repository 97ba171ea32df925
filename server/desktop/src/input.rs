//! Input that reaches the window that it is meant for, or nothing at all.
//!
//! While the server is grabbed, no other program can move the focus: the check, the keys and the mouse events
//! happen as one.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tools::{Code, Context, Effect, ToolError};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::res::{self, ConnectionExt as _};
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, EventMask,
};
use x11rb::protocol::{Event, screensaver, xtest};

use crate::approval::{Access, check, on_window};
use crate::display::{Answer, Display};
use crate::limits::{
    IDLE, IDLE_WAIT, PING_TIMEOUT, POLL_INTERVAL, RELEASE_TIMEOUT, REST_INTERVAL, REST_TIMEOUT,
    STEP_TIMEOUT,
};
use crate::stop_key::watch;
use crate::thread_rest::ThreadRest;
use crate::windows::{DesktopWindow, parse_id};

/// When this process last sent input: the server counts it as the person's.
static LAST_SENT: Mutex<Option<Instant>> = Mutex::new(None);
/// How far the clocks of the server and of this process may be apart.
const CLOCK_SLACK: Duration = Duration::from_millis(50);

/// The window that input is meant for: the one that the call names, else the one that has the focus.
pub(crate) fn target(
    display: &Display<'_>,
    window_id: Option<&str>,
    tool: &str,
) -> Result<DesktopWindow, ToolError> {
    if let Some(id) = window_id.filter(|id| !id.is_empty()) {
        return display.window(parse_id(tool, id)?);
    }
    let clients = display.client_windows().map_err(|error| display.failed(error))?;
    let focused = display.focused_window(&clients).map_err(|error| display.failed(error))?;
    match focused {
        Some(handle) => display.window(handle),
        None => Err(display
            .error(Code::Conflict, "no window has the focus")
            .hint("focus_window gives it to one")),
    }
}

/// The effects of input.
pub(crate) fn effects(
    context: &Context<'_>,
    tool: &'static str,
    window_id: Option<&str>,
    what: &str,
) -> Result<Vec<Effect>, ToolError> {
    let display = Display::open(context, tool)?;
    input_effects(&display, &target(&display, window_id, tool)?, what)
}

/// The effects of input to a window.
pub(crate) fn input_effects(
    display: &Display<'_>,
    window: &DesktopWindow,
    what: &str,
) -> Result<Vec<Effect>, ToolError> {
    let input = on_window(Access::Input, window, what);
    Ok([input].into_iter().chain(display.resume_effect()?).collect())
}

/// Input to one window.
pub(crate) struct InputTarget<'d, 'c> {
    pub(crate) display: &'d Display<'c>,
    pub(crate) window: DesktopWindow,
    /// How long the person must have paused.
    idle: Duration,
}

impl<'d, 'c> InputTarget<'d, 'c> {
    /// The window of an approved call, once the person pauses.
    pub(crate) fn open(
        context: &Context<'_>,
        display: &'d Display<'c>,
        window_id: Option<&str>,
        tool: &str,
    ) -> Result<Self, ToolError> {
        display.require(xtest::X11_EXTENSION_NAME)?;
        let window = target(display, window_id, tool)?;
        check(context, display, Access::Input, &window)?;
        watch(context, display)?;
        display.require_not_stopped(context)?;
        let idle = context.session.policy.desktop().idle_ms.map_or(IDLE, Duration::from_millis);
        let input = Self { display, window, idle };
        input.wait_until_idle()?;
        Ok(input)
    }

    /// Waits until the person neither types nor moves the mouse.
    fn wait_until_idle(&self) -> Result<(), ToolError> {
        let display = self.display;
        display.require(screensaver::X11_EXTENSION_NAME)?;
        display.allow(IDLE_WAIT + STEP_TIMEOUT);
        let end = Instant::now() + IDLE_WAIT;
        while self.is_person_active().map_err(|error| display.failed(error))? {
            if Instant::now() >= end {
                return Err(display
                    .error(
                        Code::Conflict,
                        "the person is using keyboard or mouse; nothing was sent",
                    )
                    .hint("call again when they pause"));
            }
            display.pause(POLL_INTERVAL)?;
        }
        Ok(())
    }

    fn is_person_active(&self) -> Answer<bool> {
        let connection = &self.display.connection;
        let saver = connection.screensaver_query_info(self.display.root)?.reply()?;
        let idle = Duration::from_millis(saver.ms_since_user_input.into());
        let own = LAST_SENT.lock().is_some_and(|sent| sent.elapsed() <= idle + CLOCK_SLACK);
        Ok(idle < self.idle && !own)
    }

    /// Sends input if the window has the focus, and nothing otherwise. `place`: where the mouse is used.
    pub(crate) fn send(
        &self,
        place: Option<(i16, i16)>,
        input: impl FnOnce() -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let display = self.display;
        self.wait_until_released()?;
        let grab = ServerGrab::new(display).map_err(|error| display.failed(error))?;
        self.check_focus(place)?;
        let sent = input();
        *LAST_SENT.lock() = Some(Instant::now());
        drop(grab);
        let synced = display.sync().map_err(|error| display.failed(error));
        sent.and(synced)
    }

    /// Refuses to go on if the window does not have the focus, or input is not possible for another reason.
    pub(crate) fn require_focus(&self) -> Result<(), ToolError> {
        self.wait_until_released()?;
        self.check_focus(None)
    }

    /// Waits a moment for held buttons: a window manager that sees each click first delays its end.
    fn wait_until_released(&self) -> Result<(), ToolError> {
        let end = Instant::now() + RELEASE_TIMEOUT;
        while self.held().map_err(|error| self.display.failed(error))? && Instant::now() < end {
            self.display.pause(POLL_INTERVAL)?;
        }
        Ok(())
    }

    fn held(&self) -> Answer<bool> {
        let pointer = self.display.connection.query_pointer(self.display.root)?.reply()?;
        Ok(u16::from(pointer.mask) & HELD != 0)
    }

    fn check_focus(&self, place: Option<(i16, i16)>) -> Result<(), ToolError> {
        let display = self.display;
        let failed = |error| display.failed(error);
        if display.stopped().map_err(failed)?.is_some() {
            return Err(display.is_stopped());
        }
        let handle = self.window.handle;
        let chain = display.focus_chain().map_err(failed)?;
        if !chain.contains(&handle) {
            let message =
                format!("{} does not have the focus; nothing was sent", self.window.label());
            return Err(display
                .error(Code::Conflict, message)
                .hint("focus_window gives it the focus"));
        }
        let saver = display.connection.screensaver_query_info(display.root);
        let saver = saver.map_err(|error| display.failed(error))?;
        if saver.reply().map_err(|error| display.failed(error))?.state == SAVER_ON {
            return Err(
                display.error(Code::Conflict, "the screen is locked or off; nothing was sent")
            );
        }
        if self.held().map_err(failed)? {
            return Err(display
                .error(Code::Conflict, "a modifier or mouse button is held; nothing was sent")
                .hint("call again when it is released"));
        }
        let Some((x, y)) = place else { return Ok(()) };
        let there = display.windows_at(x, y).map_err(failed)?;
        // A menu of the window is a window of its own, which no window manager knows.
        let is_menu = match there.first() {
            Some(outermost) => {
                let attributes = display.connection.get_window_attributes(*outermost);
                let attributes = attributes.map_err(|error| display.failed(error))?.reply();
                attributes.is_ok_and(|attributes| attributes.override_redirect)
                    && display.same_program(*outermost, handle)
            }
            None => false,
        };
        if there.contains(&handle) || is_menu {
            return Ok(());
        }
        Err(display
            .error(
                Code::Conflict,
                format!(
                    "at {x},{y} of the screen there is another window than {}; nothing was sent",
                    self.window.label()
                ),
            )
            .hint("take a screenshot; move or close what covers it"))
    }

    /// Waits until the program has taken what was sent: it answers a ping, or goes to sleep.
    pub(crate) fn settle(&self) -> Result<(), ToolError> {
        let display = self.display;
        display.allow(PING_TIMEOUT + REST_TIMEOUT + STEP_TIMEOUT);
        if self.ping()? {
            return Ok(());
        }
        let Some(pid) = self.process().map_err(|error| display.failed(error))? else {
            return display.pause(REST_TIMEOUT);
        };
        let end = Instant::now() + REST_TIMEOUT;
        let mut last = None;
        while Instant::now() < end {
            let now = ThreadRest::of(pid);
            // Asleep, and not awake in between. One that has events to read is not asleep.
            if now.is_some() && now == last {
                break;
            }
            last = now;
            display.pause(REST_INTERVAL)?;
        }
        Ok(())
    }

    /// The process that a window's connection comes from, as the server sees it.
    fn process(&self) -> Answer<Option<u32>> {
        let connection = &self.display.connection;
        if connection.extension_information(res::X11_EXTENSION_NAME)?.is_none() {
            return Ok(None);
        }
        connection.res_query_version(1, 2)?.reply()?;
        let wanted = res::ClientIdSpec {
            client: self.window.handle,
            mask: res::ClientIdMask::LOCAL_CLIENT_PID,
        };
        let ids = connection.res_query_client_ids(&[wanted])?.reply()?.ids;
        Ok(ids.iter().flat_map(|id| &id.value).copied().find(|pid| *pid > 0))
    }

    /// Whether the program answered. Those that do not know pings are not waited for.
    fn ping(&self) -> Result<bool, ToolError> {
        let display = self.display;
        let sent = self.send_ping().map_err(|error| display.failed(error))?;
        if !sent {
            return Ok(false);
        }
        let end = Instant::now() + PING_TIMEOUT;
        while Instant::now() < end {
            let event =
                display.connection.poll_for_event().map_err(|error| display.failed(error))?;
            match event {
                Some(Event::ClientMessage(message)) => {
                    let data = message.data.as_data32();
                    let is_ping = data[0] == display.atoms._NET_WM_PING;
                    if is_ping && data[2] == self.window.handle && message.window == display.root {
                        return Ok(true);
                    }
                }
                Some(_) => {}
                None => display.pause(Duration::from_millis(2))?,
            }
        }
        Ok(false)
    }

    fn send_ping(&self) -> Answer<bool> {
        let Display { connection, atoms, root, .. } = self.display;
        let handle = self.window.handle;
        let protocols =
            connection.get_property(false, handle, atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 100)?;
        let protocols: Vec<u32> = protocols.reply()?.value32().into_iter().flatten().collect();
        if !protocols.contains(&atoms._NET_WM_PING) {
            return Ok(false);
        }
        // The answer goes to the root window.
        let answers = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
        connection.change_window_attributes(*root, &answers)?.check()?;
        let data = [atoms._NET_WM_PING, x11rb::CURRENT_TIME, handle, 0, 0];
        let message = ClientMessageEvent::new(32, handle, atoms.WM_PROTOCOLS, data);
        connection.send_event(false, handle, EventMask::NO_EVENT, message)?.check()?;
        Ok(true)
    }
}

/// The state of a screen saver that is on.
const SAVER_ON: u8 = 1;
/// Shift, Control, Alt, Super and the buttons of the mouse: held, they would change what the input means.
const HELD: u16 = 0x0001 | 0x0004 | 0x0008 | 0x0040 | 0x1f00;

/// While it lives, the server does what this program requests, and nothing that others do.
struct ServerGrab<'d, 'c>(&'d Display<'c>);

impl<'d, 'c> ServerGrab<'d, 'c> {
    fn new(display: &'d Display<'c>) -> Answer<Self> {
        display.allow(STEP_TIMEOUT);
        display.connection.grab_server()?.check()?;
        Ok(Self(display))
    }
}

impl Drop for ServerGrab<'_, '_> {
    fn drop(&mut self) {
        // If this fails, the connection has ended, which ends the grab, too.
        let _ = self.0.connection.ungrab_server();
        let _ = self.0.connection.flush();
    }
}

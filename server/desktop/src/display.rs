//! The connection of a call to the X server of this session.

use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use tools::{Code, Context, ToolError};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xproto::{ConnectionExt, Window};
use x11rb::rust_connection::{DefaultStream, RustConnection};
use x11rb_protocol::parse_display::{ConnectAddress, parse_display};
use x11rb_protocol::xauth::get_auth;

use crate::limits::READ_TIMEOUT;
use crate::stream::{CANCELLED, TimedStream};

x11rb::atom_manager! {
    /// The names of properties and messages.
    pub(crate) Atoms: AtomsCookie {
        AT_SPI_BUS,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        _NET_WM_STATE,
        _NET_WM_STATE_FULLSCREEN,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_STATE_MODAL,
        UTF8_STRING,
        WM_PROTOCOLS,
    }
}

/// The highest number of a display: its port is 6,000 more.
const MAX_DISPLAY: u16 = u16::MAX - 6_000;

/// What requests return. Tools turn the error into theirs by [`Display::failed`].
pub(crate) type Answer<T> = Result<T, ReplyOrIdError>;

/// An open connection.
pub(crate) struct Display<'c> {
    pub(crate) connection: RustConnection<TimedStream<'c>>,
    pub(crate) atoms: Atoms,
    pub(crate) root: Window,
    /// The size of the screen, in pixels.
    pub(crate) size: (u16, u16),
    tool: &'static str,
}

impl<'c> Display<'c> {
    /// Connects to the display that the environment names.
    ///
    /// # Errors
    /// `E_UNAVAILABLE` if there is none, `E_TIMEOUT` if it does not answer.
    pub(crate) fn open(
        context: &'c Context<'_>,
        tool: &'static str,
    ) -> Result<Display<'c>, ToolError> {
        Self::connect(context.interrupt, tool)
    }

    /// Connects as [`Display::open`] does, until `interrupt` is set.
    pub(crate) fn connect(
        interrupt: &'c AtomicBool,
        tool: &'static str,
    ) -> Result<Display<'c>, ToolError> {
        let unavailable = |why: String| ToolError::new(Code::Unavailable, format!("{tool}: {why}"));
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !is_set("DISPLAY") {
            if is_set("WAYLAND_DISPLAY") {
                return Err(unavailable(
                    "this session is Wayland without an X server, which lets no program look at \
                     or operate others"
                        .to_owned(),
                )
                .hint("log in to an X11 session, or start Xwayland or Xvfb and set DISPLAY"));
            }
            return Err(unavailable("there is no display: DISPLAY is not set".to_owned()).hint(
                "start the server inside of a desktop session, or start Xvfb and set DISPLAY",
            ));
        }
        let parsed = parse_display(None)
            .map_err(|error| unavailable(format!("DISPLAY is no name of a display: {error}")))?;
        if parsed.display > MAX_DISPLAY {
            return Err(unavailable(format!("there is no display {}", parsed.display)));
        }
        let deadline = Instant::now() + READ_TIMEOUT;
        let mut last = String::new();
        for address in parsed.connect_instruction() {
            let opened = connected(&address, deadline);
            let (stream, (family, peer)) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    // The socket's own error says more than that nothing listens on a port.
                    if last.is_empty() {
                        last = error.to_string();
                    }
                    continue;
                }
            };
            // Without a cookie the server may still accept its own user.
            let (name, data) =
                get_auth(family, &peer, parsed.display).ok().flatten().unwrap_or_default();
            return Self::over(
                stream,
                parsed.screen.into(),
                (name, data),
                deadline,
                interrupt,
                tool,
            );
        }
        Err(unavailable(format!("the display does not accept connections: {last}"))
            .hint("check DISPLAY; the X server may have ended"))
    }

    fn over(
        stream: DefaultStream,
        screen: usize,
        (name, data): (Vec<u8>, Vec<u8>),
        deadline: Instant,
        interrupt: &'c AtomicBool,
        tool: &'static str,
    ) -> Result<Self, ToolError> {
        let stream = TimedStream::new(stream, deadline, interrupt);
        let connection =
            RustConnection::connect_to_stream_with_auth_info(stream, screen, name, data)
                .map_err(|error| refused(tool, error))?;
        let failed = |error: ReplyOrIdError| failure(tool, &error);
        let atoms = Atoms::new(&connection).map_err(|error| failed(error.into()))?;
        let atoms = atoms.reply().map_err(|error| failed(error.into()))?;
        let screen = &connection.setup().roots[screen];
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Ok(Self { connection, atoms, root, size, tool })
    }

    /// The tool that the connection is for.
    pub(crate) fn tool(&self) -> &'static str {
        self.tool
    }

    /// Allows this much time from now on.
    pub(crate) fn allow(&self, time: Duration) {
        self.connection.stream().set_deadline(Instant::now() + time);
    }

    /// The error of this call.
    pub(crate) fn failed(&self, error: impl Into<ReplyOrIdError>) -> ToolError {
        failure(self.tool, &error.into())
    }

    /// An error of this call.
    pub(crate) fn error(&self, code: Code, message: impl std::fmt::Display) -> ToolError {
        ToolError::new(code, format!("{}: {message}", self.tool))
    }

    /// Refuses to go on without an extension of the server.
    pub(crate) fn require(&self, extension: &'static str) -> Result<(), ToolError> {
        let known = self.connection.extension_information(extension);
        match known.map_err(|error| self.failed(error))? {
            Some(_) => Ok(()),
            None => {
                Err(self
                    .error(Code::Unsupported, format!("this display has no extension {extension}")))
            }
        }
    }

    /// Returns once the server has done all that was requested.
    pub(crate) fn sync(&self) -> Answer<()> {
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Waits, unless the call ends before that.
    pub(crate) fn pause(&self, time: Duration) -> Result<(), ToolError> {
        let end = Instant::now() + time;
        loop {
            self.connection
                .stream()
                .check()
                .map_err(|error| self.failed(ConnectionError::from(error)))?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(crate::limits::POLL_INTERVAL));
        }
    }
}

/// Connects to an address of a display without waiting for longer than until `deadline`.
fn connected(
    address: &ConnectAddress<'_>,
    deadline: Instant,
) -> std::io::Result<(DefaultStream, (x11rb_protocol::xauth::Family, Vec<u8>))> {
    match address {
        ConnectAddress::Socket(path) => {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            let address = SocketAddrUnix::new(path.as_str())?;
            loop {
                match connect(&socket, &address) {
                    Ok(()) => return DefaultStream::from_unix_stream(UnixStream::from(socket)),
                    // It accepts nobody, but has not ended.
                    Err(Errno::AGAIN) if Instant::now() < deadline => {
                        std::thread::sleep(crate::limits::POLL_INTERVAL);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        ConnectAddress::Hostname(host, port) => {
            let mut last = std::io::Error::from(std::io::ErrorKind::NotFound);
            for address in (*host, *port).to_socket_addrs()? {
                let left = deadline.saturating_duration_since(Instant::now());
                match TcpStream::connect_timeout(&address, left.max(Duration::from_millis(1))) {
                    Ok(stream) => return DefaultStream::from_tcp_stream(stream),
                    Err(error) => last = error,
                }
            }
            Err(last)
        }
        _ => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// The error for a server that did not let this program in.
fn refused(tool: &str, error: ConnectError) -> ToolError {
    match error {
        ConnectError::IoError(error) => failure(tool, &ConnectionError::from(error).into()),
        ConnectError::SetupAuthenticate(_) | ConnectError::SetupFailed(_) => ToolError::new(
            Code::Unavailable,
            format!("{tool}: the display refuses this program: {error}"),
        )
        .hint("XAUTHORITY must name the file with the display's key"),
        error => ToolError::new(
            Code::Unavailable,
            format!("{tool}: the display cannot be used: {error}"),
        ),
    }
}

fn failure(tool: &str, error: &ReplyOrIdError) -> ToolError {
    let io = match error {
        ReplyOrIdError::ConnectionError(ConnectionError::IoError(io)) => Some(io),
        _ => None,
    };
    if let Some(io) = io {
        return match io.kind() {
            std::io::ErrorKind::TimedOut => {
                ToolError::new(Code::Timeout, format!("{tool}: the display does not answer"))
                    .hint("the X server may be stopped or overloaded")
            }
            _ if io.to_string() == CANCELLED => {
                ToolError::new(Code::Cancelled, format!("{tool}: cancelled"))
            }
            _ => ToolError::new(Code::Unavailable, format!("{tool}: the display has ended: {io}")),
        };
    }
    match error {
        ReplyOrIdError::X11Error(x11) => {
            use x11rb::protocol::ErrorKind;
            match x11.error_kind {
                ErrorKind::Window | ErrorKind::Drawable => ToolError::new(
                    Code::Conflict,
                    format!("{tool}: the window was closed meanwhile"),
                )
                .hint("list_windows lists those that there are"),
                _ => ToolError::new(
                    Code::Unsupported,
                    format!("{tool}: the display refused: {:?}", x11.error_kind),
                ),
            }
        }
        error => {
            ToolError::new(Code::Unavailable, format!("{tool}: the display has ended: {error}"))
        }
    }
}

/// Whether a request failed because its window does not exist.
pub(crate) fn is_gone(error: &ReplyError) -> bool {
    matches!(error, ReplyError::X11Error(_))
}

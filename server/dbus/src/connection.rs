//! A connection to a bus.

use std::collections::{HashMap, VecDeque};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with, sockopt,
};

use crate::address::Address;
use crate::limits::{
    MAX_KEPT_BYTES, MAX_KEPT_MESSAGES, MAX_LOGIN_LINE, MAX_MESSAGE_BYTES, POLL_INTERVAL,
};
use crate::message::{FIXED_BYTES, Kind, Message, MethodCall, Sizes, decoded};
use crate::value::Value;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The program or the bus refused.
    #[error("{name}{}", if message.is_empty() { String::new() } else { format!(": {message}") })]
    Refused {
        /// The error's name: `org.freedesktop.DBus.Error.UnknownObject`.
        name: String,
        /// What the program says of it.
        message: String,
    },
    /// The program did not answer in time.
    #[error("the program does not answer")]
    NoAnswer,
    /// The answer is malformed, or larger than is read.
    #[error("the answer is malformed or too large")]
    Malformed,
    /// The call was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The bus belongs to another user.
    #[error("the bus belongs to another user")]
    OtherUser,
    /// There is no connection any more.
    #[error("the bus cannot be used: {0}")]
    Lost(String),
}

impl Error {
    fn io(error: impl Into<std::io::Error>) -> Self {
        Self::Lost(error.into().to_string())
    }

    /// Whether the connection cannot be used after it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Lost(_))
    }
}

/// How long a call may wait.
#[derive(Clone, Copy)]
pub struct Wait<'i> {
    /// When it must have ended.
    pub until: Instant,
    /// Ends it when it is set.
    pub interrupt: &'i AtomicBool,
}

impl Wait<'_> {
    /// The same, at most `time` from now on.
    #[must_use]
    pub fn at_most(self, time: Duration) -> Self {
        Self { until: self.until.min(Instant::now() + time), ..self }
    }

    fn check(self) -> Result<(), Error> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        if Instant::now() >= self.until { Err(Error::NoAnswer) } else { Ok(()) }
    }
}

/// An open connection.
pub struct Connection {
    socket: OwnedFd,
    serial: u32,
    /// The name that the bus gave it.
    name: String,
    incoming: Vec<u8>,
    /// Bytes of a message that is not read that are still to come.
    skipped: usize,
    outgoing: VecDeque<u8>,
    /// Messages that are no replies.
    kept: VecDeque<Message>,
    /// Messages whose body could not be read.
    broken: Vec<u32>,
    replies: HashMap<u32, Message>,
}

impl Connection {
    /// Connects to the first of the addresses that accepts it.
    ///
    /// # Errors
    /// None does.
    pub fn connect(addresses: &[Address], wait: Wait<'_>) -> Result<Self, Error> {
        let mut last = Error::Lost("no address of a Unix socket".to_owned());
        for address in addresses {
            match Self::connect_one(address, wait) {
                Ok(connection) => return Ok(connection),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn connect_one(address: &Address, wait: Wait<'_>) -> Result<Self, Error> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
        let socket = socket.map_err(Error::io)?;
        let address = match address {
            Address::Path(path) => SocketAddrUnix::new(path.as_slice()),
            Address::Abstract(name) => SocketAddrUnix::new_abstract_name(name),
        };
        let address = address.map_err(Error::io)?;
        loop {
            match connect(&socket, &address) {
                Ok(()) => break,
                // It accepts nobody at this moment.
                Err(Errno::AGAIN | Errno::INTR) => {
                    wait.check()?;
                    std::thread::sleep(POLL_INTERVAL);
                }
                Err(error) => return Err(Error::io(error)),
            }
        }
        // Anybody who can write to the display can name a socket.
        let peer = sockopt::socket_peercred(&socket).map_err(Error::io)?;
        if peer.uid != rustix::process::geteuid() && !peer.uid.is_root() {
            return Err(Error::OtherUser);
        }
        let mut connection = Self {
            socket,
            serial: 0,
            name: String::new(),
            incoming: Vec::new(),
            skipped: 0,
            outgoing: VecDeque::new(),
            kept: VecDeque::new(),
            broken: Vec::new(),
            replies: HashMap::new(),
        };
        connection.log_in(wait)?;
        Ok(connection)
    }

    /// Logs in as the user that the kernel reports to the bus, whichever number that is in its namespace.
    fn log_in(&mut self, wait: Wait<'_>) -> Result<(), Error> {
        for (line, answer) in [("\0AUTH EXTERNAL\r\n", "DATA"), ("DATA\r\n", "OK")] {
            self.outgoing.extend(line.as_bytes());
            let answered = self.login_line(wait)?;
            if !answered.starts_with(answer) {
                return Err(Error::Lost(format!("it refuses the login: {answered:.100}")));
            }
        }
        self.outgoing.extend(b"BEGIN\r\n");
        let hello = MethodCall {
            destination: "org.freedesktop.DBus".to_owned(),
            path: "/org/freedesktop/DBus".to_owned(),
            interface: "org.freedesktop.DBus",
            member: "Hello",
            body: Vec::new(),
        };
        let answer = self.call(hello, wait)?;
        self.name = answer.first().and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(())
    }

    fn login_line(&mut self, wait: Wait<'_>) -> Result<String, Error> {
        loop {
            if let Some(end) = self.incoming.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.incoming.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.incoming.len() > MAX_LOGIN_LINE {
                return Err(Error::Lost("it is no bus".to_owned()));
            }
            self.transfer(wait)?;
        }
    }

    /// Its name on the bus: `:1.5`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Calls a method.
    ///
    /// # Errors
    /// As [`Error`] says.
    pub fn call(&mut self, call: MethodCall, wait: Wait<'_>) -> Result<Vec<Value>, Error> {
        self.call_all(vec![call], wait).pop().unwrap_or(Err(Error::NoAnswer))
    }

    /// Calls methods together; the results are in the order of the calls. They share the time: what has not been
    /// answered at its end has [`Error::NoAnswer`].
    pub fn call_all(
        &mut self,
        calls: Vec<MethodCall>,
        wait: Wait<'_>,
    ) -> Vec<Result<Vec<Value>, Error>> {
        let mut waiting = HashMap::new();
        let mut results: Vec<Option<Result<Vec<Value>, Error>>> = Vec::new();
        for call in calls {
            let serial = self.queue(call.into());
            waiting.insert(serial, results.len());
            results.push(None);
        }
        let mut failure = Error::NoAnswer;
        while !waiting.is_empty() {
            if let Err(error) = self.transfer(wait).and_then(|()| self.parse()) {
                failure = error;
                break;
            }
            for serial in self.broken.drain(..) {
                if let Some(index) = waiting.remove(&serial) {
                    results[index] = Some(Err(Error::Malformed));
                }
            }
            for (serial, message) in self.replies.drain() {
                // A late reply to an earlier call has no place any more.
                let Some(index) = waiting.remove(&serial) else { continue };
                results[index] = Some(match message.kind {
                    Kind::Error => Err(Error::Refused {
                        message: message
                            .body
                            .first()
                            .and_then(Value::as_str)
                            .unwrap_or_default()
                            .to_owned(),
                        name: message.error.unwrap_or_default(),
                    }),
                    _ => Ok(message.body),
                });
            }
        }
        results.into_iter().map(|result| result.unwrap_or_else(|| Err(failure.clone()))).collect()
    }

    /// Sends a message and waits for no reply.
    ///
    /// # Errors
    /// The connection is lost, or takes nothing in time.
    pub fn send(&mut self, message: Message, wait: Wait<'_>) -> Result<(), Error> {
        self.queue(message);
        while !self.outgoing.is_empty() {
            self.transfer(wait)?;
        }
        Ok(())
    }

    /// The next message that is no reply, such as a call.
    ///
    /// # Errors
    /// None arrives in time.
    pub fn receive(&mut self, wait: Wait<'_>) -> Result<Message, Error> {
        loop {
            self.parse()?;
            if let Some(message) = self.kept.pop_front() {
                return Ok(message);
            }
            self.transfer(wait)?;
        }
    }

    /// Adds a message to those that are sent, and returns its number.
    fn queue(&mut self, message: Message) -> u32 {
        self.serial = self.serial.wrapping_add(1).max(1);
        self.outgoing.extend(Message { serial: self.serial, ..message }.encoded());
        self.serial
    }

    /// Sends and receives what can be, once at least one of both is possible.
    fn transfer(&mut self, wait: Wait<'_>) -> Result<(), Error> {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, !self.outgoing.is_empty());
        let interval = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
        let ready = loop {
            wait.check()?;
            let mut one = [PollFd::from_borrowed_fd(self.socket.as_fd(), events)];
            match poll(&mut one, Some(&interval)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => break one[0].revents(),
                Err(error) => return Err(Error::io(error)),
            }
        };
        if ready.contains(PollFlags::OUT) {
            self.write()?;
        }
        if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.read()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), Error> {
        let (first, _) = self.outgoing.as_slices();
        match send(&self.socket, first, SendFlags::NOSIGNAL) {
            Ok(count) => {
                self.outgoing.drain(..count);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(Error::io(error)),
        }
    }

    fn read(&mut self) -> Result<(), Error> {
        let mut buffer = [0; 64 << 10];
        match recv(&self.socket, &mut buffer[..], RecvFlags::empty()) {
            Ok((_, 0)) => Err(Error::Lost("it has closed the connection".to_owned())),
            Ok((_, count)) => {
                let skipped = self.skipped.min(count);
                self.skipped -= skipped;
                self.incoming.extend_from_slice(&buffer[skipped..count]);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(Error::io(error)),
        }
    }

    /// Takes whole messages out of what has arrived.
    fn parse(&mut self) -> Result<(), Error> {
        let broken = || Error::Lost("it sends what is no message".to_owned());
        let mut at = 0;
        while let Some(fixed) = self.incoming.get(at..at + FIXED_BYTES) {
            let sizes = Sizes::of(fixed).ok_or_else(broken)?;
            let rest = &self.incoming[at..];
            if rest.len() < sizes.head {
                break;
            }
            let head = &rest[..sizes.head];
            let length = sizes.head + sizes.body;
            let body = if sizes.is_readable() {
                if rest.len() < length {
                    break;
                }
                Some(&rest[sizes.head..length])
            } else {
                None
            };
            let message = decoded(sizes, head, body).ok_or_else(broken)?;
            let here = length.min(rest.len());
            self.skipped = length - here;
            at += here;
            self.keep(message, length);
        }
        self.incoming.drain(..at);
        if self.incoming.len() > 2 * MAX_MESSAGE_BYTES {
            return Err(broken());
        }
        Ok(())
    }

    fn keep(&mut self, message: Result<Message, Message>, length: usize) {
        match message {
            Ok(message) => match (message.kind, message.reply_to) {
                (Kind::Reply | Kind::Error, Some(serial)) => {
                    self.replies.insert(serial, message);
                }
                // Nobody asked for it.
                _ if length > MAX_KEPT_BYTES => {}
                _ => {
                    self.kept.push_back(message);
                    if self.kept.len() > MAX_KEPT_MESSAGES {
                        self.kept.pop_front();
                    }
                }
            },
            Err(message) => self.broken.extend(message.reply_to),
        }
    }
}

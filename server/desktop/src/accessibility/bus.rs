//! The bus on which programs report their elements.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use dbus::{Connection, Error, MethodCall, Value, Wait, parse_addresses};
use tools::{Code, ToolError};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};

use crate::accessibility::element::Reference;
use crate::display::Display;
use crate::limits::{ELEMENT_TIMEOUT, SILENCE};

/// The bus itself, which answers who is on it.
const BUS: &str = "org.freedesktop.DBus";
pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(crate) const COMPONENT: &str = "org.a11y.atspi.Component";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// What to do if there is no bus.
const HINT: &str = "start the accessibility services (`apt install at-spi2-core`), and the programs after them; \
                    GNOME: `gsettings set org.gnome.desktop.interface toolkit-accessibility true`; \
                    Qt: QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1; Chromium and Electron: --force-renderer-accessibility";

/// A connection for one call. All of its waits end in time.
pub(crate) struct AccessibilityBus<'c> {
    connection: Connection,
    interrupt: &'c AtomicBool,
    until: Instant,
    tool: &'static str,
}

/// Why elements cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoElements(pub(crate) String);

impl NoElements {
    pub(crate) fn error(&self, tool: &str) -> ToolError {
        ToolError::new(Code::Unavailable, format!("{tool}: {}", self.0)).hint(HINT)
    }
}

impl<'c> AccessibilityBus<'c> {
    /// Connects to the bus that the environment, the display or the session names.
    pub(crate) fn open(
        display: &Display<'_>,
        interrupt: &'c AtomicBool,
        tool: &'static str,
    ) -> Result<Self, NoElements> {
        let until = Instant::now() + ELEMENT_TIMEOUT;
        let wait = Wait { until, interrupt }.at_most(SILENCE);
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let mut reason = "this session has no accessibility bus".to_owned();
        let named = [variable("AT_SPI_BUS_ADDRESS"), display.accessibility_bus()];
        for address in named.into_iter().flatten() {
            match Connection::connect(&parse_addresses(&address), wait) {
                Ok(connection) => return Ok(Self { connection, interrupt, until, tool }),
                Err(error) => {
                    reason =
                        format!("the accessibility bus of this session does not answer: {error}")
                }
            }
        }
        let of_session = variable("DBUS_SESSION_BUS_ADDRESS").or_else(|| {
            variable("XDG_RUNTIME_DIR").map(|folder| format!("unix:path={folder}/bus"))
        });
        if let Some(address) = of_session.and_then(|address| session_answer(&address, wait)) {
            match Connection::connect(&parse_addresses(&address), wait) {
                Ok(connection) => return Ok(Self { connection, interrupt, until, tool }),
                Err(error) => {
                    reason =
                        format!("the accessibility bus of this session does not answer: {error}")
                }
            }
        }
        Err(NoElements(reason))
    }

    /// Calls methods together. An element that has gone has no result; a program that does not answer is an error.
    pub(crate) fn query(
        &mut self,
        calls: Vec<MethodCall>,
    ) -> Result<Vec<Option<Vec<Value>>>, Silence> {
        let wait = Wait { until: self.until, interrupt: self.interrupt }.at_most(SILENCE);
        let mut values = Vec::with_capacity(calls.len());
        for result in self.connection.call_all(calls, wait) {
            values.push(match result {
                Ok(value) => Some(value),
                Err(Error::NoAnswer) => return Err(Silence::NoAnswer),
                Err(Error::Interrupted) => return Err(Silence::Interrupted),
                Err(error) if error.is_final() => return Err(Silence::Lost(error.to_string())),
                Err(_) => None,
            });
        }
        Ok(values)
    }

    /// One call. `Ok(None)` if the program refuses it, which those do that do not have the element any more.
    pub(crate) fn one(&mut self, call: MethodCall) -> Result<Option<Vec<Value>>, Silence> {
        Ok(self.query(vec![call])?.pop().flatten())
    }

    /// The processes of programs on the bus, as the kernel reports them.
    pub(crate) fn processes(&mut self, names: &[String]) -> Result<Vec<Option<u32>>, Silence> {
        let calls = names.iter().map(|name| MethodCall {
            destination: BUS.to_owned(),
            path: "/org/freedesktop/DBus".to_owned(),
            interface: BUS,
            member: "GetConnectionUnixProcessID",
            body: vec![name.as_str().into()],
        });
        let answers = self.query(calls.collect())?;
        let pid = |values: Option<Vec<Value>>| u32::try_from(values?.first()?.as_i64()?).ok();
        Ok(answers.into_iter().map(pid).collect())
    }

    /// The programs that report elements.
    pub(crate) fn programs(&mut self) -> Result<Vec<Reference>, Silence> {
        let registry = Reference::root("");
        let call = MethodCall {
            destination: "org.a11y.atspi.Registry".to_owned(),
            ..method(&registry, ACCESSIBLE, "GetChildren", Vec::new())
        };
        let answer = self.one(call)?.unwrap_or_default();
        let children = answer.first().map(Value::items).unwrap_or_default();
        Ok(children.iter().filter_map(Reference::parse).take(crate::limits::MAX_PROGRAMS).collect())
    }

    /// The error for a program that did not answer.
    pub(crate) fn error(&self, silence: &Silence) -> ToolError {
        let tool = self.tool;
        match silence {
            Silence::NoAnswer => {
                ToolError::new(Code::Timeout, format!("{tool}: the program does not answer"))
                    .hint("it may be busy or have stopped; take a screenshot")
            }
            Silence::Interrupted => ToolError::new(Code::Cancelled, format!("{tool}: cancelled")),
            Silence::Lost(why) => ToolError::new(Code::Unavailable, format!("{tool}: {why}")),
        }
    }

    /// Whether the time of the call is over.
    pub(crate) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Time for one more step, if there is any.
    pub(crate) fn extend(&mut self, time: Duration) {
        self.until = self.until.max(Instant::now() + time);
    }
}

/// Why a query has no results at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Silence {
    NoAnswer,
    Interrupted,
    Lost(String),
}

/// A call of an element's method.
pub(crate) fn method(
    of: &Reference,
    interface: &'static str,
    member: &'static str,
    body: Vec<Value>,
) -> MethodCall {
    MethodCall { destination: of.name.clone(), path: of.path.clone(), interface, member, body }
}

/// A query of an element's property.
pub(crate) fn property(of: &Reference, interface: &str, name: &str) -> MethodCall {
    method(of, PROPERTIES, "Get", vec![interface.into(), name.into()])
}

/// A change of an element's property.
pub(crate) fn set_property(
    of: &Reference,
    interface: &str,
    name: &str,
    value: Value,
) -> MethodCall {
    method(of, PROPERTIES, "Set", vec![interface.into(), name.into(), value.variant()])
}

/// The accessibility bus's address, as the session's bus has it.
fn session_answer(address: &str, wait: Wait<'_>) -> Option<String> {
    let mut session = Connection::connect(&parse_addresses(address), wait).ok()?;
    let call = MethodCall {
        destination: "org.a11y.Bus".to_owned(),
        path: "/org/a11y/bus".to_owned(),
        interface: "org.a11y.Bus",
        member: "GetAddress",
        body: Vec::new(),
    };
    session.call(call, wait).ok()?.first()?.as_str().map(str::to_owned)
}

impl Display<'_> {
    /// The bus's address, as the display has it.
    fn accessibility_bus(&self) -> Option<String> {
        let reply = self
            .connection
            .get_property(false, self.root, self.atoms.AT_SPI_BUS, AtomEnum::ANY, 0, 1_000)
            .ok()?
            .reply()
            .ok()?;
        String::from_utf8(reply.value).ok().filter(|address| !address.is_empty())
    }
}

//! PostgreSQL, by its extended protocol.
//!
//! All values travel as text in both directions: text is exact for every type, also for those of extensions. Rows
//! come through a portal, a few at a time, so neither side holds more than that.

mod catalog;
mod connect;
mod types;

use std::ops::ControlFlow;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{ErrorFields, Message};
use postgres_protocol::message::frontend;
use serde_json::Value;

use self::types::{TypeTable, parameter_text};
use crate::engine::{Canceller, Engine, Rows};
use crate::failure::{Failure, Layer, printable};
use crate::limits::{CANCEL_TIMEOUT, MAX_COLUMNS, MESSAGE_BYTES};
use crate::value::Column;
use crate::wire::{Dial, Stop, Wire};

/// Rows that are fetched at a time.
const FETCH: i32 = 500;
/// Bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

pub(crate) struct Postgres {
    wire: Wire,
    received: BytesMut,
    dial: Dial,
    key: (i32, i32),
    types: TypeTable,
}

/// A prepared statement.
struct Described {
    parameters: Vec<u32>,
    columns: Vec<(String, u32)>,
}

impl Postgres {
    /// Sends messages.
    fn send(&mut self, messages: &BytesMut) -> Result<(), Failure> {
        self.wire.write_all(messages)
    }

    /// The next message that is no notice. Its length is checked before its bytes are read.
    fn next(&mut self) -> Result<Message, Failure> {
        loop {
            if self.received.len() >= 5 {
                let length = u32::from_be_bytes([
                    self.received[1],
                    self.received[2],
                    self.received[3],
                    self.received[4],
                ]) as usize;
                if length > MESSAGE_BYTES {
                    let why = format!("a row of more than {MESSAGE_BYTES} bytes");
                    return Err(Failure::TooLarge(why));
                }
            }
            match Message::parse(&mut self.received).map_err(protocol)? {
                Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                ) => {}
                Some(message) => return Ok(message),
                None => {
                    let mut piece = [0; READ_BYTES];
                    let count = self.wire.read_some(&mut piece)?;
                    self.received.extend_from_slice(&piece[..count]);
                }
            }
        }
    }

    /// Runs a statement without parameters and result of our own.
    fn command(&mut self, sql: &str) -> Result<(), Failure> {
        let mut messages = BytesMut::new();
        frontend::query(sql, &mut messages).map_err(protocol)?;
        self.send(&messages)?;
        let mut failed = None;
        loop {
            match self.next()? {
                Message::ReadyForQuery(_) => return failed.map_or(Ok(()), Err),
                Message::ErrorResponse(body) => failed = Some(failure(body.fields())),
                _ => {}
            }
        }
    }

    /// Has a statement parsed by the server, which refuses more than one.
    fn describe(&mut self, sql: &str) -> Result<Described, Failure> {
        let mut messages = BytesMut::new();
        frontend::parse("", sql, [], &mut messages).map_err(protocol)?;
        frontend::describe(b'S', "", &mut messages).map_err(protocol)?;
        frontend::sync(&mut messages);
        self.send(&messages)?;
        let mut described = Described { parameters: Vec::new(), columns: Vec::new() };
        let mut failed = None;
        loop {
            match self.next()? {
                Message::ParameterDescription(body) => {
                    described.parameters = body.parameters().collect().map_err(protocol)?;
                }
                Message::RowDescription(body) => {
                    let mut fields = body.fields();
                    while let Some(field) = fields.next().map_err(protocol)? {
                        described.columns.push((field.name().to_owned(), field.type_oid()));
                        if described.columns.len() > MAX_COLUMNS {
                            return Err(Failure::TooLarge(format!(
                                "more than {MAX_COLUMNS} columns"
                            )));
                        }
                    }
                }
                Message::ErrorResponse(body) => failed = Some(failure(body.fields())),
                Message::ReadyForQuery(_) => return failed.map_or(Ok(described), Err),
                Message::ParseComplete | Message::NoData => {}
                _ => return Err(unexpected()),
            }
        }
    }

    /// Runs a statement and passes its rows on. Returns how many rows it changed.
    fn run(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure> {
        let described = self.describe(sql)?;
        let wanted = described.parameters.len();
        if wanted != parameters.len() {
            let why = format!(
                "the statement has {wanted} parameters, and {} values came",
                parameters.len()
            );
            return Err(Failure::Invalid(why));
        }
        let unknown = self.types.unknown(described.columns.iter().map(|(_, oid)| *oid));
        if !unknown.is_empty() {
            self.learn(&unknown)?;
            // The query above has replaced the statement.
            self.describe(sql)?;
        }
        let columns = described
            .columns
            .iter()
            .map(|(name, oid)| Column { name: name.clone(), kind: self.types.name(*oid) });
        let has_rows = !described.columns.is_empty();
        if has_rows {
            rows.columns(columns.collect())?;
        }
        let mut messages = BytesMut::new();
        let values = parameters.iter().zip(&described.parameters);
        let bound = frontend::bind(
            "",
            "",
            [0_i16],
            values,
            |(value, oid), buffer| match parameter_text(value, *oid) {
                Some(text) => {
                    buffer.extend_from_slice(text.as_bytes());
                    Ok(IsNull::No)
                }
                None => Ok(IsNull::Yes),
            },
            [0_i16],
            &mut messages,
        );
        bound.map_err(|_| Failure::Invalid("a parameter cannot be sent".to_owned()))?;
        frontend::execute("", FETCH, &mut messages).map_err(protocol)?;
        frontend::flush(&mut messages);
        self.send(&messages)?;
        let oids: Vec<u32> = described.columns.iter().map(|(_, oid)| *oid).collect();
        let result = self.fetch(&oids, rows);
        if matches!(
            result,
            Err(Failure::Cancelled
                | Failure::Connect(_)
                | Failure::TooLarge(_)
                | Failure::Protocol(_))
        ) {
            return result;
        }
        let mut messages = BytesMut::new();
        frontend::sync(&mut messages);
        self.send(&messages)?;
        loop {
            match self.next()? {
                Message::ReadyForQuery(_) => return result,
                Message::ErrorResponse(body) if result.is_ok() => {
                    return Err(failure(body.fields()));
                }
                _ => {}
            }
        }
    }

    fn fetch(&mut self, oids: &[u32], rows: &mut dyn Rows) -> Result<u64, Failure> {
        loop {
            match self.next()? {
                Message::DataRow(body) => {
                    let mut values = Vec::with_capacity(oids.len());
                    let mut ranges = body.ranges();
                    while let Some(range) = ranges.next().map_err(protocol)? {
                        let Some(oid) = oids.get(values.len()) else { return Err(unexpected()) };
                        values.push(match range {
                            Some(range) => self.types.value(*oid, &body.buffer()[range]),
                            None => Value::Null,
                        });
                    }
                    if values.len() != oids.len() {
                        return Err(unexpected());
                    }
                    if rows.row(values)? == ControlFlow::Break(()) {
                        return Ok(0);
                    }
                }
                Message::PortalSuspended => {
                    let mut messages = BytesMut::new();
                    frontend::execute("", FETCH, &mut messages).map_err(protocol)?;
                    frontend::flush(&mut messages);
                    self.send(&messages)?;
                }
                Message::CommandComplete(body) => {
                    let tag = body.tag().map_err(protocol)?;
                    let count = tag.rsplit(' ').next().and_then(|count| count.parse().ok());
                    return Ok(count.unwrap_or(0));
                }
                Message::EmptyQueryResponse => return Ok(0),
                Message::ErrorResponse(body) => return Err(failure(body.fields())),
                Message::BindComplete => {}
                Message::CopyInResponse(_) | Message::CopyOutResponse(_) => {
                    return Err(Failure::Protocol("it wants to copy data".to_owned()));
                }
                _ => return Err(unexpected()),
            }
        }
    }
}

impl Engine for Postgres {
    fn canceller(&self) -> Box<dyn Canceller> {
        Box::new(Cancel { dial: self.dial.clone(), key: self.key })
    }

    fn check_functions(&mut self, names: &[String]) -> Result<(), Failure> {
        self.check_volatile(names)
    }

    fn read(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<(), Failure> {
        self.command("BEGIN TRANSACTION READ ONLY")?;
        let done = self.run(sql, parameters, rows).map(drop);
        if !matches!(
            done,
            Err(Failure::Connect(_)
                | Failure::Cancelled
                | Failure::Protocol(_)
                | Failure::TooLarge(_))
        ) {
            self.command("ROLLBACK")?;
        }
        done
    }

    fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure> {
        self.command("BEGIN TRANSACTION READ WRITE")?;
        self.run(sql, parameters, rows)
    }

    fn commit(&mut self) -> Result<(), Failure> {
        self.command("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), Failure> {
        self.command("ROLLBACK")
    }
}

struct Cancel {
    dial: Dial,
    key: (i32, i32),
}

impl Canceller for Cancel {
    fn cancel(&self) {
        let mut message = BytesMut::new();
        frontend::cancel_request(self.key.0, self.key.1, &mut message);
        // Servers take it unencrypted as well: it holds the key of one query, which ends now.
        let stop = Stop::after(CANCEL_TIMEOUT);
        if let Ok(mut wire) = self.dial.connect(CANCEL_TIMEOUT, &stop) {
            let _ = wire.write_all(&message);
        }
    }
}

fn protocol(error: std::io::Error) -> Failure {
    Failure::Protocol(error.to_string())
}

fn unexpected() -> Failure {
    Failure::Protocol("a message that does not belong here".to_owned())
}

/// The server's error.
fn failure(mut fields: ErrorFields<'_>) -> Failure {
    let (mut code, mut message, mut hint) = (String::new(), String::new(), String::new());
    while let Ok(Some(field)) = fields.next() {
        let text = String::from_utf8_lossy(field.value_bytes());
        match field.type_() {
            b'C' => code = printable(&text),
            b'M' => message = printable(&text),
            b'H' => hint = format!("; {}", printable(&text)),
            _ => {}
        }
    }
    match code.as_str() {
        // read_only_sql_transaction, insufficient_privilege
        "25006" | "42501" => Failure::refused(Layer::Engine, message),
        "57014" => Failure::Cancelled,
        _ => Failure::Database { code, message: format!("{message}{hint}") },
    }
}

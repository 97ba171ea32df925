//! MySQL and MariaDB, by prepared statements of the client protocol.
//!
//! Rows are read as the server sends them; what nobody wants yet waits in the socket, so neither side holds much.

mod connect;
mod packet;
mod types;

use std::ops::ControlFlow;

use serde_json::{Value, json};

use self::connect::Purpose;
use self::packet::{Packets, Reader};
use self::types::{ColumnType, push_parameters};
use crate::engine::{Canceller, Collected, Engine, Rows};
use crate::failure::{Failure, Layer, printable};
use crate::limits::{CANCEL_TIMEOUT, CATALOG_ROWS, MAX_COLUMNS};
use crate::login::Login;
use crate::value::Column;
use crate::wire::{Dial, Stop};

const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const CLOSE: u8 = 0x19;

const OK: u8 = 0x00;
const LOCAL_FILE: u8 = 0xfb;
const END: u8 = 0xfe;
const ERROR: u8 = 0xff;
/// Longer packets that begin with [`END`] are rows.
const MAX_END: usize = 8;

pub(crate) struct Mysql {
    packets: Packets,
    dial: Dial,
    login: Login,
    connection: u32,
}

/// A prepared statement.
struct Prepared {
    id: u32,
    parameters: usize,
}

impl Mysql {
    /// Runs a statement of our own that returns no rows.
    fn command(&mut self, sql: &str) -> Result<(), Failure> {
        self.packets.begin();
        let mut message = vec![QUERY];
        message.extend_from_slice(sql.as_bytes());
        self.packets.send(&message)?;
        let answer = self.packets.receive()?;
        match answer.first() {
            Some(&OK) => Ok(()),
            Some(&ERROR) => Err(failure(&answer)),
            _ => Err(unexpected()),
        }
    }

    fn prepare(&mut self, sql: &str) -> Result<Prepared, Failure> {
        self.packets.begin();
        let mut message = vec![PREPARE];
        message.extend_from_slice(sql.as_bytes());
        self.packets.send(&message)?;
        let answer = self.packets.receive()?;
        if answer.first() == Some(&ERROR) {
            return Err(failure(&answer));
        }
        let mut reader = Reader::new(&answer);
        if reader.u8()? != OK {
            return Err(unexpected());
        }
        let id = reader.u32()?;
        let (columns, parameters) = (reader.u16()?, reader.u16()?);
        for count in [parameters, columns] {
            for _ in 0..count {
                self.packets.receive()?;
            }
            if count > 0 {
                self.packets.receive()?;
            }
        }
        Ok(Prepared { id, parameters: parameters.into() })
    }

    /// Runs a statement and passes its rows on. Returns how many rows it changed.
    fn run(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure> {
        let prepared = self.prepare(sql)?;
        if prepared.parameters != parameters.len() {
            let why = format!(
                "the statement has {} parameters, and {} values came",
                prepared.parameters,
                parameters.len()
            );
            return Err(Failure::Invalid(why));
        }
        let mut message = vec![EXECUTE];
        message.extend_from_slice(&prepared.id.to_le_bytes());
        // No cursor; one execution.
        message.push(0);
        message.extend_from_slice(&1_u32.to_le_bytes());
        push_parameters(&mut message, parameters);
        self.packets.begin();
        self.packets.send(&message)?;
        let result = self.result(rows)?;
        let mut message = vec![CLOSE];
        message.extend_from_slice(&prepared.id.to_le_bytes());
        self.packets.begin();
        self.packets.send(&message)?;
        Ok(result)
    }

    fn result(&mut self, rows: &mut dyn Rows) -> Result<u64, Failure> {
        let answer = self.packets.receive()?;
        match answer.first() {
            Some(&OK) => {
                let mut reader = Reader::new(&answer[1..]);
                return reader.number();
            }
            Some(&ERROR) => return Err(failure(&answer)),
            Some(&LOCAL_FILE) => {
                return Err(Failure::Protocol(
                    "it wants to read a file of this machine".to_owned(),
                ));
            }
            _ => {}
        }
        let count = usize::try_from(Reader::new(&answer).number()?).unwrap_or(usize::MAX);
        if count > MAX_COLUMNS {
            return Err(Failure::TooLarge(format!("{count} columns")));
        }
        let mut columns = Vec::with_capacity(count);
        let mut kinds = Vec::with_capacity(count);
        for _ in 0..count {
            let definition = self.packets.receive()?;
            let (name, kind) = ColumnType::read(&definition)?;
            columns.push(Column { name, kind: kind.name().to_owned() });
            kinds.push(kind);
        }
        self.packets.receive()?;
        rows.columns(columns)?;
        loop {
            let packet = self.packets.receive()?;
            match packet.first() {
                Some(&END) if packet.len() <= MAX_END => return Ok(0),
                Some(&ERROR) => return Err(failure(&packet)),
                Some(&OK) => {
                    let row = types::row(&packet[1..], &kinds)?;
                    if rows.row(row)? == ControlFlow::Break(()) {
                        // What is on its way cannot be skipped for free: the connection ends here.
                        return Ok(0);
                    }
                }
                _ => return Err(unexpected()),
            }
        }
    }
}

impl Engine for Mysql {
    fn canceller(&self) -> Box<dyn Canceller> {
        let (dial, login) = (self.dial.clone(), self.login.clone());
        Box::new(Kill { dial, login, connection: self.connection })
    }

    fn read(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<(), Failure> {
        self.command("START TRANSACTION READ ONLY")?;
        let result = self.run(sql, parameters, rows).map(drop);
        if matches!(result, Ok(()) | Err(Failure::Database { .. } | Failure::Refused { .. })) {
            // After a row that nobody wanted, the connection is of no use, and ends.
            let _ = self.command("ROLLBACK");
        }
        result
    }

    fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure> {
        self.command("START TRANSACTION READ WRITE")?;
        self.run(sql, parameters, rows)
    }

    fn check_tables(&mut self, tables: &[String]) -> Result<(), Failure> {
        let names: Vec<&str> = tables
            .iter()
            .map(|name| name.rsplit('.').next().unwrap_or(name).trim_matches('`'))
            .collect();
        let mut found = Collected::new(CATALOG_ROWS);
        let sql = "SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t \
                   JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE \
                   WHERE e.TRANSACTIONS <> 'YES' AND t.TABLE_TYPE = 'BASE TABLE' AND JSON_CONTAINS(?, JSON_QUOTE(t.TABLE_NAME))";
        self.run(sql, &[json!(json!(names).to_string())], &mut found)?;
        match found.rows.first() {
            None => Ok(()),
            Some(row) => Err(Failure::Unsupported(format!(
                "the table {} has the engine {}, which has no transactions: nothing could be undone",
                row[0].as_str().unwrap_or_default(),
                row[1].as_str().unwrap_or_default()
            ))),
        }
    }

    fn commit(&mut self) -> Result<(), Failure> {
        self.command("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), Failure> {
        self.command("ROLLBACK")
    }
}

/// Ends the query by a second connection.
struct Kill {
    dial: Dial,
    login: Login,
    connection: u32,
}

impl Canceller for Kill {
    fn cancel(&self) {
        let stop = Stop::after(CANCEL_TIMEOUT);
        if let Ok(mut second) = Mysql::open(&self.dial, &self.login, Purpose::Kill, &stop) {
            let _ = second.command(&format!("KILL QUERY {}", self.connection));
        }
    }
}

pub(crate) use self::connect::Purpose as MysqlPurpose;

fn unexpected() -> Failure {
    Failure::Protocol("a packet that does not belong here".to_owned())
}

/// The server's error.
fn failure(packet: &[u8]) -> Failure {
    let code = packet.get(1..3).map_or(0, |code| u16::from_le_bytes([code[0], code[1]]));
    let text = String::from_utf8_lossy(packet.get(3..).unwrap_or_default());
    let text = match text.strip_prefix('#') {
        Some(rest) => rest.get(5..).unwrap_or_default(),
        None => &text,
    };
    let message = printable(text);
    match code {
        // Read-only transaction; read-only server; access denied for a table, column, privilege.
        1792 | 1290 | 1142 | 1143 | 1227 | 1044 => Failure::refused(Layer::Engine, message),
        // The query was killed, or took too long.
        1317 | 1969 | 3024 => Failure::Cancelled,
        _ => Failure::Database { code: code.to_string(), message },
    }
}

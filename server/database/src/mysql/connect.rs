//! The login at a MySQL or MariaDB server.

use std::time::Duration;

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::packet::{Packets, Reader, framed};
use super::{ERROR, Mysql, OK, failure, unexpected};
use crate::failure::{Failure, printable};
use crate::limits::{CONNECT_TIMEOUT, IDLE_CURSOR, MESSAGE_BYTES};
use crate::login::Login;
use crate::wire::{Address, Dial, Stop};

const LONG_PASSWORD: u32 = 1;
const LONG_FLAG: u32 = 4;
const CONNECT_WITH_DB: u32 = 8;
const PROTOCOL_41: u32 = 0x200;
const SSL: u32 = 0x800;
const TRANSACTIONS: u32 = 0x2000;
const SECURE_CONNECTION: u32 = 0x8000;
const PLUGIN_AUTH: u32 = 0x8_0000;

/// utf8mb4_general_ci.
const CHARSET: u8 = 45;
const SWITCH: u8 = 0xfe;
const MORE: u8 = 0x01;
/// What `caching_sha2_password` wants after the first answer.
const FULL_LOGIN: u8 = 0x04;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading, with a time limit at the server.
    Read(Duration),
    /// A change.
    Write(Duration),
    /// Ending another connection's query.
    Kill,
}

impl Mysql {
    /// Connects and logs in.
    pub(crate) fn open(
        dial: &Dial,
        login: &Login,
        purpose: Purpose,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let mut plain = dial.connect(CONNECT_TIMEOUT, stop)?;
        let mut header = [0; 4];
        plain.read_exact(&mut header)?;
        let length =
            usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
        if length > 4_096 {
            return Err(Failure::Protocol("its greeting is too long".to_owned()));
        }
        let mut greeting = vec![0; length];
        plain.read_exact(&mut greeting)?;
        let greeting = Greeting::read(&greeting)?;
        let mut capabilities = LONG_PASSWORD
            | LONG_FLAG
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | PLUGIN_AUTH;
        if !login.database.is_empty() {
            capabilities |= CONNECT_WITH_DB;
        }
        let mut sequence = header[3].wrapping_add(1);
        if dial.tls.is_some() {
            if greeting.capabilities & SSL == 0 {
                return Err(Failure::Connect("the server does not offer TLS".to_owned()));
            }
            capabilities |= SSL;
            plain.write_all(&framed(&first_fields(capabilities), sequence))?;
            sequence = sequence.wrapping_add(1);
        }
        let wire = plain.secured(dial)?;
        let mut mysql = Self {
            packets: Packets::new(wire, sequence),
            dial: dial.clone(),
            login: login.clone(),
            connection: greeting.connection,
        };
        let answer = mysql.answer(&greeting.plugin, &greeting.scramble)?;
        let mut message = first_fields(capabilities);
        message.extend_from_slice(login.user.as_bytes());
        message.push(0);
        message.push(u8::try_from(answer.len()).map_err(|_| unexpected())?);
        message.extend_from_slice(&answer);
        if !login.database.is_empty() {
            message.extend_from_slice(login.database.as_bytes());
            message.push(0);
        }
        message.extend_from_slice(greeting.plugin.as_bytes());
        message.push(0);
        mysql.packets.send(&message)?;
        mysql.finish()?;
        mysql.set_up(&greeting.version, purpose)?;
        Ok(mysql)
    }

    /// Answers until the server lets us in.
    fn finish(&mut self) -> Result<(), Failure> {
        loop {
            let packet = self.packets.receive()?;
            match packet.first() {
                Some(&OK) => return Ok(()),
                Some(&ERROR) => {
                    return Err(match failure(&packet) {
                        Failure::Database { message, .. }
                        | Failure::Refused { why: message, .. } => {
                            Failure::Connect(format!("the server refuses the login: {message}"))
                        }
                        other => other,
                    });
                }
                Some(&SWITCH) => {
                    let mut reader = Reader::new(&packet[1..]);
                    let plugin = String::from_utf8_lossy(reader.c_text()?).into_owned();
                    let scramble = reader.rest();
                    let scramble = scramble.strip_suffix(&[0]).unwrap_or(scramble);
                    let answer = self.answer(&plugin, scramble)?;
                    self.packets.send(&answer)?;
                }
                Some(&MORE) if packet.get(1) == Some(&FULL_LOGIN) => {
                    if !self.is_private() {
                        return Err(Failure::Connect(
                            "the server wants the password unencrypted; set `tls = true`"
                                .to_owned(),
                        ));
                    }
                    let mut answer = self.password().to_vec();
                    answer.push(0);
                    self.packets.send(&answer)?;
                }
                Some(&MORE) => {}
                _ => return Err(unexpected()),
            }
        }
    }

    fn password(&self) -> &[u8] {
        self.login.password.as_deref().unwrap_or_default().as_bytes()
    }

    /// Whether nobody else can read what is sent.
    fn is_private(&self) -> bool {
        self.dial.tls.is_some() || matches!(self.dial.address, Address::Socket(_))
    }

    fn answer(&self, plugin: &str, scramble: &[u8]) -> Result<Vec<u8>, Failure> {
        let password = self.password();
        match plugin {
            _ if password.is_empty() => Ok(Vec::new()),
            "mysql_native_password" => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                let mixed = Sha1::new().chain_update(scramble).chain_update(twice).finalize();
                Ok(once.iter().zip(mixed).map(|(a, b)| a ^ b).collect())
            }
            "caching_sha2_password" => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                let mixed = Sha256::new().chain_update(twice).chain_update(scramble).finalize();
                Ok(once.iter().zip(mixed).map(|(a, b)| a ^ b).collect())
            }
            "auth_socket" | "unix_socket" => Ok(Vec::new()),
            other => Err(Failure::Connect(format!(
                "the server wants the login `{}`, which is not supported",
                printable(other)
            ))),
        }
    }

    /// Settings by which the server reads a statement as our parser does, and by which it only reads.
    fn set_up(&mut self, version: &str, purpose: Purpose) -> Result<(), Failure> {
        let (timeout, access) = match purpose {
            Purpose::Read(timeout) => (timeout, "READ ONLY"),
            Purpose::Write(timeout) => (timeout, "READ WRITE"),
            Purpose::Kill => return Ok(()),
        };
        // Time in which nobody wants a page counts here, but not for the caller, who ends the query otherwise.
        let limit = timeout + IDLE_CURSOR;
        let time = match version.contains("MariaDB") {
            true => format!("max_statement_time={}", limit.as_secs_f64()),
            false => format!("max_execution_time={}", limit.as_millis()),
        };
        self.command(&format!(
            "SET SESSION sql_mode='STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', \
             SESSION net_write_timeout={}, SESSION {time}",
            limit.as_secs()
        ))?;
        self.command(&format!("SET SESSION TRANSACTION {access}"))
    }
}

/// The fields that a request for TLS and a login begin with.
fn first_fields(capabilities: u32) -> Vec<u8> {
    let mut fields = capabilities.to_le_bytes().to_vec();
    fields.extend_from_slice(&u32::try_from(MESSAGE_BYTES).unwrap_or(u32::MAX).to_le_bytes());
    fields.push(CHARSET);
    fields.extend_from_slice(&[0; 23]);
    fields
}

/// What a server sends first.
struct Greeting {
    version: String,
    connection: u32,
    capabilities: u32,
    scramble: Vec<u8>,
    plugin: String,
}

impl Greeting {
    fn read(packet: &[u8]) -> Result<Self, Failure> {
        if packet.first() == Some(&ERROR) {
            return Err(Failure::Connect(match failure(packet) {
                Failure::Database { message, .. } => format!("the server refuses: {message}"),
                _ => "the server refuses".to_owned(),
            }));
        }
        let mut reader = Reader::new(packet);
        if reader.u8()? != 10 {
            return Err(Failure::Protocol("its protocol is not version 10".to_owned()));
        }
        let version = String::from_utf8_lossy(reader.c_text()?).into_owned();
        let connection = reader.u32()?;
        let mut scramble = reader.bytes(8)?.to_vec();
        reader.bytes(1)?;
        let low = reader.u16()?;
        reader.bytes(3)?;
        let high = reader.u16()?;
        let length = reader.u8()?;
        reader.bytes(10)?;
        let second = reader.bytes(usize::from(length).saturating_sub(8).max(13))?;
        scramble.extend_from_slice(second.strip_suffix(&[0]).unwrap_or(second));
        let plugin = reader.c_text().unwrap_or(b"mysql_native_password");
        Ok(Self {
            version,
            connection,
            capabilities: u32::from(low) | u32::from(high) << 16,
            scramble,
            plugin: String::from_utf8_lossy(plugin).into_owned(),
        })
    }
}

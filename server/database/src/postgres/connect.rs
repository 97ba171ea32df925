//! The login at a PostgreSQL server.

use std::time::Duration;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::types::TypeTable;
use super::{Postgres, failure, protocol, unexpected};
use crate::failure::Failure;
use crate::limits::CONNECT_TIMEOUT;
use crate::login::Login;
use crate::wire::{Dial, Stop};

impl Postgres {
    /// Connects and logs in.
    pub(crate) fn open(
        dial: &Dial,
        login: &Login,
        writes: bool,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let mut plain = dial.connect(CONNECT_TIMEOUT, stop)?;
        if dial.tls.is_some() {
            let mut message = BytesMut::new();
            frontend::ssl_request(&mut message);
            plain.write_all(&message)?;
            let mut answer = [0];
            plain.read_exact(&mut answer)?;
            if answer != [b'S'] {
                return Err(Failure::Connect("the server does not offer TLS".to_owned()));
            }
        }
        let wire = plain.secured(dial)?;
        let mut postgres = Self {
            wire,
            received: BytesMut::new(),
            dial: dial.clone(),
            key: (0, 0),
            types: TypeTable::default(),
        };
        let timeout = format!("{}ms", timeout.as_millis());
        let read_only = if writes { "off" } else { "on" };
        let mut messages = BytesMut::new();
        let settings = [
            ("user", login.user.as_str()),
            ("database", login.database.as_str()),
            ("client_encoding", "UTF8"),
            ("application_name", "tandem"),
            ("default_transaction_read_only", read_only),
            ("statement_timeout", timeout.as_str()),
            ("standard_conforming_strings", "on"),
            ("DateStyle", "ISO"),
            ("IntervalStyle", "iso_8601"),
            ("bytea_output", "hex"),
            ("extra_float_digits", "3"),
        ];
        frontend::startup_message(settings, &mut messages).map_err(protocol)?;
        postgres.send(&messages)?;
        postgres.log_in(login)?;
        Ok(postgres)
    }

    fn log_in(&mut self, login: &Login) -> Result<(), Failure> {
        let password = || {
            let missing = || {
                Failure::Connect(
                    "the server wants a password; name its variable in `password_env`".to_owned(),
                )
            };
            login.password.as_deref().map(str::as_bytes).ok_or_else(missing)
        };
        let mut scram: Option<ScramSha256> = None;
        loop {
            let mut answer = BytesMut::new();
            match self.next()? {
                Message::AuthenticationOk => {}
                Message::AuthenticationCleartextPassword => {
                    if self.dial.tls.is_none() && !self.is_local() {
                        return Err(Failure::Connect(
                            "the server wants the password unencrypted".to_owned(),
                        ));
                    }
                    frontend::password_message(password()?, &mut answer).map_err(protocol)?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash = md5_hash(login.user.as_bytes(), password()?, body.salt());
                    frontend::password_message(hash.as_bytes(), &mut answer).map_err(protocol)?;
                }
                Message::AuthenticationSasl(body) => {
                    let mut mechanisms = body.mechanisms();
                    let mut is_offered = false;
                    while let Some(mechanism) = mechanisms.next().map_err(protocol)? {
                        is_offered |= mechanism == SCRAM_SHA_256;
                    }
                    if !is_offered {
                        return Err(Failure::Connect(
                            "the server wants an unknown login".to_owned(),
                        ));
                    }
                    let started = ScramSha256::new(password()?, ChannelBinding::unsupported());
                    frontend::sasl_initial_response(SCRAM_SHA_256, started.message(), &mut answer)
                        .map_err(protocol)?;
                    scram = Some(started);
                }
                Message::AuthenticationSaslContinue(body) => {
                    let scram = scram.as_mut().ok_or_else(unexpected)?;
                    scram.update(body.data()).map_err(protocol)?;
                    frontend::sasl_response(scram.message(), &mut answer).map_err(protocol)?;
                }
                Message::AuthenticationSaslFinal(body) => {
                    let scram = scram.as_mut().ok_or_else(unexpected)?;
                    scram.finish(body.data()).map_err(protocol)?;
                }
                Message::BackendKeyData(body) => self.key = (body.process_id(), body.secret_key()),
                Message::ReadyForQuery(_) => return Ok(()),
                Message::ErrorResponse(body) => {
                    return Err(match failure(body.fields()) {
                        Failure::Database { code, message } => Failure::Connect(format!(
                            "the server refuses the login: {message} ({code})"
                        )),
                        other => other,
                    });
                }
                _ => return Err(Failure::Connect("the server wants an unknown login".to_owned())),
            }
            if !answer.is_empty() {
                self.send(&answer)?;
            }
        }
    }

    fn is_local(&self) -> bool {
        match &self.dial.address {
            crate::wire::Address::Socket(_) => true,
            crate::wire::Address::Tcp { addresses, .. } => {
                addresses.iter().all(std::net::IpAddr::is_loopback)
            }
        }
    }
}

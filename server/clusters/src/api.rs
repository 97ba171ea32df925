//! The API of a cluster: objects as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use serde_json::Value;
use tools::{Code, Context, ToolError};

use crate::access::Access;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::limits::MAX_TIMEOUT_MS;
use crate::resource_type::ResourceType;

/// Who changed fields, as the cluster records it.
const MANAGER: &str = "tandem";
const JSON: &str = "application/json";

/// A cluster, for one call.
pub(crate) struct Cluster<'c> {
    pub(crate) connection: Connection<'c>,
    /// Kinds by the version of their group.
    pub(crate) known: BTreeMap<String, Vec<ResourceType>>,
}

/// Whether an apply is only tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The server checks everything and stores nothing.
    DryRun,
    /// It is stored.
    Store,
}

impl<'c> Cluster<'c> {
    /// A cluster that policy has decided on.
    pub(crate) fn new(
        context: &'c Context<'_>,
        tool: &'static str,
        access: &Access,
        timeout: Duration,
    ) -> Result<Self, ToolError> {
        let connection = Connection::new(context, tool, access, timeout)?;
        Ok(Self { connection, known: BTreeMap::new() })
    }

    /// Reads an object or a list.
    pub(crate) fn get(&mut self, path: &str) -> Result<Value, Failure> {
        self.get_as(path, JSON)
    }

    /// Reads with another form of the answer.
    pub(crate) fn get_as(&mut self, path: &str, accept: &'static str) -> Result<Value, Failure> {
        let body = self.send(&Method::GET, path, accept, None)?;
        parse(&body)
    }

    /// Reads an object, if it is there.
    pub(crate) fn find(&mut self, path: &str) -> Result<Option<Value>, Failure> {
        match self.get(path) {
            Ok(object) => Ok(Some(object)),
            Err(failure) if failure.is_not_found() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Reads a text.
    pub(crate) fn text(&mut self, path: &str) -> Result<String, Failure> {
        let body = self.send(&Method::GET, path, "*/*", None)?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Applies an object by server-side apply, and returns it as it is then.
    pub(crate) fn apply(
        &mut self,
        path: &str,
        object: &Value,
        mode: Mode,
        force: bool,
    ) -> Result<Value, Failure> {
        let mut path = format!("{path}?fieldManager={MANAGER}&fieldValidation=Strict");
        if mode == Mode::DryRun {
            path.push_str("&dryRun=All");
        }
        if force {
            path.push_str("&force=true");
        }
        // JSON is YAML.
        let body = Bytes::from(object.to_string());
        let content = Some(("application/apply-patch+yaml", body));
        let answer = self.send(&Method::PATCH, &path, JSON, content)?;
        parse(&answer)
    }

    fn send(
        &mut self,
        method: &Method,
        path: &str,
        accept: &'static str,
        body: Option<(&'static str, Bytes)>,
    ) -> Result<Bytes, Failure> {
        let answer = self.connection.request(method, path, accept, body)?;
        match answer.status {
            200..=299 => Ok(answer.body),
            status => Err(Failure::of_status(status, &answer.body)),
        }
    }
}

fn parse(body: &[u8]) -> Result<Value, Failure> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| Failure::Protocol(error.to_string()))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(Failure::Protocol("the answer is no object".to_owned()))
    }
}

/// The time limit of a call.
pub(crate) fn timeout(tool: &str, timeout_ms: u64) -> Result<Duration, ToolError> {
    if timeout_ms == 0 || timeout_ms > MAX_TIMEOUT_MS {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(Duration::from_millis(timeout_ms))
}

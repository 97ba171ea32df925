//! Child sessions: for processes that a debugged program has started (`startDebugging`). Each has
//! its own connection to the parent's adapter, and ends with it at the latest.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::Session;
use super::registry::Registry;
use super::start::SessionParts;
use crate::phase::SessionPhase;
use crate::transport::Endpoint;
use crate::{StopInfo, WaitLimits};

/// Nesting limit of sessions.
const MAX_DEPTH: usize = 8;
/// Timeout of a child session's start.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Length limit of a name, in characters.
const MAX_NAME_LENGTH: usize = 200;

/// A session's position among the sessions of one launch.
#[derive(Clone)]
pub(super) struct SessionTree {
    /// The top session.
    pub(super) root: u64,
    parent: Option<u64>,
    depth: usize,
    /// Notifies of changes in any of them.
    pub(super) changed: Arc<watch::Sender<u64>>,
    members: Arc<Mutex<Vec<Weak<Session>>>>,
    registry: Weak<Registry>,
}

impl SessionTree {
    pub(super) fn new(root: u64, registry: Weak<Registry>) -> Self {
        Self {
            root,
            parent: None,
            depth: 0,
            changed: Arc::new(watch::Sender::new(0)),
            members: Arc::default(),
            registry,
        }
    }

    fn child_of(parent: &Arc<Session>) -> Self {
        Self { parent: Some(parent.id), depth: parent.tree.depth + 1, ..parent.tree.clone() }
    }
}

#[derive(Deserialize)]
struct StartDebuggingArguments {
    request: String,
    configuration: Value,
}

impl StartDebuggingArguments {
    /// The endpoint of the adapter: a loopback port that the configuration names, or else the
    /// parent's endpoint.
    fn endpoint(&self, parent_endpoint: Endpoint) -> Result<Endpoint, String> {
        let connect = &self.configuration["connect"];
        let Some(port) = connect["port"].as_u64() else { return Ok(parent_endpoint) };
        let host = connect["host"].as_str().unwrap_or("127.0.0.1");
        if !matches!(host, "127.0.0.1" | "localhost" | "::1") {
            return Err("it names an adapter on another machine".to_owned());
        }
        let port = u16::try_from(port).ok().filter(|port| *port > 0);
        port.map(Endpoint::Tcp).ok_or_else(|| "it names an invalid port".to_owned())
    }
}

impl Session {
    /// The parent session.
    #[must_use]
    pub fn parent(&self) -> Option<u64> {
        self.tree.parent
    }

    /// The top session: itself if it has no parent.
    #[must_use]
    pub fn root(&self) -> u64 {
        self.tree.root
    }

    /// Another session of the launch with a stop that no waiting call has returned yet.
    #[must_use]
    pub fn other_stopped_session(&self) -> Option<(Arc<Session>, SessionPhase)> {
        self.other_stopped(true).map(|(session, stop)| (session, SessionPhase::Stopped(stop)))
    }

    pub(super) fn other_stopped(&self, mark_reported: bool) -> Option<(Arc<Session>, StopInfo)> {
        let members = self.tree.members.lock().clone();
        let mut others = members.iter().filter_map(Weak::upgrade).filter(|one| one.id != self.id);
        others.find_map(|one| one.shared.unreported_stop(mark_reported).map(|stop| (one, stop)))
    }

    /// Registers it with the other sessions of the launch.
    pub(super) fn register(self: &Arc<Self>) {
        let mut members = self.tree.members.lock();
        members.retain(|one| one.strong_count() > 0);
        members.push(Arc::downgrade(self));
    }

    /// Its direct child sessions.
    pub(super) fn children(&self) -> Vec<Arc<Session>> {
        let members = self.tree.members.lock().clone();
        let all = members.iter().filter_map(Weak::upgrade);
        all.filter(|one| one.tree.parent == Some(self.id)).collect()
    }

    /// Starts a session for a process that the program has started. Returns once the adapter is
    /// connected; the handshake runs in the background.
    pub(super) async fn start_child(self: &Arc<Self>, arguments: &Value) -> Result<Value, String> {
        let request_arguments =
            StartDebuggingArguments::deserialize(arguments).map_err(|error| error.to_string())?;
        if !matches!(request_arguments.request.as_str(), "attach" | "launch") {
            return Err(format!(
                "`{:.60}` is not a request that starts a session",
                request_arguments.request
            ));
        }
        if self.tree.depth >= MAX_DEPTH {
            return Err(format!("sessions are nested at most {MAX_DEPTH} deep"));
        }
        let endpoint = request_arguments.endpoint(self.endpoint)?;
        let registry = self.tree.registry.upgrade().ok_or("the debugger is shutting down")?;
        let slot = registry.reserve_child(self.tree.root)?;
        let stream = self.connector.connect(endpoint).await.map_err(|error| error.to_string())?;
        let name = request_arguments.configuration["name"].as_str().unwrap_or("a child process");
        let name: String = name.chars().take(MAX_NAME_LENGTH).collect();
        let title: String = self.title.chars().take(MAX_NAME_LENGTH).collect();
        let parts = SessionParts {
            id: slot.id(),
            adapter: self.adapter.clone(),
            title: format!("{title}: {name}"),
            attaches: self.attaches,
            lines: HashMap::clone(&self.lines.lock()),
            tree: SessionTree::child_of(self),
            cwd: self.cwd.clone(),
            endpoint,
            connector: self.connector.clone(),
            stderr_tail: self.stderr_tail.clone(),
            child: None,
            attached_process: None,
        };
        let session = Self::with_connection(parts, stream, self.breakpoints.clone());
        session.register();
        tokio::spawn(async move {
            let no_interrupt = AtomicBool::new(false);
            let patience = WaitLimits { timeout: START_TIMEOUT, interrupt: &no_interrupt };
            let StartDebuggingArguments { request, configuration } = request_arguments;
            match session.handshake(&request, &configuration, patience).await {
                Ok(()) => slot.fill(session),
                Err(error) => tracing::debug!("a child session did not start: {error}"),
            }
        });
        Ok(json!({}))
    }
}

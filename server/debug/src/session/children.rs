//! Sessions for processes that a program has started itself: each has a connection of its own to the
//! adapter of the session that it came from, and ends with that at the latest.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::start::Begun;
use super::{Phase, Session};
use crate::debugger::Registry;
use crate::transport::Reach;
use crate::{Patience, Stop};

/// How many sessions may lie above one.
const DEEPEST: usize = 8;
/// How long one may take until its program runs.
const START: Duration = Duration::from_secs(30);
/// Longest name, in characters.
const LONGEST_NAME: usize = 200;

/// Where a session stands among those that one launch has brought.
#[derive(Clone)]
pub(super) struct Family {
    /// The first of them.
    pub(super) root: u64,
    parent: Option<u64>,
    depth: usize,
    /// Told of whatever changes in any of them.
    pub(super) changed: Arc<watch::Sender<u64>>,
    members: Arc<Mutex<Vec<Weak<Session>>>>,
    registry: Weak<Registry>,
}

impl Family {
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

    fn below(parent: &Arc<Session>) -> Self {
        Self { parent: Some(parent.id), depth: parent.family.depth + 1, ..parent.family.clone() }
    }
}

#[derive(Deserialize)]
struct Wanted {
    request: String,
    configuration: Value,
}

impl Wanted {
    /// Where the adapter is to be spoken to: at a port of its own loopback that the configuration
    /// names, else where it was before.
    fn reach(&self, before: Reach) -> Result<Reach, String> {
        let connect = &self.configuration["connect"];
        let Some(port) = connect["port"].as_u64() else { return Ok(before) };
        let host = connect["host"].as_str().unwrap_or("127.0.0.1");
        if !matches!(host, "127.0.0.1" | "localhost" | "::1") {
            return Err("it is to be reached at another machine".to_owned());
        }
        let port = u16::try_from(port).ok().filter(|port| *port > 0);
        port.map(Reach::Tcp).ok_or_else(|| "it names no port".to_owned())
    }
}

impl Session {
    /// The session whose program has started this one's.
    #[must_use]
    pub fn parent(&self) -> Option<u64> {
        self.family.parent
    }

    /// The session at the top: itself, where its program was not started by another.
    #[must_use]
    pub fn root(&self) -> u64 {
        self.family.root
    }

    /// Another session that its launch has brought, which has stopped without anybody being told who
    /// waited.
    #[must_use]
    pub fn stopped_relative(&self) -> Option<(Arc<Session>, Phase)> {
        self.relative(true).map(|(session, stop)| (session, Phase::Stopped(stop)))
    }

    pub(super) fn relative(&self, is_told: bool) -> Option<(Arc<Session>, Stop)> {
        let members = self.family.members.lock().clone();
        let mut others = members.iter().filter_map(Weak::upgrade).filter(|one| one.id != self.id);
        others.find_map(|one| one.shared.news(is_told).map(|stop| (one, stop)))
    }

    /// Is known to the others of its family from now on.
    pub(super) fn join(self: &Arc<Self>) {
        let mut members = self.family.members.lock();
        members.retain(|one| one.strong_count() > 0);
        members.push(Arc::downgrade(self));
    }

    /// Those whose programs were started by this one's.
    pub(super) fn children(&self) -> Vec<Arc<Session>> {
        let members = self.family.members.lock().clone();
        let all = members.iter().filter_map(Weak::upgrade);
        all.filter(|one| one.family.parent == Some(self.id)).collect()
    }

    /// Opens a session for a process that the program has started. Comes back once the adapter is
    /// reached; the rest goes on by itself.
    pub(super) async fn start_child(self: &Arc<Self>, arguments: &Value) -> Result<Value, String> {
        let wanted = Wanted::deserialize(arguments).map_err(|error| error.to_string())?;
        if !matches!(wanted.request.as_str(), "attach" | "launch") {
            return Err(format!("`{:.60}` starts no session", wanted.request));
        }
        if self.family.depth >= DEEPEST {
            return Err(format!("{DEEPEST} sessions lie above it already"));
        }
        let reach = wanted.reach(self.reach)?;
        let registry = self.family.registry.upgrade().ok_or("the sessions end")?;
        let place = registry.place_for_child(self.family.root)?;
        let stream = self.way.connect(reach).await.map_err(|error| error.to_string())?;
        let name = wanted.configuration["name"].as_str().unwrap_or("a process that it started");
        let name: String = name.chars().take(LONGEST_NAME).collect();
        let own: String = self.title.chars().take(LONGEST_NAME).collect();
        let begun = Begun {
            id: place.id(),
            adapter: self.adapter.clone(),
            title: format!("{own}: {name}"),
            attaches: self.attaches,
            lines: HashMap::clone(&self.lines.lock()),
            family: Family::below(self),
            cwd: self.cwd.clone(),
            reach,
            way: self.way.clone(),
            errors: self.errors.clone(),
            child: None,
            held: None,
        };
        let session = Self::over(begun, stream, self.breakpoints.clone());
        session.join();
        tokio::spawn(async move {
            let never = AtomicBool::new(false);
            let patience = Patience { longest: START, interrupt: &never };
            let Wanted { request, configuration } = wanted;
            match session.begin(&request, &configuration, patience).await {
                Ok(()) => place.fill(session),
                Err(error) => tracing::debug!("a child session does not start: {error}"),
            }
        });
        Ok(json!({}))
    }
}

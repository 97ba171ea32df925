//! Subscriptions to resources, and to the list of them.
//!
//! Calls may move to another server at any time, so changes are found by polling: the stamps of what is
//! subscribed to are compared, wherever calls run now. A client that does not read is not polled for.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer};
use tools::Caller;
use workspace::WorkspaceStamps;

use crate::resources::{self, Part};
use crate::shared_state::Server;

/// Resources that one client, or one `subscriptions/listen`, may subscribe to.
pub(crate) const MAX_URIS: usize = 100;
/// How often resources are compared. Changes in between are reported once.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often the list is compared, while nothing else is.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// What one client, or one `subscriptions/listen`, has subscribed to.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<State>);

#[derive(Default)]
struct State {
    /// The stamps that were reported or read last, by URI.
    stamps: BTreeMap<String, u64>,
    /// The open documents that were listed or reported last, if the client watches the list.
    listed: Option<Vec<String>>,
    /// Whether a task polls for the client.
    is_polled: bool,
}

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) uris: Vec<String>,
    pub(crate) has_list_changed: bool,
}

impl Subscriptions {
    /// Adds a resource. False if there are too many.
    pub(crate) async fn add(&self, server: &Server, caller: &Caller, uri: &str) -> bool {
        let uris = vec![uri.to_owned()];
        let stamp =
            stamps(server, caller, &uris).await.of_uris.first().copied().unwrap_or_default();
        let mut state = self.0.lock();
        let is_accepted = state.stamps.len() < MAX_URIS || state.stamps.contains_key(uri);
        if is_accepted {
            state.stamps.insert(uri.to_owned(), stamp);
        }
        is_accepted
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().stamps.remove(uri);
    }

    /// Watches the list, as it is now. `open` are the open documents.
    pub(crate) fn watch_list(&self, open: Vec<String>) {
        self.0.lock().listed = Some(open);
    }

    /// Whether nobody polls yet. From now on the caller does.
    pub(crate) fn begin_polling(&self) -> bool {
        !std::mem::replace(&mut self.0.lock().is_polled, true)
    }

    /// What has changed since the last time.
    async fn changes(&self, server: &Server, caller: &Caller) -> Changes {
        let uris: Vec<String> = self.0.lock().stamps.keys().cloned().collect();
        let now = stamps(server, caller, &uris).await;
        let mut state = self.0.lock();
        let mut changes = Changes::default();
        for (uri, stamp) in uris.into_iter().zip(now.of_uris) {
            // It may have been removed meanwhile.
            let Some(known) = state.stamps.get_mut(&uri) else { continue };
            if std::mem::replace(known, stamp) != stamp {
                changes.uris.push(uri);
            }
        }
        if let Some(listed) = &mut state.listed
            && *listed != now.open
        {
            *listed = now.open;
            changes.has_list_changed = true;
        }
        changes
    }

    /// Waits for changes.
    pub(crate) async fn next(&self, server: &Server, caller: &Caller) -> Changes {
        loop {
            tokio::time::sleep(self.interval()).await;
            let changes = self.changes(server, caller).await;
            if changes != Changes::default() {
                return changes;
            }
        }
    }

    fn interval(&self) -> Duration {
        if self.0.lock().stamps.is_empty() { LIST_INTERVAL } else { INTERVAL }
    }

    /// Notifies a client with a session of changes until it is gone.
    pub(crate) async fn notify_session(
        subscriptions: Weak<Self>,
        server: Arc<Server>,
        caller: Caller,
        peer: Peer<RoleServer>,
    ) {
        loop {
            let Some(interval) = subscriptions.upgrade().map(|all| all.interval()) else { return };
            tokio::time::sleep(interval).await;
            let Some(all) = subscriptions.upgrade() else { return };
            let changes = all.changes(&server, &caller).await;
            drop(all);
            for uri in changes.uris {
                let update = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(update).await.is_err() {
                    return;
                }
            }
            if changes.has_list_changed && peer.notify_resource_list_changed().await.is_err() {
                return;
            }
        }
    }
}

/// The stamps of resources.
struct ResourceStamps {
    of_uris: Vec<u64>,
    open: Vec<String>,
}

async fn stamps(server: &Server, caller: &Caller, uris: &[String]) -> ResourceStamps {
    if uris.is_empty() {
        let open = server.router().open_documents(caller).await;
        return ResourceStamps { of_uris: Vec::new(), open };
    }
    let parts: Vec<Option<Part>> = uris.iter().map(|uri| resources::part(uri)).collect();
    let file_of = |part: &Option<Part>| match part {
        Some(Part::File(path) | Part::FileAndContents(path)) => Some(path.clone()),
        _ => None,
    };
    let files: Vec<String> = parts.iter().filter_map(file_of).collect();
    let WorkspaceStamps { files, contents, editor, git, open } =
        server.router().stamps(caller, files).await;
    let mut files = files.into_iter();
    let mut next_file = || files.next().unwrap_or_default();
    let of_uris = parts.iter().map(|part| match part {
        Some(Part::File(_)) => next_file(),
        Some(Part::FileAndContents(_)) => next_file() ^ contents,
        Some(Part::Contents) => contents,
        Some(Part::Editor) => editor,
        Some(Part::Git) => git,
        None => 0,
    });
    ResourceStamps { of_uris: of_uris.collect(), open }
}

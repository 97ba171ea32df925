//! Other servers of the same user on the same folder: a second window, another editor. Each knows only
//! its own editor's unsaved text. So a call runs in the server whose editor has unsaved changes in the
//! files that the call names, else where those files are open, else where it arrived.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use live::{CallClient, CallOutcome, Connection, ToolsGreeting, Via, greet};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Entry, ToolError};
use workspace::{Snapshot, connect_to_other_servers, servers_changed_at};

use super::MAX_FOLDERS;
use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// How long a peer may take to report its open documents. A peer that hangs is ignored.
const PEER_TIMEOUT: Duration = Duration::from_millis(500);
/// File times have a granularity of some milliseconds. A change older than this gets another time than
/// the next one.
const MIN_SETTLED_AGE: Duration = Duration::from_millis(100);
/// Most strings in arguments that are checked, and the longest that may be a path.
const MAX_STRINGS: usize = 10_000;
const MAX_PATH_BYTES: usize = 4_096;
/// Prefixes of tools that always run in the server that receives them.
const LOCAL_TOOL_PREFIXES: &[&str] = &["debug_", "editor_", "get_editor_", "git_", "run_"];
/// Arguments that hold a patch, which contains the file names.
const PATCH_ARGUMENTS: &[&str] = &["patch", "text", "diff"];

/// Counts of open documents, and of those with unsaved changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct OpenCounts {
    dirty: usize,
    open: usize,
    /// Order-independent hash of the unsaved paths and texts. Two servers of one editor have the same.
    digest: u64,
}

/// Which documents a server has open, for one call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OpenDocuments {
    /// Its workspace folders in order; paths are relative to them.
    roots: Vec<PathBuf>,
    /// Counts for the files that the call names.
    named: OpenCounts,
    all: OpenCounts,
}

/// Another server.
pub(crate) struct Peer {
    root: PathBuf,
    number: u32,
    client: String,
    open: OpenDocuments,
}

/// The server to run a call in. `None` for this one.
///
/// # Errors
/// If two editors have different unsaved changes of a text that the call would change.
pub(crate) async fn choose_peer(
    session: &Arc<Session>,
    call: &ToolCall,
) -> Result<Option<Peer>, ToolError> {
    match place_call(session, call).await {
        None | Some(Placement::Here) => Ok(None),
        Some(Placement::OnPeer(peer)) => Ok(Some(peer)),
        Some(Placement::Conflict(peer)) => Err(conflict_error(&call.tool, session, &peer)),
    }
}

/// What a session remembers of the other servers on its folders.
#[derive(Default)]
pub(crate) struct Peers {
    /// The change times of the socket folders when this server was last found to be the only one.
    last_alone: Mutex<Option<Vec<SystemTime>>>,
    /// Held while a writing call runs in another server, so that there is one at a time.
    forward_lock: tokio::sync::Mutex<()>,
}

impl Peers {
    /// Waits until no writing call is being forwarded.
    pub(crate) async fn lock_forwarding(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.forward_lock.lock().await
    }
}

/// The times at which servers of these folders last started or stopped.
fn socket_times(roots: &[PathBuf]) -> Option<Vec<SystemTime>> {
    roots.iter().map(|root| servers_changed_at(root)).collect()
}

/// Whether a further change would get a different time than these.
fn are_settled(changes: &[SystemTime]) -> bool {
    let is_settled =
        |change: &SystemTime| change.elapsed().is_ok_and(|since| since >= MIN_SETTLED_AGE);
    changes.iter().all(is_settled)
}

async fn place_call(session: &Arc<Session>, call: &ToolCall) -> Option<Placement> {
    let entry = tools::find(&call.tool)?;
    if call.is_forwarded || LOCAL_TOOL_PREFIXES.iter().any(|prefix| entry.name.starts_with(prefix))
    {
        return None;
    }
    let roots: Vec<PathBuf> =
        call.snapshot.roots().iter().take(MAX_FOLDERS).map(|root| root.path().to_owned()).collect();
    // Fast path for every call: usually no other server exists.
    let changes = socket_times(&roots);
    if changes.is_some() && *session.peers.last_alone.lock() == changes {
        return None;
    }
    let found = tokio::task::spawn_blocking(move || {
        let others = roots.into_iter().flat_map(|root| {
            let others = connect_to_other_servers(&root);
            others.into_iter().map(move |(number, stream)| (root.clone(), number, stream))
        });
        others.collect::<Vec<_>>()
    });
    let others = found.await.ok()?;
    if others.is_empty() {
        // `changes` was read before the other servers were listed, so none is missed.
        *session.peers.last_alone.lock() = changes.filter(|changes| are_settled(changes));
        return None;
    }
    let arguments = Value::Object(call.arguments.clone());
    let mut peers = Vec::new();
    for (root, number, stream) in others {
        let answer = query_open_documents(stream, &arguments).await;
        if let Some((client, open)) = answer {
            peers.push(Peer { root, number, client, open });
        }
    }
    let (snapshot, named) = (call.snapshot.clone(), arguments.clone());
    let local =
        session.threads.run_blocking(move || open_documents(&snapshot, &named)).await.ok()?;
    // With other folders, or in another order, relative paths differ.
    peers.retain(|peer| peer.open.roots == local.roots);
    Some(decide(entry, &local, peers, call.caller.front_end.is_empty()))
}

/// Where a call runs.
enum Placement {
    Here,
    OnPeer(Peer),
    /// Two editors have different unsaved changes of a text that the call would change.
    Conflict(Peer),
}

fn decide(
    entry: &Entry,
    local: &OpenDocuments,
    peers: Vec<Peer>,
    is_own_client: bool,
) -> Placement {
    // If no server has a named file open, unsaved text of any file decides.
    let is_named = local.named.open > 0 || peers.iter().any(|peer| peer.open.named.open > 0);
    let of = |open: &OpenDocuments| if is_named { open.named } else { open.all };
    let Some(peer) = peers.into_iter().max_by_key(|peer| of(&peer.open)) else {
        return Placement::Here;
    };
    let (here, there) = (of(local), of(&peer.open));
    if there.dirty > 0 && here.dirty > 0 {
        // Two servers of one editor have the same unsaved text, which is no conflict.
        let differ = is_named && here.digest != there.digest;
        return if differ && entry.changes_files() {
            Placement::Conflict(peer)
        } else {
            Placement::Here
        };
    }
    // The editor's own client gets its own view, unless another editor has unsaved text.
    let is_open_there_alone = is_named && here.open == 0 && there.open > 0 && !is_own_client;
    if there.dirty > 0 || here.dirty == 0 && is_open_there_alone {
        Placement::OnPeer(peer)
    } else {
        Placement::Here
    }
}

fn conflict_error(tool: &str, session: &Session, peer: &Peer) -> ToolError {
    let this_client = session.client_name.as_deref().unwrap_or("this editor");
    let message = format!(
        "{tool}: the text has different unsaved changes in two editors, {this_client} and {} (process {})",
        peer.client, peer.number,
    );
    ToolError::new(Code::Conflict, message)
        .hint("ask the user to save or close it in one of them, then try again")
}

/// Queries a peer for its open documents.
async fn query_open_documents(
    stream: std::os::unix::net::UnixStream,
    arguments: &Value,
) -> Option<(String, OpenDocuments)> {
    let greeting = json!({ "face": "having", "arguments": arguments });
    let mut greeted = greet(stream, &greeting, PEER_TIMEOUT).await.ok()?;
    let open = serde_json::from_value(greeted.welcome["having"].take()).ok()?;
    Some((greeted.client().unwrap_or("an editor").to_owned(), open))
}

/// Runs the call in a peer. `None` if the peer is gone and nothing was done.
pub(crate) async fn forward_call(call: &ToolCall, peer: &Peer) -> Option<Result<Value, ToolError>> {
    let (root, number) = (peer.root.clone(), peer.number);
    let connecting = tokio::task::spawn_blocking(move || {
        connect_to_other_servers(&root).into_iter().find(|(found, _)| *found == number)
    });
    let (_, stream) = connecting.await.ok()??;
    let greeting = ToolsGreeting {
        client: call.caller.client.clone(),
        via: Via::of(&call.caller),
        approved: call.approved,
        is_forwarded: true,
    };
    let connection = Connection::start(stream, &greeting, PEER_TIMEOUT).await.ok()?;
    let arguments = Value::Object(call.arguments.clone());
    let client = ForwardingClient(call.progress.clone());
    match connection.call(&call.caller, &call.tool, &arguments, client).await {
        CallOutcome::Answered(answer) => Some(answer.map_err(ToolError::from_data)),
        CallOutcome::NotMade => None,
    }
}

/// Passes progress on. The other server's editor asks its own person.
struct ForwardingClient(Arc<Progress>);

impl CallClient for ForwardingClient {
    fn progress(&self, message: &str) {
        self.0.report(message);
    }
}

/// The open documents here, for a call with these arguments. O(arguments + open documents).
pub(super) fn open_documents(snapshot: &Snapshot, arguments: &Value) -> OpenDocuments {
    let mut named_paths = NamedPaths::default();
    named_paths.gather(arguments, "", 0);
    let roots = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
    let mut open = OpenDocuments { roots, ..OpenDocuments::default() };
    for (document, path, is_saved) in snapshot.open_files() {
        let (shown, absolute) = (path.display_path(), path.absolute());
        let mut one = OpenCounts { open: 1, ..OpenCounts::default() };
        if !is_saved {
            let mut hasher = DefaultHasher::new();
            (&shown, document.text().to_string()).hash(&mut hasher);
            (one.dirty, one.digest) = (1, hasher.finish());
        }
        open.all.add(one);
        let absolute = absolute.to_str().unwrap_or_default();
        if named_paths.contains(&shown)
            || named_paths.contains(absolute)
            || named_paths.contains(document.uri())
        {
            open.named.add(one);
        }
    }
    open
}

impl OpenCounts {
    fn add(&mut self, other: Self) {
        self.open += other.open;
        self.dirty += other.dirty;
        // Addition makes the hash independent of order.
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// The strings in arguments that may name files.
#[derive(Default)]
struct NamedPaths<'a> {
    texts: HashSet<&'a str>,
    patches: Vec<&'a str>,
}

impl<'a> NamedPaths<'a> {
    fn gather(&mut self, value: &'a Value, key: &str, depth: u32) {
        if depth > 16 || self.texts.len() >= MAX_STRINGS {
            return;
        }
        match value {
            Value::String(text) if PATCH_ARGUMENTS.contains(&key) => self.patches.push(text),
            Value::String(text) if text.len() <= MAX_PATH_BYTES => {
                self.texts.insert(text.strip_prefix("./").unwrap_or(text).trim_end_matches('/'));
            }
            Value::Array(all) => all.iter().for_each(|each| self.gather(each, key, depth + 1)),
            Value::Object(fields) => {
                fields.iter().for_each(|(key, each)| self.gather(each, key, depth + 1));
            }
            _ => {}
        }
    }

    /// Whether the file or a folder around it is named.
    fn contains(&self, path: &str) -> bool {
        let mut around = std::iter::successors(Some(path), |path| {
            path.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty())
        });
        around.any(|path| self.texts.contains(path))
            || self.patches.iter().any(|patch| {
                patch.lines().any(|line| {
                    line.split_whitespace().any(|word| {
                        word == path
                            || word.strip_prefix("a/").or(word.strip_prefix("b/")) == Some(path)
                    })
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &Value, path: &str) -> bool {
        let mut named_paths = NamedPaths::default();
        named_paths.gather(arguments, "", 0);
        named_paths.contains(path)
    }

    #[test]
    fn paths_are_found_in_arguments() {
        for arguments in [
            json!({ "path": "src/a.rs" }),
            json!({ "edits": [{ "file": "./src/a.rs" }] }),
            json!({ "from": "src/", "to": "lib" }),
            json!({ "patch": "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n" }),
            json!({ "patch": "src/a.rs\n<<<<<<< SEARCH\n" }),
        ] {
            assert!(names(&arguments, "src/a.rs"), "{arguments}");
        }
        for arguments in [
            json!({ "path": "src/a" }),
            json!({ "query": "a.rs" }),
            json!({ "patch": "--- a/src/a.rs.txt\n" }),
            json!({}),
        ] {
            assert!(!names(&arguments, "src/a.rs"), "{arguments}");
        }
    }

    #[test]
    fn unsaved_text_decides_first_then_open_documents() {
        tools::add_families(vec![
            code_tools::family(),
            search_tools::family(),
            debug_tools::family(),
            git_tools::family(),
        ]);
        let open_documents = |named: (usize, usize), all: (usize, usize)| OpenDocuments {
            roots: Vec::new(),
            named: OpenCounts { dirty: named.0, open: named.1, digest: 0 },
            all: OpenCounts { dirty: all.0, open: all.1, digest: 0 },
        };
        let peer =
            |open| Peer { root: PathBuf::new(), number: 1, client: "Other".to_owned(), open };
        let choose = |tool: &str, local: &OpenDocuments, theirs: &OpenDocuments, is_own_client| {
            let entry = tools::find(tool).expect("a tool");
            match decide(entry, local, vec![peer(theirs.clone())], is_own_client) {
                Placement::Here => "here",
                Placement::OnPeer(_) => "there",
                Placement::Conflict(_) => "both",
            }
        };
        let (none, open, dirty) = (
            open_documents((0, 0), (0, 0)),
            open_documents((0, 1), (0, 1)),
            open_documents((1, 1), (1, 1)),
        );
        assert_eq!(choose("apply_edit", &open, &dirty, false), "there");
        assert_eq!(choose("apply_edit", &none, &open, false), "there");
        assert_eq!(choose("apply_edit", &none, &open, true), "here");
        assert_eq!(choose("apply_edit", &none, &dirty, true), "there");
        assert_eq!(choose("apply_edit", &open, &open, false), "here");
        assert_eq!(choose("apply_edit", &dirty, &open, false), "here");
        let mut other = dirty.clone();
        other.named.digest = 1;
        assert_eq!(choose("apply_edit", &dirty, &other, false), "both");
        assert_eq!(choose("read_file", &dirty, &other, false), "here");
        // Two servers of one editor have the same unsaved text.
        assert_eq!(choose("apply_edit", &dirty, &dirty, false), "here");
        // No file is named, so unsaved text of any file decides.
        let elsewhere = open_documents((0, 0), (2, 3));
        assert_eq!(choose("find_symbol", &none, &elsewhere, false), "there");
        assert_eq!(choose("find_symbol", &elsewhere, &elsewhere, false), "here");
        // The file is named and open here.
        assert_eq!(choose("read_file", &open, &elsewhere, false), "here");
    }
}

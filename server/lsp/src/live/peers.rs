//! Other servers of the same person on the same folder: a second window, another editor. Each knows the
//! unsaved text of its own editor only. A call is therefore made in the server whose editor has unsaved
//! changes of the files that the call names, else where those files are open, else where it came in.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;
use tools::{Code, Entry, ToolError};
use workspace::{Snapshot, connect_live_others, live_changed};

use super::FOLDERS;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// How long a peer may take to say what it has open. One that hangs is passed over.
const PATIENCE: Duration = Duration::from_millis(500);
/// File systems record times in steps of some milliseconds. A change older than this is sure to get
/// another time than the next one.
const SETTLED: Duration = Duration::from_millis(100);
/// Most texts of arguments that are looked at, and the longest that may be a place.
const TEXTS: usize = 10_000;
const LONGEST: usize = 4_096;
/// Families of tools that belong to the server they are asked of, whatever it has open.
const OWN: &[&str] = &["debug_", "editor_", "get_editor_", "git_", "run_"];
/// Arguments that hold a patch, which names its files inside.
const PATCHES: &[&str] = &["patch", "text", "diff"];

/// How many documents a server has open, and how many of them with text that is not the disk's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Open {
    dirty: usize,
    open: usize,
    /// Of the places and texts that are not the disk's. Two servers of one editor have the same.
    digest: u64,
}

/// What a server has of what a call is about.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Having {
    /// Its folders, in their order: places are relative to them.
    roots: Vec<PathBuf>,
    /// Of the places that the call names.
    named: Open,
    all: Open,
}

/// Another server.
pub(crate) struct Peer {
    root: PathBuf,
    number: u32,
    client: String,
    having: Having,
}

/// The server that a call is to be made in; `None` for this one.
///
/// # Errors
/// Where two have unsaved changes of a text that the call would change.
pub(crate) async fn place(
    session: &Arc<Session>,
    call: &ToolCall,
) -> Result<Option<Peer>, ToolError> {
    match choice(session, call).await {
        None | Some(Choice::Here) => Ok(None),
        Some(Choice::There(peer)) => Ok(Some(peer)),
        Some(Choice::Both(peer)) => Err(in_both(&call.tool, session, &peer)),
    }
}

/// What a session remembers of the other servers on its folders.
#[derive(Default)]
pub(crate) struct Peers {
    /// When servers came or went last, by folder, at a time at which there was none but this one.
    alone: Mutex<Option<Vec<SystemTime>>>,
    /// Held while a changing call is made in another server: one after the other.
    passing: tokio::sync::Mutex<()>,
}

impl Peers {
    /// Waits until no changing call is passed on.
    pub(crate) async fn pass(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.passing.lock().await
    }
}

/// When servers of folders came or went last.
fn changes(roots: &[PathBuf]) -> Option<Vec<SystemTime>> {
    roots.iter().map(|root| live_changed(root)).collect()
}

/// Whether so much time has passed since changes that another one would have another time.
fn are_settled(changes: &[SystemTime]) -> bool {
    let is_settled = |change: &SystemTime| change.elapsed().is_ok_and(|since| since >= SETTLED);
    changes.iter().all(is_settled)
}

async fn choice(session: &Arc<Session>, call: &ToolCall) -> Option<Choice> {
    let entry = tools::find(&call.tool)?;
    if call.is_passed_on || OWN.iter().any(|own| entry.name.starts_with(own)) {
        return None;
    }
    let roots: Vec<PathBuf> =
        call.snapshot.roots().iter().take(FOLDERS).map(|root| root.path().to_owned()).collect();
    // Every call comes by here, and mostly there is nobody else.
    let changes = changes(&roots);
    if changes.is_some() && *session.peers.alone.lock() == changes {
        return None;
    }
    let found = tokio::task::spawn_blocking(move || {
        let others = roots.into_iter().flat_map(|root| {
            let others = connect_live_others(&root);
            others.into_iter().map(move |(number, stream)| (root.clone(), number, stream))
        });
        others.collect::<Vec<_>>()
    });
    let others = found.await.ok()?;
    if others.is_empty() {
        // The time was read before it was looked who is there.
        *session.peers.alone.lock() = changes.filter(|changes| are_settled(changes));
        return None;
    }
    let arguments = Value::Object(call.arguments.clone());
    let mut peers = Vec::new();
    for (root, number, stream) in others {
        let asked = timeout(PATIENCE, having_of(stream, &arguments)).await;
        if let Ok(Some((client, having))) = asked {
            peers.push(Peer { root, number, client, having });
        }
    }
    let (snapshot, named) = (call.snapshot.clone(), arguments.clone());
    let own = session.pool.call(move || having(&snapshot, &named)).await.ok()?;
    // Where there are others, or in another order, a place is another one.
    peers.retain(|peer| peer.having.roots == own.roots);
    Some(chosen(entry, &own, peers, call.caller.front_end.is_empty()))
}

/// Where a call belongs.
enum Choice {
    Here,
    There(Peer),
    /// Two have unsaved changes of the same text, and the call would change it.
    Both(Peer),
}

fn chosen(entry: &Entry, own: &Having, peers: Vec<Peer>, is_own_client: bool) -> Choice {
    let is_named = own.named.open > 0 || peers.iter().any(|peer| peer.having.named.open > 0);
    let of = |having: &Having| if is_named { having.named } else { having.all };
    let Some(peer) = peers.into_iter().max_by_key(|peer| of(&peer.having)) else {
        return Choice::Here;
    };
    let (here, there) = (of(own), of(&peer.having));
    if there.dirty > 0 && here.dirty > 0 {
        let differ = is_named && here.digest != there.digest;
        return if differ && entry.needs_write_lock() { Choice::Both(peer) } else { Choice::Here };
    }
    // What the editor's own client asks for is made in it, where no unsaved text says otherwise.
    let is_open_there_alone = is_named && here.open == 0 && there.open > 0 && !is_own_client;
    if there.dirty > 0 || here.dirty == 0 && is_open_there_alone {
        Choice::There(peer)
    } else {
        Choice::Here
    }
}

fn in_both(tool: &str, session: &Session, peer: &Peer) -> ToolError {
    let own = session.client_name.as_deref().unwrap_or("this editor");
    let message = format!(
        "{tool}: the text has unsaved changes in two editors, {own} and {} (process {})",
        peer.client, peer.number,
    );
    ToolError::new(Code::Conflict, message)
        .hint("have the person save or close it in one of them, then try again")
}

/// Asks a peer what it has open.
async fn having_of(
    stream: std::os::unix::net::UnixStream,
    arguments: &Value,
) -> Option<(String, Having)> {
    #[derive(Deserialize)]
    struct Answer {
        client: Option<String>,
        having: Having,
    }
    let answer = greet(stream, &json!({ "face": "having", "arguments": arguments })).await?.0;
    let Answer { client, having } = serde_json::from_str(&answer).ok()?;
    Some((client.unwrap_or_else(|| "an editor".to_owned()), having))
}

/// Says what for, and reads the first line of the answer.
async fn greet(
    stream: std::os::unix::net::UnixStream,
    greeting: &Value,
) -> Option<(String, BufReader<UnixStream>)> {
    stream.set_nonblocking(true).ok()?;
    let mut stream = BufReader::new(UnixStream::from_std(stream).ok()?);
    stream.write_all(format!("{greeting}\n").as_bytes()).await.ok()?;
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    Some((line, stream))
}

/// Has a peer make the call; `None` where it has gone and nothing was done.
pub(crate) async fn pass_on(call: &ToolCall, peer: &Peer) -> Option<Result<Value, ToolError>> {
    let arguments = Value::Object(call.arguments.clone());
    let (root, number) = (peer.root.clone(), peer.number);
    let connecting = tokio::task::spawn_blocking(move || {
        connect_live_others(&root).into_iter().find(|(found, _)| *found == number)
    });
    let (_, stream) = connecting.await.ok()??;
    let greeting = json!({
        "face": "tools", "via": call.caller.front_end, "client": call.caller.client,
        "approved": call.approved, "passed_on": true,
    });
    let (welcome, mut stream) = timeout(PATIENCE, greet(stream, &greeting)).await.ok()??;
    let welcome: Value = serde_json::from_str(&welcome).ok()?;
    if welcome["ok"] != true {
        return None;
    }
    let asked = json!({ "id": 1, "tool": call.tool, "arguments": arguments });
    let asked = stream.write_all(format!("{asked}\n").as_bytes()).await;
    let mut line = String::new();
    while asked.is_ok() {
        line.clear();
        if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
            break;
        }
        let Ok(mut said) = serde_json::from_str::<Value>(&line) else { break };
        if let Some(message) = said["progress"].as_str() {
            call.progress.tell(message);
        } else if said["not_made"] == true || said["leaving"] == true {
            return None;
        } else if said["error"].is_object() {
            return Some(Err(ToolError::from_data(said["error"].take())));
        } else {
            return Some(Ok(said["result"].take()));
        }
    }
    let message = format!("{}: {} has ended while the call went on", call.tool, peer.client);
    let error = ToolError::new(Code::Unavailable, message);
    Some(Err(error.hint("look whether the call has had its effect, then ask again")))
}

/// What is open here of what a call with these arguments is about. O(arguments + open documents).
pub(super) fn having(snapshot: &Snapshot, arguments: &Value) -> Having {
    let mut places = Places::default();
    places.gather(arguments, "", 0);
    let roots = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
    let mut having = Having { roots, ..Having::default() };
    for (document, path, is_saved) in snapshot.open_files() {
        let (shown, absolute) = (path.shown(), path.absolute());
        let mut one = Open { open: 1, ..Open::default() };
        if !is_saved {
            let mut hasher = DefaultHasher::new();
            (&shown, document.text().to_string()).hash(&mut hasher);
            (one.dirty, one.digest) = (1, hasher.finish());
        }
        having.all.add(one);
        let absolute = absolute.to_str().unwrap_or_default();
        if places.have(&shown) || places.have(absolute) || places.have(document.uri()) {
            having.named.add(one);
        }
    }
    having
}

impl Open {
    fn add(&mut self, other: Self) {
        self.open += other.open;
        self.dirty += other.dirty;
        // In whatever order they come.
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// What arguments may name files with.
#[derive(Default)]
struct Places<'a> {
    texts: HashSet<&'a str>,
    patches: Vec<&'a str>,
}

impl<'a> Places<'a> {
    fn gather(&mut self, value: &'a Value, key: &str, depth: u32) {
        if depth > 16 || self.texts.len() >= TEXTS {
            return;
        }
        match value {
            Value::String(text) if PATCHES.contains(&key) => self.patches.push(text),
            Value::String(text) if text.len() <= LONGEST => {
                self.texts.insert(text.strip_prefix("./").unwrap_or(text).trim_end_matches('/'));
            }
            Value::Array(all) => all.iter().for_each(|each| self.gather(each, key, depth + 1)),
            Value::Object(fields) => {
                fields.iter().for_each(|(key, each)| self.gather(each, key, depth + 1));
            }
            _ => {}
        }
    }

    /// Whether a file, or a folder around it, is named.
    fn have(&self, place: &str) -> bool {
        let mut around = std::iter::successors(Some(place), |place| {
            place.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty())
        });
        around.any(|place| self.texts.contains(place))
            || self.patches.iter().any(|patch| {
                patch.lines().any(|line| {
                    line.split_whitespace().any(|word| {
                        word == place
                            || word.strip_prefix("a/").or(word.strip_prefix("b/")) == Some(place)
                    })
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &Value, place: &str) -> bool {
        let mut places = Places::default();
        places.gather(arguments, "", 0);
        places.have(place)
    }

    #[test]
    fn places_are_found_in_arguments() {
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
    fn unsaved_text_is_first_then_what_is_open() {
        let having = |named: (usize, usize), all: (usize, usize)| Having {
            roots: Vec::new(),
            named: Open { dirty: named.0, open: named.1, digest: 0 },
            all: Open { dirty: all.0, open: all.1, digest: 0 },
        };
        let peer =
            |having| Peer { root: PathBuf::new(), number: 1, client: "Other".to_owned(), having };
        let choose = |tool: &str, own: &Having, theirs: &Having, is_own_client| {
            let entry = tools::find(tool).expect("a tool");
            match chosen(entry, own, vec![peer(theirs.clone())], is_own_client) {
                Choice::Here => "here",
                Choice::There(_) => "there",
                Choice::Both(_) => "both",
            }
        };
        let (none, open, dirty) =
            (having((0, 0), (0, 0)), having((0, 1), (0, 1)), having((1, 1), (1, 1)));
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
        // Two servers of one editor.
        assert_eq!(choose("apply_edit", &dirty, &dirty, false), "here");
        // Nothing is named: where there is unsaved text of any file.
        let elsewhere = having((0, 0), (2, 3));
        assert_eq!(choose("find_symbol", &none, &elsewhere, false), "there");
        assert_eq!(choose("find_symbol", &elsewhere, &elsewhere, false), "here");
        // It is named and open here.
        assert_eq!(choose("read_file", &open, &elsewhere, false), "here");
    }
}

//! A model of an editor: the open buffers, and its answer to `workspace/applyEdit`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use client::{Answer, Outgoing, ServerRequest};
use serde_json::{Value, json};

use crate::position::{Encoding, apply_edits, offset_at};

/// What the editor does when asked to apply an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Applies it, sends `didChange`, then answers: what most editors do.
    ChangeThenReply,
    /// Applies it, answers, then sends `didChange`.
    ReplyThenChange,
    /// Answers that it was not applied.
    Refuse,
    /// Never answers.
    Silent,
    /// The first time, the person has just typed `!` at the start of every open document, and
    /// the server is notified only now; from then on, as `ChangeThenReply`.
    TypesFirst,
}

struct Buffer {
    version: i32,
    text: String,
}

struct EditorState {
    behaviour: Behaviour,
    encoding: Encoding,
    buffers: BTreeMap<String, Buffer>,
    apply_edit_requests: Vec<Value>,
}

/// Answers requests other than `workspace/applyEdit`.
type RequestHandler = Box<dyn FnMut(&ServerRequest, &Outgoing) -> Answer + Send>;

/// The editor's end of a connection, shared by the test and the thread that answers the server.
#[derive(Clone)]
pub(crate) struct Editor {
    state: Arc<Mutex<EditorState>>,
    other_requests: Arc<Mutex<RequestHandler>>,
}

impl Editor {
    pub(crate) fn new(behaviour: Behaviour) -> Self {
        let buffers = BTreeMap::new();
        let state = EditorState {
            behaviour,
            encoding: Encoding::Utf16,
            buffers,
            apply_edit_requests: Vec::new(),
        };
        let other_requests: RequestHandler = Box::new(|_, _| Answer::Default);
        Self {
            state: Arc::new(Mutex::new(state)),
            other_requests: Arc::new(Mutex::new(other_requests)),
        }
    }

    fn state(&self) -> MutexGuard<'_, EditorState> {
        self.state.lock().unwrap()
    }

    pub(crate) fn set_encoding(&self, encoding: Encoding) {
        self.state().encoding = encoding;
    }

    /// Sets the handler of requests other than `workspace/applyEdit`.
    pub(crate) fn set_request_handler(
        &self,
        answer: impl FnMut(&ServerRequest, &Outgoing) -> Answer + Send + 'static,
    ) {
        *self.other_requests.lock().unwrap() = Box::new(answer);
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.state().behaviour = behaviour;
    }

    pub(crate) fn open(&self, uri: &str, version: i32, text: &str) {
        self.state().buffers.insert(uri.to_owned(), Buffer { version, text: text.to_owned() });
    }

    pub(crate) fn close(&self, uri: &str) {
        self.state().buffers.remove(uri);
    }

    pub(crate) fn text(&self, uri: &str) -> String {
        match self.state().buffers.get(uri) {
            Some(buffer) => buffer.text.clone(),
            None => panic!("{uri} is not open"),
        }
    }

    /// The parameters of every `workspace/applyEdit` so far.
    pub(crate) fn apply_edit_requests(&self) -> Vec<Value> {
        self.state().apply_edit_requests.clone()
    }

    /// An edit by the person: applies content changes in order and notifies the server.
    pub(crate) fn type_in(&self, uri: &str, changes: &[Value], out: &Outgoing) {
        let mut state = self.state();
        let encoding = state.encoding;
        let buffer = state.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        buffer.change(uri, changes, encoding, out);
    }

    /// Answers the server's requests; what it does not know is left to the client's defaults.
    pub(crate) fn answer(&self, request: &ServerRequest, out: &Outgoing) -> Answer {
        if request.method != "workspace/applyEdit" {
            return self.other_requests.lock().unwrap()(request, out);
        }
        let mut state = self.state();
        state.apply_edit_requests.push(request.params.clone());
        match state.behaviour {
            Behaviour::Refuse => not_applied("the person said no"),
            Behaviour::Silent => Answer::Handled,
            Behaviour::ChangeThenReply => state.apply(request, out),
            Behaviour::TypesFirst => {
                state.behaviour = Behaviour::ChangeThenReply;
                let encoding = state.encoding;
                let start = json!({ "line": 0, "character": 0 });
                let typed = json!({ "range": { "start": start, "end": start }, "text": "!" });
                for (uri, buffer) in &mut state.buffers {
                    buffer.change(uri, std::slice::from_ref(&typed), encoding, out);
                }
                state.apply(request, out)
            }
            Behaviour::ReplyThenChange => match state.check(&request.params) {
                Err(reason) => not_applied(&reason),
                Ok(edits) => {
                    out.respond(&request.id, json!({ "applied": true })).unwrap();
                    state.commit(edits, out);
                    Answer::Handled
                }
            },
        }
    }
}

impl EditorState {
    fn apply(&mut self, request: &ServerRequest, out: &Outgoing) -> Answer {
        match self.check(&request.params) {
            Err(reason) => not_applied(&reason),
            Ok(edits) => {
                self.commit(edits, out);
                Answer::Result(json!({ "applied": true }))
            }
        }
    }

    /// The edits of each document, once all of them are seen to fit.
    fn check(&self, params: &Value) -> Result<Vec<(String, Vec<Value>)>, String> {
        let edit = &params["edit"];
        let mut checked = Vec::new();
        for document in edit["documentChanges"].as_array().into_iter().flatten() {
            let identifier = &document["textDocument"];
            let uri = identifier["uri"].as_str().ok_or("a change that is no text edit")?;
            let buffer = self.buffers.get(uri).ok_or_else(|| format!("{uri} is not open"))?;
            if let Some(version) = identifier["version"].as_i64()
                && version != i64::from(buffer.version)
            {
                return Err(format!("{uri} is at version {}, not {version}", buffer.version));
            }
            checked.push((uri.to_owned(), document["edits"].as_array().cloned()));
        }
        for (uri, edits) in edit["changes"].as_object().into_iter().flatten() {
            checked.push((uri.clone(), edits.as_array().cloned()));
        }
        let mut edits_by_uri = Vec::new();
        for (uri, edits) in checked {
            let edits = edits.ok_or("a document without edits")?;
            let buffer = self.buffers.get(&uri).ok_or_else(|| format!("{uri} is not open"))?;
            apply_edits(&buffer.text, &edits, self.encoding)?;
            edits_by_uri.push((uri, edits));
        }
        if edits_by_uri.is_empty() {
            return Err("no documents to edit".to_owned());
        }
        Ok(edits_by_uri)
    }

    /// Applies checked edits and sends `didChange`, last range first so that earlier ranges stay valid.
    fn commit(&mut self, edits: Vec<(String, Vec<Value>)>, out: &Outgoing) {
        let encoding = self.encoding;
        for (uri, mut edits) in edits {
            let buffer = self.buffers.get_mut(&uri).unwrap();
            edits.sort_by_key(|edit| {
                let start = offset_at(&buffer.text, &edit["range"]["start"], encoding);
                std::cmp::Reverse(start)
            });
            let changes: Vec<_> = edits
                .iter()
                .map(|edit| json!({ "range": edit["range"], "text": edit["newText"] }))
                .collect();
            buffer.change(&uri, &changes, encoding, out);
        }
    }
}

impl Buffer {
    fn change(&mut self, uri: &str, changes: &[Value], encoding: Encoding, out: &Outgoing) {
        for change in changes {
            let edit = json!({ "range": change["range"], "newText": change["text"] });
            self.text = match change.get("range") {
                Some(_) => apply_edits(&self.text, &[edit], encoding).unwrap(),
                None => change["text"].as_str().unwrap().to_owned(),
            };
        }
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        out.notify("textDocument/didChange", params).unwrap();
    }
}

fn not_applied(reason: &str) -> Answer {
    Answer::Result(json!({ "applied": false, "failureReason": reason }))
}

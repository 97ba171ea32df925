//! The real server on a fixture's workspace, with the model editor as its client.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use client::{Answer, Client, Outgoing, PendingResponse, ServerRequest, file_uri};
use serde_json::{Value, json};

use crate::binary::Home;
use crate::editor::{Behaviour, Editor};
use crate::fixture::{Fixture, Mark};
use crate::position::{Encoding, position_at, range_of};
use crate::tool::ToolError;

/// Time limit for a prompt response, long enough for a loaded machine.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// Options for starting a server; [`Server::builder`] creates one.
pub struct ServerBuilder {
    home: Home,
    fixture: Fixture,
    encodings: Vec<Encoding>,
    behaviour: Behaviour,
    capabilities: Value,
    options: Value,
}

impl ServerBuilder {
    /// The position encodings the client offers, best first; without any it offers none.
    pub fn encodings(mut self, encodings: &[Encoding]) -> Self {
        self.encodings = encodings.to_vec();
        self
    }

    /// How the editor handles `workspace/applyEdit`.
    pub fn editor(mut self, behaviour: Behaviour) -> Self {
        self.behaviour = behaviour;
        self
    }

    /// A client that cannot apply edits.
    pub fn without_apply_edit(mut self) -> Self {
        self.capabilities["workspace"]["applyEdit"] = false.into();
        self
    }

    /// Sets `value` at `pointer` in the client's capabilities.
    pub fn capability(mut self, pointer: &str, value: Value) -> Self {
        let mut at = &mut self.capabilities;
        for name in pointer.split('/') {
            at = &mut at[name];
        }
        *at = value;
        self
    }

    /// The client's `initializationOptions`.
    pub fn options(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// Prepares the disk before the server starts, given the workspace's root.
    pub fn prepare(self, prepare: impl FnOnce(&Path)) -> Self {
        prepare(&self.home.root());
        self
    }

    /// Starts the server without sending `initialize`.
    pub fn spawn(self) -> Server {
        let client = Client::spawn(self.home.command().arg("lsp")).unwrap();
        self.with_client(client)
    }

    /// The folders, before a server runs.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Uses a connection that the test has opened.
    pub fn with_client(self, mut client: Client) -> Server {
        client.set_timeout(RESPONSE_TIMEOUT);
        let editor = Editor::new(self.behaviour);
        let answers = editor.clone();
        client.on_request(move |request, out| answers.answer(request, out));
        Server {
            client,
            editor,
            fixture: self.fixture,
            encoding: Encoding::Utf16,
            initialized: Value::Null,
            capabilities: self.capabilities,
            options: self.options,
            encodings: self.encodings,
            home: self.home,
        }
    }

    /// Starts the server and initializes it.
    pub fn start(self) -> Server {
        self.spawn().initialize()
    }
}

/// A running server, its workspace and its editor. Dereferences to the connected [`Client`].
pub struct Server {
    client: Client,
    editor: Editor,
    fixture: Fixture,
    encoding: Encoding,
    initialized: Value,
    capabilities: Value,
    options: Value,
    encodings: Vec<Encoding>,
    home: Home,
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Server {
    /// Writes the fixture's files and returns a builder.
    pub fn builder(fixture: &str) -> ServerBuilder {
        let home = Home::new();
        let fixture = Fixture::parse(fixture);
        for file in &fixture.files {
            write(&home.root().join(&file.path), file.text.as_bytes());
        }
        Self::on(home, fixture)
    }

    fn on(home: Home, fixture: Fixture) -> ServerBuilder {
        let capabilities = json!({
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
            "textDocument": {
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "publishDiagnostics": { "versionSupport": true },
            },
        });
        let behaviour = Behaviour::ChangeThenReply;
        let options = Value::Null;
        ServerBuilder { home, fixture, encodings: Vec::new(), behaviour, capabilities, options }
    }

    /// Starts and initializes a server on a fixture with default options.
    pub fn start(fixture: &str) -> Self {
        Self::builder(fixture).start()
    }

    /// Starts another server in the folders of an earlier one.
    pub fn restart(home: Home) -> Self {
        Self::on(home, Fixture::parse("")).start()
    }

    /// A server in these folders, as [`Server::restart`], with options.
    pub fn builder_in(home: Home) -> ServerBuilder {
        Self::on(home, Fixture::parse(""))
    }

    /// A second editor's server on the folder of this one.
    pub fn second_server(&self) -> Self {
        self.spawn_second().initialize()
    }

    /// The same, without sending `initialize`.
    pub fn spawn_second(&self) -> Self {
        Self::on(self.home.shared(), Fixture::parse("")).spawn()
    }

    /// Ends the server; its folders stay.
    pub fn quit(self) -> Home {
        self.client.shutdown(RESPONSE_TIMEOUT).unwrap();
        self.home
    }

    /// The binary as a command that keeps to this server's folders.
    pub fn command(&self) -> Command {
        self.home.command()
    }

    /// Sends `initialize` and `initialized`.
    pub fn initialize(mut self) -> Self {
        let mut capabilities = self.capabilities.clone();
        if !self.encodings.is_empty() {
            let names: Vec<_> = self.encodings.iter().map(|encoding| encoding.name()).collect();
            capabilities["general"]["positionEncodings"] = names.into();
        }
        self.initialized =
            self.client.initialize_with(&self.root(), capabilities, self.options.clone()).unwrap();
        if let Some(name) = self.initialized["capabilities"]["positionEncoding"].as_str() {
            self.encoding = Encoding::from_name(name);
        }
        self.editor.set_encoding(self.encoding);
        self
    }

    /// The server's answer to `initialize`.
    pub fn initialized(&self) -> &Value {
        &self.initialized
    }

    /// The negotiated unit of positions.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The fixture the workspace was written from.
    pub fn fixture(&self) -> &Fixture {
        &self.fixture
    }

    /// The workspace's root.
    pub fn root(&self) -> PathBuf {
        self.home.root()
    }

    /// The folder around the workspace.
    pub fn outside(&self) -> PathBuf {
        self.home.outside()
    }

    /// A path in the workspace.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// The URI of a path in the workspace.
    pub fn uri(&self, path: &str) -> String {
        file_uri(&self.path(path))
    }

    /// The bytes of a file on disk.
    pub fn disk(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The text of a file on disk.
    pub fn disk_text(&self, path: &str) -> String {
        String::from_utf8(self.disk(path)).unwrap()
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        write(&self.path(path), bytes.as_ref());
    }

    /// Opens a file in the editor with the text it has on disk.
    pub fn open_file(&self, path: &str) {
        self.open_text(path, &self.disk_text(path));
    }

    /// Opens the file that the fixture's cursor stands in.
    pub fn open_cursor(&self) {
        let (path, _) = self.fixture.cursor.as_ref().expect("the fixture has a cursor");
        self.open_file(path);
    }

    /// Opens a file in the editor with the given text.
    pub fn open_text(&self, path: &str, text: &str) {
        let uri = self.uri(path);
        self.editor.open(&uri, 1, text);
        self.open(&uri, language_id(path), 1, text).unwrap();
    }

    /// Closes a file in the editor.
    pub fn close_file(&self, path: &str) {
        self.editor.close(&self.uri(path));
        self.close(&self.uri(path)).unwrap();
    }

    /// The text of an open file, as the editor has it.
    pub fn buffer(&self, path: &str) -> String {
        self.editor.text(&self.uri(path))
    }

    /// Changes an open file as a person would, by LSP's content changes.
    pub fn type_in(&self, path: &str, changes: &[Value]) {
        self.editor.type_in(&self.uri(path), changes, self.outgoing());
    }

    /// Replaces the first `old` of an open file by `new`, as a person would.
    pub fn replace_text(&self, path: &str, old: &str, new: &str) {
        let range = range_of(&self.buffer(path), old, self.encoding);
        self.type_in(path, &[json!({ "range": range, "text": new })]);
    }

    /// Changes how the editor handles `workspace/applyEdit`.
    pub fn set_editor(&self, behaviour: Behaviour) {
        self.editor.set_behaviour(behaviour);
    }

    /// Sets the handler of the server's requests other than `workspace/applyEdit`.
    pub fn answer_requests(
        &self,
        answer: impl FnMut(&ServerRequest, &Outgoing) -> Answer + Send + 'static,
    ) {
        self.editor.set_request_handler(answer);
    }

    /// Sends `tandem/didChangeEditorState`.
    pub fn report(&self, state: Value) {
        self.notify("tandem/didChangeEditorState", state).unwrap();
    }

    /// The parameters of every `workspace/applyEdit` so far.
    pub fn apply_edit_requests(&self) -> Vec<Value> {
        self.editor.apply_edit_requests()
    }

    /// Starts a tool call without waiting for it.
    pub fn start_tool(&self, name: &str, arguments: Value) -> PendingResponse {
        let command = format!("tandem.{name}");
        let params = json!({ "command": command, "arguments": [arguments] });
        self.start_request("workspace/executeCommand", params).unwrap()
    }

    /// Runs a tool.
    ///
    /// # Errors
    /// The tool's error.
    pub fn tool(&self, name: &str, arguments: Value) -> Result<Value, ToolError> {
        self.start_tool(name, arguments).wait(RESPONSE_TIMEOUT).map_err(|error| {
            if error.response().is_none() {
                let said = self.process().map(client::Process::stderr).unwrap_or_default();
                panic!("{name}: {error}; the server said: {said}");
            }
            ToolError::from_client(&error)
        })
    }

    /// Runs a tool that must succeed.
    pub fn must(&self, name: &str, arguments: Value) -> Value {
        self.tool(name, arguments.clone())
            .unwrap_or_else(|error| panic!("{name} {arguments}: {} {}", error.code, error.data))
    }

    /// Runs a tool that must fail with this code.
    pub fn must_fail(&self, name: &str, arguments: Value, code: &str) -> ToolError {
        match self.tool(name, arguments.clone()) {
            Ok(result) => panic!("{name} {arguments} should be {code} but gave {result}"),
            Err(error) => {
                assert_eq!(error.code, code, "{name} {arguments}: {}", error.data);
                error
            }
        }
    }

    /// Waits until every file of the workspace is indexed. Most queries do not wait.
    pub fn wait_until_read(&self) {
        self.must("repository_map", json!({}));
    }

    /// The text of a file as `read_file` gives it.
    pub fn read(&self, path: &str) -> String {
        let result = self.must("read_file", json!({ "path": path }));
        assert!(result["next_cursor"].is_null(), "{path} is too long to read at once");
        result["content"].as_str().unwrap_or_else(|| panic!("no content: {result}")).to_owned()
    }

    /// Sends a request for a position in a document.
    pub fn request_at(&self, method: &str, path: &str, offset: usize, text: &str) -> Value {
        let position = position_at(text, offset, self.encoding);
        let document = json!({ "uri": self.uri(path) });
        self.request(method, json!({ "textDocument": document, "position": position })).unwrap()
    }

    /// The definitions of what stands at the fixture's cursor, as `(path, start, end)` in bytes of
    /// the files on disk, or of `buffer` for the cursor's own file.
    pub fn definitions_at_cursor(&self) -> Vec<(String, usize, usize)> {
        let (path, offset) = self.fixture.cursor.clone().expect("the fixture has a cursor");
        let text = self.fixture.text(&path).to_owned();
        let answer = self.request_at("textDocument/definition", &path, offset, &text);
        let links = match answer {
            Value::Null => Vec::new(),
            Value::Array(links) => links,
            link => vec![link],
        };
        links.iter().map(|link| self.location(link)).collect()
    }

    fn location(&self, link: &Value) -> (String, usize, usize) {
        let uri = link["uri"].as_str().or_else(|| link["targetUri"].as_str()).unwrap();
        let range = [&link["range"], &link["targetSelectionRange"]];
        let range = range.into_iter().find(|range| !range.is_null()).unwrap();
        let root = format!("{}/", file_uri(&self.root()));
        let path = uri.strip_prefix(&root).unwrap_or_else(|| panic!("outside the root: {link}"));
        let text = self.fixture.text(path);
        let place = |end: &str| {
            crate::position::offset_at(text, &range[end], self.encoding)
                .unwrap_or_else(|| panic!("no such place in {path}: {link}"))
        };
        (path.to_owned(), place("start"), place("end"))
    }

    /// Asserts that the definitions at the cursor are exactly the places marked `definition`.
    pub fn check_definition(&self) {
        let marks = self.fixture.marked("definition");
        let mut expected: Vec<_> =
            marks.map(|Mark { path, start, end, .. }| (path.clone(), *start, *end)).collect();
        let mut found = self.definitions_at_cursor();
        expected.sort();
        found.sort();
        let show = |places: &[(String, usize, usize)]| -> Vec<String> {
            let text = |(path, start, end): &(String, usize, usize)| {
                format!("{path}:{start} {:?}", &self.fixture.text(path)[*start..*end])
            };
            places.iter().map(text).collect()
        };
        assert_eq!(show(&found), show(&expected), "definitions at the cursor (left: found)");
    }

    /// The symbols of a document.
    pub fn symbols(&self, path: &str) -> Value {
        let document = json!({ "uri": self.uri(path) });
        self.request("textDocument/documentSymbol", json!({ "textDocument": document })).unwrap()
    }

    /// Waits for published diagnostics of a document that `wanted` accepts.
    pub fn diagnostics(&self, path: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = self.uri(path);
        let mut params = self
            .wait_for_notification("textDocument/publishDiagnostics", RESPONSE_TIMEOUT, |params| {
                params["uri"] == *uri
                    && params["diagnostics"].as_array().is_some_and(|all| wanted(all))
            })
            .unwrap_or_else(|error| panic!("{error}; unread: {:?}", self.take_unread()));
        match params["diagnostics"].take() {
            Value::Array(diagnostics) => diagnostics,
            _ => unreachable!("only arrays were accepted"),
        }
    }
}

/// LSP's language identifier for a path.
pub fn language_id(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" => "python",
        "ts" => "typescript",
        "tsx" => "typescriptreact",
        "js" => "javascript",
        "rs" => "rust",
        "go" => "go",
        "c" | "h" => "c",
        "cpp" | "hpp" => "cpp",
        "java" => "java",
        _ => "plaintext",
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

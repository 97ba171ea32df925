//! What is known once a client has said `initialize`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use text::PositionEncoding;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Semaphore};
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{
    ClientCapabilities, CodeActionCapabilityResolveSupport, InitializeParams, MarkupKind,
    MessageType, ResourceOperationKind, SymbolTag, TagSupport,
};
use workspace::{Root, Snapshot, Watching, Workspace, path_of_uri};

use crate::admission::Admission;
use crate::catching_up::CatchingUp;
use crate::completion_features::CompletionFeatures;
use crate::convert::negotiate;
use crate::debug::Debugging;
use crate::diagnostics::Published;
use crate::git::Git;
use crate::git::options::Options;
use crate::live::{CONNECTIONS, Peers};
use crate::outbox::Outbox;
use crate::pool::Pool;
use crate::requests::activity;
use crate::requests::semantic_tokens::SentTokens;
use crate::settings::Settings;
use crate::status::Status;
use crate::syntax_limits::Limits;

/// One client, its workspace, and what it can do.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The way to the client past the framework, in step with its answers.
    pub(crate) outbox: Outbox,
    pub(crate) workspace: Workspace,
    pub(crate) encoding: PositionEncoding,
    pub(crate) features: Features,
    /// The commands that the client says it has, besides the server's.
    pub(crate) commands: Vec<String>,
    /// What the client calls itself.
    pub(crate) client_name: Option<String>,
    pub(crate) settings: Settings,
    pub(crate) status: Arc<Status>,
    pub(crate) pool: Pool,
    /// Answers that are computed at a time: those that may wait, and those that wait for nothing.
    pub(crate) answers: Admission,
    pub(crate) glances: Admission,
    /// Where to start what is not awaited, from threads of any kind.
    pub(crate) runtime: Handle,
    /// Tools that run at a time: each may block a thread.
    pub(crate) calls: Arc<Semaphore>,
    /// The turn of the writing tools; they wait for it without a thread.
    pub(crate) writes: Arc<Mutex<()>>,
    /// Other servers on the same folders.
    pub(crate) peers: Peers,
    /// Questions that a person is shown at a time.
    pub(crate) questions: Semaphore,
    tools: OnceLock<tools::Session>,
    silenced: tools::Silenced,
    /// What the client was told is wrong.
    pub(crate) published: Published,
    /// What it was sent to highlight documents by.
    pub(crate) tokens: SentTokens,
    /// The documents that are being parsed with nobody waiting.
    pub(crate) catching_up: CatchingUp,
    /// From which size on a document gets less.
    pub(crate) limits: Limits,
    /// The repositories of its documents.
    pub(crate) git: Git,
    /// The programs that are debugged.
    pub(crate) debug: Debugging,
    /// Our own watching of files, where the client does none.
    pub(crate) watching: parking_lot::Mutex<Option<Watching>>,
    /// Changes at shutdown: who has joined this server leaves it.
    pub(crate) live_until: tokio::sync::watch::Sender<()>,
    /// Connections to the live socket that there may still be.
    pub(crate) connections: Arc<Semaphore>,
    /// Set at shutdown; ends what runs in the background.
    pub(crate) stop: AtomicBool,
}

const CALLS: usize = 64;
/// Fewer than calls: open questions never keep all other tools waiting.
const QUESTIONS: usize = 32;

/// The client's capabilities that make a difference here.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Features {
    pub(crate) apply_edit: bool,
    pub(crate) versioned_edits: bool,
    /// It renames files and folders as a part of an edit.
    pub(crate) renames_files: bool,
    pub(crate) show_message_request: bool,
    pub(crate) show_document: bool,
    pub(crate) hierarchical_symbols: bool,
    /// It takes what is deprecated to be marked: of a document, of the workspace.
    pub(crate) symbol_tags: [bool; 2],
    pub(crate) definition_links: bool,
    pub(crate) change_annotations: bool,
    pub(crate) markdown: bool,
    pub(crate) symbol_resolve: bool,
    pub(crate) inlay_hint_refresh: bool,
    /// It can be told to ask for tokens again.
    pub(crate) token_refresh: bool,
    pub(crate) code_lens_refresh: bool,
    pub(crate) label_offsets: bool,
    pub(crate) active_parameter: bool,
    pub(crate) work_done_progress: bool,
    pub(crate) watched_files: bool,
    /// It can be asked for its settings.
    pub(crate) configuration: bool,
    pub(crate) action_literals: bool,
    /// Actions whose edits are asked for once they are wanted.
    pub(crate) resolved_actions: bool,
    pub(crate) disabled_actions: bool,
    /// Edits may make files.
    pub(crate) created_files: bool,
    pub(crate) completion: CompletionFeatures,
    /// Its tokens may go over lines.
    pub(crate) multiline_tokens: bool,
    /// Folds of one document that it takes.
    pub(crate) folds: usize,
    /// It asks for diagnostics, and can be told to ask again.
    pub(crate) pull_diagnostics: bool,
    /// It shows how the server is, calls of tools, and changes before they are made.
    pub(crate) server_status: bool,
    pub(crate) activity: bool,
    pub(crate) review: bool,
    /// Whether it runs nothing of a workspace before its person has trusted that.
    pub(crate) asks_for_trust: bool,
}

impl Features {
    fn of(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let documents = capabilities.text_document.as_ref();
        let signatures =
            documents.and_then(|d| d.signature_help.as_ref()?.signature_information.as_ref());
        let actions = documents.and_then(|d| d.code_action.as_ref());
        Self {
            apply_edit: workspace.and_then(|w| w.apply_edit).unwrap_or(false),
            // Neovim 0.11 does not say `documentChanges` but that it creates and renames files in
            // an edit, which can only stand among them.
            versioned_edits: workspace.and_then(|w| w.workspace_edit.as_ref()).is_some_and(|e| {
                e.document_changes.unwrap_or(false) || e.resource_operations.is_some()
            }),
            renames_files: workspace
                .and_then(|w| w.workspace_edit.as_ref()?.resource_operations.as_ref())
                .is_some_and(|kinds| kinds.contains(&ResourceOperationKind::Rename)),
            show_message_request: window.is_some_and(|w| w.show_message.is_some()),
            show_document: window
                .and_then(|w| w.show_document.as_ref())
                .is_some_and(|show| show.support),
            hierarchical_symbols: documents
                .and_then(|d| d.document_symbol.as_ref()?.hierarchical_document_symbol_support)
                .unwrap_or(false),
            symbol_tags: [
                documents
                    .and_then(|d| d.document_symbol.as_ref()?.tag_support.as_ref())
                    .is_some_and(says_deprecated),
                workspace
                    .and_then(|w| w.symbol.as_ref()?.tag_support.as_ref())
                    .is_some_and(says_deprecated),
            ],
            definition_links: documents
                .and_then(|d| d.definition.as_ref()?.link_support)
                .unwrap_or(false),
            change_annotations: workspace
                .and_then(|w| w.workspace_edit.as_ref())
                .is_some_and(|e| e.change_annotation_support.is_some()),
            markdown: documents
                .and_then(|d| d.hover.as_ref()?.content_format.as_ref())
                .is_some_and(|kinds| kinds.contains(&MarkupKind::Markdown)),
            symbol_resolve: workspace
                .and_then(|w| w.symbol.as_ref()?.resolve_support.as_ref())
                .is_some_and(|support| support.properties.iter().any(|p| p == "location.range")),
            token_refresh: workspace
                .and_then(|w| w.semantic_tokens.as_ref()?.refresh_support)
                .unwrap_or(false),
            inlay_hint_refresh: workspace
                .and_then(|w| w.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            code_lens_refresh: workspace
                .and_then(|w| w.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
            label_offsets: signatures
                .and_then(|s| s.parameter_information.as_ref()?.label_offset_support)
                .unwrap_or(false),
            active_parameter: signatures.and_then(|s| s.active_parameter_support).unwrap_or(false),
            work_done_progress: window.and_then(|w| w.work_done_progress).unwrap_or(false),
            action_literals: actions.is_some_and(|a| a.code_action_literal_support.is_some()),
            resolved_actions: actions.is_some_and(|a| {
                let edit = |s: &CodeActionCapabilityResolveSupport| {
                    s.properties.iter().any(|p| p == "edit")
                };
                a.data_support.unwrap_or(false) && a.resolve_support.as_ref().is_some_and(edit)
            }),
            disabled_actions: actions.and_then(|a| a.disabled_support).unwrap_or(false),
            created_files: workspace
                .and_then(|w| w.workspace_edit.as_ref()?.resource_operations.as_ref())
                .is_some_and(|kinds| kinds.contains(&ResourceOperationKind::Create)),
            completion: CompletionFeatures::of(documents.and_then(|d| d.completion.as_ref())),
            multiline_tokens: documents
                .and_then(|d| d.semantic_tokens.as_ref()?.multiline_token_support)
                .unwrap_or(false),
            folds: documents
                .and_then(|d| d.folding_range.as_ref()?.range_limit)
                .and_then(|most| usize::try_from(most).ok())
                .unwrap_or(usize::MAX),
            pull_diagnostics: documents.is_some_and(|d| d.diagnostic.is_some())
                && workspace.and_then(|w| w.diagnostics.as_ref()?.refresh_support).unwrap_or(false),
            server_status: says(capabilities, "serverStatusNotification"),
            activity: says(capabilities, "activity"),
            review: says(capabilities, "review"),
            asks_for_trust: says(capabilities, "workspaceTrust"),
            configuration: workspace.and_then(|w| w.configuration).unwrap_or(false),
            watched_files: workspace
                .and_then(|w| w.did_change_watched_files.as_ref()?.dynamic_registration)
                .unwrap_or(false),
        }
    }
}

/// Whether a client takes the tag of what is deprecated.
fn says_deprecated(tags: &TagSupport<SymbolTag>) -> bool {
    tags.value_set.is_empty() || tags.value_set.contains(&SymbolTag::DEPRECATED)
}

impl Session {
    /// # Errors
    /// When no threads can be had.
    pub(crate) fn new(
        client: Client,
        outbox: Outbox,
        params: &InitializeParams,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let kinds = params.capabilities.general.as_ref();
        let kinds = kinds.and_then(|g| g.position_encodings.as_deref());
        let workspace = Workspace::new(roots(params));
        let limits = Limits::of(params.initialization_options.as_ref());
        workspace.parse_up_to(limits.current().parse);
        let options = Options::of(params.initialization_options.as_ref());
        Ok(Self {
            pool: Pool::new(workspace.snapshot().roots())?,
            workspace,
            runtime: Handle::current(),
            encoding: negotiate(kinds),
            features: Features::of(&params.capabilities),
            commands: commands(&params.capabilities),
            client_name: params.client_info.as_ref().map(|c| c.name.chars().take(100).collect()),
            settings: Settings::of(params.initialization_options.as_ref()),
            status: Arc::default(),
            calls: Arc::new(Semaphore::new(CALLS)),
            writes: Arc::default(),
            peers: Peers::default(),
            questions: Semaphore::new(QUESTIONS),
            tools: OnceLock::new(),
            silenced: tools::Silenced::default(),
            published: Published::default(),
            tokens: SentTokens::default(),
            catching_up: CatchingUp::default(),
            limits,
            answers: Admission::default(),
            glances: Admission::default(),
            git: Git::new(says(&params.capabilities, "hunks"), options),
            debug: Debugging::new(&params.capabilities, params.initialization_options.as_ref()),
            watching: parking_lot::Mutex::default(),
            live_until: tokio::sync::watch::Sender::new(()),
            connections: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            stop: AtomicBool::new(false),
            outbox,
            client,
        })
    }

    /// Logs to the client and to our own log, without waiting.
    pub(crate) fn warn(self: &Arc<Self>, message: String) {
        tracing::warn!("{message}");
        let session = self.clone();
        self.runtime.spawn(async move {
            session.client.log_message(MessageType::WARNING, message).await;
        });
    }

    /// What the tools keep from call to call; made at the first one.
    pub(crate) fn tools(&self) -> &tools::Session {
        self.tools.get_or_init(|| {
            let tools = tools::Session::new(&self.workspace.snapshot());
            tools.audit.set_front_end("lsp");
            activity::watch(self, &tools);
            self.debug.begin(tools.debugger());
            tools
        })
    }

    /// What is being debugged, once a tool was called.
    pub(crate) fn debugger(&self) -> Option<&::debug::Debugger> {
        self.tools.get().map(tools::Session::debugger)
    }

    /// The codes of the diagnostics that settings turn off.
    pub(crate) fn silenced(&self, snapshot: &Snapshot) -> Arc<BTreeSet<String>> {
        self.silenced.current(snapshot)
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.live_until.send_replace(());
        drop(self.watching.lock().take());
        if let Some(tools) = self.tools.get() {
            tools.stop();
        }
    }
}

/// Whether `experimental.WHAT` is true.
fn says(capabilities: &ClientCapabilities, what: &str) -> bool {
    let said = capabilities.experimental.as_ref().and_then(|e| e.get(what)?.as_bool());
    said.unwrap_or(false)
}

/// What `experimental.commands.commands` lists, as clients of several servers say it.
fn commands(capabilities: &ClientCapabilities) -> Vec<String> {
    let listed =
        capabilities.experimental.as_ref().and_then(|e| e.get("commands")?.get("commands"));
    let listed = listed.and_then(|all| all.as_array()).into_iter().flatten();
    listed.filter_map(|command| Some(command.as_str()?.to_owned())).take(1_000).collect()
}

/// The folders that the client names, by the newest of the three ways it may use.
fn roots(params: &InitializeParams) -> Vec<Root> {
    let mut folders: Vec<_> = params
        .workspace_folders
        .iter()
        .flatten()
        .map(|folder| path_of_uri(folder.uri.as_str()))
        .collect();
    #[allow(deprecated)]
    if folders.is_empty() {
        folders.extend(params.root_uri.as_ref().map(|uri| path_of_uri(uri.as_str())));
        if let (true, Some(path)) = (folders.is_empty(), &params.root_path) {
            folders.push(Ok(path.into()));
        }
    }
    folders.into_iter().filter_map(|folder| open_root(folder.ok()?.as_path())).collect()
}

pub(crate) fn open_root(path: &Path) -> Option<Root> {
    Root::open(path).inspect_err(|error| tracing::warn!("workspace folder: {error}")).ok()
}

//! The state of one client, from `initialize` on.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use text::PositionEncoding;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tools::{CallThreads, Executor, Host};
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{
    ClientCapabilities, CodeActionCapabilityResolveSupport, InitializeParams, MarkupKind,
    MessageType, ResourceOperationKind, SymbolTag, TagSupport,
};
use workspace::{Root, Snapshot, WatchHandle, Workspace, path_of_uri};

use crate::admission::Admission;
use crate::background_parse::PendingParses;
use crate::completion_features::CompletionFeatures;
use crate::convert::negotiate_encoding;
use crate::debug::DebugState;
use crate::diagnostics::DiagnosticsState;
use crate::git::GitState;
use crate::git::options::GitOptions;
use crate::live::{MAX_CONNECTIONS, Peers};
use crate::outbox::Outbox;
use crate::requests::activity;
use crate::requests::semantic_tokens::SentTokens;
use crate::saved_files::SavedFiles;
use crate::session_threads::SessionThreads;
use crate::settings::Settings;
use crate::status::Status;
use crate::syntax_limits::SyntaxLimitSettings;

/// One client: its connection, capabilities, settings and workspace.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Sends messages past the framework, in order with its responses.
    pub(crate) outbox: Outbox,
    pub(crate) workspace: Workspace,
    pub(crate) encoding: PositionEncoding,
    pub(crate) features: Features,
    /// The client's own commands, from `experimental.commands`.
    pub(crate) commands: Vec<String>,
    /// The client's name, from `clientInfo`.
    pub(crate) client_name: Option<String>,
    pub(crate) settings: Settings,
    pub(crate) status: Arc<Status>,
    pub(crate) threads: SessionThreads,
    /// Limits how many answers are computed at a time: on the interactive pool, and on the latency pool.
    pub(crate) interactive_admission: Admission,
    pub(crate) latency_admission: Admission,
    /// The async runtime, for spawning from any thread.
    pub(crate) runtime: Handle,
    /// Runs tool calls.
    pub(crate) executor: Executor,
    /// Other servers on the same folders.
    pub(crate) peers: Peers,
    tools: OnceLock<tools::Session>,
    disabled_codes: tools::Silenced,
    /// The diagnostics last sent to the client.
    pub(crate) diagnostics: DiagnosticsState,
    /// The saved files that are still to be checked.
    pub(crate) saved_files: SavedFiles,
    /// The semantic tokens last sent to the client.
    pub(crate) sent_tokens: SentTokens,
    /// The documents being parsed in the background.
    pub(crate) pending_parses: PendingParses,
    /// The sizes from which a document gets fewer features.
    pub(crate) syntax_limits: SyntaxLimitSettings,
    /// The repositories of the open documents.
    pub(crate) git: GitState,
    /// The debug sessions, as far as the client sees them.
    pub(crate) debug: DebugState,
    /// Our own file watcher, if the client does not watch files.
    pub(crate) watching: parking_lot::Mutex<Option<WatchHandle>>,
    /// True from shutdown on, so that joined clients disconnect.
    pub(crate) shutdown: tokio::sync::watch::Sender<bool>,
    /// Limits connections to the live socket.
    pub(crate) connection_permits: Arc<Semaphore>,
    /// Set at shutdown. Stops background work.
    pub(crate) is_stopping: AtomicBool,
}

/// The client capabilities that change what the server does.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Features {
    pub(crate) apply_edit: bool,
    pub(crate) versioned_edits: bool,
    /// It renames files and folders within a workspace edit.
    pub(crate) renames_files: bool,
    pub(crate) show_message_request: bool,
    pub(crate) show_document: bool,
    pub(crate) hierarchical_symbols: bool,
    /// It accepts the deprecated tag on document symbols, and on workspace symbols.
    pub(crate) symbol_tags: [bool; 2],
    pub(crate) definition_links: bool,
    pub(crate) change_annotations: bool,
    pub(crate) markdown: bool,
    pub(crate) symbol_resolve: bool,
    pub(crate) inlay_hint_refresh: bool,
    /// It supports `workspace/semanticTokens/refresh`.
    pub(crate) token_refresh: bool,
    pub(crate) code_lens_refresh: bool,
    pub(crate) label_offsets: bool,
    pub(crate) active_parameter: bool,
    pub(crate) work_done_progress: bool,
    pub(crate) watched_files: bool,
    /// It supports `workspace/configuration`.
    pub(crate) configuration: bool,
    pub(crate) action_literals: bool,
    /// It resolves a code action's edit lazily.
    pub(crate) resolved_actions: bool,
    pub(crate) disabled_actions: bool,
    /// It creates files within a workspace edit.
    pub(crate) created_files: bool,
    pub(crate) completion: CompletionFeatures,
    /// It accepts tokens that span lines.
    pub(crate) multiline_tokens: bool,
    /// The most folding ranges it accepts for one document.
    pub(crate) folds: usize,
    /// It pulls diagnostics and supports their refresh request.
    pub(crate) pull_diagnostics: bool,
    /// It shows the server status, tool calls, and changes for review.
    pub(crate) server_status: bool,
    pub(crate) activity: bool,
    pub(crate) review: bool,
    /// It runs nothing of a workspace before the user trusts it.
    pub(crate) has_workspace_trust: bool,
}

impl Features {
    fn from_capabilities(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let documents = capabilities.text_document.as_ref();
        let signatures =
            documents.and_then(|d| d.signature_help.as_ref()?.signature_information.as_ref());
        let actions = documents.and_then(|d| d.code_action.as_ref());
        Self {
            apply_edit: workspace.and_then(|w| w.apply_edit).unwrap_or(false),
            // Neovim 0.11 does not declare `documentChanges` but declares resource operations, which are
            // only possible within `documentChanges`.
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
                    .is_some_and(supports_deprecated_tag),
                workspace
                    .and_then(|w| w.symbol.as_ref()?.tag_support.as_ref())
                    .is_some_and(supports_deprecated_tag),
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
            completion: CompletionFeatures::from_capabilities(
                documents.and_then(|d| d.completion.as_ref()),
            ),
            multiline_tokens: documents
                .and_then(|d| d.semantic_tokens.as_ref()?.multiline_token_support)
                .unwrap_or(false),
            folds: documents
                .and_then(|d| d.folding_range.as_ref()?.range_limit)
                .and_then(|most| usize::try_from(most).ok())
                .unwrap_or(usize::MAX),
            pull_diagnostics: documents.is_some_and(|d| d.diagnostic.is_some())
                && workspace.and_then(|w| w.diagnostics.as_ref()?.refresh_support).unwrap_or(false),
            server_status: experimental_flag(capabilities, "serverStatusNotification"),
            activity: experimental_flag(capabilities, "activity"),
            review: experimental_flag(capabilities, "review"),
            has_workspace_trust: experimental_flag(capabilities, "workspaceTrust"),
            configuration: workspace.and_then(|w| w.configuration).unwrap_or(false),
            watched_files: workspace
                .and_then(|w| w.did_change_watched_files.as_ref()?.dynamic_registration)
                .unwrap_or(false),
        }
    }
}

/// Whether a client accepts the deprecated tag.
fn supports_deprecated_tag(tags: &TagSupport<SymbolTag>) -> bool {
    tags.value_set.is_empty() || tags.value_set.contains(&SymbolTag::DEPRECATED)
}

impl Host for Session {
    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn session(&self) -> &tools::Session {
        self.tools()
    }

    fn threads(&self) -> Arc<CallThreads> {
        self.threads.calls()
    }
}

impl Session {
    /// # Errors
    /// If no threads can be started.
    pub(crate) fn new(
        client: Client,
        outbox: Outbox,
        params: &InitializeParams,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let kinds = params.capabilities.general.as_ref();
        let kinds = kinds.and_then(|g| g.position_encodings.as_deref());
        let workspace = Workspace::new(roots(params));
        let syntax_limits =
            SyntaxLimitSettings::from_options(params.initialization_options.as_ref());
        workspace.set_max_parsed_bytes(syntax_limits.current().parse);
        let git_options = GitOptions::from_options(params.initialization_options.as_ref());
        Ok(Self {
            threads: SessionThreads::new(workspace.snapshot().roots())?,
            workspace,
            runtime: Handle::current(),
            encoding: negotiate_encoding(kinds),
            features: Features::from_capabilities(&params.capabilities),
            commands: client_commands(&params.capabilities),
            client_name: params.client_info.as_ref().map(|c| c.name.chars().take(100).collect()),
            settings: Settings::from_options(params.initialization_options.as_ref()),
            status: Arc::default(),
            executor: Executor::default(),
            peers: Peers::default(),
            tools: OnceLock::new(),
            disabled_codes: tools::Silenced::default(),
            diagnostics: DiagnosticsState::default(),
            saved_files: SavedFiles::default(),
            sent_tokens: SentTokens::default(),
            pending_parses: PendingParses::default(),
            syntax_limits,
            interactive_admission: Admission::default(),
            latency_admission: Admission::default(),
            git: GitState::new(experimental_flag(&params.capabilities, "hunks"), git_options),
            debug: DebugState::new(&params.capabilities, params.initialization_options.as_ref()),
            watching: parking_lot::Mutex::default(),
            shutdown: tokio::sync::watch::Sender::new(false),
            connection_permits: Arc::new(Semaphore::new(MAX_CONNECTIONS as usize)),
            is_stopping: AtomicBool::new(false),
            outbox,
            client,
        })
    }

    /// Logs a warning to the client and to the server's log, without waiting.
    pub(crate) fn warn(self: &Arc<Self>, message: String) {
        tracing::warn!("{message}");
        let session = self.clone();
        self.runtime.spawn(async move {
            session.client.log_message(MessageType::WARNING, message).await;
        });
    }

    /// The tools' state across calls, created at the first call.
    pub(crate) fn tools(&self) -> &tools::Session {
        self.tools.get_or_init(|| {
            let tools = tools::Session::new(&self.workspace.snapshot());
            tools.audit.set_front_end("lsp");
            activity::watch(self, &tools);
            self.debug.start_events(debug_tools::debugger(&tools));
            tools
        })
    }

    /// The debugger, if a tool was called before.
    pub(crate) fn debugger(&self) -> Option<&::debug::Debugger> {
        self.tools.get().map(debug_tools::debugger)
    }

    /// The diagnostic codes that the settings turn off.
    pub(crate) fn disabled_diagnostics(&self, snapshot: &Snapshot) -> Arc<BTreeSet<String>> {
        self.disabled_codes.current(snapshot)
    }

    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.shutdown.send_replace(true);
        drop(self.watching.lock().take());
        if let Some(tools) = self.tools.get() {
            tools.stop();
        }
    }
}

/// Whether `experimental.NAME` is true.
fn experimental_flag(capabilities: &ClientCapabilities, what: &str) -> bool {
    let flag = capabilities.experimental.as_ref().and_then(|e| e.get(what)?.as_bool());
    flag.unwrap_or(false)
}

/// The client's commands, from `experimental.commands.commands`.
fn client_commands(capabilities: &ClientCapabilities) -> Vec<String> {
    let listed =
        capabilities.experimental.as_ref().and_then(|e| e.get("commands")?.get("commands"));
    let listed = listed.and_then(|all| all.as_array()).into_iter().flatten();
    listed.filter_map(|command| Some(command.as_str()?.to_owned())).take(1_000).collect()
}

/// The workspace folders of `initialize`: `workspaceFolders`, else `rootUri`, else `rootPath`.
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

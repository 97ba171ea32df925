//! The protocol methods. Each one delegates to its file in `requests`.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams,
    GotoImplementationResponse, GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeAction, CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, ColorInformation,
    ColorPresentation, ColorPresentationParams, CompletionItem, CompletionParams,
    CompletionResponse, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentColorParams,
    DocumentDiagnosticParams, DocumentDiagnosticReportResult, DocumentFormattingParams,
    DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams,
    DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, DocumentSymbolParams,
    DocumentSymbolResponse, ExecuteCommandParams, FoldingRange, FoldingRangeParams,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams, InitializeParams,
    InitializeResult, InitializedParams, InlayHint, InlayHintParams, InlineCompletionParams,
    InlineValue, InlineValueParams, LinkedEditingRangeParams, LinkedEditingRanges, Location,
    PrepareRenameResponse, ReferenceParams, RenameFilesParams, RenameParams, SelectionRange,
    SelectionRangeParams, SemanticTokensDeltaParams, SemanticTokensFullDeltaResult,
    SemanticTokensParams, SemanticTokensRangeParams, SemanticTokensRangeResult,
    SemanticTokensResult, SignatureHelp, SignatureHelpParams, TextDocumentPositionParams, TextEdit,
    TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams, WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult,
    WorkspaceEdit, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};
use workspace::QueryError;

use crate::git::GitWork;
use crate::git::hunks::Hunks;
use crate::git::options::BlameOptions;
use crate::outbox::Outbox;
use crate::request_context::{RequestContext, ingress_snapshot};
use crate::request_timeout::{DOCUMENT_QUERY_TIMEOUT, with_timeout};
use crate::requests::activity::{ActivityParams, RecentCalls};
use crate::requests::execute_command::UserCallParams;
use crate::requests::git::content::{Content, ContentParams};
use crate::requests::git::hunks::HunksParams;
use crate::requests::inline_completion::Completions;
use crate::session::Session;
use crate::{
    capabilities, debug, diagnostics, error, git, indexing, live, notifications, requests, status,
};

/// Implements the protocol methods. Each hands its request to a function in `requests`, on a suitable
/// thread pool.
pub(crate) struct Backend {
    client: Client,
    outbox: Outbox,
    session: Arc<OnceLock<Arc<Session>>>,
}

impl Backend {
    /// Creates the service for one client, which receives messages through `outbox`.
    pub(crate) fn service(outbox: Outbox) -> (LspService<Self>, ClientSocket) {
        LspService::build(|client| Self { client, outbox, session: Arc::default() })
            .custom_method("tandem/didChangeEditorState", Self::did_change_editor_state)
            .custom_method("tandem/didChangeDiagnostics", Self::did_change_diagnostics)
            .custom_method("textDocument/didFocus", Self::did_focus)
            .custom_method(requests::activity::METHOD, Self::activity)
            .custom_method(requests::execute_command::USER_CALL_METHOD, Self::user_call)
            .custom_method(requests::inline_completion::METHOD, Self::inline_completion)
            .custom_method(requests::git::hunks::METHOD, Self::hunks)
            .custom_method(requests::git::content::METHOD, Self::text_document_content)
            .custom_method(requests::git::content::FALLBACK_METHOD, Self::fallback_content)
            .finish()
    }

    async fn did_change_editor_state(&self, params: Value) {
        self.notified(|session| notifications::editor_state::apply(session, &params));
    }

    async fn did_change_diagnostics(&self, params: Value) {
        self.notified(|session| notifications::editor_diagnostics::apply(session, &params));
    }

    async fn did_focus(&self, params: Value) {
        self.notified(|session| notifications::editor_state::focus(session, &params));
    }

    async fn activity(&self, params: ActivityParams) -> Result<RecentCalls> {
        requests::activity::answer(self.initialized_session()?, params).await
    }

    async fn user_call(&self, call: UserCallParams) -> Result<Value> {
        requests::execute_command::run_user_call(self.initialized_session()?, call).await
    }

    async fn inline_completion(&self, params: InlineCompletionParams) -> Result<Completions> {
        requests::inline_completion::answer(self.initialized_session()?, params).await
    }

    async fn hunks(&self, params: HunksParams) -> Result<Option<Hunks>> {
        let method = requests::git::hunks::METHOD;
        self.git_query(method, GitWork::Quick, params, requests::git::hunks::answer).await
    }

    async fn text_document_content(&self, params: ContentParams) -> Result<Content> {
        // A client that sends this request supports its refresh request, too.
        self.initialized_session()?.git.record_shown(&params.uri);
        self.fallback_content(params).await
    }

    async fn fallback_content(&self, params: ContentParams) -> Result<Content> {
        let method = requests::git::content::METHOD;
        self.git_query(method, GitWork::History, params, requests::git::content::answer).await
    }

    /// Which blame annotations the user has enabled.
    fn blame_options(&self) -> Result<BlameOptions> {
        Ok(self.initialized_session()?.git.options.current())
    }

    pub(crate) fn session_cell(&self) -> Arc<OnceLock<Arc<Session>>> {
        self.session.clone()
    }

    /// Runs the handler of a notification.
    fn notified(&self, apply: impl FnOnce(&Arc<Session>)) {
        if let Ok(session) = self.initialized_session() {
            apply(session);
        }
    }

    /// The session. The framework rejects every request before `initialize`.
    fn initialized_session(&self) -> Result<&Arc<Session>> {
        self.session.get().ok_or_else(Error::internal_error)
    }

    /// Runs a query on the interactive pool.
    async fn query<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&RequestContext<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        let session = self.initialized_session()?.clone();
        let snapshot = ingress_snapshot(&session);
        let owner = session.clone();
        session.interactive_admission.admit(&session.outbox).await;
        let answer = owner.threads.run_interactive(move |interrupt| {
            handle(&RequestContext { session: &session, snapshot, interrupt }, params)
        });
        answer.await.map_err(|_| error::panicked(method))?.map_err(error::from_query_error)
    }

    /// Runs a query that reads a single document, with a time limit.
    async fn document_query<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&RequestContext<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        with_timeout(DOCUMENT_QUERY_TIMEOUT, method, self.query(method, params, handle)).await
    }

    /// Runs a query that never blocks, on the pool reserved for such queries.
    async fn latency_critical_query<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&RequestContext<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        let session = self.initialized_session()?.clone();
        let snapshot = ingress_snapshot(&session);
        let owner = session.clone();
        let answer = owner.threads.run_latency_critical(move |interrupt| {
            handle(&RequestContext { session: &session, snapshot, interrupt }, params)
        });
        let answer = async {
            owner.latency_admission.admit(&owner.outbox).await;
            answer.await.map_err(|_| error::panicked(method))?.map_err(error::from_query_error)
        };
        with_timeout(DOCUMENT_QUERY_TIMEOUT, method, answer).await
    }

    /// Runs a query about a repository on a thread that may block on git.
    async fn git_query<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        work: GitWork,
        params: P,
        handle: fn(&RequestContext<'_>, P) -> Result<R>,
    ) -> Result<R> {
        let session = self.initialized_session()?.clone();
        let snapshot = ingress_snapshot(&session);
        let task_session = session.clone();
        let answer = git::run(&task_session, work, move |interrupt| {
            handle(&RequestContext { session: &session, snapshot, interrupt }, params)
        });
        answer.await.map_err(|_| error::panicked(method))?
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let session =
            Session::new(self.client.clone(), self.outbox.clone(), &params).map_err(|e| {
                tracing::error!("cannot start threads: {e}");
                Error::internal_error()
            })?;
        let session = self.session.get_or_init(|| Arc::new(session));
        Ok(capabilities::initialize_result(session))
    }

    async fn initialized(&self, _: InitializedParams) {
        if let Ok(session) = self.initialized_session() {
            status::start(session);
            for problem in workspace::load_user_queries() {
                session.warn(problem.clone());
            }
            indexing::start(session);
            git::start(session);
            debug::start(session);
            diagnostics::start(session);
            live::start(session);
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.initialized_session()?.stop();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.notified(|session| notifications::did_open::apply(session, params));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.notified(|session| notifications::did_change::apply(session, params));
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.notified(|session| notifications::did_save::apply(session, &params));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.notified(|session| notifications::did_close::apply(session, &params));
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.notified(|session| notifications::did_change_watched_files::apply(session, params));
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.notified(|session| notifications::did_change_configuration::apply(session, &params));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.notified(|session| {
            notifications::did_change_workspace_folders::apply(session, params)
        });
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.document_query(
            "textDocument/documentSymbol",
            params,
            requests::document_symbol::answer,
        )
        .await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.query("textDocument/definition", params, requests::definition::answer).await
    }

    async fn goto_declaration(
        &self,
        params: GotoDeclarationParams,
    ) -> Result<Option<GotoDeclarationResponse>> {
        self.query("textDocument/declaration", params, requests::declaration::answer).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        self.query("textDocument/typeDefinition", params, requests::type_definition::answer).await
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        self.query("textDocument/implementation", params, requests::implementation::answer).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        self.query("textDocument/documentHighlight", params, requests::document_highlight::answer)
            .await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let method = "textDocument/codeAction";
        let git_actions =
            self.git_query(method, GitWork::Quick, params.clone(), requests::git::actions);
        let language_actions = self.query(method, params, requests::code_action::answer);
        let (language_actions, git_actions) = tokio::join!(language_actions, git_actions);
        let mut actions = language_actions?.unwrap_or_default();
        actions.extend(requests::git::log_errors(method, git_actions));
        Ok(Some(actions))
    }

    async fn code_action_resolve(&self, params: CodeAction) -> Result<CodeAction> {
        self.query("codeAction/resolve", params, requests::code_action::resolve).await?
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        use requests::git::commit_message;
        let method = "textDocument/completion";
        let uri = &params.text_document_position.text_document.uri;
        if !commit_message::is_message(self.initialized_session()?, uri.as_str()) {
            return self.query(method, params, requests::completion::answer).await;
        }
        let mentions = self
            .git_query(method, GitWork::History, params.clone(), commit_message::gather)
            .await?;
        self.query(method, (params, mentions), commit_message::answer).await
    }

    async fn completion_resolve(&self, params: CompletionItem) -> Result<CompletionItem> {
        self.query("completionItem/resolve", params, requests::completion_resolve::answer).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        use requests::git::blame_hover;
        let method = "textDocument/hover";
        if !self.blame_options()?.hover {
            return self.query(method, params, requests::hover::answer).await;
        }
        let commit = self.git_query(method, GitWork::History, params.clone(), blame_hover::answer);
        let hover = self.query(method, params, requests::hover::answer);
        let (hover, commit) = tokio::join!(hover, commit);
        let (hover, markdown) = (hover?, self.initialized_session()?.features.markdown);
        Ok(match requests::git::log_errors(method, commit.map(Vec::from_iter)).pop() {
            Some(commit) => Some(blame_hover::append(hover, commit, markdown)),
            None => hover,
        })
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.query("textDocument/prepareCallHierarchy", params, requests::call_hierarchy::prepare)
            .await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.query("callHierarchy/incomingCalls", params, requests::call_hierarchy::incoming).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.query("callHierarchy/outgoingCalls", params, requests::call_hierarchy::outgoing).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.query("textDocument/prepareTypeHierarchy", params, requests::type_hierarchy::prepare)
            .await
    }

    async fn supertypes(
        &self,
        params: TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.query("typeHierarchy/supertypes", params, requests::type_hierarchy::supertypes).await
    }

    async fn subtypes(
        &self,
        params: TypeHierarchySubtypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.query("typeHierarchy/subtypes", params, requests::type_hierarchy::subtypes).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        use requests::git::blame_lens;
        let method = "textDocument/codeLens";
        if !self.blame_options()?.lens {
            return self.query(method, params, requests::code_lens::answer).await;
        }
        let lenses = self.query(method, params.clone(), requests::code_lens::answer).await?;
        let targets = self.query(method, params, blame_lens::targets).await?;
        let blame = self.git_query(method, GitWork::History, targets, blame_lens::answer).await;
        let mut lenses = lenses.unwrap_or_default();
        lenses.extend(requests::git::log_errors(method, blame));
        Ok(Some(lenses))
    }

    async fn code_lens_resolve(&self, params: CodeLens) -> Result<CodeLens> {
        self.query("codeLens/resolve", params, requests::code_lens::resolve).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let handle = requests::semantic_tokens::full;
        self.latency_critical_query("textDocument/semanticTokens/full", params, handle).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        let handle = requests::semantic_tokens::delta;
        self.latency_critical_query("textDocument/semanticTokens/full/delta", params, handle).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let handle = requests::semantic_tokens::range;
        self.latency_critical_query("textDocument/semanticTokens/range", params, handle).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.document_query("textDocument/foldingRange", params, requests::folding_range::answer)
            .await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.document_query(
            "textDocument/selectionRange",
            params,
            requests::selection_range::answer,
        )
        .await
    }

    async fn linked_editing_range(
        &self,
        params: LinkedEditingRangeParams,
    ) -> Result<Option<LinkedEditingRanges>> {
        let handle = requests::linked_editing_range::answer;
        self.document_query("textDocument/linkedEditingRange", params, handle).await
    }

    async fn document_color(&self, params: DocumentColorParams) -> Result<Vec<ColorInformation>> {
        self.document_query("textDocument/documentColor", params, requests::document_color::answer)
            .await
    }

    async fn color_presentation(
        &self,
        params: ColorPresentationParams,
    ) -> Result<Vec<ColorPresentation>> {
        let handle = requests::document_color::presentations;
        self.query("textDocument/colorPresentation", params, handle).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        requests::formatting::answer(self.initialized_session()?, params).await
    }

    async fn range_formatting(
        &self,
        params: DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        requests::formatting::range(self.initialized_session()?, params).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        let handle = requests::on_type_formatting::answer;
        self.query("textDocument/onTypeFormatting", params, handle).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.document_query("textDocument/documentLink", params, requests::document_link::answer)
            .await
    }

    async fn document_link_resolve(&self, params: DocumentLink) -> Result<DocumentLink> {
        self.query("documentLink/resolve", params, requests::document_link::resolve).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        use requests::git::blame_hints;
        let method = "textDocument/inlayHint";
        if !self.blame_options()?.inlay {
            return self.query(method, params, requests::inlay_hint::answer).await;
        }
        let blame = self.git_query(method, GitWork::History, params.clone(), blame_hints::answer);
        let hints = self.query(method, params, requests::inlay_hint::answer);
        let (hints, blame) = tokio::join!(hints, blame);
        let mut hints = hints?.unwrap_or_default();
        hints.extend(requests::git::log_errors(method, blame));
        Ok(Some(hints))
    }

    async fn inline_value(&self, params: InlineValueParams) -> Result<Option<Vec<InlineValue>>> {
        use requests::inline_value::{named_variables, variable_values};
        let method = "textDocument/inlineValue";
        let named = self.query(method, params.clone(), named_variables).await?;
        let session = self.initialized_session()?.clone();
        let task_session = session.clone();
        // Waiting for the debugger must not occupy the interactive pool.
        let values = git::run(&task_session, GitWork::History, move |interrupt| {
            variable_values(&session, &params, named, interrupt)
        });
        Ok(Some(values.await.map_err(|_| error::panicked(method))?))
    }

    async fn inlay_hint_resolve(&self, params: InlayHint) -> Result<InlayHint> {
        self.query("inlayHint/resolve", params, requests::inlay_hint::resolve).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        self.query("textDocument/signatureHelp", params, requests::signature_help::answer).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        self.query("workspace/symbol", params, requests::workspace_symbol::answer).await
    }

    async fn symbol_resolve(&self, params: WorkspaceSymbol) -> Result<WorkspaceSymbol> {
        self.query("workspaceSymbol/resolve", params, requests::workspace_symbol::resolve).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.query("textDocument/prepareRename", params, requests::prepare_rename::answer).await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.query("textDocument/rename", params, requests::rename::answer).await?
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        requests::diagnostic::answer(self.initialized_session()?, params).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let session = self.initialized_session()?.clone();
        diagnostics::switch_to_pull(&session);
        requests::workspace_diagnostic::answer(&session, params).await
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        self.query("workspace/willRenameFiles", params, requests::will_rename_files::answer).await?
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.query("textDocument/references", params, requests::references::answer).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::answer(self.initialized_session()?, params).await
    }
}

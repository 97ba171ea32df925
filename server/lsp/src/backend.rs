//! The methods of the protocol, each handed to its own file.

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
    DidOpenTextDocumentParams, DocumentColorParams, DocumentDiagnosticParams,
    DocumentDiagnosticReportResult, DocumentFormattingParams, DocumentHighlight,
    DocumentHighlightParams, DocumentLink, DocumentLinkParams, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, DocumentSymbolParams, DocumentSymbolResponse,
    ExecuteCommandParams, FoldingRange, FoldingRangeParams, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverParams, InitializeParams, InitializeResult,
    InitializedParams, InlayHint, InlayHintParams, InlineValue, InlineValueParams,
    LinkedEditingRangeParams, LinkedEditingRanges, Location, PrepareRenameResponse,
    ReferenceParams, RenameFilesParams, RenameParams, SelectionRange, SelectionRangeParams,
    SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult, SignatureHelp,
    SignatureHelpParams, TextDocumentPositionParams, TextEdit, TypeHierarchyItem,
    TypeHierarchyPrepareParams, TypeHierarchySubtypesParams, TypeHierarchySupertypesParams,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult, WorkspaceEdit, WorkspaceSymbol,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};
use workspace::QueryError;

use crate::git::Pace;
use crate::git::hunks::Hunks;
use crate::git::options::Blame;
use crate::limited::{LONGEST, limited};
use crate::outbox::Outbox;
use crate::question::{Question, ingress_snapshot};
use crate::requests::activity::{ActivityParams, Calls};
use crate::requests::execute_command::CallByPerson;
use crate::requests::git::content::{Content, ContentParams};
use crate::requests::git::hunks::HunksParams;
use crate::session::Session;
use crate::{
    capabilities, debug, diagnostics, error, git, indexing, live, notifications, requests, status,
};

/// The server, as the framework sees it.
pub(crate) struct Backend {
    client: Client,
    outbox: Outbox,
    session: Arc<OnceLock<Arc<Session>>>,
}

impl Backend {
    /// The service of one client, which `outbox` leads to.
    pub(crate) fn service(outbox: Outbox) -> (LspService<Self>, ClientSocket) {
        LspService::build(|client| Self { client, outbox, session: Arc::default() })
            .custom_method("tandem/didChangeEditorState", Self::did_change_editor_state)
            .custom_method("textDocument/didFocus", Self::did_focus)
            .custom_method(requests::activity::METHOD, Self::activity)
            .custom_method(requests::execute_command::BY_PERSON, Self::call_by_person)
            .custom_method(requests::git::hunks::METHOD, Self::hunks)
            .custom_method(requests::git::content::METHOD, Self::text_document_content)
            .custom_method(requests::git::content::OWN_METHOD, Self::own_content)
            .finish()
    }

    async fn did_change_editor_state(&self, params: Value) {
        if let Ok(session) = self.started() {
            notifications::editor_state::apply(session, &params);
        }
    }

    async fn did_focus(&self, params: Value) {
        if let Ok(session) = self.started() {
            notifications::editor_state::focus(session, &params);
        }
    }

    async fn activity(&self, params: ActivityParams) -> Result<Calls> {
        let session = self.started()?.clone();
        let snapshot = ingress_snapshot(&session);
        let pool = session.clone();
        let work = move || requests::activity::answer(&session, &snapshot, &params);
        let answer = pool.pool.call(work).await;
        answer.map_err(|_| error::panicked(requests::activity::METHOD))?
    }

    async fn call_by_person(&self, call: CallByPerson) -> Result<Value> {
        requests::execute_command::by_person(self.started()?, call).await
    }

    async fn hunks(&self, params: HunksParams) -> Result<Option<Hunks>> {
        let method = requests::git::hunks::METHOD;
        self.ask_git(method, Pace::Quick, params, requests::git::hunks::answer).await
    }

    async fn text_document_content(&self, params: ContentParams) -> Result<Content> {
        // Whoever knows this request is told when to ask again.
        self.started()?.git.showed(&params.uri);
        self.own_content(params).await
    }

    async fn own_content(&self, params: ContentParams) -> Result<Content> {
        let method = requests::git::content::METHOD;
        self.ask_git(method, Pace::Slow, params, requests::git::content::answer).await
    }

    /// What of blame the person wants to see.
    fn blame(&self) -> Result<Blame> {
        Ok(self.started()?.git.options.current())
    }

    pub(crate) fn session(&self) -> Arc<OnceLock<Arc<Session>>> {
        self.session.clone()
    }

    /// The session; the framework lets nothing but `initialize` through before there is one.
    fn started(&self) -> Result<&Arc<Session>> {
        self.session.get().ok_or_else(Error::internal_error)
    }

    /// Has a question answered on the pool.
    async fn ask<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&Question<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        let session = self.started()?.clone();
        let snapshot = ingress_snapshot(&session);
        let pool = session.clone();
        session.answers.admit(&session.outbox).await;
        let answer = pool.pool.ask(move |interrupt| {
            handle(&Question { session: &session, snapshot, interrupt }, params)
        });
        answer.await.map_err(|_| error::panicked(method))?.map_err(error::of_query)
    }

    /// Has a question answered that only one document's text is asked for.
    async fn look<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&Question<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        limited(LONGEST, method, self.ask(method, params, handle)).await
    }

    /// The same that waits for nothing.
    async fn glance<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        params: P,
        handle: fn(&Question<'_>, P) -> std::result::Result<R, QueryError>,
    ) -> Result<R> {
        let session = self.started()?.clone();
        let snapshot = ingress_snapshot(&session);
        let pool = session.clone();
        let answer = pool.pool.glance(move |interrupt| {
            handle(&Question { session: &session, snapshot, interrupt }, params)
        });
        let answer = async {
            pool.glances.admit(&pool.outbox).await;
            answer.await.map_err(|_| error::panicked(method))?.map_err(error::of_query)
        };
        limited(LONGEST, method, answer).await
    }

    /// Has a question about a repository answered, on a thread where git may work.
    async fn ask_git<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        pace: Pace,
        params: P,
        handle: fn(&Question<'_>, P) -> Result<R>,
    ) -> Result<R> {
        let session = self.started()?.clone();
        let snapshot = ingress_snapshot(&session);
        let own = session.clone();
        let answer = git::ask(&own, pace, move |interrupt| {
            handle(&Question { session: &session, snapshot, interrupt }, params)
        });
        answer.await.map_err(|_| error::panicked(method))?
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let session =
            Session::new(self.client.clone(), self.outbox.clone(), &params).map_err(|e| {
                tracing::error!("no threads: {e}");
                Error::internal_error()
            })?;
        let session = self.session.get_or_init(|| Arc::new(session));
        Ok(capabilities::initialize_result(session))
    }

    async fn initialized(&self, _: InitializedParams) {
        if let Ok(session) = self.started() {
            status::start(session);
            for problem in workspace::take_user_queries() {
                session.warn(problem.clone());
            }
            indexing::start(session);
            git::start(session);
            debug::start(session);
            live::start(session);
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.started()?.stop();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        if let Ok(session) = self.started() {
            notifications::did_open::apply(session, params);
        }
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        if let Ok(session) = self.started() {
            notifications::did_change::apply(session, params);
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        if let Ok(session) = self.started() {
            notifications::did_close::apply(session, &params);
        }
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        if let Ok(session) = self.started() {
            notifications::did_change_watched_files::apply(session, params);
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        if let Ok(session) = self.started() {
            notifications::did_change_configuration::apply(session, &params);
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        if let Ok(session) = self.started() {
            notifications::did_change_workspace_folders::apply(session, params);
        }
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.look("textDocument/documentSymbol", params, requests::document_symbol::answer).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.ask("textDocument/definition", params, requests::definition::answer).await
    }

    async fn goto_declaration(
        &self,
        params: GotoDeclarationParams,
    ) -> Result<Option<GotoDeclarationResponse>> {
        self.ask("textDocument/declaration", params, requests::declaration::answer).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        self.ask("textDocument/typeDefinition", params, requests::type_definition::answer).await
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        self.ask("textDocument/implementation", params, requests::implementation::answer).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        self.ask("textDocument/documentHighlight", params, requests::document_highlight::answer)
            .await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let method = "textDocument/codeAction";
        let of_git = self.ask_git(method, Pace::Quick, params.clone(), requests::git::actions);
        let of_names = self.ask(method, params, requests::code_action::answer);
        let (of_names, of_git) = tokio::join!(of_names, of_git);
        let mut actions = of_names?.unwrap_or_default();
        actions.extend(requests::git::or_none(method, of_git));
        Ok(Some(actions))
    }

    async fn code_action_resolve(&self, params: CodeAction) -> Result<CodeAction> {
        self.ask("codeAction/resolve", params, requests::code_action::resolve).await?
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        use requests::git::message;
        let method = "textDocument/completion";
        let uri = &params.text_document_position.text_document.uri;
        if !message::is_message(self.started()?, uri.as_str()) {
            return self.ask(method, params, requests::completion::answer).await;
        }
        let said = self.ask_git(method, Pace::Slow, params.clone(), message::gather).await?;
        self.ask(method, (params, said), message::answer).await
    }

    async fn completion_resolve(&self, params: CompletionItem) -> Result<CompletionItem> {
        self.ask("completionItem/resolve", params, requests::completion_resolve::answer).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        use requests::git::blame_hover;
        let method = "textDocument/hover";
        if !self.blame()?.hover {
            return self.ask(method, params, requests::hover::answer).await;
        }
        let commit = self.ask_git(method, Pace::Slow, params.clone(), blame_hover::answer);
        let hover = self.ask(method, params, requests::hover::answer);
        let (hover, commit) = tokio::join!(hover, commit);
        let (hover, markdown) = (hover?, self.started()?.features.markdown);
        Ok(match requests::git::or_none(method, commit.map(Vec::from_iter)).pop() {
            Some(commit) => Some(blame_hover::below(hover, commit, markdown)),
            None => hover,
        })
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.ask("textDocument/prepareCallHierarchy", params, requests::call_hierarchy::prepare)
            .await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.ask("callHierarchy/incomingCalls", params, requests::call_hierarchy::incoming).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.ask("callHierarchy/outgoingCalls", params, requests::call_hierarchy::outgoing).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.ask("textDocument/prepareTypeHierarchy", params, requests::type_hierarchy::prepare)
            .await
    }

    async fn supertypes(
        &self,
        params: TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.ask("typeHierarchy/supertypes", params, requests::type_hierarchy::supertypes).await
    }

    async fn subtypes(
        &self,
        params: TypeHierarchySubtypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.ask("typeHierarchy/subtypes", params, requests::type_hierarchy::subtypes).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        use requests::git::blame_lens;
        let method = "textDocument/codeLens";
        if !self.blame()?.lens {
            return self.ask(method, params, requests::code_lens::answer).await;
        }
        let lenses = self.ask(method, params.clone(), requests::code_lens::answer).await?;
        let places = self.ask(method, params, blame_lens::places).await?;
        let blamed = self.ask_git(method, Pace::Slow, places, blame_lens::answer).await;
        let mut lenses = lenses.unwrap_or_default();
        lenses.extend(requests::git::or_none(method, blamed));
        Ok(Some(lenses))
    }

    async fn code_lens_resolve(&self, params: CodeLens) -> Result<CodeLens> {
        self.ask("codeLens/resolve", params, requests::code_lens::resolve).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let handle = requests::semantic_tokens::full;
        self.glance("textDocument/semanticTokens/full", params, handle).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        let handle = requests::semantic_tokens::delta;
        self.glance("textDocument/semanticTokens/full/delta", params, handle).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let handle = requests::semantic_tokens::range;
        self.glance("textDocument/semanticTokens/range", params, handle).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.look("textDocument/foldingRange", params, requests::folding_range::answer).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.look("textDocument/selectionRange", params, requests::selection_range::answer).await
    }

    async fn linked_editing_range(
        &self,
        params: LinkedEditingRangeParams,
    ) -> Result<Option<LinkedEditingRanges>> {
        let handle = requests::linked_editing_range::answer;
        self.look("textDocument/linkedEditingRange", params, handle).await
    }

    async fn document_color(&self, params: DocumentColorParams) -> Result<Vec<ColorInformation>> {
        self.look("textDocument/documentColor", params, requests::document_color::answer).await
    }

    async fn color_presentation(
        &self,
        params: ColorPresentationParams,
    ) -> Result<Vec<ColorPresentation>> {
        let handle = requests::document_color::presentations;
        self.ask("textDocument/colorPresentation", params, handle).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        requests::formatting::answer(self.started()?, params).await
    }

    async fn range_formatting(
        &self,
        params: DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        requests::formatting::range(self.started()?, params).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        let handle = requests::on_type_formatting::answer;
        self.ask("textDocument/onTypeFormatting", params, handle).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.look("textDocument/documentLink", params, requests::document_link::answer).await
    }

    async fn document_link_resolve(&self, params: DocumentLink) -> Result<DocumentLink> {
        self.ask("documentLink/resolve", params, requests::document_link::resolve).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        use requests::git::blame_hints;
        let method = "textDocument/inlayHint";
        if !self.blame()?.inlay {
            return self.ask(method, params, requests::inlay_hint::answer).await;
        }
        let blamed = self.ask_git(method, Pace::Slow, params.clone(), blame_hints::answer);
        let hints = self.ask(method, params, requests::inlay_hint::answer);
        let (hints, blamed) = tokio::join!(hints, blamed);
        let mut hints = hints?.unwrap_or_default();
        hints.extend(requests::git::or_none(method, blamed));
        Ok(Some(hints))
    }

    async fn inline_value(&self, params: InlineValueParams) -> Result<Option<Vec<InlineValue>>> {
        use requests::inline_value::{named, valued};
        let method = "textDocument/inlineValue";
        let named = self.ask(method, params.clone(), named).await?;
        let session = self.started()?.clone();
        let own = session.clone();
        // The debugger is waited for where the workspace's questions are not.
        let valued = git::ask(&own, Pace::Slow, move |interrupt| {
            valued(&session, &params, named, interrupt)
        });
        Ok(Some(valued.await.map_err(|_| error::panicked(method))?))
    }

    async fn inlay_hint_resolve(&self, params: InlayHint) -> Result<InlayHint> {
        self.ask("inlayHint/resolve", params, requests::inlay_hint::resolve).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        self.ask("textDocument/signatureHelp", params, requests::signature_help::answer).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        self.ask("workspace/symbol", params, requests::workspace_symbol::answer).await
    }

    async fn symbol_resolve(&self, params: WorkspaceSymbol) -> Result<WorkspaceSymbol> {
        self.ask("workspaceSymbol/resolve", params, requests::workspace_symbol::resolve).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.ask("textDocument/prepareRename", params, requests::prepare_rename::answer).await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.ask("textDocument/rename", params, requests::rename::answer).await?
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        requests::diagnostic::ask(self.started()?, params).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let session = self.started()?.clone();
        diagnostics::pulled(&session);
        requests::workspace_diagnostic::ask(&session, params).await
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        self.ask("workspace/willRenameFiles", params, requests::will_rename_files::answer).await?
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.ask("textDocument/references", params, requests::references::answer).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::answer(self.started()?, params).await
    }
}

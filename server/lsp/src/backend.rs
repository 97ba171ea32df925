//! The methods of the protocol, each handed to its own file.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentSymbolParams,
    DocumentSymbolResponse, ExecuteCommandParams, GotoDefinitionParams, GotoDefinitionResponse,
    InitializeParams, InitializeResult, InitializedParams, Location, ReferenceParams,
};
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};
use workspace::QueryError;

use crate::question::{Question, ingress_snapshot};
use crate::session::Session;
use crate::transport::Outbox;
use crate::{capabilities, error, indexing, notifications, requests};

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
        let answer = pool.pool.ask(move |interrupt| {
            handle(&Question { session: &session, snapshot, interrupt }, params)
        });
        answer.await.map_err(|_| error::panicked(method))?.map_err(error::of_query)
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
            indexing::start(session);
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

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        if let Ok(session) = self.started() {
            notifications::did_change_workspace_folders::apply(session, params);
        }
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.ask("textDocument/documentSymbol", params, requests::document_symbol::answer).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.ask("textDocument/definition", params, requests::definition::answer).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.ask("textDocument/references", params, requests::references::answer).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::answer(self.started()?, params).await
    }
}

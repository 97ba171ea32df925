//! The server's capabilities.

use serde_json::json;
use tower_lsp_server::jsonrpc::Response;
use tower_lsp_server::ls_types::{
    CallHierarchyServerCapability, CodeActionProviderCapability, CodeLensOptions,
    ColorProviderCapability, CompletionOptions, CompletionOptionsCompletionItem,
    DeclarationCapability, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    ImplementationProviderCapability, InitializeResult, InlayHintOptions,
    InlayHintServerCapabilities, LinkedEditingRangeServerCapabilities, OneOf, RenameOptions,
    SelectionRangeProviderCapability, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability, WorkDoneProgressOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities, WorkspaceSymbolOptions,
};

use crate::convert::encoding_to_lsp;
use crate::requests::completion::TRIGGERS;
use crate::requests::execute_command::commands;
use crate::requests::git::content;
use crate::requests::{
    code_action, inline_completion, on_type_formatting, semantic_tokens, will_rename_files,
};
use crate::session::Session;

/// The version of our protocol extensions. It grows when the meaning of an existing one changes.
const EXTENSIONS_VERSION: u32 = 1;

pub(crate) fn initialize_result(session: &Session) -> InitializeResult {
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding_to_lsp(session.encoding)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(semantic_tokens::options().into()),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        linked_editing_range_provider: Some(LinkedEditingRangeServerCapabilities::Simple(true)),
        color_provider: Some(ColorProviderCapability::Simple(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(on_type_formatting::options()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
            completion_item: Some(CompletionOptionsCompletionItem {
                label_details_support: Some(true),
            }),
            ..CompletionOptions::default()
        }),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(
            InlayHintOptions { resolve_provider: Some(true), ..InlayHintOptions::default() },
        ))),
        inline_value_provider: Some(OneOf::Left(true)),
        inline_completion_provider: inline_completion::is_enabled(&session.workspace.snapshot())
            .then_some(OneOf::Left(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ","].map(str::to_owned).to_vec()),
            retrigger_characters: Some([")"].map(str::to_owned).to_vec()),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(code_action::options())),
        diagnostic_provider: session.features.pull_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("tandem".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        workspace_symbol_provider: Some(OneOf::Right(WorkspaceSymbolOptions {
            resolve_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                will_rename: Some(will_rename_files::registration()),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        experimental: Some(json!({
            "tandem": { "protocol": EXTENSIONS_VERSION, "version": env!("CARGO_PKG_VERSION") },
        })),
        ..ServerCapabilities::default()
    };
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "tandem".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}

/// Adds capabilities that the protocol crate's types have no field for.
pub(crate) fn add_untyped_capabilities(answer: Response) -> Response {
    let (id, mut body) = answer.into_parts();
    let capabilities =
        body.as_mut().ok().and_then(|result| result.get_mut("capabilities")?.as_object_mut());
    if let Some(capabilities) = capabilities {
        capabilities.insert("typeHierarchyProvider".to_owned(), json!(true));
        if let Some(workspace) = capabilities.get_mut("workspace") {
            workspace["textDocumentContent"] = json!({ "schemes": [content::SCHEME] });
        }
    }
    Response::from_parts(id, body)
}

//! The one list of tools.

use std::sync::OnceLock;

use crate::Entry;
use crate::{
    actions, audit, command, debug, editing, editor, files, git, history, languages, names, search,
    symbols,
};

/// Every tool, in the order in which they are listed.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        vec![
            Entry::of::<files::ReadFile>(),
            Entry::of::<files::ReadFileRange>(),
            Entry::of::<files::WriteFile>(),
            Entry::of::<files::GetFileInfo>(),
            Entry::of::<files::DeleteFile>(),
            Entry::of::<files::MoveFile>(),
            Entry::of::<files::CopyFile>(),
            Entry::of::<files::CreateDirectory>(),
            Entry::of::<history::UndoAction>(),
            Entry::of::<history::GetActionHistory>(),
            Entry::of::<history::GetPendingVerifications>(),
            Entry::of::<editing::ApplyEdit>(),
            Entry::of::<editing::EditFile>(),
            Entry::of::<editor::GetEditorState>(),
            Entry::of::<editor::OpenFile>(),
            Entry::of::<editor::GotoLine>(),
            Entry::of::<editor::GetSelection>(),
            Entry::of::<editor::ReplaceSelection>(),
            Entry::of::<editor::InsertAtCursor>(),
            Entry::of::<command::RunCommand>(),
            Entry::of::<debug::DebugLaunch>(),
            Entry::of::<debug::DebugConfigurations>(),
            Entry::of::<debug::DebugAttach>(),
            Entry::of::<debug::DebugBreakpoint>(),
            Entry::of::<debug::DebugStep>(),
            Entry::of::<debug::DebugPause>(),
            Entry::of::<debug::DebugStack>(),
            Entry::of::<debug::DebugVariables>(),
            Entry::of::<debug::DebugEvaluate>(),
            Entry::of::<debug::DebugDisassemble>(),
            Entry::of::<debug::DebugMemory>(),
            Entry::of::<debug::DebugSetVariable>(),
            Entry::of::<debug::DebugThreads>(),
            Entry::of::<debug::DebugOutput>(),
            Entry::of::<debug::DebugSessions>(),
            Entry::of::<debug::DebugStop>(),
            Entry::of::<debug::DebugRestart>(),
            Entry::of::<audit::GetAuditLog>(),
            Entry::of::<languages::LangDetect>(),
            Entry::of::<languages::LangList>(),
            Entry::of::<search::ListDirectory>(),
            Entry::of::<search::WorkspaceStructure>(),
            Entry::of::<search::FindFiles>(),
            Entry::of::<search::FindFilesGlob>(),
            Entry::of::<search::GrepSearch>(),
            Entry::of::<search::CodebaseSearch>(),
            Entry::of::<search::StructuralSearch>(),
            Entry::of::<names::LspDefinition>(),
            Entry::of::<names::LspDeclaration>(),
            Entry::of::<names::LspTypeDefinition>(),
            Entry::of::<names::LspImplementation>(),
            Entry::of::<names::LspReferences>(),
            Entry::of::<names::LspHover>(),
            Entry::of::<names::LspDocumentSymbols>(),
            Entry::of::<names::LspWorkspaceSymbols>(),
            Entry::of::<names::LspDiagnostics>(),
            Entry::of::<names::LspRename>(),
            Entry::of::<names::LspCompletion>(),
            Entry::of::<symbols::FindSymbol>(),
            Entry::of::<symbols::SymbolsOverview>(),
            Entry::of::<symbols::ReplaceSymbolBody>(),
            Entry::of::<symbols::InsertBeforeSymbol>(),
            Entry::of::<symbols::InsertAfterSymbol>(),
            Entry::of::<symbols::FindReferencingSymbols>(),
            Entry::of::<symbols::FindImplementations>(),
            Entry::of::<symbols::SafeDeleteSymbol>(),
            Entry::of::<symbols::RenameSymbol>(),
            Entry::of::<symbols::RepositoryMap>(),
            Entry::of::<symbols::GetDiagnostics>(),
            Entry::of::<actions::CodeActions>(),
            Entry::of::<actions::ApplyCodeAction>(),
            Entry::of::<git::GitStatus>(),
            Entry::of::<git::GitDiff>(),
            Entry::of::<git::GitLog>(),
            Entry::of::<git::GitShow>(),
            Entry::of::<git::GitBlame>(),
            Entry::of::<git::GitMergeBase>(),
            Entry::of::<git::GitTags>(),
            Entry::of::<git::GitRemote>(),
            Entry::of::<git::GitBranch>(),
            Entry::of::<git::GitConflicts>(),
            Entry::of::<git::GitStage>(),
            Entry::of::<git::GitUnstage>(),
            Entry::of::<git::GitCommit>(),
            Entry::of::<git::GitFetch>(),
            Entry::of::<git::GitPull>(),
            Entry::of::<git::GitPush>(),
            Entry::of::<git::GitDiscard>(),
            Entry::of::<git::GitStash>(),
            Entry::of::<git::GitCheckpoint>(),
        ]
    })
}

/// The tool called `name`, by its canonical name or an alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

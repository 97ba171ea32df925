//! Edits at a symbol.

use schemars::JsonSchema;
use serde::Deserialize;
use syntax::Syntax;
use workspace::{Document, FileSymbol, FileText};

use super::search;
use crate::editing::{self, Action, Edits, Output, RequestedEdit};
use tools::{Code, Context, Effect, ToolError};

/// Parameters that name a symbol to edit.
#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct SymbolLocation {
    /// The symbol: `name` or `Class/method`; `/Class` is top-level only.
    pub(super) name_path: String,
    /// The file that defines it.
    pub(super) path: String,
    /// 1-based line of its name, if the name path is ambiguous.
    #[serde(default)]
    pub(super) line: Option<usize>,
    /// The file's hash from `find_symbol`; refused if the content differs.
    #[serde(default)]
    pub(super) expected_hash: Option<String>,
    /// Report what would change, without changing it.
    #[serde(default)]
    pub(super) dry_run: bool,
}

/// The symbol to edit, in its file.
pub(super) struct ResolvedSymbol<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) tool: &'static str,
    pub(super) file: &'a FileText,
    pub(super) document: &'a Document,
    pub(super) syntax: &'a Syntax,
    pub(super) symbol: &'a FileSymbol,
}

impl SymbolLocation {
    /// The requested edits: those that `make` returns for the symbol.
    fn requested_edits(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        make: impl Fn(&ResolvedSymbol<'_>) -> Result<Edits, ToolError> + 'static,
    ) -> Result<Vec<RequestedEdit>, ToolError> {
        let place = self.clone();
        let work_out = move |context: &Context<'_>, file: &FileText| {
            let document = context.snapshot.document_of(file);
            if document.language().is_none() {
                // Fails with the reason if the language has no symbols.
                search::document(tool, &context.snapshot, &file.path)?;
            }
            let (name, line) = (&place.name_path, place.line);
            let symbol =
                search::unique_definition(context, tool, &file.path, &document, name, line)?;
            let Some(syntax) = document.syntax(context.interrupt) else {
                context.check_interrupt(tool)?;
                let message = format!("{tool}: {}: cannot be parsed", file.path.display_path());
                return Err(ToolError::new(Code::Unsupported, message));
            };
            let (document, symbol) = (&*document, &symbol);
            make(&ResolvedSymbol { context, tool, file, document, syntax: &syntax, symbol })
        };
        let path = context.snapshot.locate(&self.path)?;
        let expected_hash = self.expected_hash.clone();
        Ok(vec![RequestedEdit { path, action: Action::Edit(Box::new(work_out)), expected_hash }])
    }

    pub(super) fn effects(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        make: impl Fn(&ResolvedSymbol<'_>) -> Result<Edits, ToolError> + 'static,
    ) -> Result<Vec<Effect>, ToolError> {
        editing::effects(context, || self.requested_edits(context, tool, make), self.dry_run)
    }

    pub(super) fn run(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        make: impl Fn(&ResolvedSymbol<'_>) -> Result<Edits, ToolError> + 'static,
    ) -> Result<Output, ToolError> {
        let wanted = self.requested_edits(context, tool, make)?;
        editing::run(context, tool, &wanted, self.dry_run)
    }
}

impl ResolvedSymbol<'_> {
    /// The whole definition, without the comments above it.
    pub(super) fn whole(&self) -> std::ops::Range<usize> {
        self.syntax.whole_declaration(self.symbol.span.clone(), self.symbol.name_span.clone())
    }

    /// The error for a symbol that shares its lines with other code.
    pub(super) fn shares_lines(&self) -> ToolError {
        let (path, name) = (self.file.path.display_path(), self.symbol.path.join("/"));
        let message = format!("{}: {path}: `{name}` shares its lines with other code", self.tool);
        ToolError::new(Code::Unsupported, message).hint("use `apply_edit`")
    }

    /// Whether only blanks precede `at` on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let text = self.document.text();
        text.slice(text.line_start(text.line_of(at))..at).trim().is_empty()
    }

    /// Whether only blanks or a comment follow `at` on its line.
    pub(super) fn ends_line(&self, at: usize) -> bool {
        let text = self.document.text();
        let (line, start) = (text.line_of(at), text.line_start(text.line_of(at)));
        let written = text.line(line);
        let rest = written.get(at - start..).unwrap_or("").trim();
        let comment = ["//", "#", "/*"].iter().any(|mark| rest.starts_with(mark));
        matches!(rest, "" | "," | ";") || comment
    }
}

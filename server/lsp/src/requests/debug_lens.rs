//! Code lenses that debug a test or a program, for clients that have a command for it.

use tower_lsp_server::ls_types::{CodeLens, Command};
use workspace::{Document, FileSymbol};

use crate::convert::range_to_lsp;
use crate::debug::runnables::{RunnableLocation, debug_command};
use crate::request_context::RequestContext;

/// The client's command. Its argument is the description of the runnable.
const COMMAND: &str = "tandem.debug";

pub(crate) fn lenses(
    context: &RequestContext<'_>,
    document: &Document,
    symbols: &[FileSymbol],
) -> Vec<CodeLens> {
    if !context.session.commands.iter().any(|command| command == COMMAND) {
        return Vec::new();
    }
    let Some(language) = document.language() else { return Vec::new() };
    // Files outside of the workspace are not debugged.
    let Some(path) = workspace::path_of_uri(document.uri()).ok() else { return Vec::new() };
    let Ok(path) = context.snapshot.locate_absolute(&path) else { return Vec::new() };
    let path = path.display_path();
    let lens = |runnable: syntax::Runnable| {
        let symbol = symbols.iter().find(|symbol| symbol.name_span == runnable.name_span);
        let names = symbol.map(|symbol| symbol.path.clone()).unwrap_or_default();
        let location = RunnableLocation { path: &path, names: &names };
        let (title, argument) = debug_command(language.id(), runnable.kind, &location)?;
        let encoding = context.session.encoding;
        Some(CodeLens {
            range: range_to_lsp(document.text(), runnable.name_span, encoding),
            command: Some(Command {
                title,
                command: COMMAND.to_owned(),
                arguments: Some(vec![argument]),
            }),
            data: None,
        })
    };
    document.runnables(context.interrupt).into_iter().filter_map(lens).collect()
}

//! Code lenses that start a test or a program under a debugger, for clients that have a command for it.

use tower_lsp_server::ls_types::{CodeLens, Command};
use workspace::{Document, FileSymbol};

use crate::convert::range_to_lsp;
use crate::debug::runnables::{Place, described};
use crate::question::Question;

/// The client's command, which gets one argument: what to start.
const COMMAND: &str = "tandem.debug";

pub(crate) fn lenses(
    question: &Question<'_>,
    document: &Document,
    symbols: &[FileSymbol],
) -> Vec<CodeLens> {
    if !question.session.commands.iter().any(|command| command == COMMAND) {
        return Vec::new();
    }
    let Some(language) = document.language() else { return Vec::new() };
    // What lies outside the workspace's folders is nobody's to start.
    let Some(path) = workspace::path_of_uri(document.uri()).ok() else { return Vec::new() };
    let Ok(path) = question.snapshot.locate_absolute(&path) else { return Vec::new() };
    let path = path.shown();
    let lens = |runnable: syntax::Runnable| {
        let symbol = symbols.iter().find(|symbol| symbol.name_span == runnable.name_span);
        let names = symbol.map(|symbol| symbol.path.clone()).unwrap_or_default();
        let place = Place { path: &path, names: &names };
        let (title, told) = described(language.id(), runnable.kind, &place)?;
        let encoding = question.session.encoding;
        Some(CodeLens {
            range: range_to_lsp(document.text(), runnable.name_span, encoding),
            command: Some(Command {
                title,
                command: COMMAND.to_owned(),
                arguments: Some(vec![told]),
            }),
            data: None,
        })
    };
    document.runnables(question.interrupt).into_iter().filter_map(lens).collect()
}

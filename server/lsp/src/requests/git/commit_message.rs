//! Completion in commit messages: staged paths, symbols with staged changes, trailers.

use std::path::PathBuf;

use git::{GitError, RepoLayout};
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionResponse,
    CompletionTextEdit, TextEdit,
};
use workspace::{CallBudget, Document, FilePath, QueryError, Snapshot, path_of_uri, uri_of_path};

use crate::convert::range_to_lsp;
use crate::error;
use crate::git::hunks::diff_with_index;
use crate::git::layout_of;
use crate::request_context::RequestContext;
use crate::session::Session;

const METHOD: &str = "textDocument/completion";
/// The files in which git has commit messages edited.
const MESSAGE_FILES: [&str; 3] = ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG"];
/// Most paths offered, and most files searched for symbols.
const MAX_PATHS: usize = 500;
const MAX_FILES: usize = 20;
/// Commits whose authors are offered, and most authors.
const MAX_COMMITS: usize = 500;
const MAX_AUTHORS: usize = 20;
/// Most symbols offered.
const MAX_SYMBOLS: usize = 100;
/// The line at which git cuts a message off.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// Whether a document is a commit message.
pub(crate) fn is_message(session: &Session, uri: &str) -> bool {
    let name = uri.rsplit('/').next().unwrap_or(uri);
    MESSAGE_FILES.contains(&name) || session.git.is_commit_message(uri)
}

/// What a message is likely to mention.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    paths: Vec<String>,
    /// Files with staged changes, and the changed lines in the documents.
    staged: Vec<(String, Vec<(u32, u32)>)>,
    trailers: Vec<String>,
}

/// Collects what the message may mention from the repository.
pub(crate) fn gather(
    context: &RequestContext<'_>,
    params: CompletionParams,
) -> Result<Mentions, Error> {
    let (session, snapshot) = (context.session, &context.snapshot);
    let uri = params.text_document_position.text_document.uri;
    let git_error = |error| error::from_git_error(METHOD, error);
    let layout = layout_of_message(session, snapshot, uri.as_str()).map_err(git_error)?;
    let Some(layout) = layout else { return Ok(Mentions::default()) };
    let budget = &CallBudget::new(context.interrupt);
    let (paths, identity, authors) = layout
        .run_sandboxed(false, |repo| {
            let authors = repo.recent_authors(MAX_COMMITS).unwrap_or_default();
            Ok((repo.staged_paths(MAX_PATHS, budget)?, repo.identity(), authors))
        })
        .map_err(git_error)?;
    let name = |person: &git::Person| format!("{} <{}>", person.name, person.email);
    let mut trailers: Vec<String> = Vec::new();
    trailers.extend(identity.as_ref().map(|user| format!("Signed-off-by: {}", name(user))));
    let others = authors
        .iter()
        .filter(|author| identity.as_ref().is_none_or(|user| user.email != author.email));
    trailers
        .extend(others.take(MAX_AUTHORS).map(|author| format!("Co-authored-by: {}", name(author))));
    // Names from a repository may contain anything.
    trailers.retain(|trailer| !trailer.contains(char::is_control));
    let mut mentions = Mentions { trailers, ..Mentions::default() };
    // If the workspace is only a part of the repository, only that part is offered.
    let in_workspace = paths.iter().filter_map(|path| Some((path, layout.file(path)?)));
    for (number, (path, file)) in in_workspace.enumerate() {
        if let Ok(path) = std::str::from_utf8(path.as_bytes()) {
            mentions.paths.push(path.to_owned());
        }
        if number < MAX_FILES {
            mentions.staged.extend(staged_lines(context, &layout, &file));
        }
    }
    Ok(mentions)
}

/// The repository of a commit message: the one whose git folder contains it, else the one around it, else
/// the workspace's.
fn layout_of_message(
    session: &Session,
    snapshot: &Snapshot,
    uri: &str,
) -> Result<Option<RepoLayout>, GitError> {
    let file = snapshot.locate_entry(uri).ok();
    let folder = path_of_uri(uri).ok().and_then(|path| Some(path.parent()?.to_owned()));
    let is_in_git = |folder: &PathBuf| folder.iter().any(|name| name == ".git");
    // A file outside of the workspace and of any git folder could belong to any repository.
    let folder = folder.filter(|folder| file.is_none() || is_in_git(folder));
    for at in file.into_iter().chain(snapshot.roots().iter().map(FilePath::from_root)) {
        let layout = layout_of(session, snapshot, &at)?;
        match (layout, &folder) {
            (Some(layout), Some(folder)) if layout.git_folder == *folder => {
                return Ok(Some(layout));
            }
            (Some(layout), None) => return Ok(Some(layout)),
            _ => {}
        }
    }
    Ok(None)
}

/// The lines with staged changes in a file, if it is in a supported language.
fn staged_lines(
    context: &RequestContext<'_>,
    layout: &RepoLayout,
    file: &FilePath,
) -> Option<(String, Vec<(u32, u32)>)> {
    let uri = uri_of_path(&file.absolute());
    let document = context.snapshot.document_or_file(&uri)?;
    document.language()?;
    let diff = diff_with_index(context.session, &context.snapshot, &document).ok()??;
    if diff.tracked.layout.work_tree != layout.work_tree {
        return None;
    }
    let lines = diff.staged(&document).iter().map(|(_, hunk)| hunk.range).collect();
    Some((uri, lines))
}

/// Offers trailers at the start of a line, then symbols and paths for the current word.
pub(crate) fn answer(
    context: &RequestContext<'_>,
    (params, mentions): (CompletionParams, Mentions),
) -> Result<Option<CompletionResponse>, QueryError> {
    let position = params.text_document_position;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let Some(prefix) = MessagePrefix::parse(&document, offset) else { return Ok(None) };
    let range = |start| range_to_lsp(document.text(), start..offset, context.session.encoding);
    let mut items = Vec::new();
    let mut add = |label: String, start: usize, kind, detail: Option<String>| {
        let edit = TextEdit { range: range(start), new_text: label.clone() };
        items.push(CompletionItem {
            kind: Some(kind),
            detail,
            sort_text: Some(format!("{:04}", items.len())),
            filter_text: Some(label.clone()),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            label,
            ..CompletionItem::default()
        });
    };
    if prefix.line > 0 {
        let begun = prefix.text.to_lowercase();
        let message = document.text().to_string();
        for trailer in mentions.trailers {
            let is_there = message.lines().any(|line| line.trim_end() == trailer);
            if !is_there && trailer.to_lowercase().starts_with(&begun) {
                add(trailer, prefix.start, CompletionItemKind::TEXT, None);
            }
        }
    }
    for (name, is_type, file) in staged_symbols(context, &mentions.staged) {
        let kind = match is_type {
            true => CompletionItemKind::CLASS,
            false => CompletionItemKind::FUNCTION,
        };
        add(name, prefix.word, kind, Some(file));
    }
    for path in mentions.paths {
        add(path, prefix.word, CompletionItemKind::FILE, Some("staged".to_owned()));
    }
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
}

/// The text before the cursor.
struct MessagePrefix {
    line: usize,
    /// The line up to the cursor.
    text: String,
    /// The start of the line, and of the word.
    start: usize,
    word: usize,
}

impl MessagePrefix {
    /// `None` in comments and below the scissors line, which are not part of the message.
    fn parse(document: &Document, offset: usize) -> Option<Self> {
        let text = document.text();
        let line = text.line_of(offset);
        let start = text.line_start(line);
        let before = text.slice(start..offset).into_owned();
        if before.starts_with('#') || text.slice(0..start).contains(SCISSORS) {
            return None;
        }
        let ends = |sign: char| sign.is_whitespace() || "()[]{}<>\"'`,;".contains(sign);
        let word = before
            .rfind(ends)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        Some(Self { line, start, word: start + word, text: before })
    }
}

/// The functions and types around the changed lines, innermost first: name, whether it is a type, and
/// file.
fn staged_symbols(
    context: &RequestContext<'_>,
    staged: &[(String, Vec<(u32, u32)>)],
) -> Vec<(String, bool, String)> {
    let mut found: Vec<(String, bool, String)> = Vec::new();
    for (uri, lines) in staged {
        let Some(document) = context.snapshot.document_or_file(uri) else { continue };
        let Some(symbols) = document.symbols(context.interrupt) else { continue };
        let text = document.text();
        let mut here: Vec<_> = symbols
            .iter()
            .filter(|symbol| symbol.kind.is_type() || symbol.kind.is_callable())
            .filter(|symbol| {
                let range = range_to_lsp(text, symbol.span.clone(), context.session.encoding);
                let (first, last) = (range.start.line, range.end.line);
                lines.iter().any(|(start, end)| *start <= last && first < (*end).max(start + 1))
            })
            .collect();
        here.sort_by_key(|symbol| symbol.span.len());
        for symbol in here {
            let is_known = found.iter().any(|(name, ..)| *name == symbol.name);
            if !is_known && found.len() < MAX_SYMBOLS {
                let file = context.snapshot.display_path_of_uri(uri);
                found.push((symbol.name.clone(), symbol.kind.is_type(), file));
            }
        }
    }
    found
}

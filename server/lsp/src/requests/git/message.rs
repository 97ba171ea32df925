//! Completion in a commit's message: the paths that are staged, the symbols that they touch,
//! trailers.

use std::path::PathBuf;

use git::{GitError, Layout};
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionResponse,
    CompletionTextEdit, TextEdit,
};
use workspace::{Document, FilePath, QueryError, Snapshot, path_of_uri, uri_of_path};

use crate::convert::range_to_lsp;
use crate::error;
use crate::git::hunks::compare;
use crate::git::layout_of;
use crate::question::Question;
use crate::session::Session;

const METHOD: &str = "textDocument/completion";
/// The files in which git has a message written.
const NAMES: [&str; 3] = ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG"];
/// Most paths that are offered, and most files that symbols are looked for in.
const PATHS: usize = 500;
const FILES: usize = 20;
/// Commits whose authors are offered, and most of those.
const COMMITS: usize = 500;
const AUTHORS: usize = 20;
/// Most symbols that are offered.
const SYMBOLS: usize = 100;
/// What git cuts a message off at.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// Whether a document is a commit's message.
pub(crate) fn is_message(session: &Session, uri: &str) -> bool {
    let name = uri.rsplit('/').next().unwrap_or(uri);
    NAMES.contains(&name) || session.git.is_message(uri)
}

/// What a repository says that a message may speak of.
#[derive(Debug, Default)]
pub(crate) struct Said {
    paths: Vec<String>,
    /// Files with lines that are staged, as the documents of them count.
    touched: Vec<(String, Vec<(u32, u32)>)>,
    trailers: Vec<String>,
}

pub(crate) fn gather(question: &Question<'_>, params: CompletionParams) -> Result<Said, Error> {
    let (session, snapshot) = (question.session, &question.snapshot);
    let uri = params.text_document_position.text_document.uri;
    let of_git = |error| error::of_git(METHOD, error);
    let layout = layout_for(session, snapshot, uri.as_str()).map_err(of_git)?;
    let Some(layout) = layout else { return Ok(Said::default()) };
    let (paths, identity, authors) = layout
        .behind(false, |repo| {
            let authors = repo.recent_authors(COMMITS).unwrap_or_default();
            Ok((repo.staged_paths(PATHS)?, repo.identity(), authors))
        })
        .map_err(of_git)?;
    let name = |person: &git::Person| format!("{} <{}>", person.name, person.email);
    let mut trailers: Vec<String> = Vec::new();
    trailers.extend(identity.as_ref().map(|own| format!("Signed-off-by: {}", name(own))));
    let others = authors
        .iter()
        .filter(|author| identity.as_ref().is_none_or(|own| own.email != author.email));
    trailers.extend(others.take(AUTHORS).map(|author| format!("Co-authored-by: {}", name(author))));
    // Names are a repository's, and may hold anything.
    trailers.retain(|trailer| !trailer.contains(char::is_control));
    let mut said = Said { trailers, ..Said::default() };
    // Of a repository that the workspace is a part of, only that part is told.
    let own = paths.iter().filter_map(|path| Some((path, layout.file(path)?)));
    for (number, (path, file)) in own.enumerate() {
        if let Ok(path) = std::str::from_utf8(path.bytes()) {
            said.paths.push(path.to_owned());
        }
        if number < FILES {
            said.touched.extend(touched(question, &layout, &file));
        }
    }
    Ok(said)
}

/// The repository that a message is for: the one whose git folder it lies in, or, where it lies in
/// none, the one around it, or the workspace's.
fn layout_for(
    session: &Session,
    snapshot: &Snapshot,
    uri: &str,
) -> Result<Option<Layout>, GitError> {
    let file = snapshot.locate_entry(uri).ok();
    let folder = path_of_uri(uri).ok().and_then(|path| Some(path.parent()?.to_owned()));
    let is_in_git = |folder: &PathBuf| folder.iter().any(|name| name == ".git");
    // What lies outside could be anybody's.
    let folder = folder.filter(|folder| file.is_none() || is_in_git(folder));
    for at in file.into_iter().chain(snapshot.roots().iter().map(FilePath::of_root)) {
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

fn touched(
    question: &Question<'_>,
    layout: &Layout,
    file: &FilePath,
) -> Option<(String, Vec<(u32, u32)>)> {
    let uri = uri_of_path(&file.absolute());
    let document = question.snapshot.document_or_file(&uri)?;
    document.language()?;
    let compared = compare(question.session, &question.snapshot, &document).ok()??;
    if compared.tracked.layout.work_tree != layout.work_tree {
        return None;
    }
    let lines = compared.staged(&document).iter().map(|(_, hunk)| hunk.range).collect();
    Some((uri, lines))
}

pub(crate) fn answer(
    question: &Question<'_>,
    (params, said): (CompletionParams, Said),
) -> Result<Option<CompletionResponse>, QueryError> {
    let place = params.text_document_position;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let Some(written) = Written::at(&document, offset) else { return Ok(None) };
    let range = |start| range_to_lsp(document.text(), start..offset, question.session.encoding);
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
    if written.line > 0 {
        let begun = written.text.to_lowercase();
        let own = document.text().to_string();
        for trailer in said.trailers {
            let is_there = own.lines().any(|line| line.trim_end() == trailer);
            if !is_there && trailer.to_lowercase().starts_with(&begun) {
                add(trailer, written.start, CompletionItemKind::TEXT, None);
            }
        }
    }
    for (name, is_type, file) in symbols(question, &said.touched) {
        let kind = match is_type {
            true => CompletionItemKind::CLASS,
            false => CompletionItemKind::FUNCTION,
        };
        add(name, written.word, kind, Some(file));
    }
    for path in said.paths {
        add(path, written.word, CompletionItemKind::FILE, Some("staged".to_owned()));
    }
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
}

/// What is written before the cursor.
struct Written {
    line: usize,
    /// Of its line.
    text: String,
    /// Where the line begins, and the word.
    start: usize,
    word: usize,
}

impl Written {
    /// `None` where nothing of the message stands: in comments, and behind the scissors.
    fn at(document: &Document, offset: usize) -> Option<Self> {
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

/// The functions and types that lines of files lie in, the innermost first: name, whether it is a
/// type, and the file.
fn symbols(
    question: &Question<'_>,
    touched: &[(String, Vec<(u32, u32)>)],
) -> Vec<(String, bool, String)> {
    let mut found: Vec<(String, bool, String)> = Vec::new();
    for (uri, lines) in touched {
        let Some(document) = question.snapshot.document_or_file(uri) else { continue };
        let Some(symbols) = document.symbols(question.interrupt) else { continue };
        let text = document.text();
        let mut here: Vec<_> = symbols
            .iter()
            .filter(|symbol| symbol.kind.is_type() || symbol.kind.is_callable())
            .filter(|symbol| {
                let range = range_to_lsp(text, symbol.span.clone(), question.session.encoding);
                let (first, last) = (range.start.line, range.end.line);
                lines.iter().any(|(start, end)| *start <= last && first < (*end).max(start + 1))
            })
            .collect();
        here.sort_by_key(|symbol| symbol.span.len());
        for symbol in here {
            let is_known = found.iter().any(|(name, ..)| *name == symbol.name);
            if !is_known && found.len() < SYMBOLS {
                let file = question.snapshot.shown_place(uri);
                found.push((symbol.name.clone(), symbol.kind.is_type(), file));
            }
        }
    }
    found
}

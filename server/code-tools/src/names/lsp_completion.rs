//! `lsp_completion`: completes a half-typed name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{Document, FilePath, KeywordOrSnippet, Offered, PathCompletion};

use super::name_location::{check_line, document};
use super::range::{Position, Range};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, ToolRequest, from_query_error};

pub(crate) struct LspCompletion;

/// Largest and default page size.
const MAX_PAGE_SIZE: usize = 200;
const DEFAULT_PAGE_SIZE: usize = 50;

/// Number of names listed before the language's keywords.
const NAMES_BEFORE_KEYWORDS: usize = 5;

/// Limit for imports that are computed for one result.
const MAX_IMPORTS: usize = 10;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
    /// Position after the typed part, 0-based as in LSP.
    position: Position,
    /// Up to 200; 50 by default.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The candidates, best first.
    items: Vec<Item>,
    /// The typed part, which an item replaces; 0-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    /// Whether these are all.
    complete: bool,
}

#[derive(Serialize, JsonSchema, Default)]
struct Item {
    /// The name; the label of a snippet; the last part of a path.
    name: String,
    /// For instance `function` or `field`; `keyword`, `snippet`, or `file` and `folder` for paths.
    kind: &'static str,
    /// How it was resolved, as in `lsp_definition`.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    /// Whether the name is certain to be valid there.
    sure: bool,
    /// Whether it is deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    /// The type, module or function that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// The file that defines it, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Text that replaces `range`, if not the name. `$1` and `${1:word}` are placeholders, `$0` is
    /// the final cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The module from which it must be imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// The edits that import it, on the current text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<Edit>,
}

#[derive(Serialize, JsonSchema)]
struct Edit {
    /// The replaced range; 0-based.
    range: Range,
    /// The new text.
    new_text: String,
}

impl Tool for LspCompletion {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_completion";
    const DESCRIPTION: &'static str = "Complete the name before a position: names in scope, \
        members, arguments, fields; best first, and only what `lsp_definition` would resolve. Then \
        keywords, and names of other files with the edits that import them. In imports and path \
        strings: files and folders. Unsaved text included.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri"), ("limit", "max_results")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.uri)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let document = document(Self::NAME, &context.snapshot, &params.uri)?;
        let (text, encoding) = (document.text(), context.editor.encoding());
        let line = params.position.line as usize;
        check_line(Self::NAME, text, line.saturating_add(1))?;
        let place = text::Position::new(params.position.line, params.position.character);
        let offset = text.offset(place, encoding);
        if text.range(offset..offset, encoding).start.character != place.character {
            let message = format!("{}: line {line} (from 0) is not as long", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let found = context.snapshot.complete(&document, offset, context.interrupt);
        let found = found.map_err(|error| from_query_error(Self::NAME, error))?;
        let Some(found) = found else {
            return Ok(Output { items: Vec::new(), range: None, complete: true });
        };
        let limit = params.max_results.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        let range = Some(Range::from_span(text, found.span.clone(), encoding));
        let mut listed =
            CompletionList { context, document: &document, items: Vec::new(), imports: 0 };
        let mut complete = found.complete;
        found.paths.iter().for_each(|path| listed.path(path));
        let phrases_from = found.visible.min(NAMES_BEFORE_KEYWORDS).min(found.candidates.len());
        let (first, others) = found.candidates.split_at(phrases_from);
        for offered in first {
            complete &= listed.name(offered, found.span.start)?;
        }
        found.phrases.iter().for_each(|phrase| listed.phrase(phrase));
        for offered in others {
            if listed.items.len() >= limit {
                complete = false;
                break;
            }
            complete &= listed.name(offered, found.span.start)?;
        }
        let mut items = listed.items;
        complete &= items.len() <= limit;
        items.truncate(limit);
        Ok(Output { items, range, complete })
    }
}

/// Collects the items of a result.
struct CompletionList<'a> {
    context: &'a Context<'a>,
    document: &'a Document,
    items: Vec<Item>,
    /// Number of imports computed so far.
    imports: usize,
}

impl CompletionList<'_> {
    /// Adds a name, unless rules hide its file or it cannot be imported. Returns false if it was
    /// left out to save time.
    fn name(&mut self, offered: &Offered, start: usize) -> Result<bool, ToolError> {
        let (context, candidate) = (self.context, &offered.candidate);
        let place = offered.uri.as_deref().map(|uri| context.snapshot.locate_to_read(uri));
        let path = place.and_then(Result::ok);
        // Names of files that rules hide are not revealed.
        if path.as_ref().is_some_and(|path| !context.may_read(path)) {
            return Ok(true);
        }
        let mut edits = Vec::new();
        if candidate.import.is_some() {
            self.imports += 1;
            if self.imports > MAX_IMPORTS {
                return Ok(false);
            }
            let Some(found) = self.import(offered, start)? else { return Ok(true) };
            edits = found;
        }
        self.items.push(Item {
            name: candidate.name.clone(),
            kind: candidate.kind.as_str(),
            origin: Some(candidate.origin.as_str()),
            sure: candidate.is_certain,
            deprecated: candidate.deprecated,
            container: candidate.container.clone(),
            path: path.map(|path| path.display_path()),
            text: candidate.is_keyword_argument.then(|| format!("{}=", candidate.name)),
            module: candidate.import.clone(),
            edits,
        });
        Ok(true)
    }

    /// The edits that import a name; `None` if it cannot be imported.
    fn import(&self, offered: &Offered, start: usize) -> Result<Option<Vec<Edit>>, ToolError> {
        let ToolRequest { snapshot, interrupt, .. } = &**self.context;
        let candidate = &offered.candidate;
        let name = &candidate.name;
        let found = match (offered.uri.as_deref().zip(candidate.definition), &candidate.import) {
            (Some((uri, id)), _) => {
                let (from, module) = ((uri, id.number), candidate.import.as_deref());
                snapshot.import_edit(self.document, start, name, from, module, interrupt)
            }
            (None, Some(module)) => {
                snapshot.import_edit_of_package(self.document, start, name, module, interrupt)
            }
            (None, None) => return Ok(None),
        };
        let found = found.map_err(|error| from_query_error(LspCompletion::NAME, error))?;
        let (text, encoding) = (self.document.text(), self.context.editor.encoding());
        let edit =
            |(span, new_text)| Edit { range: Range::from_span(text, span, encoding), new_text };
        Ok(found.map(|found| found.edits.into_iter().map(edit).collect()))
    }

    fn phrase(&mut self, phrase: &KeywordOrSnippet) {
        self.items.push(Item {
            name: phrase.label.clone().into_owned(),
            kind: if phrase.snippet.is_some() { "snippet" } else { "keyword" },
            text: phrase.snippet.as_ref().map(|(_, text)| text.clone()),
            ..Item::default()
        });
    }

    /// Adds a file or folder, unless rules hide it.
    fn path(&mut self, offered: &PathCompletion) {
        if offered.path.as_ref().is_some_and(|path| !self.context.may_read(path)) {
            return;
        }
        self.items.push(Item {
            name: offered.name.clone(),
            kind: if offered.folder { "folder" } else { "file" },
            sure: true,
            path: offered.path.as_ref().map(FilePath::display_path),
            ..Item::default()
        });
    }
}

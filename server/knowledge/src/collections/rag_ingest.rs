//! `rag_ingest`: adds documents to a collection.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use workspace::{FileError, FilePath, FileText};

use super::database::{Chunk, Database, NewDocument};
use super::html::without_tags;
use super::{MAX_NAME, check_name, default_collection, failed, open};
use crate::files::files_below;
use crate::passages::{Lines, passages};

pub(crate) struct RagIngest;

/// Largest document, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// Most files of one call.
const MAX_FILES: usize = 100_000;
/// How long one call ingests. The next one goes on.
const MAX_TIME: Duration = Duration::from_secs(45);
/// Files that were left out, as results name them.
const MAX_SKIPPED: usize = 20;
/// Most entries of `metadata`, and the longest, in bytes.
const MAX_METADATA: usize = 16;
const MAX_VALUE: usize = 400;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A file or folder.
    path: String,
    /// `documents` by default.
    #[serde(default = "default_collection")]
    collection: String,
    /// Whether to empty the collection first.
    #[serde(default)]
    recreate: bool,
    /// A category, by which `rag_query` can filter.
    #[serde(default)]
    category: Option<String>,
    /// Further properties to filter by.
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Serialize, JsonSchema, Default)]
pub(crate) struct Output {
    /// Documents added or replaced.
    documents: usize,
    /// Their passages.
    chunks: usize,
    /// Documents that are there already as they are.
    unchanged: usize,
    /// Documents removed, because their files are gone.
    removed: usize,
    /// Files that were left out, and why; the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
    /// Whether time ran out. The same call without `recreate` goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

impl Tool for RagIngest {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "rag_ingest";
    const DESCRIPTION: &'static str = "Add a file, or the documents of a folder, to a collection for \
        `rag_query`: Markdown, HTML, text and code. Documents that have not changed are kept, those whose files \
        are gone are removed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"path": "app.py"}"#, r#"{"path": "app.py", "collection": "code", "recreate": true}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![format!(
            "{} documents added with {} passages, {} unchanged, {} removed",
            result["documents"], result["chunks"], result["unchanged"], result["removed"]
        )];
        let skipped = result["skipped"].as_array().into_iter().flatten();
        lines.extend(skipped.filter_map(Value::as_str).map(|why| format!("skipped {why}")));
        if result["incomplete"] == true {
            lines.push("[time ran out: the same call without `recreate` goes on]".to_owned());
        }
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_name(Self::NAME, "collection", &params.collection)?;
        if let Some(category) = &params.category {
            check_name(Self::NAME, "category", category)?;
        }
        let is_long =
            |(key, value): (&String, &String)| key.len() > MAX_NAME || value.len() > MAX_VALUE;
        if params.metadata.len() > MAX_METADATA || params.metadata.iter().any(is_long) {
            let message = format!(
                "{}: `metadata` has at most {MAX_METADATA} entries of {MAX_VALUE} bytes",
                Self::NAME
            );
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let path = context.snapshot.locate(&params.path)?;
        Ok(vec![Effect::read_tree(&path)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = context.snapshot.locate(&params.path)?;
        let database_error = |error: rusqlite::Error| failed(Self::NAME, &error.to_string());
        // A missing path must not empty a collection.
        let single = single_file(context, &path)?;
        let mut database = open(context, Self::NAME)?;
        if params.recreate {
            database.remove(&params.collection).map_err(database_error)?;
        }
        let mut output = Output::default();
        if let Some(file) = single {
            ingest(context, &mut database, &params, &file, &mut output).map_err(database_error)?;
            if let Some(why) = output.skipped.first() {
                return Err(ToolError::new(Code::Unsupported, format!("{}: {why}", Self::NAME)));
            }
            return Ok(output);
        }
        let files = files_below(&path, context.interrupt)?;
        let begun = Instant::now();
        for file in files.iter().take(MAX_FILES) {
            context.check_interrupt(Self::NAME)?;
            if begun.elapsed() > MAX_TIME {
                output.incomplete = true;
                return Ok(output);
            }
            if !context.may_read(file) {
                continue;
            }
            match context.snapshot.read(file) {
                Ok(text) => {
                    ingest(context, &mut database, &params, &text, &mut output)
                        .map_err(database_error)?;
                }
                Err(error) => output.skip(error.to_string()),
            }
        }
        if files.len() > MAX_FILES {
            output.skip(format!("the rest: more than {MAX_FILES} files"));
            return Ok(output);
        }
        let present: HashSet<String> = files.iter().map(FilePath::display_path).collect();
        let below = path.display_path();
        let is_below = |known: &str| {
            path.is_root() || known.strip_prefix(&below).is_some_and(|rest| rest.starts_with('/'))
        };
        let is_gone = |known: &str| is_below(known) && !present.contains(known);
        output.removed =
            database.remove_gone(&params.collection, is_gone).map_err(database_error)?;
        Ok(output)
    }
}

impl Output {
    fn skip(&mut self, why: String) {
        if self.skipped.len() < MAX_SKIPPED {
            self.skipped.push(why);
        }
    }
}

/// The file at `path`; `None` if it is a folder.
fn single_file(context: &Context<'_>, path: &FilePath) -> Result<Option<FileText>, ToolError> {
    if path.file_name().to_string_lossy().to_lowercase().ends_with(".pdf") {
        let message = format!("{}: {}: PDF is not supported", RagIngest::NAME, path.display_path());
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("convert it to text first, for example with `pdftotext -layout`"));
    }
    match context.snapshot.read(path) {
        Ok(file) => Ok(Some(file)),
        Err(FileError::NotFound { .. }) => {
            Err(context.snapshot.metadata(path).map_or_else(ToolError::from, |_| {
                ToolError::new(Code::Io, format!("{}: not readable", path.display_path()))
            }))
        }
        Err(error) => match workspace::Folder::open(path) {
            Ok(_) => Ok(None),
            Err(_) => Err(error.into()),
        },
    }
}

fn ingest(
    context: &Context<'_>,
    database: &mut Database,
    params: &Params,
    file: &FileText,
    output: &mut Output,
) -> Result<(), rusqlite::Error> {
    let (path, hash) = (file.path.display_path(), file.hash.to_string());
    if file.size > MAX_BYTES {
        output.skip(format!("{path}: larger than {MAX_BYTES} bytes"));
        return Ok(());
    }
    let mut document = NewDocument {
        path: &path,
        hash: &hash,
        category: params.category.as_deref(),
        metadata: &params.metadata,
        chunks: &[],
    };
    if database.stored_hash(&params.collection, &document)?.as_ref() == Some(&hash) {
        output.unchanged += 1;
        return Ok(());
    }
    let chunks = chunks(context, file);
    document.chunks = &chunks;
    database.put(&params.collection, &document)?;
    output.documents += 1;
    output.chunks += chunks.len();
    Ok(())
}

/// The text that passages of a file are made of: of HTML, without tags.
pub(super) fn plain_text(file: &FileText) -> String {
    let text = file.text.to_string();
    match file.language().map(|language| language.id()) {
        Some("html") => without_tags(&text),
        _ => text,
    }
}

fn chunks(context: &Context<'_>, file: &FileText) -> Vec<Chunk> {
    let outline = context.snapshot.document_of(file).outline(context.interrupt);
    let items = outline.as_ref().map_or(&[][..], |outline| &outline.items);
    let plain = plain_text(file);
    let lines = Lines::new(&plain);
    // Removing tags keeps the number of lines, so line numbers and the outline's offsets still fit the file.
    let original = file.text.to_string();
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let chunk = |passage: crate::passages::Passage| Chunk {
        content: lines.text(passage.lines.clone()).trim_end().to_owned(),
        section: passage.name,
        first: number(passage.lines.start + 1),
        last: number(passage.lines.end),
    };
    let all = passages(&original, items).into_iter().map(chunk);
    all.filter(|chunk| !chunk.content.trim().is_empty()).collect()
}

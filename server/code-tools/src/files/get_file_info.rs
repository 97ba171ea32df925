//! `get_file_info`: metadata of a file, without its content.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::{FileEncoding, LineEndings, Text, decode};
use workspace::{ContentHash, Document, EntryKind, FileError, Metadata};

use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GetFileInfo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The path: relative to the workspace, absolute inside it, or a file: URI. Links are not
    /// followed.
    path: String,
}

#[derive(Serialize, JsonSchema)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Output {
    /// The path, relative to the workspace.
    path: String,
    /// `file`, `directory`, `link`, `fifo`, `socket` or `device`.
    kind: &'static str,
    /// Size on disk in bytes; of the buffer if the document was never saved.
    size: u64,
    /// Whether it is a folder.
    is_directory: bool,
    /// Whether it is a regular file.
    is_file: bool,
    /// Whether it is a link.
    is_link: bool,
    /// The link's target as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_target: Option<String>,
    /// Last modification on disk (RFC 3339); null if not on disk.
    modified: Option<String>,
    /// Whether no write permission is set.
    readonly: bool,
    /// Permission bits in octal, for instance `0644`; null if not on disk.
    mode: Option<String>,
    /// Number of hard links.
    hard_links: u64,
    /// Whether it is on disk; an open document may never have been saved.
    on_disk: bool,
    /// Whether it is open in the editor.
    open: bool,
    /// Whether the open document differs from the file on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<bool>,
    /// The text of the open document.
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer: Option<Buffer>,
    /// SHA-256 of the bytes on disk, for files up to 8 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Encoding on disk: `utf-8`, `utf-8-bom`, `utf-16le`, `utf-16be`, or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Line endings on disk: `none`, `lf`, `crlf`, `cr` or `mixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_endings: Option<&'static str>,
    /// Language id, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
}

/// The text of an open document.
#[derive(Serialize, JsonSchema)]
struct Buffer {
    /// Its size in bytes as UTF-8.
    size: u64,
    /// SHA-256 of those bytes; `apply_edit` takes it as `expected_hash`.
    hash: String,
    /// The document's version.
    version: i32,
}

/// Largest file that is read to compute its hash, in bytes.
const MAX_HASHED_BYTES: u64 = 8 << 20;
/// How much of a text is used to detect its language, in bytes.
const DETECTION_BYTES: usize = 64 << 10;

impl Tool for GetFileInfo {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_file_info";
    const DESCRIPTION: &'static str = "Metadata of a path: kind, size, modification time, mode, \
        hash, encoding and line endings on disk, and whether it is open in the editor with unsaved \
        changes. Links are not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_entry(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let path = snapshot.locate_entry(&params.path)?;
        let document = snapshot.open_document(&path);
        let found = match snapshot.metadata(&path) {
            Ok(found) => Some(found),
            Err(FileError::NotFound { .. }) if document.is_some() => None,
            Err(error) => return Err(error.into()),
        };
        // A link is described as such, even if its target is open in the editor.
        let is_link = found.as_ref().is_some_and(|found| found.kind == EntryKind::Link);
        let document = document.filter(|_| !is_link);
        let hashed =
            found.as_ref().filter(|f| f.kind == EntryKind::File && f.size <= MAX_HASHED_BYTES);
        let content = match hashed {
            // Files that rules forbid to read have no hash.
            Some(_) => snapshot.read_bytes(&path).ok().map(|file| Content::from_bytes(file.bytes)),
            None => None,
        };
        Ok(output(path.display_path(), found.as_ref(), document.map(AsRef::as_ref), content))
    }
}

/// Hash, text and encoding of the bytes on disk.
struct Content {
    hash: ContentHash,
    text: Option<(Text, FileEncoding)>,
}

impl Content {
    fn from_bytes(bytes: Vec<u8>) -> Self {
        let hash = ContentHash::digest(&bytes);
        let text = decode(bytes).ok().map(|d| (Text::new(&d.text), d.encoding));
        Self { hash, text }
    }
}

fn output(
    path: String,
    found: Option<&Metadata>,
    document: Option<&Document>,
    content: Option<Content>,
) -> Output {
    let buffer = document.map(|document| {
        let text = document.text().to_string();
        Buffer {
            size: text.len() as u64,
            hash: ContentHash::digest(text.as_bytes()).to_string(),
            version: document.version(),
        }
    });
    let text = content.as_ref().and_then(|content| content.text.as_ref());
    // Some editors keep the byte-order mark in the buffer: compare without it.
    let dirty = document.and_then(|document| match (found, text) {
        (None, _) => Some(true),
        (Some(_), Some((on_disk, _))) => {
            let own = document.text().to_string();
            Some(own.strip_prefix('\u{feff}').unwrap_or(&own) != on_disk.to_string())
        }
        // Too large, or not text: unknown.
        (Some(_), None) => None,
    });
    let language = document.and_then(Document::language).or_else(|| {
        let (text, _) = text?;
        let name = path.rsplit('/').next().unwrap_or(&path);
        syntax::Language::detect(name, &text.slice(0..DETECTION_BYTES))
    });
    let kind = found.map_or(EntryKind::File, |found| found.kind);
    let size = found.map(|found| found.size);
    Output {
        kind: kind.as_str(),
        size: size.or(buffer.as_ref().map(|b| b.size)).unwrap_or(0),
        is_directory: kind == EntryKind::Directory,
        is_file: kind == EntryKind::File,
        is_link: kind == EntryKind::Link,
        link_target: found.and_then(|found| found.link_target.clone()),
        modified: found.and_then(modified),
        readonly: found.is_some_and(|found| found.mode & 0o222 == 0),
        mode: found.map(|found| format!("{:04o}", found.mode)),
        hard_links: found.map_or(0, |found| found.hard_links),
        on_disk: found.is_some(),
        open: document.is_some(),
        dirty,
        buffer,
        encoding: content.as_ref().map(|_| text.map_or("unknown", |(_, e)| e.as_str())),
        line_endings: text.map(|(text, _)| LineEndings::detect(text).as_str()),
        hash: content.as_ref().map(|content| content.hash.to_string()),
        language: language.map(syntax::Language::id),
        path,
    }
}

/// The time in RFC 3339; `None` if it is out of the calendar's range.
fn modified(found: &Metadata) -> Option<String> {
    let (seconds, nanoseconds) = found.modified;
    let time = Timestamp::new(seconds, i32::try_from(nanoseconds).ok()?).ok()?;
    Some(time.to_string())
}

//! Finds the documents of the workspace and of the person.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::OnceLock;

use toml::de::DeTable;
use tools::{Context, FamilyState, ToolError};
use workspace::{FileKind, FilePath, Folder, config_folder, read_user_file};

use crate::markdown::{Header, header};
use crate::shipped::WORKFLOWS;

/// Documents of one kind; more are ignored.
const MAX_DOCUMENTS: usize = 500;
/// Longer documents are ignored.
const MAX_DOCUMENT_BYTES: usize = 256 << 10;
/// How deep folders of documents are nested.
const MAX_DEPTH: usize = 4;
/// The file of a document that is a folder.
const SKILL_FILE: &str = "SKILL.md";

/// A kind of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Procedures with steps.
    Runbook,
    /// Instructions for a kind of task: a folder with a `SKILL.md`.
    Skill,
    /// Definitions of subagents.
    Agent,
    /// Pipelines of tool calls.
    Workflow,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Runbook, Self::Skill, Self::Agent, Self::Workflow];

    /// The folders below a root that hold such documents. Earlier ones win.
    fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Runbook => &[".tandem/runbooks"],
            Self::Skill => &[".tandem/skills", ".claude/skills", ".agents/skills"],
            Self::Agent => &[".tandem/agents", ".claude/agents", ".opencode/agents"],
            Self::Workflow => &[".tandem/workflows"],
        }
    }

    /// The folder of the person's own, in their settings folder.
    fn personal_folder(self) -> &'static str {
        match self {
            Self::Runbook => "runbooks",
            Self::Skill => "skills",
            Self::Agent => "agents",
            Self::Workflow => "workflows",
        }
    }
}

/// A document.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// The name that calls use: of its front matter, or of its file.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Where it is: a path of the workspace, or a file of the settings folder, or `shipped:NAME`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Document {
    pub(crate) fn new(kind: Kind, file_name: &str, path: String, text: String) -> Self {
        let header = if kind == Kind::Workflow { toml_header(&text) } else { header(&text) };
        let Header { name, title, description, tags } = header;
        let name = name.unwrap_or_else(|| file_name.to_owned());
        let title = title.unwrap_or_else(|| name.clone());
        Self { name, title, description, tags, path, text }
    }
}

/// The documents of a kind, for `tool`, sorted by name. Of those with the same name, the workspace's is
/// returned, else the person's.
///
/// # Errors
/// If the call was cancelled.
pub(crate) fn documents(
    context: &Context<'_>,
    tool: &str,
    kind: Kind,
) -> Result<Vec<Document>, ToolError> {
    let mut found = BTreeMap::new();
    for root in context.snapshot.roots() {
        for folder in kind.folders() {
            let Ok(path) = context.snapshot.locate_absolute(&root.path().join(folder)) else {
                continue;
            };
            if let Ok(folder) = Folder::open(&path) {
                read_folder(context, tool, kind, &folder, MAX_DEPTH, &mut found)?;
            }
        }
    }
    let shipped = if kind == Kind::Workflow { shipped_workflows() } else { &[] };
    for document in context.session.family::<PersonalDocuments>().of(kind).iter().chain(shipped) {
        found.entry(document.name.clone()).or_insert_with(|| document.clone());
    }
    Ok(found.into_values().collect())
}

fn read_folder(
    context: &Context<'_>,
    tool: &str,
    kind: Kind,
    folder: &Folder,
    depth: usize,
    found: &mut BTreeMap<String, Document>,
) -> Result<(), ToolError> {
    for entry in folder.entries().unwrap_or_default() {
        context.check_interrupt(tool)?;
        if found.len() >= MAX_DOCUMENTS {
            break;
        }
        if entry.kind == FileKind::Directory {
            if depth > 0
                && let Ok(below) = folder.folder(&entry.name)
            {
                read_folder(context, tool, kind, &below, depth - 1, found)?;
            }
            continue;
        }
        let path = folder.entry(&entry.name);
        let Some(name) = document_name(kind, &entry.name, folder.relative()) else { continue };
        if let Some(text) = read(context, &path) {
            let document = Document::new(kind, &name, path.display_path(), text);
            found.entry(document.name.clone()).or_insert(document);
        }
    }
    Ok(())
}

/// The name of a document by its file; `None` if the file is none.
fn document_name(kind: Kind, file: &OsStr, folder: &[u8]) -> Option<String> {
    let file = file.to_str()?;
    match kind {
        Kind::Skill => {}
        Kind::Workflow => return Some(file.strip_suffix(".toml")?.to_owned()),
        Kind::Runbook | Kind::Agent => return Some(file.strip_suffix(".md")?.to_owned()),
    }
    let folder = std::str::from_utf8(folder).ok()?.rsplit('/').next()?;
    (file == SKILL_FILE).then(|| folder.to_owned())
}

/// The text of a document, unsaved text included. Links are followed inside the roots only.
fn read(context: &Context<'_>, path: &FilePath) -> Option<String> {
    let path = context.snapshot.locate_absolute(&path.absolute()).ok()?;
    if !context.may_read(&path) {
        return None;
    }
    let file = context.snapshot.read(&path).ok()?;
    (file.size <= MAX_DOCUMENT_BYTES).then(|| file.text.to_string())
}

/// The workflows that come with the program. A workspace's or a person's of the same name takes their place.
fn shipped_workflows() -> &'static [Document] {
    static DOCUMENTS: OnceLock<Vec<Document>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let document = |(name, text): &(&str, &str)| {
            Document::new(Kind::Workflow, name, format!("shipped:{name}"), (*text).to_owned())
        };
        WORKFLOWS.iter().map(document).collect()
    })
}

/// What the file of a workflow says of itself. A file with mistakes has a header, too.
fn toml_header(text: &str) -> Header {
    let (table, _) = DeTable::parse_recoverable(text);
    let text = |key: &str| Some(table.get_ref().get(key)?.get_ref().as_str()?.trim().to_owned());
    Header { name: None, title: text("title"), description: text("description"), tags: Vec::new() }
}

/// The person's own documents, as they were when the session began.
pub(crate) struct PersonalDocuments(BTreeMap<Kind, Vec<Document>>);

impl FamilyState for PersonalDocuments {}

impl PersonalDocuments {
    pub(crate) fn read() -> Self {
        Self(Kind::ALL.into_iter().map(|kind| (kind, personal(kind))).collect())
    }

    fn of(&self, kind: Kind) -> &[Document] {
        self.0.get(&kind).map(Vec::as_slice).unwrap_or_default()
    }
}

fn personal(kind: Kind) -> Vec<Document> {
    let folder = config_folder().map(|folder| folder.join(kind.personal_folder()));
    let Some(entries) = folder.and_then(|folder| std::fs::read_dir(folder).ok()) else {
        return Vec::new();
    };
    let mut documents = Vec::new();
    for entry in entries.flatten().take(MAX_DOCUMENTS) {
        let path = match kind {
            Kind::Skill => entry.path().join(SKILL_FILE),
            Kind::Runbook | Kind::Agent | Kind::Workflow => entry.path(),
        };
        let folder = path.parent().unwrap_or(&path).as_os_str().as_encoded_bytes();
        let name = path.file_name().and_then(|file| document_name(kind, file, folder));
        let bytes = read_user_file(&path, MAX_DOCUMENT_BYTES as u64);
        if let (Some(name), Ok(Some(bytes))) = (name, bytes)
            && let Ok(text) = String::from_utf8(bytes)
        {
            documents.push(Document::new(kind, &name, path.display().to_string(), text));
        }
    }
    documents
}

//! The context of a build: its files as a tar archive that we make. Links are sent as links and never followed, so that
//! nothing from outside of the folder gets in.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use tools::{Code, Context, ToolError, hidden_files};
use workspace::{FileError, FileKind, FilePath, Folder};

use crate::client::Body;
use crate::dockerignore::IgnorePatterns;
use crate::limits::{CONTEXT_BYTES, CONTEXT_DEPTH, CONTEXT_ENTRIES, DOCKERFILE_BYTES};
use crate::tar;

/// The name of the file with patterns.
const IGNORE_FILE: &str = ".dockerignore";

/// What a build sends.
pub(crate) struct BuildContext {
    folder: FilePath,
    entries: Vec<ContextEntry>,
    /// The Dockerfile, below the folder.
    pub(crate) dockerfile: String,
    /// Its text, which is sent as it was when it was approved.
    pub(crate) text: String,
    ignore_text: Option<String>,
    pub(crate) summary: ContextSummary,
}

/// What it consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ContextSummary {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Entries that `.dockerignore` leaves out; a folder counts as one.
    pub(crate) ignored: usize,
    /// Files that rules hide.
    pub(crate) hidden: usize,
    /// Pipes, sockets and devices.
    pub(crate) special: usize,
}

struct ContextEntry {
    /// Below the context, with `/` between names.
    path: String,
    kind: EntryKind,
}

enum EntryKind {
    Folder,
    File { executable: bool },
    Link { target: String },
}

impl BuildContext {
    /// Finds what is to be sent.
    ///
    /// # Errors
    /// If a path leads elsewhere, or there is too much.
    pub(crate) fn find(
        context: &Context<'_>,
        tool: &'static str,
        written: &str,
        dockerfile: Option<&str>,
    ) -> Result<Self, ToolError> {
        let folder = context.snapshot.locate(written)?;
        let top = Folder::open(&folder)?;
        let dockerfile = dockerfile_below(context, tool, &folder, dockerfile)?;
        let file = folder.descendant(&dockerfile);
        let text = read_text(tool, &file)?.ok_or_else(|| {
            let message = format!("{tool}: {}: there is no such Dockerfile", file.display_path());
            ToolError::new(Code::FileNotFound, message).hint("`dockerfile` names another one")
        })?;
        if !context.may_read(&file) {
            let message = format!("{tool}: {}: rules deny reading it", file.display_path());
            return Err(ToolError::new(Code::Denied, message));
        }
        let ignore_file = folder.descendant(IGNORE_FILE);
        let ignore_text = read_text(tool, &ignore_file)?;
        let ignored = IgnorePatterns::parse(ignore_text.as_deref().unwrap_or_default());
        let ignored = ignored.map_err(|why| {
            let message = format!("{tool}: {}: {why}", ignore_file.display_path());
            ToolError::new(Code::InvalidParams, message)
        })?;
        let summary = ContextSummary::default();
        let mut found =
            Self { folder, entries: Vec::new(), dockerfile, text, ignore_text, summary };
        found.walk(context, tool, top, &ignored)?;
        Ok(found)
    }

    fn walk(
        &mut self,
        context: &Context<'_>,
        tool: &'static str,
        top: Folder,
        ignored: &IgnorePatterns,
    ) -> Result<(), ToolError> {
        let too_large = |why: String| {
            ToolError::new(Code::TooLarge, format!("{tool}: the build context {why}"))
                .hint("leave folders out in .dockerignore, or name a smaller `context`")
        };
        // Under all names that a file has.
        let hidden: HashSet<_> = hidden_files(context, tool)?.into_iter().collect();
        let mut todo = vec![(top, String::new())];
        while let Some((folder, above)) = todo.pop() {
            context.check_interrupt(tool)?;
            for entry in folder.entries()? {
                let Some(name) = entry.name.to_str() else {
                    let message = format!(
                        "{tool}: {}: the name is not UTF-8",
                        folder.entry(&entry.name).display_path()
                    );
                    return Err(ToolError::new(Code::Unsupported, message)
                        .hint("leave its folder out in .dockerignore"));
                };
                let path =
                    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
                // The daemon needs these two, and leaves them out of the image itself.
                let is_needed = path == self.dockerfile || path == IGNORE_FILE;
                if !is_needed && ignored.excludes(&path) {
                    self.summary.ignored += 1;
                    let may_hold_more =
                        !ignored.is_final() || self.dockerfile.starts_with(&format!("{path}/"));
                    if entry.kind != FileKind::Directory || !may_hold_more {
                        continue;
                    }
                    if folder.depth() < CONTEXT_DEPTH {
                        todo.push((folder.folder(&entry.name)?, path));
                    }
                    continue;
                }
                let place = folder.entry(&entry.name);
                if !context.may_read(&place) || hidden.contains(&place.absolute()) {
                    self.summary.hidden += 1;
                    continue;
                }
                let kind = match entry.kind {
                    FileKind::Directory => {
                        if folder.depth() >= CONTEXT_DEPTH {
                            return Err(too_large(format!(
                                "is nested more than {CONTEXT_DEPTH} folders deep"
                            )));
                        }
                        todo.push((folder.folder(&entry.name)?, path.clone()));
                        EntryKind::Folder
                    }
                    FileKind::File => {
                        self.summary.files += 1;
                        self.summary.bytes += folder.size(&entry.name).unwrap_or_default();
                        let executable = place.root().is_executable_below(place.below_root())?;
                        EntryKind::File { executable }
                    }
                    FileKind::Link => {
                        let target = folder.link_target(&entry.name).unwrap_or_default();
                        EntryKind::Link { target: target.to_string_lossy().into_owned() }
                    }
                    _ => {
                        self.summary.special += 1;
                        continue;
                    }
                };
                if self.summary.bytes > CONTEXT_BYTES {
                    return Err(too_large(format!("has more than {} MB", CONTEXT_BYTES >> 20)));
                }
                if self.entries.len() >= CONTEXT_ENTRIES {
                    return Err(too_large(format!(
                        "has more than {CONTEXT_ENTRIES} files and folders"
                    )));
                }
                self.entries.push(ContextEntry { path, kind });
            }
        }
        self.entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(())
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &FilePath {
        &self.folder
    }

    /// The Dockerfile's path, relative to the workspace.
    pub(crate) fn dockerfile_path(&self) -> FilePath {
        self.folder.descendant(&self.dockerfile)
    }

    /// The patterns, as far as there are any.
    pub(crate) fn ignore_text(&self) -> Option<&str> {
        self.ignore_text.as_deref()
    }

    /// The archive. A thread reads the files while they are sent, so that few of them are in memory.
    pub(crate) fn body(self) -> Result<Body, io::Error> {
        let (sender, receiver) = tokio::sync::mpsc::channel::<io::Result<Bytes>>(8);
        let work = move || {
            let mut archive = Archive { sender: &sender, left: CONTEXT_BYTES };
            if let Err(error) = self.write(&mut archive) {
                // Nobody reads it if the call has ended.
                let _ = sender.blocking_send(Err(error));
            }
        };
        // It inherits the Landlock ruleset of the call's thread.
        std::thread::Builder::new().name("build context".to_owned()).spawn(work)?;
        let pieces = futures_util::stream::unfold(receiver, |mut receiver| async {
            let piece = receiver.recv().await?;
            Some((piece.map(Frame::data), receiver))
        });
        Ok(StreamBody::new(pieces).boxed_unsync())
    }

    fn write(&self, archive: &mut Archive<'_>) -> io::Result<()> {
        for entry in &self.entries {
            match &entry.kind {
                EntryKind::Folder => archive.send(tar::head(&entry.path, tar::Kind::Folder)?)?,
                EntryKind::Link { target } => {
                    archive.send(tar::head(&entry.path, tar::Kind::Link(target))?)?;
                }
                EntryKind::File { executable } => {
                    let known = if entry.path == self.dockerfile {
                        Some(&self.text)
                    } else if entry.path == IGNORE_FILE {
                        self.ignore_text.as_ref()
                    } else {
                        None
                    };
                    match known {
                        Some(text) => archive.file(
                            &entry.path,
                            *executable,
                            text.len() as u64,
                            text.as_bytes(),
                        )?,
                        None => {
                            let (folder, name) = self.open_parent(&entry.path)?;
                            let (file, size) = folder.open_file(name.as_ref()).map_err(other)?;
                            archive.file(&entry.path, *executable, size, file)?;
                        }
                    }
                }
            }
        }
        archive.send(tar::END.to_vec())
    }

    /// The folder that an entry is in, opened again without following links, and its name.
    fn open_parent<'p>(&self, path: &'p str) -> io::Result<(Folder, &'p str)> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder =
            if above.is_empty() { self.folder.clone() } else { self.folder.descendant(above) };
        Ok((Folder::open(&folder).map_err(other)?, name))
    }
}

fn other(error: FileError) -> io::Error {
    io::Error::other(error.to_string())
}

/// Where the archive is written to.
struct Archive<'s> {
    sender: &'s tokio::sync::mpsc::Sender<io::Result<Bytes>>,
    /// Bytes of files that may still be sent: they may have grown since they were counted.
    left: u64,
}

/// Bytes that are read at once.
const PIECE_BYTES: usize = 128 << 10;

impl Archive<'_> {
    fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        self.sender
            .blocking_send(Ok(bytes.into()))
            .map_err(|_| io::Error::other("the call has ended"))
    }

    /// A file of exactly `size` bytes: an archive says it before the content.
    fn file(
        &mut self,
        path: &str,
        executable: bool,
        size: u64,
        content: impl Read,
    ) -> io::Result<()> {
        let changed = || io::Error::other(format!("{path} changed while it was sent"));
        self.left = self.left.checked_sub(size).ok_or_else(changed)?;
        self.send(tar::head(path, tar::Kind::File { executable, size })?)?;
        let mut content = content.take(size);
        let mut sent = 0;
        while sent < size {
            let mut piece = BytesMut::zeroed(PIECE_BYTES);
            let count = content.read(&mut piece)?;
            if count == 0 {
                return Err(changed());
            }
            piece.truncate(count);
            sent += count as u64;
            let piece = Ok(piece.freeze());
            self.sender.blocking_send(piece).map_err(|_| io::Error::other("the call has ended"))?;
        }
        self.send(tar::padding(size))
    }
}

/// The Dockerfile's path below the context. As every path it may be relative to the workspace, and as `docker build`
/// has it, to the context.
fn dockerfile_below(
    context: &Context<'_>,
    tool: &str,
    folder: &FilePath,
    written: Option<&str>,
) -> Result<String, ToolError> {
    let Some(written) = written else { return Ok(default_dockerfile(folder)) };
    let in_context = || {
        let place = folder.absolute().join(written);
        place.to_str().map(|place| context.snapshot.locate(place))
    };
    let is_there = |path: &FilePath| context.snapshot.entry(path).is_ok();
    let path = match (context.snapshot.locate(written), in_context()) {
        (Ok(path), _) if is_there(&path) && path.relative_to(folder).is_some() => path,
        (_, Some(Ok(path))) if is_there(&path) => path,
        (located, _) => located?,
    };
    let below = path.relative_to(folder).ok_or_else(|| {
        let message =
            format!("{tool}: {}: the Dockerfile must be in the context", path.display_path());
        ToolError::new(Code::InvalidParams, message).hint("name a `context` that has it")
    })?;
    Ok(below.to_string_lossy().into_owned())
}

fn default_dockerfile(folder: &FilePath) -> String {
    let is_there = |name: &&str| {
        let path = folder.descendant(name);
        path.root().kind_below(path.below_root()).is_ok_and(|kind| kind.is_some())
    };
    let names = ["Dockerfile", "Containerfile"];
    names.into_iter().find(is_there).unwrap_or("Dockerfile").to_owned()
}

/// The text of a file; `None` if there is none. A link is not followed.
fn read_text(tool: &str, path: &FilePath) -> Result<Option<String>, ToolError> {
    let Some(bytes) = path.root().read_below(Path::new(path.below_root()), DOCKERFILE_BYTES)?
    else {
        return Ok(None);
    };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        ToolError::new(Code::Encoding, format!("{tool}: {}: is not UTF-8", path.display_path()))
    })
}

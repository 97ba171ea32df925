//! The effects of a call and their targets.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workspace::FilePath;

/// Kinds of effects, by which policy has rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// Reads something.
    Read,
    /// Creates or changes something.
    Write,
    /// Deletes something.
    Delete,
    /// Runs a program.
    Execute,
    /// Sends or receives data over the network.
    Network,
    /// Changes the rules, or something that is not a file of the workspace.
    Admin,
}

impl EffectKind {
    /// Its name in settings and lists.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Execute => "execute",
            Self::Network => "network",
            Self::Admin => "admin",
        }
    }
}

/// The target of an effect, in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A path below a root with links resolved; for an effect on a link, the link's own path.
    Path(FilePath),
    /// A folder and everything below it.
    Tree(FilePath),
    /// The git folder at this path: commits, references, index. Excludes everything that git would
    /// run.
    Repository(PathBuf),
    /// A shell command.
    Command(Command),
    /// Anything else by name: a host, a setting.
    Named(String),
}

/// A shell command with its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command line.
    pub line: String,
    /// The working folder.
    pub cwd: FilePath,
    /// Environment variables in addition to the default ones.
    pub env: Vec<(String, String)>,
    /// Its standard input.
    pub input: Option<String>,
    /// Whether it has network access.
    pub network: bool,
    /// Whether it runs in the sandbox.
    pub sandbox: bool,
}

/// One effect of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Its kind.
    pub kind: EffectKind,
    /// Its target.
    pub target: Target,
    /// Details for the approval request: a diff.
    pub detail: Option<String>,
}

impl Effect {
    fn new(kind: EffectKind, target: Target) -> Self {
        Self { kind, target, detail: None }
    }

    /// Runs a program.
    #[must_use]
    pub fn execute(command: Command) -> Self {
        Self::new(EffectKind::Execute, Target::Command(command))
    }

    /// Sends to or receives from `target`: `HOST:PORT`, with the kind of an address that is not public in
    /// parentheses; see [`policy`](crate::Policy) for the rules on such names.
    #[must_use]
    pub fn network(target: impl Into<String>) -> Self {
        Self::new(EffectKind::Network, Target::Named(target.into()))
    }

    /// Adds details for the approval request.
    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// Reads the file or link at `path`.
    #[must_use]
    pub fn read(path: &FilePath) -> Self {
        Self::new(EffectKind::Read, Target::Path(path.clone()))
    }

    /// Reads everything below `path`.
    #[must_use]
    pub fn read_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Read, Target::Tree(path.clone()))
    }

    /// Creates or changes `path`.
    #[must_use]
    pub fn write(path: &FilePath) -> Self {
        Self::new(EffectKind::Write, Target::Path(path.clone()))
    }

    /// Creates or changes everything below `path`.
    #[must_use]
    pub fn write_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Write, Target::Tree(path.clone()))
    }

    /// Changes a git folder.
    #[must_use]
    pub fn repository(git_folder: &Path) -> Self {
        Self::new(EffectKind::Write, Target::Repository(git_folder.to_owned()))
    }

    /// Deletes `path`.
    #[must_use]
    pub fn delete(path: &FilePath) -> Self {
        Self::new(EffectKind::Delete, Target::Path(path.clone()))
    }

    /// Deletes `path` and everything below it.
    #[must_use]
    pub fn delete_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Delete, Target::Tree(path.clone()))
    }
}

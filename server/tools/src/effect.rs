//! What a call does to the world, and to what.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workspace::FilePath;

/// Kinds of effects; policy has rules by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// Something is looked at.
    Read,
    /// Something is made or changed.
    Write,
    /// Something goes.
    Delete,
    /// A program is run.
    Execute,
    /// Something leaves this machine, or comes onto it.
    Network,
    /// The rules themselves, or what is not a file of the workspace, change.
    Admin,
}

impl EffectKind {
    /// The name in settings and lists.
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

/// What an effect is on, in its one canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A place below a root. The links on the way to it are resolved; where the effect is on a link
    /// itself, it is the link's own place.
    Path(FilePath),
    /// A folder and everything below it.
    Tree(FilePath),
    /// What git keeps in the git folder at this path: commits, references, the index. Never what
    /// it, or anything else, would run.
    Repository(PathBuf),
    /// A command line of the shell.
    Command(Command),
    /// Anything else, as people call it: a host, a setting.
    Named(String),
}

/// A command line, and what it is run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The text that the shell is given.
    pub line: String,
    /// The folder it is run in.
    pub cwd: FilePath,
    /// What it gets beside the clean environment, by name.
    pub env: Vec<(String, String)>,
    /// What it can read from its standard input.
    pub input: Option<String>,
    /// Whether it may reach the network.
    pub network: bool,
    /// Whether it is kept from writing outside the workspace.
    pub sandbox: bool,
}

/// One effect of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Its kind.
    pub kind: EffectKind,
    /// What it is on.
    pub target: Target,
    /// What exactly is to happen there, where a person who is asked should see it: a diff.
    pub detail: Option<String>,
}

impl Effect {
    fn new(kind: EffectKind, target: Target) -> Self {
        Self { kind, target, detail: None }
    }

    /// Running a program.
    #[must_use]
    pub fn execute(command: Command) -> Self {
        Self::new(EffectKind::Execute, Target::Command(command))
    }

    /// Looking at the file or link at `path`.
    #[must_use]
    pub fn read(path: &FilePath) -> Self {
        Self::new(EffectKind::Read, Target::Path(path.clone()))
    }

    /// Looking at everything below `path`.
    #[must_use]
    pub fn read_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Read, Target::Tree(path.clone()))
    }

    /// Making or changing what is at `path`.
    #[must_use]
    pub fn write(path: &FilePath) -> Self {
        Self::new(EffectKind::Write, Target::Path(path.clone()))
    }

    /// Making or changing everything below `path`.
    #[must_use]
    pub fn write_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Write, Target::Tree(path.clone()))
    }

    /// Making or changing what git keeps in a git folder.
    #[must_use]
    pub fn repository(git_folder: &Path) -> Self {
        Self::new(EffectKind::Write, Target::Repository(git_folder.to_owned()))
    }

    /// Taking away what is at `path`.
    #[must_use]
    pub fn delete(path: &FilePath) -> Self {
        Self::new(EffectKind::Delete, Target::Path(path.clone()))
    }

    /// Taking away `path` and everything below it.
    #[must_use]
    pub fn delete_tree(path: &FilePath) -> Self {
        Self::new(EffectKind::Delete, Target::Tree(path.clone()))
    }
}

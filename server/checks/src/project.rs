//! Finds the project that a call is about.

use tools::{Code, Context, ToolError};
use workspace::{EntryKind, FileKind, FilePath, Folder};

use crate::kinds::{Check, Kind, Kinds};

/// How deep projects are searched below a root that is none.
const MAX_DEPTH: usize = 3;
/// Folders visited in that search.
const MAX_FOLDERS: usize = 2_000;
/// Projects listed in an error.
const MAX_LISTED: usize = 20;
/// Folders of dependencies and of build output.
const SKIPPED: &[&str] =
    &["node_modules", "target", "vendor", "build", "dist", "venv", "__pycache__", "site-packages"];

/// A project: a folder, and the kinds that recognise it.
#[derive(Debug)]
pub(crate) struct Project<'k> {
    pub(crate) folder: FilePath,
    /// The preferred one first.
    pub(crate) kinds: Vec<&'k Kind>,
    /// The path of the call, relative to the folder; `None` if it names none, or the folder itself.
    pub(crate) path: Option<String>,
}

impl<'k> Project<'k> {
    /// The nearest project around `path` that has a runner for the check; without a path, the one of the
    /// workspace.
    ///
    /// # Errors
    /// If there is none, or if the workspace has several and none is at its root.
    pub(crate) fn find(
        context: &Context<'_>,
        tool: &str,
        kinds: &'k Kinds,
        check: Check,
        path: Option<&str>,
        wanted: Option<&'k str>,
    ) -> Result<Self, ToolError> {
        let search = Search { kinds, check, wanted };
        match path {
            Some(written) => Self::around(context, tool, &search, written),
            None => Self::of_workspace(context, tool, &search),
        }
    }

    fn around(
        context: &Context<'_>,
        tool: &str,
        search: &Search<'k>,
        written: &str,
    ) -> Result<Self, ToolError> {
        let path = context.snapshot.locate(written)?;
        let found = context.snapshot.metadata(&path)?;
        let absolute = path.absolute();
        let is_folder = found.kind == EntryKind::Directory;
        let extension = absolute.extension().and_then(|extension| extension.to_str());
        let root = path.root().path();
        let folders = absolute.ancestors().skip(usize::from(!is_folder));
        for folder in folders.take_while(|folder| folder.starts_with(root)) {
            let Ok(folder) = context.snapshot.locate_absolute(folder) else { continue };
            let mut matching = search.recognising(&folder);
            if matching.is_empty() {
                continue;
            }
            let knows = |kind: &&Kind| extension.is_some_and(|own| kind.has_sources(own));
            matching.sort_by_key(|kind| !knows(kind));
            let below = absolute.strip_prefix(folder.absolute()).unwrap_or(&absolute);
            let below = below.to_string_lossy().into_owned();
            let path = Some(below).filter(|below| !below.is_empty());
            return Ok(Self { folder, kinds: matching, path });
        }
        Err(none(tool, search.check, &path.display_path()))
    }

    fn of_workspace(
        context: &Context<'_>,
        tool: &str,
        search: &Search<'k>,
    ) -> Result<Self, ToolError> {
        let mut found = Vec::new();
        let mut left = MAX_FOLDERS;
        for root in context.snapshot.roots() {
            let Ok(root) = context.snapshot.locate_absolute(root.path()) else { continue };
            let matching = search.recognising(&root);
            if !matching.is_empty() {
                return Ok(Self { folder: root, kinds: matching, path: None });
            }
            if let Ok(folder) = Folder::open(&root) {
                search.below(&folder, MAX_DEPTH, &mut left, &mut found);
            }
        }
        let names: Vec<String> =
            found.iter().map(|(folder, _): &(FilePath, _)| folder.display_path()).collect();
        if found.len() == 1
            && let Some((folder, kinds)) = found.pop()
        {
            return Ok(Self { folder, kinds, path: None });
        }
        if names.is_empty() {
            return Err(none(tool, search.check, "the workspace"));
        }
        let message = format!("{tool}: the workspace has {} projects", names.len());
        let listed = names.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
        Err(ToolError::new(Code::Ambiguous, message).hint(format!("name one by `path`: {listed}")))
    }

    /// The folder as results show it; `None` for the root of the workspace.
    pub(crate) fn display(&self) -> Option<String> {
        (!self.folder.is_root()).then(|| self.folder.display_path())
    }
}

fn none(tool: &str, check: Check, place: &str) -> ToolError {
    let message =
        format!("{tool}: {place}: belongs to no project of a kind that has `{}`", check.tool());
    ToolError::new(Code::Unsupported, message).hint(
        "run_command runs any command; a kind of your own goes into ~/.config/tandem/checks \
         (docs/checks.md)",
    )
}

/// What projects are searched for.
struct Search<'k> {
    kinds: &'k Kinds,
    check: Check,
    /// The name of a runner or of a kind.
    wanted: Option<&'k str>,
}

impl<'k> Search<'k> {
    /// The kinds that recognise a folder and have a runner for the check.
    fn recognising(&self, folder: &FilePath) -> Vec<&'k Kind> {
        let Ok(entries) = Folder::open(folder).and_then(|folder| folder.entries()) else {
            return Vec::new();
        };
        let names: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.kind != FileKind::Directory)
            .filter_map(|entry| entry.name.to_str())
            .collect();
        let recognises = |kind: &&Kind| {
            kind.files.iter().any(|file| match file.strip_prefix('*') {
                Some(end) => names.iter().any(|name| name.ends_with(end)),
                None => names.contains(&file.as_str()),
            })
        };
        self.kinds.all().filter(|kind| self.has_runner(kind)).filter(recognises).collect()
    }

    fn has_runner(&self, kind: &Kind) -> bool {
        let mut runners = kind.runners(self.check).iter();
        match self.wanted {
            None => runners.next().is_some(),
            Some(wanted) => {
                runners.clone().next().is_some() && kind.name == wanted
                    || runners.any(|runner| runner.name == wanted)
            }
        }
    }

    /// Searches the folders below one.
    fn below(
        &self,
        folder: &Folder,
        depth: usize,
        left: &mut usize,
        found: &mut Vec<(FilePath, Vec<&'k Kind>)>,
    ) {
        for entry in folder.entries().unwrap_or_default() {
            let name = entry.name.to_string_lossy();
            let is_skipped = name.starts_with('.') || SKIPPED.contains(&name.as_ref());
            if entry.kind != FileKind::Directory || is_skipped || *left == 0 {
                continue;
            }
            *left -= 1;
            let path = folder.entry(&entry.name);
            let matching = self.recognising(&path);
            if !matching.is_empty() {
                found.push((path, matching));
            } else if depth > 1
                && let Ok(below) = folder.folder(&entry.name)
            {
                self.below(&below, depth - 1, left, found);
            }
        }
    }
}

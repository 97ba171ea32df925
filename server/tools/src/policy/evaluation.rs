//! Evaluates the rules against the effects of a call.

mod arguments;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use workspace::{FileError, FileKind, FilePath, Folder, OwnFiles};

use self::arguments::CommandArguments;
use super::guarded_links::Links;
use super::rules::{Rules, Ruling, Verdict};
use super::shell::{Redirect, Word, analyse_line};
use crate::{Command, Effect, EffectKind, Target, ToolError, ToolRequest};

/// Limit for the entries checked below the folders of one call.
const MAX_ENTRIES: usize = 200_000;
/// Limit for the depth of checked folders.
const MAX_DEPTH: usize = 200;
/// Limit for the paths read from a call's parameters.
const MAX_PATH_PARAMETERS: usize = 1_000;

/// Parameters that hold paths.
const PATH_PARAMETERS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "uri",
    "source",
    "destination",
    "src",
    "dst",
    "from",
    "to",
    "directory",
    "folder",
    "cwd",
];

/// How the names of effects begin by which something goes on that the person has stopped. No rule allows them.
const STOPPED: &str = "stopped/";

/// Files that commands may always read from and write to.
const HARMLESS_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Places that are guarded for other reasons than their names.
#[derive(Default)]
pub(super) struct Guarded {
    /// Tandem's own files.
    pub(super) own_files: Arc<OwnFiles>,
    /// Links with guarded names, and their targets.
    pub(super) links: Arc<Links>,
}

/// Collects the objections to a call: rulings that ask or deny, each with the index of its effect.
pub(super) struct Evaluation<'a> {
    rules: &'a Rules,
    request: &'a ToolRequest<'a>,
    guarded: &'a Guarded,
    /// Links at paths that rules or guarded names cover, and their targets.
    link_targets: Vec<(PathBuf, FilePath)>,
    /// Whether a rule allows the call's command to run unconfined.
    allows_unconfined: bool,
    objections: Vec<(usize, Ruling)>,
}

impl<'a> Evaluation<'a> {
    /// All objections to a call of `tool` with `params` and these effects.
    ///
    /// # Errors
    /// `E_CANCELLED` if the call was cancelled.
    pub(super) fn objections(
        rules: &'a Rules,
        request: &'a ToolRequest<'a>,
        tool: &str,
        params: &Value,
        effects: &[Effect],
        guarded: &'a Guarded,
    ) -> Result<Vec<(usize, Ruling)>, ToolError> {
        let mut evaluation = Self {
            rules,
            request,
            guarded,
            link_targets: Vec::new(),
            allows_unconfined: false,
            objections: Vec::new(),
        };
        if let Some(ruling) = rules.tool_ruling(tool) {
            evaluation.object(0, ruling);
        }
        let is_only_reading = effects.iter().all(|effect| effect.kind == EffectKind::Read);
        if !is_only_reading || rules.restricts(EffectKind::Read) {
            evaluation.find_links(is_only_reading);
            evaluation.check_written_paths(params, effects);
        }
        for (index, effect) in effects.iter().enumerate() {
            match &effect.target {
                Target::Path(path) | Target::Tree(path) => {
                    evaluation.check_path(index, effect.kind, path)
                }
                // Rules for the git folder apply. Its guarded name does not: only its other
                // contents are guarded.
                Target::Repository(path) => {
                    let ruling = evaluation.path_ruling(effect.kind, path, false);
                    evaluation.object(index, ruling);
                }
                Target::Command(command) => evaluation.check_command(index, command),
                Target::Named(name) => evaluation.check_named(index, effect.kind, name),
            }
        }
        evaluation.check_trees(tool, effects)?;
        Ok(evaluation.objections)
    }

    /// Adds an objection, unless the ruling allows or is known already.
    fn object(&mut self, index: usize, ruling: Ruling) {
        let is_new = || !self.objections.iter().any(|(of, known)| *of == index && *known == ruling);
        if ruling.verdict != Verdict::Allow && is_new() {
            self.objections.push((index, ruling));
        }
    }

    fn check_path(&mut self, index: usize, kind: EffectKind, path: &FilePath) {
        // A folder that Tandem's own files are in is guarded against deletion and replacement:
        // their paths would lead elsewhere.
        let replaces = || {
            kind == EffectKind::Delete
                || path.root().kind_below(path.below_root()) != Ok(Some(FileKind::Directory))
        };
        let is_guarded = path.has_guarded_name()
            || self.guarded.own_files.contains(path)
            || self.guarded.own_files.depend_on(path) && replaces();
        let ruling = self.path_ruling(kind, &path.absolute(), is_guarded);
        self.object(index, ruling);
        for way in path.ways() {
            let ruling = self.path_ruling(kind, way, self.is_guarded(way));
            self.object(index, ruling);
        }
        // Rules for a link apply to its target as well.
        let linked: Vec<_> = self
            .link_targets
            .iter()
            .filter_map(|(place, target)| {
                let absolute = path.absolute();
                let below = absolute.strip_prefix(target.absolute()).ok()?;
                Some(if below.as_os_str().is_empty() { place.clone() } else { place.join(below) })
            })
            .collect();
        for place in linked {
            let ruling = self.path_ruling(kind, &place, self.is_guarded(&place));
            self.object(index, ruling);
        }
    }

    fn path_ruling(&self, kind: EffectKind, path: &Path, is_guarded: bool) -> Ruling {
        self.rules.path_ruling(kind, path, is_guarded)
    }

    fn is_guarded(&self, path: &Path) -> bool {
        self.rules.is_guarded(path) || self.guarded.own_files.contains_path(path)
    }

    /// Resolves the links among the paths that rules name and the usual guarded paths.
    fn find_links(&mut self, is_only_reading: bool) {
        let usual: &[&str] = if is_only_reading {
            &[]
        } else {
            &[
                ".git",
                ".idea",
                ".tandem",
                ".tandem/config.toml",
                ".vscode",
                ".vscode/launch.json",
                ".vscode/settings.json",
                ".vscode/tasks.json",
            ]
        };
        let places: Vec<_> =
            self.rules.literal_paths().chain(usual.iter().copied()).map(str::to_owned).collect();
        self.link_targets.extend(self.guarded.links.iter().cloned());
        for root in &self.rules.roots {
            for place in &places {
                let place = root.join(place.trim_start_matches("./").trim_end_matches('/'));
                let Some(written) = place.to_str() else { continue };
                let Ok(target) = self.request.snapshot.locate(written) else { continue };
                if target.absolute() != place {
                    self.link_targets.push((place, target));
                }
            }
        }
    }

    /// Checks the paths as the caller wrote them: rules for a link apply as well as rules for its
    /// target.
    fn check_written_paths(&mut self, params: &Value, effects: &[Effect]) {
        let on_paths = effects
            .iter()
            .enumerate()
            .filter(|(_, effect)| matches!(effect.target, Target::Path(_) | Target::Tree(_)));
        let Some((index, effect)) = on_paths.max_by_key(|(_, effect)| effect.kind) else { return };
        let mut written = Vec::new();
        paths_in(params, false, &mut written);
        for text in written {
            let mut places = Vec::new();
            places.extend(self.request.snapshot.locate_entry(text).map(|path| path.absolute()));
            if let Some(first) = self.rules.roots.first() {
                // The path without resolving links to folders.
                let plain = |name: &std::ffi::OsStr| name != "..";
                let path = first.join(text);
                if path.iter().all(plain) {
                    places.push(path.components().collect());
                }
            }
            for place in places {
                if self.rules.roots.iter().any(|root| place.starts_with(root)) {
                    let ruling = self.path_ruling(effect.kind, &place, self.is_guarded(&place));
                    self.object(index, ruling);
                }
            }
        }
    }

    fn check_named(&mut self, index: usize, kind: EffectKind, name: &str) {
        let is_allowed = kind == EffectKind::Read || self.allows_unconfined;
        let default = if is_allowed { Verdict::Allow } else { Verdict::Ask };
        let mut ruling = self.rules.name_ruling(kind, name).unwrap_or_else(|| Ruling {
            verdict: default,
            why: format!("{} effects need approval", kind.as_str()),
        });
        if name.starts_with(STOPPED) && ruling.verdict == Verdict::Allow {
            ruling = Ruling {
                verdict: Verdict::Ask,
                why: "what the person stopped goes on only if they allow it".to_owned(),
            };
        }
        self.object(index, ruling);
    }

    fn check_command(&mut self, index: usize, command: &Command) {
        let line = analyse_line(&command.line);
        let is_unconfined = command.network || !command.sandbox;
        let is_bare = command.env.is_empty() && command.input.is_none();
        let ruling = self.rules.line_ruling(&line, command.cwd.is_root(), is_unconfined, is_bare);
        let is_allowed = ruling.verdict == Verdict::Allow;
        self.allows_unconfined |= is_unconfined && is_allowed;
        self.object(index, ruling);
        self.check_arguments(&CommandArguments {
            index,
            command,
            line: &line,
            is_allowed,
            is_unconfined,
        });
        for redirect in &line.redirects {
            self.check_redirect(index, redirect, command, line.changes_folder);
        }
    }

    /// Checks a redirection like a read or write of its file.
    fn check_redirect(
        &mut self,
        index: usize,
        redirect: &Redirect,
        command: &Command,
        changes_folder: bool,
    ) {
        let kind = if redirect.writes { EffectKind::Write } else { EffectKind::Read };
        let target = match &redirect.target {
            Word::Known(target) if target.starts_with('/') || !changes_folder => target,
            // The target may be any file.
            _ => {
                let (verdict, why) = if self.rules.restricts(kind) {
                    (
                        Verdict::Deny,
                        "it reads or writes an unknown file, and rules restrict some: name the file",
                    )
                } else {
                    (Verdict::Ask, "it reads or writes an unknown file")
                };
                return self.object(index, Ruling { verdict, why: why.to_owned() });
            }
        };
        if HARMLESS_FILES.contains(&target.as_str()) {
            return;
        }
        let written = command.cwd.absolute().join(target);
        let located = written.to_str().map(|written| self.request.snapshot.locate(written));
        match located {
            Some(Ok(path)) => {
                self.check_path(index, kind, &path);
                let plain: PathBuf = written.components().collect();
                let ruling = self.path_ruling(kind, &plain, self.is_guarded(&plain));
                self.object(index, ruling);
            }
            _ => {
                let why = format!("{target:.200} is not a file of the workspace");
                self.object(index, Ruling { verdict: Verdict::Ask, why });
            }
        }
    }

    /// Checks the contents of folders that effects apply to as a whole.
    fn check_trees(&mut self, tool: &str, effects: &[Effect]) -> Result<(), ToolError> {
        let made: Vec<&FilePath> = effects
            .iter()
            .filter_map(|effect| match &effect.target {
                Target::Tree(path) if effect.kind == EffectKind::Write => Some(path),
                _ => None,
            })
            .collect();
        let mut left = MAX_ENTRIES;
        for (index, effect) in effects.iter().enumerate() {
            let Target::Tree(path) = &effect.target else { continue };
            // A search skips files that it may not read; a copy would include them.
            if effect.kind == EffectKind::Read && made.is_empty() {
                continue;
            }
            let made = if effect.kind == EffectKind::Write { &[] } else { made.as_slice() };
            let top = match Folder::open(path) {
                Ok(top) => top,
                Err(FileError::NotFound { .. }) => continue,
                Err(_) => {
                    self.object_to_unchecked(index, effect.kind, path);
                    continue;
                }
            };
            let mut folders = vec![(top, PathBuf::new())];
            while let Some((folder, below)) = folders.pop() {
                self.request.check_interrupt(tool)?;
                let Ok(entries) = folder.entries() else {
                    self.object_to_unchecked(index, effect.kind, &folder.path());
                    continue;
                };
                for entry in entries {
                    if left == 0 {
                        self.object_to_unchecked(index, effect.kind, path);
                        return Ok(());
                    }
                    left -= 1;
                    let below = below.join(&entry.name);
                    self.check_tree_entry(
                        index,
                        effect.kind,
                        &folder.entry(&entry.name),
                        made,
                        &below,
                    );
                    if entry.kind != FileKind::Directory {
                        continue;
                    }
                    match folder.folder(&entry.name) {
                        Ok(inner) if folder.depth() < MAX_DEPTH => folders.push((inner, below)),
                        _ => {
                            self.object_to_unchecked(index, effect.kind, &folder.entry(&entry.name))
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks one entry of a tree: at its own path, and at the path that it gets below each folder
    /// of `made`.
    fn check_tree_entry(
        &mut self,
        index: usize,
        kind: EffectKind,
        path: &FilePath,
        made: &[&FilePath],
        below: &Path,
    ) {
        let is_guarded_here =
            path.has_guarded_name() || self.guarded.own_files.contains_path(&path.absolute());
        if is_guarded_here || self.rules.restricts(kind) {
            let ruling = self.path_ruling(kind, &path.absolute(), is_guarded_here);
            self.object_to_entry(index, ruling, path);
        }
        for top in made {
            let place = top.absolute().join(below);
            let is_guarded = is_guarded_here || self.is_guarded(&place);
            if is_guarded || self.rules.restricts(EffectKind::Write) {
                let ruling = self.path_ruling(EffectKind::Write, &place, is_guarded);
                self.object_to_entry(index, ruling, path);
            }
        }
    }

    /// Adds an objection to an entry of a tree: one for each verdict is enough.
    fn object_to_entry(&mut self, index: usize, ruling: Ruling, path: &FilePath) {
        let is_known = self.objections.iter().any(|(of, known)| {
            *of == index && known.verdict == ruling.verdict && known.why.starts_with("it holds ")
        });
        if is_known || ruling.verdict == Verdict::Allow {
            return;
        }
        let why = format!(
            "it holds {}: {}",
            super::visible::escaped_line(&path.display_path()),
            ruling.why
        );
        self.object(index, Ruling { why, ..ruling });
    }

    /// Adds an objection to a part of a tree that could not be checked.
    fn object_to_unchecked(&mut self, index: usize, kind: EffectKind, path: &FilePath) {
        let shown = super::visible::escaped_line(&path.display_path());
        let verdict = if self.rules.restricts(kind) { Verdict::Deny } else { Verdict::Ask };
        let why =
            format!("{shown} could not be checked completely, and parts of it may need approval");
        self.object(index, Ruling { verdict, why });
    }
}

/// Collects the paths among the parameters.
fn paths_in<'v>(value: &'v Value, is_path: bool, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text)
            if is_path && text.len() < 4096 && found.len() < MAX_PATH_PARAMETERS =>
        {
            found.push(text);
        }
        Value::Array(values) => values.iter().for_each(|value| paths_in(value, is_path, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_path = PATH_PARAMETERS
                    .iter()
                    .any(|known| name == known || name.ends_with(&format!("_{known}")));
                paths_in(value, is_path, found);
            }
        }
        _ => {}
    }
}

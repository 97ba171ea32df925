//! What the rules say of a call's effects.

mod arguments;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use workspace::{FileError, FileKind, FilePath, Folder, OwnFiles};

use self::arguments::Arguments;
use super::guarded_links::Links;
use super::rules::{Rules, Ruling, Verdict};
use super::shell::{Redirect, Word, analyse};
use crate::{Command, Effect, EffectKind, Target, ToolError, ToolRequest};

/// Most entries that are looked at below the folders of one call.
const MOST_ENTRIES: usize = 200_000;
/// Deepest folder that is looked into.
const DEEPEST: usize = 200;
/// Most paths that are looked for in a call's parameters.
const MOST_WRITTEN: usize = 1_000;

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

/// Files that commands may read from and write to wherever they are.
const HARMLESS_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// What is guarded for other reasons than its name.
#[derive(Default)]
pub(super) struct Guarded {
    /// Tandem's own files.
    pub(super) own: Arc<OwnFiles>,
    /// Links with guarded names, and what they lead to.
    pub(super) links: Arc<Links>,
}

/// What is against a call: rulings that ask or deny, each of an effect by its number.
pub(super) struct Judge<'a> {
    rules: &'a Rules,
    request: &'a ToolRequest<'a>,
    guarded: &'a Guarded,
    /// Places of rules and of guarded folders that are links, and what they lead to.
    led_to: Vec<(PathBuf, FilePath)>,
    /// Whether a rule allows the call's command to leave its confinement.
    may_go_out: bool,
    found: Vec<(usize, Ruling)>,
}

impl<'a> Judge<'a> {
    /// Everything that is against a call of `tool` with `params` that has these effects.
    ///
    /// # Errors
    /// When nobody wants to know any more.
    pub(super) fn judge(
        rules: &'a Rules,
        request: &'a ToolRequest<'a>,
        tool: &str,
        params: &Value,
        effects: &[Effect],
        guarded: &'a Guarded,
    ) -> Result<Vec<(usize, Ruling)>, ToolError> {
        let mut judge = Self {
            rules,
            request,
            guarded,
            led_to: Vec::new(),
            may_go_out: false,
            found: Vec::new(),
        };
        if let Some(ruling) = rules.on_tool(tool) {
            judge.against(0, ruling);
        }
        let is_only_reading = effects.iter().all(|effect| effect.kind == EffectKind::Read);
        if !is_only_reading || rules.restricts(EffectKind::Read) {
            judge.find_links(is_only_reading);
            judge.written(params, effects);
        }
        for (index, effect) in effects.iter().enumerate() {
            match &effect.target {
                Target::Path(path) | Target::Tree(path) => judge.path(index, effect.kind, path),
                // Rules that name the git folder count; it is guarded for what else is in it.
                Target::Repository(path) => {
                    let ruling = judge.on(effect.kind, path, false);
                    judge.against(index, ruling);
                }
                Target::Command(command) => judge.command(index, command),
                Target::Named(name) => judge.named(index, effect.kind, name),
            }
        }
        judge.trees(tool, effects)?;
        Ok(judge.found)
    }

    fn against(&mut self, index: usize, ruling: Ruling) {
        let is_new = || !self.found.iter().any(|(of, known)| *of == index && *known == ruling);
        if ruling.verdict != Verdict::Allow && is_new() {
            self.found.push((index, ruling));
        }
    }

    fn path(&mut self, index: usize, kind: EffectKind, path: &FilePath) {
        // What own files depend on is guarded as well: deleted or replaced, it would lead elsewhere.
        let replaces = || {
            kind == EffectKind::Delete
                || path.root().kind_below(path.below_root()) != Ok(Some(FileKind::Directory))
        };
        let is_guarded = path.has_guarded_name()
            || self.guarded.own.contains(path)
            || self.guarded.own.depend_on(path) && replaces();
        let ruling = self.on(kind, &path.absolute(), is_guarded);
        self.against(index, ruling);
        for way in path.ways() {
            let ruling = self.on(kind, way, self.is_guarded(way));
            self.against(index, ruling);
        }
        // What a guarded or ruled place leads to is that place as well.
        let led: Vec<_> = self
            .led_to
            .iter()
            .filter_map(|(place, target)| {
                let absolute = path.absolute();
                let below = absolute.strip_prefix(target.absolute()).ok()?;
                Some(if below.as_os_str().is_empty() { place.clone() } else { place.join(below) })
            })
            .collect();
        for place in led {
            let ruling = self.on(kind, &place, self.is_guarded(&place));
            self.against(index, ruling);
        }
    }

    fn on(&self, kind: EffectKind, path: &Path, is_guarded: bool) -> Ruling {
        self.rules.on_path(kind, path, is_guarded)
    }

    fn is_guarded(&self, path: &Path) -> bool {
        self.rules.is_guarded(path) || self.guarded.own.contains_path(path)
    }

    /// Finds the places of rules, and the usual guarded ones, that are links.
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
            self.rules.places().chain(usual.iter().copied()).map(str::to_owned).collect();
        self.led_to.extend(self.guarded.links.iter().cloned());
        for root in &self.rules.roots {
            for place in &places {
                let place = root.join(place.trim_start_matches("./").trim_end_matches('/'));
                let Some(written) = place.to_str() else { continue };
                let Ok(target) = self.request.snapshot.locate(written) else { continue };
                if target.absolute() != place {
                    self.led_to.push((place, target));
                }
            }
        }
    }

    /// A link's own place counts as much as what it leads to: the paths as the caller wrote them.
    fn written(&mut self, params: &Value, effects: &[Effect]) {
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
                // As text alone has it, links to folders on the way not followed.
                let plain = |name: &std::ffi::OsStr| name != "..";
                let path = first.join(text);
                if path.iter().all(plain) {
                    places.push(path.components().collect());
                }
            }
            for place in places {
                if self.rules.roots.iter().any(|root| place.starts_with(root)) {
                    let ruling = self.on(effect.kind, &place, self.is_guarded(&place));
                    self.against(index, ruling);
                }
            }
        }
    }

    fn named(&mut self, index: usize, kind: EffectKind, name: &str) {
        let is_allowed = kind == EffectKind::Read || self.may_go_out;
        let default = if is_allowed { Verdict::Allow } else { Verdict::Ask };
        let ruling = self.rules.on_named(kind, name).unwrap_or_else(|| Ruling {
            verdict: default,
            why: format!("{} effects need approval", kind.as_str()),
        });
        self.against(index, ruling);
    }

    fn command(&mut self, index: usize, command: &Command) {
        let line = analyse(&command.line);
        let is_unconfined = command.network || !command.sandbox;
        let is_bare = command.env.is_empty() && command.input.is_none();
        let ruling = self.rules.on_line(&line, command.cwd.is_root(), is_unconfined, is_bare);
        let is_allowed = ruling.verdict == Verdict::Allow;
        self.may_go_out |= is_unconfined && is_allowed;
        self.against(index, ruling);
        self.arguments(&Arguments { index, command, line: &line, is_allowed, is_unconfined });
        for redirect in &line.redirects {
            self.redirect(index, redirect, command, line.changes_folder);
        }
    }

    fn redirect(
        &mut self,
        index: usize,
        redirect: &Redirect,
        command: &Command,
        changes_folder: bool,
    ) {
        let kind = if redirect.writes { EffectKind::Write } else { EffectKind::Read };
        let target = match &redirect.target {
            Word::Known(target) if target.starts_with('/') || !changes_folder => target,
            // It may be any file.
            _ => {
                let (verdict, why) = if self.rules.restricts(kind) {
                    (
                        Verdict::Deny,
                        "it reads or writes an unknown file, and rules restrict some: name the file",
                    )
                } else {
                    (Verdict::Ask, "it reads or writes an unknown file")
                };
                return self.against(index, Ruling { verdict, why: why.to_owned() });
            }
        };
        if HARMLESS_FILES.contains(&target.as_str()) {
            return;
        }
        let written = command.cwd.absolute().join(target);
        let located = written.to_str().map(|written| self.request.snapshot.locate(written));
        match located {
            Some(Ok(path)) => {
                self.path(index, kind, &path);
                let plain: PathBuf = written.components().collect();
                let ruling = self.on(kind, &plain, self.is_guarded(&plain));
                self.against(index, ruling);
            }
            _ => {
                let why = format!("{target:.200} is not a file of the workspace");
                self.against(index, Ruling { verdict: Verdict::Ask, why });
            }
        }
    }

    /// Looks through the folders that effects are on as a whole.
    fn trees(&mut self, tool: &str, effects: &[Effect]) -> Result<(), ToolError> {
        let made: Vec<&FilePath> = effects
            .iter()
            .filter_map(|effect| match &effect.target {
                Target::Tree(path) if effect.kind == EffectKind::Write => Some(path),
                _ => None,
            })
            .collect();
        let mut left = MOST_ENTRIES;
        for (index, effect) in effects.iter().enumerate() {
            let Target::Tree(path) = &effect.target else { continue };
            // A search leaves out what it may not read; a copy would take it along.
            if effect.kind == EffectKind::Read && made.is_empty() {
                continue;
            }
            let made = if effect.kind == EffectKind::Write { &[] } else { made.as_slice() };
            let top = match Folder::open(path) {
                Ok(top) => top,
                Err(FileError::NotFound { .. }) => continue,
                Err(_) => {
                    self.unseen(index, effect.kind, path);
                    continue;
                }
            };
            let mut folders = vec![(top, PathBuf::new())];
            while let Some((folder, below)) = folders.pop() {
                self.request.check_interrupt(tool)?;
                let Ok(entries) = folder.entries() else {
                    self.unseen(index, effect.kind, &folder.path());
                    continue;
                };
                for entry in entries {
                    if left == 0 {
                        self.unseen(index, effect.kind, path);
                        return Ok(());
                    }
                    left -= 1;
                    let below = below.join(&entry.name);
                    self.entry(index, effect.kind, &folder.entry(&entry.name), made, &below);
                    if entry.kind != FileKind::Directory {
                        continue;
                    }
                    match folder.folder(&entry.name) {
                        Ok(inner) if folder.depth() < DEEPEST => folders.push((inner, below)),
                        _ => self.unseen(index, effect.kind, &folder.entry(&entry.name)),
                    }
                }
            }
        }
        Ok(())
    }

    /// What stands in a tree: `below` its top, and so below each of the folders that are `made`.
    fn entry(
        &mut self,
        index: usize,
        kind: EffectKind,
        path: &FilePath,
        made: &[&FilePath],
        below: &Path,
    ) {
        let is_guarded_here =
            path.has_guarded_name() || self.guarded.own.contains_path(&path.absolute());
        if is_guarded_here || self.rules.restricts(kind) {
            let ruling = self.on(kind, &path.absolute(), is_guarded_here);
            self.within(index, ruling, path);
        }
        for top in made {
            let place = top.absolute().join(below);
            let is_guarded = is_guarded_here || self.is_guarded(&place);
            if is_guarded || self.rules.restricts(EffectKind::Write) {
                let ruling = self.on(EffectKind::Write, &place, is_guarded);
                self.within(index, ruling, path);
            }
        }
    }

    fn within(&mut self, index: usize, ruling: Ruling, path: &FilePath) {
        let is_known = self.found.iter().any(|(of, known)| {
            *of == index && known.verdict == ruling.verdict && known.why.starts_with("it holds ")
        });
        if is_known || ruling.verdict == Verdict::Allow {
            return;
        }
        let why =
            format!("it holds {}: {}", super::visible::visible(&path.display_path()), ruling.why);
        self.against(index, Ruling { why, ..ruling });
    }

    fn unseen(&mut self, index: usize, kind: EffectKind, path: &FilePath) {
        let shown = super::visible::visible(&path.display_path());
        let verdict = if self.rules.restricts(kind) { Verdict::Deny } else { Verdict::Ask };
        let why =
            format!("{shown} could not be checked completely, and parts of it may need approval");
        self.against(index, Ruling { verdict, why });
    }
}

/// The paths among parameters.
fn paths_in<'v>(value: &'v Value, is_path: bool, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if is_path && text.len() < 4096 && found.len() < MOST_WRITTEN => {
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

//! Chooses the debug adapter for a program and locates it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ::debug::{Adapter, Adapters, LaunchKind, ToolSearch, ToolSpec};
use workspace::{SettingsFile, Snapshot};

use super::failure;
use tools::{Code, Context, ToolError, session::FamilyState};

/// The user's own adapter table, in the settings folder.
const USER_TABLE_FILE: &str = "adapters.toml";
/// Its size limit, in bytes.
const MAX_TABLE_BYTES: u64 = 1 << 20;

/// An adapter that is installed.
pub(super) struct LocatedAdapter {
    pub(super) adapter: Adapter,
    /// Paths of its parts, by name.
    pub(super) tools: BTreeMap<String, PathBuf>,
}

/// What an adapter must be able to debug.
pub(super) enum TargetKind<'a> {
    /// Source code in this language, run by an interpreter.
    Source(&'a str),
    /// A compiled program, with its language if known.
    Binary(Option<&'a str>),
    /// A running process whose program has this name.
    Process(&'a str),
}

/// The first installed adapter that fits: the one requested by name, else by what is debugged. One
/// that runs unconfined must not be part of the workspace.
///
/// # Errors
/// `E_UNAVAILABLE` with the command that installs it.
pub(super) fn find_adapter(
    context: &Context<'_>,
    tool: &str,
    all: &Adapters,
    named: Option<&str>,
    target: &TargetKind<'_>,
    confined: bool,
) -> Result<LocatedAdapter, ToolError> {
    let interprets = |program: &str| all.iter().any(|adapter| adapter.interprets(program));
    let fits = |adapter: &&Adapter| match (named, target) {
        (Some(name), _) => adapter.has_name(name),
        (None, TargetKind::Source(language)) => {
            adapter.runs(language) && adapter.launches(LaunchKind::File)
        }
        (None, TargetKind::Binary(language)) => {
            adapter.launches(LaunchKind::Binary) && language.is_none_or(|it| adapter.runs(it))
        }
        (None, TargetKind::Process(program)) if interprets(program) => {
            adapter.attaches() && adapter.interprets(program)
        }
        (None, TargetKind::Process(_)) => {
            adapter.launches(LaunchKind::Binary) && adapter.attaches()
        }
    };
    let fitting: Vec<_> = all.iter().filter(fits).collect();
    if fitting.is_empty() {
        return Err(no_adapter(tool, named, target, all));
    }
    let roots = context.snapshot.roots().iter().map(|root| root.path().to_owned());
    let mut search = ToolSearch::new(roots.clone().next());
    if !confined {
        search.excluded = roots.collect();
    }
    let mut missing = Vec::new();
    for adapter in fitting {
        let (mut tools, mut lacking) = (BTreeMap::new(), Vec::new());
        for (name, tool) in &adapter.tools {
            match search.find(tool) {
                ::debug::ToolLookup::Found(path) => drop(tools.insert(name.clone(), path)),
                _ if tool.optional => {}
                ::debug::ToolLookup::Unusable(path, why) => {
                    lacking.push(format!("{}: {why}", path.display()))
                }
                ::debug::ToolLookup::NotFound if name == "adapter" => {}
                ::debug::ToolLookup::NotFound => lacking.push(name.clone()),
            }
        }
        let is_there =
            |(name, tool): (&String, &ToolSpec)| tool.optional || tools.contains_key(name);
        if adapter.tools.iter().all(is_there) {
            return Ok(LocatedAdapter { adapter: adapter.clone(), tools });
        }
        missing.push((adapter, lacking.join(", ")));
    }
    let listed = missing.iter().map(|(adapter, lacking)| match lacking.as_str() {
        "" => adapter.name.clone(),
        lacking => format!("{} ({lacking})", adapter.name),
    });
    let listed: Vec<_> = listed.collect();
    let message = format!("{tool}: no debug adapter was found: {}", listed.join(", "));
    let ways: Vec<_> = missing.iter().map(|(adapter, _)| adapter.install.as_str()).collect();
    Err(ToolError::new(Code::Unavailable, message).hint(ways.join("; or ")))
}

/// The user's own table, read when the server starts.
pub(super) struct UserAdapters(SettingsFile);

impl UserAdapters {
    pub(super) fn read(snapshot: &Snapshot) -> Self {
        Self(SettingsFile::read(USER_TABLE_FILE, MAX_TABLE_BYTES, snapshot))
    }
}

impl FamilyState for UserAdapters {}

/// All adapters, the user's included.
///
/// # Errors
/// If the user's table cannot be read.
pub(super) fn load_adapters(context: &Context<'_>, tool: &str) -> Result<Adapters, ToolError> {
    let UserAdapters(own) = context.session.family();
    let place = || own.path().map(|path| path.display().to_string()).unwrap_or_default();
    match own.content(&context.snapshot) {
        Ok(Some(bytes)) => {
            let table = String::from_utf8_lossy(&bytes);
            Adapters::builtin()
                .with_user_table(&place(), &table)
                .map_err(|error| failure::from_debug_error(tool, error))
        }
        Ok(None) => Ok(Adapters::builtin().clone()),
        Err(error) => Err(ToolError::new(Code::InvalidParams, format!("{tool}: {error}"))),
    }
}

fn no_adapter(
    tool: &str,
    named: Option<&str>,
    target: &TargetKind<'_>,
    all: &Adapters,
) -> ToolError {
    let names: Vec<_> = all.iter().map(|adapter| adapter.name.as_str()).collect();
    let known = format!("those known are {}", names.join(", "));
    if let Some(name) = named {
        let name: String = name.chars().take(60).collect();
        return failure::invalid(tool, &format!("no debug adapter is called `{name}`")).hint(known);
    }
    let what = match target {
        TargetKind::Source(language) => format!("{language} as it is written"),
        TargetKind::Binary(_) => "compiled programs".to_owned(),
        TargetKind::Process(_) => "processes that run".to_owned(),
    };
    ToolError::new(Code::Unavailable, format!("{tool}: no debug adapter is known for {what}"))
        .hint(format!("{known}; for a language that is compiled, build it and give the program"))
}

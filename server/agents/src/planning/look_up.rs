//! Looks up in the workspace what a request names.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;
use tools::{Code, Context, ToolError};
use workspace::{
    FileKind, FilePath, Folder, NamePath, QueryError, SymbolSearch, Visitor, WalkOptions, walk,
};

use super::entities::{Entities, written};
use super::words::{Word, WordKind, split_line, words};

/// Names and paths that are looked up; more are ignored.
const MAX_LOOKUPS: usize = 6;
/// Places that are returned of one name.
const MAX_PLACES: usize = 5;
/// Time limit of the search for files.
const WALK_TIME: Duration = Duration::from_millis(300);
/// Shortest word that names a file by its beginning.
const MIN_STEM_CHARS: usize = 4;
/// Files that list dependencies.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "Gemfile",
    "composer.json",
];

/// How an entity was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FoundBy {
    /// It is named in the request.
    Name,
    /// Its name is like a word of the request: a guess.
    Words,
}

/// A place of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Found {
    /// `file`, `symbol`, `error` or `package`.
    pub(super) entity: &'static str,
    /// Its file.
    pub(super) path: String,
    /// Its 1-based line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// `name`, or `words` for a guess.
    pub(super) by: FoundBy,
}

/// What was looked up.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    pub(super) entities: Entities,
    /// Where the entities are; several places of one entity mean that it is ambiguous.
    pub(super) found: Vec<Found>,
    /// Names of files and definitions that the workspace does not have.
    pub(super) not_found: Vec<String>,
}

/// Finds what `request` names.
///
/// # Errors
/// If the call was cancelled.
pub(super) fn look_up(
    context: &Context<'_>,
    tool: &str,
    intent: &str,
    request: &str,
) -> Result<Lookups, ToolError> {
    let words = words(request);
    let mut lookups = Lookups { entities: written(intent, request, &words), ..Lookups::default() };
    look_up_paths(context, &words, &mut lookups);
    look_up_symbols(context, tool, intent, &words, &mut lookups)?;
    if intent == "update_dependency" {
        look_up_package(context, &mut lookups);
    }
    if lookups.entities.file.is_none() && lookups.found.is_empty() {
        guess_file(context, intent, &words, &mut lookups);
    }
    context.check_interrupt(tool)?;
    Ok(lookups)
}

/// Finds the files that are named, and folders with a slash.
fn look_up_paths(context: &Context<'_>, words: &[Word<'_>], lookups: &mut Lookups) {
    let named = words.iter().filter(|word| {
        word.kind == WordKind::Path || (word.kind == WordKind::Plain && word.text.contains('/'))
    });
    for word in named.take(MAX_LOOKUPS) {
        let (path, line) = split_line(word.text);
        let places = match exact(context, path) {
            Some((folder, FileKind::Directory)) => {
                lookups.entities.folder.get_or_insert(folder);
                continue;
            }
            Some((file, _)) => vec![file],
            None if word.kind == WordKind::Path => with_suffix(context, path),
            None => continue,
        };
        if places.is_empty() {
            lookups.not_found.push(path.to_owned());
        }
        if let ([place], None) = (&places[..], &lookups.entities.file) {
            lookups.entities.file = Some(place.clone());
            lookups.entities.line = line;
        }
        lookups.found.extend(places.into_iter().take(MAX_PLACES).map(|path| Found {
            entity: "file",
            path,
            line,
            by: FoundBy::Name,
        }));
    }
}

fn exact(context: &Context<'_>, path: &str) -> Option<(String, FileKind)> {
    let path = context.snapshot.locate(path).ok().filter(|path| context.may_read(path))?;
    Some((path.display_path(), context.snapshot.entry(&path).ok()?.kind))
}

fn with_suffix(context: &Context<'_>, suffix: &str) -> Vec<String> {
    let suffix = suffix.trim_start_matches("./");
    let mut files = files(context, &|path| {
        path.strip_suffix(suffix).is_some_and(|start| start.is_empty() || start.ends_with('/'))
    });
    files.sort_by_key(|path| (path.len(), path.clone()));
    files
}

/// Paths of files that fit, as the workspace shows them. Cut off after a short time.
fn files(context: &Context<'_>, fits: &(dyn Fn(&str) -> bool + Sync)) -> Vec<String> {
    let deadline = Instant::now() + WALK_TIME;
    let mut files = Vec::new();
    for root in context.snapshot.roots() {
        let search = || Files { context, fits, deadline, found: Vec::new() };
        let start = FilePath::from_root(root);
        if let Ok(walked) = walk(&start, WalkOptions::default(), context.interrupt, search) {
            files.extend(walked.visitors.into_iter().flat_map(|search| search.found));
        }
    }
    files
}

struct Files<'s> {
    context: &'s Context<'s>,
    fits: &'s (dyn Fn(&str) -> bool + Sync),
    deadline: Instant,
    found: Vec<String>,
}

impl Visitor for Files<'_> {
    const ARE_VISITS_SLOW: bool = false;

    fn may_contain_matches(&mut self, _: &[u8]) -> bool {
        Instant::now() < self.deadline
    }

    fn should_visit(&mut self, _: &Folder, _: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], _: FileKind) {
        if std::str::from_utf8(path).is_ok_and(self.fits) {
            let file = folder.entry(name);
            if self.context.may_read(&file) {
                self.found.push(file.display_path());
            }
        }
    }
}

/// Finds the definitions that are named.
fn look_up_symbols(
    context: &Context<'_>,
    tool: &str,
    intent: &str,
    words: &[Word<'_>],
    lookups: &mut Lookups,
) -> Result<(), ToolError> {
    let new_name = lookups.entities.new_name.clone();
    let is_old_name = |index: usize| {
        let next = words.get(index + 1).map(|word| word.lowercase.as_str());
        intent == "rename" && matches!(next, Some("to" | "into"))
    };
    let named = words.iter().enumerate().filter(|(index, word)| {
        (matches!(word.kind, WordKind::Name | WordKind::Error) || is_old_name(*index))
            && Some(word.text) != new_name.as_deref()
    });
    for (index, word) in named.take(MAX_LOOKUPS) {
        let places = definitions_of(context, tool, word.text)?;
        let is_error = word.kind == WordKind::Error;
        // Capitals in a name may be a brand's.
        let is_certain = word.is_code || word.text.contains(['_', ':', '(']) || is_old_name(index);
        if places.is_empty() && is_certain && !is_error {
            lookups.not_found.push(word.text.to_owned());
        }
        let entities = &mut lookups.entities;
        if let ([place], None, false) = (&places[..], &entities.symbol, is_error) {
            entities.symbol = Some(place.name_path.clone());
            if entities.file.is_none() {
                entities.file = Some(place.path.clone());
                entities.line = Some(place.line);
            }
        } else if let ([_, ..], None, false) = (&places[..], &entities.symbol, is_error) {
            // All definitions of the name; the places tell them apart.
            entities.symbol = Some(word.text.trim_end_matches("()").to_owned());
        }
        lookups.found.extend(places.into_iter().map(|place| Found {
            entity: if is_error { "error" } else { "symbol" },
            path: place.path,
            line: Some(place.line),
            by: FoundBy::Name,
        }));
    }
    if lookups.entities.symbol.is_none() {
        lookups.entities.new_name = None;
    }
    Ok(())
}

/// The definitions of a name as people write it: `a::b`, `a.b`, `a()`. What qualifies it may be a module,
/// which is a file.
fn definitions_of(
    context: &Context<'_>,
    tool: &str,
    written: &str,
) -> Result<Vec<Definition>, ToolError> {
    let name = written.trim_end_matches("()").replace("::", "/").replace(['.', '#'], "/");
    let found = definitions(context, tool, &name)?;
    let Some((qualifier, last)) = name.rsplit_once('/').filter(|_| found.is_empty()) else {
        return Ok(found);
    };
    let module = qualifier.rsplit('/').next().unwrap_or(qualifier);
    let mut found = definitions(context, tool, last)?;
    found.retain(|place| place.path.split(['/', '.']).any(|part| part == module));
    Ok(found)
}

struct Definition {
    path: String,
    line: usize,
    name_path: String,
}

/// The definitions of a name, `a::b`, `a.b` or `a()`.
fn definitions(
    context: &Context<'_>,
    tool: &str,
    name: &str,
) -> Result<Vec<Definition>, ToolError> {
    let Some(path) = NamePath::parse(name, false) else { return Ok(Vec::new()) };
    let mut definitions = Vec::new();
    for root in context.snapshot.roots() {
        let search = SymbolSearch {
            path: &path,
            below: &FilePath::from_root(root),
            may_read: &|path| context.may_read(path),
            wanted: &|_| true,
            skip: 0,
            limit: MAX_PLACES,
        };
        let files = match context.snapshot.find_symbols(&search, context.interrupt) {
            Ok((files, _)) => files,
            Err(QueryError::Interrupted) => {
                context.check_interrupt(tool)?;
                return Err(ToolError::new(Code::Cancelled, format!("{tool}: cancelled")));
            }
            Err(_) => continue,
        };
        for file in files {
            let text = file.document.text();
            definitions.extend(file.symbols.iter().map(|symbol| Definition {
                path: file.file.path.display_path(),
                line: text.line_of(symbol.name_span.start) + 1,
                name_path: symbol.path.join("/"),
            }));
        }
    }
    definitions.truncate(MAX_PLACES);
    Ok(definitions)
}

/// The manifest that names the package.
fn look_up_package(context: &Context<'_>, lookups: &mut Lookups) {
    let Some(package) = lookups.entities.package.clone() else { return };
    for name in MANIFESTS {
        let Ok(path) = context.snapshot.locate(name) else { continue };
        if !context.may_read(&path) {
            continue;
        }
        let Ok(file) = context.snapshot.read(&path) else { continue };
        let text = file.text.to_string();
        let line = text.lines().position(|line| has_word(line, &package));
        if let Some(line) = line {
            let path = path.display_path();
            lookups.entities.file.get_or_insert_with(|| path.clone());
            let (line, by) = (Some(line + 1), FoundBy::Name);
            lookups.found.push(Found { entity: "package", path, line, by });
            return;
        }
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.split(|c| !is_name(c)).any(|part| part.eq_ignore_ascii_case(word))
}

/// Takes the file whose name alone has most in common with the request's words.
fn guess_file(context: &Context<'_>, intent: &str, words: &[Word<'_>], lookups: &mut Lookups) {
    let words: Vec<&str> = words
        .iter()
        .filter(|word| matches!(word.kind, WordKind::Plain | WordKind::Name))
        .map(|word| word.lowercase.as_str())
        .filter(|word| word.chars().count() >= MIN_STEM_CHARS && !COMMON_WORDS.contains(word))
        .collect();
    if words.is_empty() {
        return;
    }
    let wants_tests = intent == "write_tests" || intent == "run_tests";
    let fits = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        Language::detect(name, "").is_some_and(Language::has_name_resolution)
            && likeness(path, &words) > 0
            && (wants_tests || !is_test(path))
    };
    let mut likely: Vec<(Reverse<usize>, String)> = files(context, &fits)
        .into_iter()
        .map(|path| (Reverse(likeness(&path, &words)), path))
        .collect();
    likely.sort();
    let unique = match &likely[..] {
        [(best, _), (second, _), ..] => best < second,
        [_] => true,
        [] => return,
    };
    let best = likely[0].0;
    let found = likely.into_iter().take_while(|(likeness, _)| *likeness == best).take(MAX_PLACES);
    let found =
        found.map(|(_, path)| Found { entity: "file", path, line: None, by: FoundBy::Words });
    lookups.found.extend(found);
    if unique && let Some(found) = lookups.found.last() {
        lookups.entities.file = Some(found.path.clone());
    }
}

/// Words that many requests and file names have.
const COMMON_WORDS: &[&str] = &[
    "code",
    "file",
    "files",
    "function",
    "functions",
    "from",
    "main",
    "make",
    "module",
    "modules",
    "test",
    "tests",
    "that",
    "this",
    "when",
    "where",
    "with",
    "which",
    "what",
    "index",
    "into",
    "user",
    "users",
    "type",
    "types",
    "class",
    "error",
    "errors",
    "support",
    "should",
    "does",
    "remove",
    "update",
    "rename",
    "move",
    "find",
    "show",
    "change",
    "changes",
    "after",
    "before",
    "init",
    "util",
    "utils",
];

fn is_test(path: &str) -> bool {
    path.split(['/', '_', '.', '-']).any(|part| matches!(part, "test" | "tests" | "spec" | "specs"))
}

/// Words of a file's name that begin like words of the request: twice as much as those of its folders.
fn likeness(path: &str, words: &[&str]) -> usize {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let in_text = |text: &str| {
        let parts = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        parts.filter(|part| words.iter().any(|word| is_alike(part, word))).count()
    };
    let in_name = in_text(stem);
    if in_name == 0 { 0 } else { 2 * in_name + in_text(folders).min(1) }
}

/// Whether one is the beginning of the other: `auth` and `authentication`.
fn is_alike(part: &str, word: &str) -> bool {
    part.chars().count() >= MIN_STEM_CHARS
        && !COMMON_WORDS.contains(&part)
        && (word.starts_with(part) || part.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_words() {
        assert_eq!(likeness("src/auth.rs", &["authentication"]), 2);
        assert_eq!(likeness("billing/invoice.rs", &["invoice", "billing"]), 3);
        assert_eq!(likeness("src/other.rs", &["authentication"]), 0);
    }
}

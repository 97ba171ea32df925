//! The things that a request names: written in it, and looked up in the workspace.

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

use super::words::{Word, WordKind, split_line, words};

/// Names and paths that are looked up; more are ignored.
const MAX_LOOKUPS: usize = 6;
/// Places that are returned of one name.
const MAX_PLACES: usize = 5;
/// Time limit of the search for files.
const WALK_TIME: Duration = Duration::from_millis(300);
/// Shortest word that names a file by its beginning.
const MIN_STEM_CHARS: usize = 4;
/// Longest summary of the request, in characters.
const MAX_SUMMARY_CHARS: usize = 200;

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

/// The entities of a request. What is written but not in the workspace is in `Lookups::not_found`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct Entities {
    /// A file that exists, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The 1-based line in `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The name path of a definition that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    /// The new name of `symbol`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new_name: Option<String>,
    /// Where to move something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) destination: Option<String>,
    /// The name of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// A dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) package: Option<String>,
    /// A version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    /// A commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// The number of an issue: `#12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<String>,
    /// An address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// The request without its first verb and the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) issue: Option<String>,
}

impl Entities {
    /// Whether the entity of this name is known.
    pub(super) fn has(&self, name: &str) -> bool {
        serde_json::to_value(self).is_ok_and(|entities| !entities[name].is_null())
    }
}

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

/// What the request itself says.
fn written(intent: &str, request: &str, words: &[Word<'_>]) -> Entities {
    let first = |kind: WordKind| {
        words.iter().find(|word| word.kind == kind).map(|word| word.text.to_owned())
    };
    let number = first(WordKind::Number).filter(|number| number.starts_with('#'));
    let commit = words.iter().find(|word| is_commit(word.text)).map(|word| word.text.to_owned());
    let mut entities = Entities {
        error: first(WordKind::Error),
        url: first(WordKind::Url),
        issue: summary(request),
        number,
        commit,
        ..Entities::default()
    };
    match intent {
        "update_dependency" => (entities.package, entities.version) = package(words),
        "rename" => entities.new_name = after(words, &["to", "into", "as", "use"]),
        "move" => entities.destination = destination(words),
        _ => {}
    }
    entities
}

fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// The first line without a marker such as `fix(parser):` or `[Bug]`, its verb and ` in FILE`.
fn summary(request: &str) -> Option<String> {
    let line = request.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line =
        line.split_once(']').filter(|_| line.starts_with('[')).map_or(line, |(_, rest)| rest);
    let is_marker = |start: &str| start.split(['(', ' ']).count() <= 2 && start.len() <= 24;
    let line = match line.split_once(": ") {
        Some((start, rest)) if is_marker(start) && !start.contains('.') => rest,
        _ => line,
    };
    const VERBS: &[&str] = &["add", "document", "explain", "fix", "implement", "please", "resolve"];
    let mut line = line.trim();
    for _ in 0..2 {
        if let Some((verb, rest)) = line.split_once(' ')
            && VERBS.contains(&verb.to_lowercase().as_str())
        {
            line = rest.trim_start().trim_start_matches("the ");
        }
    }
    if let Some((start, file)) = line.rsplit_once(" in ")
        && words(file).iter().all(|word| word.kind == WordKind::Path)
        && !start.is_empty()
    {
        line = start;
    }
    let summary: String = line.trim_end_matches('.').chars().take(MAX_SUMMARY_CHARS).collect();
    (!summary.is_empty()).then_some(summary)
}

/// The word after one of `prepositions`, if it is a name.
fn after(words: &[Word<'_>], prepositions: &[&str]) -> Option<String> {
    let at = words.iter().rposition(|word| prepositions.contains(&word.lowercase.as_str()))?;
    let name = words.get(at + 1)?;
    let is_last = words.len() == at + 2 || !is_plain(&words[at + 2]);
    let is_name = name.is_code
        || name.kind == WordKind::Name
        || name.text.starts_with(|c: char| c.is_uppercase())
        || is_last
        || words.get(at + 2).is_some_and(|next| next.lowercase == "everywhere");
    is_name.then(|| name.text.to_owned())
}

fn is_plain(word: &Word<'_>) -> bool {
    word.kind == WordKind::Plain
}

/// Where a request says that something moves to.
fn destination(words: &[Word<'_>]) -> Option<String> {
    let at = words
        .iter()
        .rposition(|word| ["to", "into", "under", "in"].contains(&word.lowercase.as_str()))?;
    let mut rest = words[at + 1..].iter().filter(|word| {
        !["the", "a", "its", "own", "new", "correct", "existing"].contains(&word.lowercase.as_str())
    });
    rest.next().map(|word| word.text.to_owned())
}

/// The package and the version of an update.
fn package(words: &[Word<'_>]) -> (Option<String>, Option<String>) {
    const NO_PACKAGES: &[&str] = &[
        "all",
        "auto",
        "build",
        "bump",
        "bumps",
        "chore",
        "dependencies",
        "dependency",
        "deps",
        "feat",
        "fix",
        "from",
        "install",
        "latest",
        "migrate",
        "minimum",
        "move",
        "newer",
        "newest",
        "npm",
        "of",
        "on",
        "our",
        "package",
        "packages",
        "pin",
        "please",
        "renovate",
        "replace",
        "supported",
        "switch",
        "the",
        "to",
        "update",
        "upgrade",
        "us",
        "use",
        "version",
        "versions",
        "with",
        "over",
        "below",
        "dev",
        "ci",
        "tag",
        "a",
        "and",
        "every",
    ];
    let package = words.iter().find(|word| {
        matches!(word.kind, WordKind::Plain | WordKind::Name)
            && !NO_PACKAGES.contains(&word.lowercase.as_str())
    });
    let mut versions = words.iter().rev().filter(|word| {
        word.kind == WordKind::Version
            || (word.kind == WordKind::Number && !word.text.starts_with('#'))
    });
    (package.map(|word| word.text.to_owned()), versions.next().map(|word| word.text.to_owned()))
}

/// Finds the files that are named, and folders with a slash.
fn look_up_paths(context: &Context<'_>, words: &[Word<'_>], lookups: &mut Lookups) {
    let named = words.iter().filter(|word| {
        word.kind == WordKind::Path || (word.kind == WordKind::Plain && word.text.contains('/'))
    });
    for word in named.take(MAX_LOOKUPS) {
        let (path, line) = split_line(word.text);
        let places = match exact(context, path) {
            Some(place) => vec![place],
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

fn exact(context: &Context<'_>, path: &str) -> Option<String> {
    let path = context.snapshot.locate(path).ok()?;
    (context.may_read(&path) && context.snapshot.entry(&path).is_ok()).then(|| path.display_path())
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
        let places = definitions(context, tool, word.text)?;
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
    let name = name.trim_end_matches("()").replace("::", "/").replace(['.', '#'], "/");
    let Some(path) = NamePath::parse(&name, false) else { return Ok(Vec::new()) };
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

    fn entities(intent: &str, request: &str) -> Entities {
        written(intent, request, &words(request))
    }

    #[test]
    fn packages_and_versions() {
        let cases = [
            ("Bump the version of axios", Some("axios"), None),
            ("chore(deps): bump lodash from 4.17.20 to 4.17.21", Some("lodash"), Some("4.17.21")),
            ("Upgrade to React 19", Some("React"), Some("19")),
            ("Update dependency eslint to v9", Some("eslint"), Some("v9")),
            ("deps: bump dependencies", None, None),
        ];
        for (request, package, version) in cases {
            let entities = entities("update_dependency", request);
            let expected = (package.map(str::to_owned), version.map(str::to_owned));
            assert_eq!((entities.package, entities.version), expected, "{request}");
        }
    }

    #[test]
    fn new_names_and_destinations() {
        let new_name = |request| entities("rename", request).new_name;
        assert_eq!(new_name("Rename `a` to `b`").as_deref(), Some("b"));
        assert_eq!(
            new_name("Change the name of class Foo to Bar everywhere").as_deref(),
            Some("Bar")
        );
        assert_eq!(new_name("Rename existing functions to snake case"), None);
        let destination = |request| entities("move", request).destination;
        assert_eq!(destination("Move `A` to the network package").as_deref(), Some("network"));
        assert_eq!(destination("move a.rs into src/b").as_deref(), Some("src/b"));
    }

    #[test]
    fn summaries() {
        let cases = [
            ("fix the authentication failure in src/auth.rs", "authentication failure"),
            ("fix(parser): wrong line", "wrong line"),
            ("[Bug] App hangs on quit.", "App hangs on quit"),
            ("Crash in the parser", "Crash in the parser"),
        ];
        for (request, expected) in cases {
            assert_eq!(summary(request).as_deref(), Some(expected));
        }
        assert_eq!(summary("  \n "), None);
    }

    #[test]
    fn commits_are_not_words_or_numbers() {
        assert!(is_commit("abc1234") && !is_commit("defaced") && !is_commit("1234567"));
    }

    #[test]
    fn files_by_words() {
        assert_eq!(likeness("src/auth.rs", &["authentication"]), 2);
        assert_eq!(likeness("billing/invoice.rs", &["invoice", "billing"]), 3);
        assert_eq!(likeness("src/other.rs", &["authentication"]), 0);
    }
}

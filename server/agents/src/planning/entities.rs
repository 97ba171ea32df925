//! The things that a request names.

use schemars::JsonSchema;
use serde::Serialize;

use super::words::{Word, WordKind, words};

/// Longest summary of the request, in characters.
const MAX_SUMMARY_CHARS: usize = 200;

/// The entities of a request. What is written but not in the workspace is in `Lookups::not_found`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct Entities {
    /// A file that exists, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// A folder that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<String>,
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

/// What the request itself says.
pub(super) fn written(intent: &str, request: &str, words: &[Word<'_>]) -> Entities {
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
}

//! Which functions, classes and other symbols both sides of a merge changed.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use git::{Repo, RepoPath};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::{Language, OutlineItem, OutlineKind};
use text::Text;

/// A symbol that both sides changed.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub(super) struct ChangedSymbol {
    /// Its name path: `Class/method`.
    pub(super) name: String,
    /// Its kind.
    pub(super) kind: &'static str,
    /// What our side did: `changed`, `added` or `removed`.
    pub(super) ours: &'static str,
    /// What the worktree did.
    pub(super) theirs: &'static str,
}

/// Largest file that is compared by symbols.
const MAX_BYTES: usize = 1 << 20;
/// Limit for the symbols of one file.
const MAX_SYMBOLS: usize = 50;

/// The symbols of a file that both sides changed differently. `None` if its language is not known, or a
/// version cannot be read.
pub(super) fn symbols_both_changed(
    repo: &Repo,
    path: &RepoPath,
    sides: [Option<git::Oid>; 3],
    interrupt: &AtomicBool,
) -> Option<Vec<ChangedSymbol>> {
    let name = path.as_path().file_name()?.to_string_lossy().into_owned();
    let mut versions = Vec::new();
    for side in sides {
        let bytes = match side {
            Some(id) => repo.blob(id).ok().filter(|bytes| bytes.len() <= MAX_BYTES)?,
            None => Vec::new(),
        };
        versions.push(text::decode(bytes).ok()?.text);
    }
    let language = versions.iter().find_map(|text| Language::detect(&name, text))?;
    both_changed(language, &versions[0], &versions[1], &versions[2], interrupt)
}

fn both_changed(
    language: Language,
    base: &str,
    ours: &str,
    theirs: &str,
    interrupt: &AtomicBool,
) -> Option<Vec<ChangedSymbol>> {
    let base = own_texts(language, base, interrupt)?;
    let ours = own_texts(language, ours, interrupt)?;
    let theirs = own_texts(language, theirs, interrupt)?;
    let mut names: Vec<_> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for key in names {
        let (before, mine, other) = (base.get(key), ours.get(key), theirs.get(key));
        let text = |side: Option<&(OutlineKind, String)>| side.map(|(_, text)| text.clone());
        if text(mine) == text(other) {
            continue;
        }
        let (Some(mine_did), Some(other_did)) = (change(before, mine), change(before, other))
        else {
            continue;
        };
        let kind = mine.or(other).or(before).map_or("", |(kind, _)| kind.as_str());
        let name = key.0.clone();
        found.push(ChangedSymbol { name, kind, ours: mine_did, theirs: other_did });
        if found.len() == MAX_SYMBOLS {
            break;
        }
    }
    Some(found)
}

/// A symbol's name path, and its number among symbols of that path.
type Key = (String, usize);
type Texts = BTreeMap<Key, (OutlineKind, String)>;

fn change(
    before: Option<&(OutlineKind, String)>,
    after: Option<&(OutlineKind, String)>,
) -> Option<&'static str> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some("added"),
        (Some(_), None) => Some("removed"),
        (Some((_, before)), Some((_, after))) => (before != after).then_some("changed"),
    }
}

/// Each symbol's text without the symbols inside it, so that a class counts as changed only if its own
/// lines are.
fn own_texts(language: Language, source: &str, interrupt: &AtomicBool) -> Option<Texts> {
    let syntax = workspace::parse_with_timeout(language, &Text::new(source), None, interrupt)?;
    let outline = syntax.outline(interrupt)?;
    let mut texts = Texts::new();
    add(&outline.items, "", source, &mut texts);
    Some(texts)
}

fn add(items: &[OutlineItem], around: &str, source: &str, texts: &mut Texts) {
    for item in items {
        let name = match around {
            "" => item.name.clone(),
            around => format!("{around}/{}", item.name),
        };
        let mut own = String::new();
        let mut at = item.span.start;
        for inner in &item.children {
            own.push_str(source.get(at..inner.span.start).unwrap_or_default());
            at = inner.span.end;
        }
        own.push_str(source.get(at..item.span.end).unwrap_or_default());
        let mut number = 0;
        while texts.contains_key(&(name.clone(), number)) {
            number += 1;
        }
        texts.insert((name.clone(), number), (item.kind, own));
        add(&item.children, &name, source, texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(base: &str, ours: &str, theirs: &str) -> Vec<String> {
        let language = Language::by_id("python").unwrap();
        let found = both_changed(language, base, ours, theirs, &AtomicBool::new(false)).unwrap();
        found.iter().map(|s| format!("{} {} {}", s.name, s.ours, s.theirs)).collect()
    }

    #[test]
    fn only_symbols_that_both_sides_changed_are_listed() {
        let base = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\ndef h():\n    pass\n";
        let ours = base.replace("return 1", "return 10").replace("    pass", "    return 3");
        let theirs = base.replace("return 1", "return 11").replace("return 2", "return 20");
        assert_eq!(changed(base, &ours, &theirs), ["A/f changed changed"]);
        // The same change on both sides is no conflict.
        assert_eq!(changed(base, &ours, &ours), [""; 0]);
        let without_h = base.replace("\n\ndef h():\n    pass\n", "");
        assert_eq!(changed(base, &ours, &without_h), ["h changed removed"]);
        let (one, two) = (
            format!("{base}\n\ndef n():\n    return 1\n"),
            format!("{base}\n\ndef n():\n    return 2\n"),
        );
        assert_eq!(changed(base, &one, &two), ["n added added"]);
    }
}

//! JavaScript and TypeScript: relative paths, and names that stand for folders.

use text::Text;

use super::{Moves, Site, edit, head, parent, way, written};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason};

/// Endings that a name may leave out, the longest first.
pub(crate) const ENDINGS: [&str; 12] = [
    ".d.ts", ".d.mts", ".d.cts", ".tsx", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".ts", ".js",
    ".json",
];
/// What is written for the ending of a source that is compiled.
const COMPILED: [(&str, &str); 8] = [
    (".js", ".ts"),
    (".js", ".tsx"),
    (".jsx", ".tsx"),
    (".mjs", ".mts"),
    (".cjs", ".cts"),
    (".js", ".d.ts"),
    (".mjs", ".d.mts"),
    (".cjs", ".d.cts"),
];

/// How much of a file's path a name spells.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Spelling {
    Whole,
    WithoutEnding,
    Folder,
    Compiled(&'static str),
}

pub(super) fn follow(moves: &Moves<'_>, file: FileId, text: &Text, edits: &mut Vec<RenameEdit>) {
    for site in moves.sites(file) {
        let Some(target) = moves.target(&site) else { continue };
        if !moves.moves(file) && !moves.moves(target) {
            continue;
        }
        let name = written(text, &site.span);
        edits.extend(changed(moves, &site, &name, target));
    }
}

fn changed(moves: &Moves<'_>, site: &Site, name: &str, target: FileId) -> Option<RenameEdit> {
    let (old, new) = (moves.path(target), moves.new_path(target));
    let relative = name.starts_with("./") || name.starts_with("../") || matches!(name, "." | "..");
    if relative {
        let at = crate::project::join(parent(moves.path(site.file)), name)?;
        let spelling = spelling(&at, old)?;
        let spelled = spelled(spelling, new)?;
        let from = parent(moves.new_path(site.file));
        let mut way = way(from, &spelled);
        if !way.starts_with("..") {
            way = if way.is_empty() { ".".to_owned() } else { format!("./{way}") };
        }
        let kept = name.trim_end_matches('/') == way;
        return (!kept).then(|| edit(site, way, RenameReason::Import));
    }
    if !moves.moves(target) {
        return None;
    }
    // `@/a/b` for `src/a/b.ts`: what is written in place of a folder stays.
    let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    for tail in tails.filter(|t| !t.is_empty()) {
        for spelling in [Spelling::Whole, Spelling::WithoutEnding, Spelling::Folder] {
            let Some(whole) = spelled(spelling, old) else { continue };
            let Some(folder) = head(&whole, tail) else { continue };
            let Some(rest) = spelled(spelling, new) else { continue };
            let alias = &name[..name.len() - tail.len()];
            return match rest.strip_prefix(folder) {
                Some(rest) => {
                    let new = format!("{alias}{rest}");
                    (new != name).then(|| edit(site, new, RenameReason::Import))
                }
                // Out of what the name stands for: there is another way, which may not be wanted.
                None => {
                    let way = way(parent(moves.new_path(site.file)), &rest);
                    let way = if way.starts_with("..") { way } else { format!("./{way}") };
                    Some(edit(site, way, RenameReason::Unsure))
                }
            };
        }
    }
    None
}

/// How `at` spells the file at `path`.
pub(crate) fn spelling(at: &str, path: &str) -> Option<Spelling> {
    if at == path {
        return Some(Spelling::Whole);
    }
    if let Some(rest) = path.strip_prefix(at) {
        if ENDINGS.contains(&rest) {
            return Some(Spelling::WithoutEnding);
        }
        let inner = if at.is_empty() { rest } else { rest.strip_prefix('/')? };
        return (without_ending(inner) == "index").then_some(Spelling::Folder);
    }
    let compiled = COMPILED.iter().find(|(written, source)| {
        at.strip_suffix(written).is_some_and(|a| path.strip_suffix(source) == Some(a))
    });
    compiled.map(|(written, _)| Spelling::Compiled(written))
}

/// A path in a spelling; `None` where it has none.
pub(crate) fn spelled(spelling: Spelling, path: &str) -> Option<String> {
    let bare = without_ending(path);
    Some(match spelling {
        Spelling::Whole => path.to_owned(),
        Spelling::WithoutEnding => bare.to_owned(),
        Spelling::Folder => match bare.strip_suffix("index") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                folder.trim_end_matches('/').to_owned()
            }
            _ => bare.to_owned(),
        },
        Spelling::Compiled(ending) => format!("{bare}{ending}"),
    })
}

fn without_ending(path: &str) -> &str {
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

//! JavaScript and TypeScript: updates relative paths and path aliases.

use text::Text;

use super::{ModuleReference, Moves, edit, parent, relative_path, without_path_suffix, written};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason};

/// Extensions that a specifier may omit, the longest first.
pub(crate) const OPTIONAL_EXTENSIONS: [&str; 12] = [
    ".d.ts", ".d.mts", ".d.cts", ".tsx", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".ts", ".js",
    ".json",
];
/// Extensions in specifiers of compiled files, with those of their sources.
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

/// How a specifier writes a file's path.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum SpecifierForm {
    Whole,
    WithoutExtension,
    Folder,
    Compiled(&'static str),
}

/// Adds the edits of one file.
pub(super) fn update_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    edits: &mut Vec<RenameEdit>,
) {
    for reference in moves.module_references(file) {
        let Some(target) = moves.target(&reference) else { continue };
        if !moves.is_moved(file) && !moves.is_moved(target) {
            continue;
        }
        let name = written(text, &reference.span);
        edits.extend(updated_import(moves, &reference, &name, target));
    }
}

/// The edit of one import; `None` if it stays valid or cannot be updated.
fn updated_import(
    moves: &Moves<'_>,
    reference: &ModuleReference,
    name: &str,
    target: FileId,
) -> Option<RenameEdit> {
    let (old, new) = (moves.path(target), moves.new_path(target));
    let relative = name.starts_with("./") || name.starts_with("../") || matches!(name, "." | "..");
    if relative {
        let at = crate::project::join_normalized(parent(moves.path(reference.file)), name)?;
        let spelling = specifier_form(&at, old)?;
        let spelled = path_in_form(spelling, new)?;
        let from = parent(moves.new_path(reference.file));
        let mut way = relative_path(from, &spelled);
        if !way.starts_with("..") {
            way = if way.is_empty() { ".".to_owned() } else { format!("./{way}") };
        }
        let is_unchanged = name.trim_end_matches('/') == way;
        return (!is_unchanged).then(|| edit(reference, way, RenameReason::Import));
    }
    if !moves.is_moved(target) {
        return None;
    }
    // `@/a/b` for `src/a/b.ts`: keep the alias for the folder.
    let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    for tail in tails.filter(|t| !t.is_empty()) {
        for spelling in
            [SpecifierForm::Whole, SpecifierForm::WithoutExtension, SpecifierForm::Folder]
        {
            let Some(whole) = path_in_form(spelling, old) else { continue };
            let Some(folder) = without_path_suffix(&whole, tail) else { continue };
            let Some(rest) = path_in_form(spelling, new) else { continue };
            let alias = &name[..name.len() - tail.len()];
            return match rest.strip_prefix(folder) {
                Some(rest) => {
                    let new = format!("{alias}{rest}");
                    (new != name).then(|| edit(reference, new, RenameReason::Import))
                }
                // The file leaves the aliased folder. Suggest a relative path.
                None => {
                    let way = relative_path(parent(moves.new_path(reference.file)), &rest);
                    let way = if way.starts_with("..") { way } else { format!("./{way}") };
                    Some(edit(reference, way, RenameReason::Unsure))
                }
            };
        }
    }
    None
}

/// The form in which `at` writes the file at `path`.
pub(crate) fn specifier_form(at: &str, path: &str) -> Option<SpecifierForm> {
    if at == path {
        return Some(SpecifierForm::Whole);
    }
    if let Some(rest) = path.strip_prefix(at) {
        if OPTIONAL_EXTENSIONS.contains(&rest) {
            return Some(SpecifierForm::WithoutExtension);
        }
        let inner = if at.is_empty() { rest } else { rest.strip_prefix('/')? };
        return (without_ending(inner) == "index").then_some(SpecifierForm::Folder);
    }
    let compiled = COMPILED.iter().find(|(written, source)| {
        at.strip_suffix(written).is_some_and(|a| path.strip_suffix(source) == Some(a))
    });
    compiled.map(|(written, _)| SpecifierForm::Compiled(written))
}

/// A path in the given form; `None` if the form does not apply.
pub(crate) fn path_in_form(spelling: SpecifierForm, path: &str) -> Option<String> {
    let bare = without_ending(path);
    Some(match spelling {
        SpecifierForm::Whole => path.to_owned(),
        SpecifierForm::WithoutExtension => bare.to_owned(),
        SpecifierForm::Folder => match bare.strip_suffix("index") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                folder.trim_end_matches('/').to_owned()
            }
            _ => bare.to_owned(),
        },
        SpecifierForm::Compiled(ending) => format!("{bare}{ending}"),
    })
}

fn without_ending(path: &str) -> &str {
    OPTIONAL_EXTENSIONS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

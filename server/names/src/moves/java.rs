//! Java: renames the class that a file is named after, and packages whose folder moves as a whole.

use text::Text;

use super::{Moves, last, parent, stem};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason, RenameSources};

/// Adds the edits of one file: its class, and the packages that move.
pub(super) fn update_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    rename_class(moves, file, sources, edits);
    for (old, new) in moved_packages(moves) {
        update_package_lines(file, text, &old, &new, edits);
    }
}

/// Renames the class that is named after the file, if the file stays in its package.
fn rename_class(
    moves: &Moves<'_>,
    file: FileId,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    let (old, new) = (moves.path(file), moves.new_path(file));
    let (old_name, new_name) = (stem(last(old)), stem(last(new)));
    if old_name == new_name || parent(old) != parent(new) || !new.ends_with(".java") {
        return;
    }
    let Some(facts) = moves.index.facts(file) else { return };
    let mut named = facts.definitions().filter(|d| d.name == old_name && d.kind.is_type());
    let Some(class) = named.find(|d| d.container.is_none()) else { return };
    // If the rename is refused, the class keeps its name, and the compiler reports the mismatch.
    if let Ok(plan) = moves.index.rename(file, class.name_span.start, new_name, sources) {
        edits.extend(plan.edits.into_iter().filter(|e| !e.reason.needs_confirmation()));
    }
}

/// The packages that move with their folder: old and new names.
fn moved_packages(moves: &Moves<'_>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (&file, new) in &moves.new_paths {
        let Some(facts) = moves.index.facts(file).filter(|f| f.language().id() == "java") else {
            continue;
        };
        let package = facts.package_name();
        let (old, new) = (parent(moves.path(file)), parent(new));
        let tail = package.replace('.', "/");
        let Some(root) = super::without_path_suffix(old, &tail).filter(|_| !package.is_empty())
        else {
            continue;
        };
        let Some(new) = new.strip_prefix(root).filter(|n| !n.is_empty() && old != new) else {
            continue;
        };
        // All files of the package must move with it.
        let all = moves.index.project.in_package(package);
        let pair = (package.to_owned(), new.replace('/', "."));
        if all.iter().all(|f| moves.is_moved(*f)) && !found.contains(&pair) {
            found.push(pair);
        }
    }
    // A package with several destinations is ambiguous.
    let destinations = |name: &str| found.iter().filter(|(old, _)| old == name).count();
    found.iter().filter(|(old, _)| destinations(old) == 1).cloned().collect()
}

/// Updates the lines that name a package: its own declaration and imports from it.
fn update_package_lines(
    file: FileId,
    text: &Text,
    old: &str,
    new: &str,
    edits: &mut Vec<RenameEdit>,
) {
    for number in 0..text.line_count() {
        let line = text.line(number);
        let trimmed = line.trim_start();
        let Some(rest) = ["package ", "import static ", "import "]
            .iter()
            .find_map(|word| trimmed.strip_prefix(word))
        else {
            continue;
        };
        let name = rest.trim_start();
        let Some(after) = name.strip_prefix(old) else { continue };
        let of_class = after
            .strip_prefix('.')
            .is_some_and(|inner| inner.starts_with(|c: char| c.is_uppercase() || c == '*'));
        let own = trimmed.starts_with("package ") && after.trim_start().starts_with(';');
        if own || of_class && trimmed.starts_with("import ") {
            let start = text.line_start(number) + (line.len() - name.len());
            edits.push(RenameEdit {
                file,
                span: start..start + old.len(),
                new_text: new.to_owned(),
                reason: RenameReason::Import,
            });
        }
    }
}

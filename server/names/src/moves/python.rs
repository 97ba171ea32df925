//! Python: updates absolute and relative imports, and modules that are imported as names.

use std::ops::Range;

use text::Text;

use super::{ModuleReference, Moves, last, parent, stem};
use crate::facts::{Facts, Ref, ReferenceRole};
use crate::index::FileId;
use crate::project::Module;
use crate::rename::{RenameEdit, RenameReason, RenameSources};
use crate::resolve::{DefId, Resolver};

/// Adds the edits of one file: its imports, and imports of it if it moves.
pub(super) fn update_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    let mut done = 0;
    for mut reference in moves.module_references(file) {
        if reference.span.start < done {
            continue;
        }
        // The facts have a reference per component; handle the whole dotted name once.
        let (number, start) = line_of(text, reference.span.start);
        let line = text.line(number);
        let part = reference.span.start - start;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let from = line[..part].trim_end_matches(is_name).len();
        let len = line[part..].find(|c| !is_name(c)).unwrap_or(line.len() - part);
        let whole = &line[from..part + len];
        let name = whole.trim_start_matches('.');
        reference.up = (whole.len() - name.len()) as u32;
        name.clone_into(&mut reference.name);
        reference.span = start + from..start + part + len;
        done = reference.span.end;
        let Some(statement) = ImportStatement::parse(&line, from, part + len) else { continue };
        let Some(edit) = updated_import(moves, &reference, &statement) else { continue };
        match edits_of_qualified_uses(moves, &reference, &edit) {
            // `import a.b`: update the uses of `a.b` as well.
            Some(uses) => {
                edits.push(RenameEdit { reason: RenameReason::Import, ..edit });
                edits.extend(uses);
            }
            None => edits.push(edit),
        }
    }
    if moves.is_moved(file) {
        update_renamed_submodule(moves, file, edits);
        update_moved_submodule(moves, file, sources, edits);
        update_sibling_imports(moves, file, text, edits);
    }
}

/// The import statement around the name of a module.
struct ImportStatement {
    /// Whether it is `from x import …`.
    from: bool,
    /// Whether it has an alias: `import x as y`.
    renamed: bool,
}

impl ImportStatement {
    fn parse(line: &str, start: usize, end: usize) -> Option<Self> {
        let before = line[..start].trim();
        let from = before == "from";
        (from || before.starts_with("import"))
            .then(|| Self { from, renamed: line[end..].trim_start().starts_with("as ") })
    }
}

/// The edit of one import; `None` if it stays valid or cannot be updated.
fn updated_import(
    moves: &Moves<'_>,
    reference: &ModuleReference,
    statement: &ImportStatement,
) -> Option<RenameEdit> {
    let (old, new) = match moves.module(reference)? {
        Module::File(target) if !moves.index.is_dependency(target) => {
            (moves.path(target).to_owned(), moves.new_path(target).to_owned())
        }
        // A namespace package.
        Module::Folder(folder) => {
            let new = moves.new_folder(&folder).unwrap_or_else(|| folder.to_string());
            (format!("{folder}/__init__.py"), format!("{new}/__init__.py"))
        }
        _ => return None,
    };
    let (from, to) = (moves.path(reference.file), moves.new_path(reference.file));
    if old == new && from == to {
        return None;
    }
    let (old, new) = (module_path(&old), module_path(&new));
    if !new.split('/').all(is_name) {
        return None;
    }
    let edit = |text: String, reason| {
        Some(RenameEdit {
            file: reference.file,
            span: reference.span.clone(),
            new_text: text,
            reason,
        })
    };
    if reference.up > 0 {
        return updated_relative_import(moves, reference, new);
    }
    if old == new {
        return None;
    }
    let root = super::without_path_suffix(old, &reference.name.replace('.', "/"))?;
    let Some(rest) = new.strip_prefix(root).filter(|r| !r.is_empty()) else {
        return edit(new.replace('/', "."), RenameReason::Unsure);
    };
    let name = rest.replace('/', ".");
    if statement.from || statement.renamed {
        return edit(name, RenameReason::Import);
    }
    if !reference.name.contains('.') {
        // Keep the name that the code below uses.
        return edit(format!("{name} as {}", reference.name), RenameReason::Import);
    }
    // `import a.b`: the code below refers to `a.b`.
    edit(name, RenameReason::Unsure)
}

/// The edits of the uses of `a.b` after `import a.b`, if just one component changes; `None` if they
/// are uncertain, or not needed.
fn edits_of_qualified_uses(
    moves: &Moves<'_>,
    reference: &ModuleReference,
    edit: &RenameEdit,
) -> Option<Vec<RenameEdit>> {
    if edit.reason != RenameReason::Unsure || reference.up > 0 {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (reference.name.split('.').collect(), edit.new_text.split('.').collect());
    let mut differ = (0..old.len()).filter(|&n| old.get(n) != new.get(n));
    let (Some(part), None) = (differ.next(), differ.next()) else { return None };
    let facts = moves.index.facts(reference.file)?;
    // The first component is bound in the file, so the new name must be free.
    let is_free = facts.strings.find(new[part]).is_none();
    if old.len() != new.len() || part == 0 && !is_free {
        return None;
    }
    let module =
        match moves.index.project.module(reference.file, "python", &old[..=part].join("."), 0)? {
            Module::File(file) => DefId { file, def: 0 },
            _ => return None,
        };
    let resolver = Resolver::new(moves.index);
    let uses = moves.uses_of_module_in(&resolver, reference.file, &[module], old[part]).into_iter();
    let outside =
        uses.filter(|span| span.end <= reference.span.start || reference.span.end <= span.start);
    // The names of other imports are updated on their own.
    let written = |span: &Range<usize>| {
        let own = if part == 0 { !is_root(facts, span) } else { is_attribute(facts, span) };
        own && facts.import_alias_at(span.start).is_none()
    };
    let uses: Vec<_> = outside.filter(written).collect();
    Some(
        uses.into_iter()
            .map(|span| RenameEdit {
                file: reference.file,
                span,
                new_text: new[part].to_owned(),
                reason: RenameReason::Reference,
            })
            .collect(),
    )
}

/// Whether a name follows a dot in an expression.
fn is_attribute(facts: &Facts, span: &Range<usize>) -> bool {
    references_at(facts, span).any(|r| r.role == ReferenceRole::Member)
}

/// Whether a name is a component of an imported module.
fn is_root(facts: &Facts, span: &Range<usize>) -> bool {
    references_at(facts, span).any(|r| r.role == ReferenceRole::Root)
}

fn references_at<'f>(facts: &'f Facts, span: &Range<usize>) -> impl Iterator<Item = &'f Ref> {
    let (start, end) = (span.start as u32, span.end as u32);
    facts.references.iter().filter(move |r| r.start == start && r.end == end)
}

/// Updates `from package import module` if the module is renamed within its package.
fn update_renamed_submodule(moves: &Moves<'_>, file: FileId, edits: &mut Vec<RenameEdit>) {
    let (old, new) = (moves.path(file), moves.new_path(file));
    let (old_name, new_name) = (stem(last(module_path(old))), stem(last(module_path(new))));
    let stays = parent(module_path(old)) == parent(module_path(new));
    if old_name == new_name || !stays || !is_name(new_name) {
        return;
    }
    for (user, span) in moves.uses_of_module(&[DefId { file, def: 0 }], old_name) {
        let Some(facts) = moves.index.facts(user) else { continue };
        let Some(import) = facts.import_alias_at(span.start) else {
            // `package.module.x`
            if is_attribute(facts, &span) {
                let (new_text, reason) = (new_name.to_owned(), RenameReason::Reference);
                edits.push(RenameEdit { file: user, span, new_text, reason });
            }
            continue;
        };
        // An aliased import keeps its alias; otherwise the old name becomes the alias.
        let new_text =
            if import == span { format!("{new_name} as {old_name}") } else { new_name.to_owned() };
        edits.push(RenameEdit { file: user, span, new_text, reason: RenameReason::Import });
    }
}

/// Updates `from package import module` if the module moves to another package.
fn update_moved_submodule(
    moves: &Moves<'_>,
    file: FileId,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    let (old, new) = (module_path(moves.path(file)), module_path(moves.new_path(file)));
    let (old_name, new_name) = (last(old), last(new));
    // If the package itself moves, only the package's name changes.
    let package = moves.new_folder(parent(old)).unwrap_or_else(|| parent(old).to_owned());
    if package == parent(new) || !new.split('/').all(is_name) {
        return;
    }
    for (user, span) in moves.uses_of_module(&[DefId { file, def: 0 }], old_name) {
        let Some(facts) = moves.index.facts(user) else { continue };
        if facts.import_alias_at(span.start).is_none() {
            continue;
        }
        let text = (sources.text)(user);
        let line = text.as_ref().and_then(|text| ImportedNames::parse(text, span.start));
        let edits_of_line = line.filter(|_| !moves.is_moved(user)).and_then(|line| {
            line.moved_between(moves, user, (parent(old), parent(new)), (old_name, new_name))
        });
        edits.extend(edits_of_line.unwrap_or_else(|| {
            let (new_text, reason) = (new_name.to_owned(), RenameReason::Unsure);
            vec![RenameEdit { file: user, span, new_text, reason }]
        }));
    }
}

/// `from module import a, b as c` on one line.
struct ImportedNames {
    indent: String,
    module: String,
    module_span: Range<usize>,
    names: Vec<String>,
    names_span: Range<usize>,
}

impl ImportedNames {
    fn parse(text: &Text, at: usize) -> Option<Self> {
        let (number, start) = line_of(text, at);
        let line = text.line(number);
        let code = line.split('#').next()?.trim_end();
        let indent = &code[..code.len() - code.trim_start().len()];
        let rest = code[indent.len()..].strip_prefix("from ")?;
        let (module, names) = rest.split_once(" import ")?;
        let (names, module) = (names.trim(), module.trim());
        let is_listed = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ');
        if names.is_empty() || !names.chars().all(is_listed) {
            return None;
        }
        let module_at = indent.len() + code[indent.len()..].find(module)?;
        Some(Self {
            indent: indent.to_owned(),
            module: module.to_owned(),
            module_span: start + module_at..start + module_at + module.len(),
            names: names.split(',').map(|name| name.trim().to_owned()).collect(),
            names_span: start + code.len() - names.len()..start + code.len(),
        })
    }

    /// The edits that import the module `old_name` of package `old` from package `new` as
    /// `new_name`.
    fn moved_between(
        &self,
        moves: &Moves<'_>,
        user: FileId,
        (old, new): (&str, &str),
        (old_name, new_name): (&str, &str),
    ) -> Option<Vec<RenameEdit>> {
        let name = self.module.trim_start_matches('.');
        let up = (self.module.len() - name.len()) as u32;
        let span = self.module_span.clone();
        let reference =
            ModuleReference { file: user, span: span.clone(), name: name.to_owned(), up };
        let module = if up > 0 {
            updated_relative_import(moves, &reference, new)
                .filter(|e| e.reason == RenameReason::Import)?
                .new_text
        } else {
            let root = super::without_path_suffix(old, &name.replace('.', "/"))?;
            new.strip_prefix(root).filter(|rest| !rest.is_empty())?.replace('/', ".")
        };
        let own = |listed: &&String| listed.split(' ').next() == Some(old_name);
        let listed = self.names.iter().find(own)?;
        let imported = match (old_name == new_name, listed.contains(' ')) {
            (true, _) => listed.clone(),
            (false, true) => listed.replacen(old_name, new_name, 1),
            (false, false) => format!("{new_name} as {old_name}"),
        };
        let edit = |span: &Range<usize>, new_text: String| RenameEdit {
            file: user,
            span: span.clone(),
            new_text,
            reason: RenameReason::Import,
        };
        if self.names.len() == 1 {
            let renamed = (old_name != new_name).then(|| edit(&self.names_span, imported));
            return Some(std::iter::once(edit(&span, module)).chain(renamed).collect());
        }
        let others: Vec<_> = self.names.iter().filter(|n| !own(n)).map(String::as_str).collect();
        let line = format!("\n{}from {module} import {imported}", self.indent);
        Some(vec![edit(&self.names_span, others.join(", ") + &line)])
    }
}

/// The edit of a relative import.
fn updated_relative_import(
    moves: &Moves<'_>,
    reference: &ModuleReference,
    new: &str,
) -> Option<RenameEdit> {
    let (from, to) = (moves.path(reference.file), moves.new_path(reference.file));
    let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (here, there) = (parts(parent(to)), parts(new));
    let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
    let up = here.len() - shared + 1;
    let name = format!("{}{}", ".".repeat(up), there[shared..].join("."));
    if name == format!("{}{}", ".".repeat(reference.up as usize), reference.name) {
        return None;
    }
    // It must not reach higher than before, because there may be no package.
    let base = (1..reference.up).fold(parent(from), |folder, _| parent(folder));
    let base = moves.new_folder(base).unwrap_or_else(|| base.to_owned());
    let common = here[..shared].join("/");
    let is_certain = shared > 0 && (common == base || super::is_inside(&common, &base));
    let reason = if is_certain { RenameReason::Import } else { RenameReason::Unsure };
    Some(RenameEdit { file: reference.file, span: reference.span.clone(), new_text: name, reason })
}

/// Updates `from . import x` in a file that moves to another package.
fn update_sibling_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    edits: &mut Vec<RenameEdit>,
) {
    for number in 0..text.line_count() {
        let line = text.line(number);
        let Some(rest) = line.trim_start().strip_prefix("from ") else { continue };
        let dots = rest.trim_start();
        let up = dots.len() - dots.trim_start_matches('.').len();
        if up == 0 || !dots[up..].trim_start().starts_with("import") {
            continue;
        }
        let folder = (1..up).fold(parent(moves.path(file)), |folder, _| parent(folder));
        // If the whole package moves, the dots stay valid.
        let package = format!("{folder}/__init__.py");
        let known = moves.index.project.file(&package);
        let Some(package) = known.filter(|_| !folder.is_empty()) else { continue };
        let start = text.line_start(number) + (line.len() - dots.len());
        let reference =
            ModuleReference { file, span: start..start + up, name: String::new(), up: up as u32 };
        let target = moves.new_path(package);
        edits.extend(updated_relative_import(moves, &reference, module_path(target)));
    }
}

/// A module's path without extension and `__init__`.
fn module_path(path: &str) -> &str {
    let bare = path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py")).unwrap_or(path);
    bare.strip_suffix("/__init__").unwrap_or(bare)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The line that contains an offset, and the line's start.
fn line_of(text: &Text, offset: usize) -> (usize, usize) {
    let number = text.line_of(offset);
    (number, text.line_start(number))
}

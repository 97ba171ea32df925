//! Python: dotted and relative modules, and modules that are imported as names.

use std::ops::Range;

use text::Text;

use super::{Moves, Site, last, parent, stem};
use crate::facts::{Facts, Ref, Role};
use crate::index::FileId;
use crate::project::Module;
use crate::rename::{RenameEdit, RenameReason, RenameSources};
use crate::resolve::{DefId, Resolver};

pub(super) fn follow(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    let mut done = 0;
    for mut site in moves.sites(file) {
        if site.span.start < done {
            continue;
        }
        // Each part of a dotted name is a site of its own: the whole name counts.
        let (number, start) = line_of(text, site.span.start);
        let line = text.line(number);
        let part = site.span.start - start;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let from = line[..part].trim_end_matches(is_name).len();
        let len = line[part..].find(|c| !is_name(c)).unwrap_or(line.len() - part);
        let whole = &line[from..part + len];
        let name = whole.trim_start_matches('.');
        site.up = (whole.len() - name.len()) as u32;
        name.clone_into(&mut site.name);
        site.span = start + from..start + part + len;
        done = site.span.end;
        let Some(statement) = Statement::of(&line, from, part + len) else { continue };
        let Some(edit) = changed(moves, &site, &statement) else { continue };
        match written_out(moves, &site, &edit) {
            // `import a.b`, and what the code below says of `a.b`.
            Some(uses) => {
                edits.push(RenameEdit { reason: RenameReason::Import, ..edit });
                edits.extend(uses);
            }
            None => edits.push(edit),
        }
    }
    if moves.moves(file) {
        submodule(moves, file, edits);
        moved_submodule(moves, file, sources, edits);
        siblings(moves, file, text, edits);
    }
}

/// What stands around the name of a module.
struct Statement {
    /// `from x import …`
    from: bool,
    /// It has a name of its own: `import x as y`.
    renamed: bool,
}

impl Statement {
    fn of(line: &str, start: usize, end: usize) -> Option<Self> {
        let before = line[..start].trim();
        let from = before == "from";
        (from || before.starts_with("import"))
            .then(|| Self { from, renamed: line[end..].trim_start().starts_with("as ") })
    }
}

fn changed(moves: &Moves<'_>, site: &Site, statement: &Statement) -> Option<RenameEdit> {
    let (old, new) = match moves.module(site)? {
        Module::File(target) if !moves.index.is_library(target) => {
            (moves.path(target).to_owned(), moves.new_path(target).to_owned())
        }
        // A package without a file of its own.
        Module::Folder(folder) => {
            let new = moves.new_folder(&folder).unwrap_or_else(|| folder.to_string());
            (format!("{folder}/__init__.py"), format!("{new}/__init__.py"))
        }
        _ => return None,
    };
    let (from, to) = (moves.path(site.file), moves.new_path(site.file));
    if old == new && from == to {
        return None;
    }
    let (old, new) = (module_path(&old), module_path(&new));
    if !new.split('/').all(is_name) {
        return None;
    }
    let edit = |text: String, reason| {
        Some(RenameEdit { file: site.file, span: site.span.clone(), new_text: text, reason })
    };
    if site.up > 0 {
        return relative(moves, site, new);
    }
    if old == new {
        return None;
    }
    let root = super::head(old, &site.name.replace('.', "/"))?;
    let Some(rest) = new.strip_prefix(root).filter(|r| !r.is_empty()) else {
        return edit(new.replace('/', "."), RenameReason::Unsure);
    };
    let name = rest.replace('/', ".");
    if statement.from || statement.renamed {
        return edit(name, RenameReason::Import);
    }
    if !site.name.contains('.') {
        // The name that the code below uses stays.
        return edit(format!("{name} as {}", site.name), RenameReason::Import);
    }
    // `import a.b`: the code below says `a.b`, too.
    edit(name, RenameReason::Unsure)
}

/// The uses of `a.b` after `import a.b`, where only one part of the name changes; `None` where it is
/// not sure what they have to say, or that is sure without them.
fn written_out(moves: &Moves<'_>, site: &Site, edit: &RenameEdit) -> Option<Vec<RenameEdit>> {
    if edit.reason != RenameReason::Unsure || site.up > 0 {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (site.name.split('.').collect(), edit.new_text.split('.').collect());
    let mut differ = (0..old.len()).filter(|&n| old.get(n) != new.get(n));
    let (Some(part), None) = (differ.next(), differ.next()) else { return None };
    let facts = moves.index.facts(site.file)?;
    // The first part is a name of the file's own, which must not be mixed up with another.
    let is_free = facts.strings.find(new[part]).is_none();
    if old.len() != new.len() || part == 0 && !is_free {
        return None;
    }
    let module =
        match moves.index.project.module(site.file, "python", &old[..=part].join("."), 0)? {
            Module::File(file) => DefId { file, def: 0 },
            _ => return None,
        };
    let resolver = Resolver::new(moves.index);
    let uses = moves.uses_in(&resolver, site.file, &[module], old[part]).into_iter();
    let outside = uses.filter(|span| span.end <= site.span.start || site.span.end <= span.start);
    // The names of other imports change by themselves.
    let written = |span: &Range<usize>| {
        let own = if part == 0 { !is_root(facts, span) } else { is_attribute(facts, span) };
        own && facts.imported_at(span.start).is_none()
    };
    let uses: Vec<_> = outside.filter(written).collect();
    Some(
        uses.into_iter()
            .map(|span| RenameEdit {
                file: site.file,
                span,
                new_text: new[part].to_owned(),
                reason: RenameReason::Reference,
            })
            .collect(),
    )
}

/// Whether a name follows a dot in an expression.
fn is_attribute(facts: &Facts, span: &Range<usize>) -> bool {
    references_at(facts, span).any(|r| r.role == Role::Member)
}

/// Whether a name is a part of an import's module.
fn is_root(facts: &Facts, span: &Range<usize>) -> bool {
    references_at(facts, span).any(|r| r.role == Role::Root)
}

fn references_at<'f>(facts: &'f Facts, span: &Range<usize>) -> impl Iterator<Item = &'f Ref> {
    let (start, end) = (span.start as u32, span.end as u32);
    facts.references.iter().filter(move |r| r.start == start && r.end == end)
}

/// `from package import module`, where the module's file gets another name in its package.
fn submodule(moves: &Moves<'_>, file: FileId, edits: &mut Vec<RenameEdit>) {
    let (old, new) = (moves.path(file), moves.new_path(file));
    let (was, is) = (stem(last(module_path(old))), stem(last(module_path(new))));
    let stays = parent(module_path(old)) == parent(module_path(new));
    if was == is || !stays || !is_name(is) {
        return;
    }
    for (user, span) in moves.uses_of_module(&[DefId { file, def: 0 }], was) {
        let Some(facts) = moves.index.facts(user) else { continue };
        let Some(import) = facts.imported_at(span.start) else {
            // `package.module.x`
            if is_attribute(facts, &span) {
                let (new_text, reason) = (is.to_owned(), RenameReason::Reference);
                edits.push(RenameEdit { file: user, span, new_text, reason });
            }
            continue;
        };
        // Under a name of its own it keeps that; else it gets its old name as one.
        let new_text = if import == span { format!("{is} as {was}") } else { is.to_owned() };
        edits.push(RenameEdit { file: user, span, new_text, reason: RenameReason::Import });
    }
}

/// `from package import module`, where the module's file gets into another package.
fn moved_submodule(
    moves: &Moves<'_>,
    file: FileId,
    sources: &RenameSources<'_>,
    edits: &mut Vec<RenameEdit>,
) {
    let (old, new) = (module_path(moves.path(file)), module_path(moves.new_path(file)));
    let (was, is) = (last(old), last(new));
    // Of what moves with its package, the package's name changes.
    let package = moves.new_folder(parent(old)).unwrap_or_else(|| parent(old).to_owned());
    if package == parent(new) || !new.split('/').all(is_name) {
        return;
    }
    for (user, span) in moves.uses_of_module(&[DefId { file, def: 0 }], was) {
        let Some(facts) = moves.index.facts(user) else { continue };
        if facts.imported_at(span.start).is_none() {
            continue;
        }
        let text = (sources.text)(user);
        let line = text.as_ref().and_then(|text| ImportedNames::of(text, span.start));
        let made = line.filter(|_| !moves.moves(user)).and_then(|line| {
            line.moved_between(moves, user, (parent(old), parent(new)), (was, is))
        });
        edits.extend(made.unwrap_or_else(|| {
            let (new_text, reason) = (is.to_owned(), RenameReason::Unsure);
            vec![RenameEdit { file: user, span, new_text, reason }]
        }));
    }
}

/// `from module import a, b as c` on a line of its own.
struct ImportedNames {
    indent: String,
    module: String,
    module_span: Range<usize>,
    names: Vec<String>,
    names_span: Range<usize>,
}

impl ImportedNames {
    fn of(text: &Text, at: usize) -> Option<Self> {
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

    /// The edits that import the module `was` of the package `old` from the package `new`, as `is`.
    fn moved_between(
        &self,
        moves: &Moves<'_>,
        user: FileId,
        (old, new): (&str, &str),
        (was, is): (&str, &str),
    ) -> Option<Vec<RenameEdit>> {
        let name = self.module.trim_start_matches('.');
        let up = (self.module.len() - name.len()) as u32;
        let span = self.module_span.clone();
        let site = Site { file: user, span: span.clone(), name: name.to_owned(), up };
        let module = if up > 0 {
            relative(moves, &site, new).filter(|e| e.reason == RenameReason::Import)?.new_text
        } else {
            let root = super::head(old, &name.replace('.', "/"))?;
            new.strip_prefix(root).filter(|rest| !rest.is_empty())?.replace('/', ".")
        };
        let own = |listed: &&String| listed.split(' ').next() == Some(was);
        let listed = self.names.iter().find(own)?;
        let imported = match (was == is, listed.contains(' ')) {
            (true, _) => listed.clone(),
            (false, true) => listed.replacen(was, is, 1),
            (false, false) => format!("{is} as {was}"),
        };
        let edit = |span: &Range<usize>, new_text: String| RenameEdit {
            file: user,
            span: span.clone(),
            new_text,
            reason: RenameReason::Import,
        };
        if self.names.len() == 1 {
            let renamed = (was != is).then(|| edit(&self.names_span, imported));
            return Some(std::iter::once(edit(&span, module)).chain(renamed).collect());
        }
        let others: Vec<_> = self.names.iter().filter(|n| !own(n)).map(String::as_str).collect();
        let line = format!("\n{}from {module} import {imported}", self.indent);
        Some(vec![edit(&self.names_span, others.join(", ") + &line)])
    }
}

/// A relative name of a module: from the package that both lie in.
fn relative(moves: &Moves<'_>, site: &Site, new: &str) -> Option<RenameEdit> {
    let (from, to) = (moves.path(site.file), moves.new_path(site.file));
    let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (here, there) = (parts(parent(to)), parts(new));
    let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
    let up = here.len() - shared + 1;
    let name = format!("{}{}", ".".repeat(up), there[shared..].join("."));
    if name == format!("{}{}", ".".repeat(site.up as usize), site.name) {
        return None;
    }
    // It may lead no higher than before: above that may be no package.
    let base = (1..site.up).fold(parent(from), |folder, _| parent(folder));
    let base = moves.new_folder(base).unwrap_or_else(|| base.to_owned());
    let common = here[..shared].join("/");
    let sure = shared > 0 && (common == base || super::below(&common, &base));
    let reason = if sure { RenameReason::Import } else { RenameReason::Unsure };
    Some(RenameEdit { file: site.file, span: site.span.clone(), new_text: name, reason })
}

/// `from . import x`, in a file that gets into another package.
fn siblings(moves: &Moves<'_>, file: FileId, text: &Text, edits: &mut Vec<RenameEdit>) {
    for number in 0..text.line_count() {
        let line = text.line(number);
        let Some(rest) = line.trim_start().strip_prefix("from ") else { continue };
        let dots = rest.trim_start();
        let up = dots.len() - dots.trim_start_matches('.').len();
        if up == 0 || !dots[up..].trim_start().starts_with("import") {
            continue;
        }
        let folder = (1..up).fold(parent(moves.path(file)), |folder, _| parent(folder));
        // Where everything in the package goes along, the dots say what they said.
        let package = format!("{folder}/__init__.py");
        let known = moves.index.project.file(&package);
        let Some(package) = known.filter(|_| !folder.is_empty()) else { continue };
        let start = text.line_start(number) + (line.len() - dots.len());
        let site = Site { file, span: start..start + up, name: String::new(), up: up as u32 };
        let target = moves.new_path(package);
        edits.extend(relative(moves, &site, module_path(target)));
    }
}

/// A module's path: without its ending, and a package's without `__init__`.
fn module_path(path: &str) -> &str {
    let bare = path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py")).unwrap_or(path);
    bare.strip_suffix("/__init__").unwrap_or(bare)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The line that an offset is on, and where it starts.
fn line_of(text: &Text, offset: usize) -> (usize, usize) {
    let number = text.line_of(offset);
    (number, text.line_start(number))
}

//! Python: dotted and relative modules, and modules that are imported as names.

use text::Text;

use super::{Moves, Site, last, parent, stem};
use crate::index::FileId;
use crate::project::Module;
use crate::rename::{RenameEdit, RenameReason};
use crate::resolve::DefId;

pub(super) fn follow(moves: &Moves<'_>, file: FileId, text: &Text, edits: &mut Vec<RenameEdit>) {
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
        edits.extend(changed(moves, &site, &statement));
    }
    if moves.moves(file) {
        submodule(moves, file, edits);
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
        let Some(import) = facts.imported_at(span.start) else { continue };
        // Under a name of its own it keeps that; else it gets its old name as one.
        let new_text = if import == span { format!("{is} as {was}") } else { is.to_owned() };
        edits.push(RenameEdit { file: user, span, new_text, reason: RenameReason::Import });
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

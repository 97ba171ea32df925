//! Updates imports when files and folders are moved.
//!
//! If the new form of an import is uncertain, the import stays as it is, or its edit needs
//! confirmation.

mod c;
pub(crate) mod ecma;
mod go;
mod java;
mod python;
mod rust;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use text::Text;

use crate::facts::{Ref, ReferenceRole};
use crate::index::{FileId, Index};
use crate::project::{Module, last, parent};
use crate::rename::{RenameEdit, RenameReason, RenameSources};
use crate::resolve::{DefId, Resolver};

/// Limit for the files that are moved at once.
const MAX_FILES: usize = 20_000;

/// Files and folders that are about to be moved.
pub(crate) struct Moves<'i> {
    index: &'i Index,
    /// The old and new paths of the moved files and folders.
    pairs: &'i [(String, String)],
    /// The files that move, with their new paths.
    new_paths: FxHashMap<FileId, String>,
    /// The last components of imports of the moved files.
    words: FxHashSet<String>,
}

/// A reference to a module in a file.
struct ModuleReference {
    file: FileId,
    /// Its bytes, without quotes.
    span: Range<usize>,
    /// Its text, without the leading dots of a relative import.
    name: String,
    /// The number of leading dots, if the language separates them.
    up: u32,
}

impl<'i> Moves<'i> {
    fn new(index: &'i Index, pairs: &'i [(String, String)]) -> Self {
        let mut new_paths = FxHashMap::default();
        let mut words = FxHashSet::default();
        for (file, path, _) in index.files() {
            if let Some(new) = new_path_of(pairs, path).filter(|_| new_paths.len() < MAX_FILES) {
                words.insert(stem(last(path)).to_owned());
                words.insert(last(parent(path)).to_owned());
                new_paths.insert(file, new);
            }
        }
        for (from, _) in pairs {
            words.insert(stem(last(from)).to_owned());
        }
        Self { index, pairs, new_paths, words }
    }

    fn path(&self, file: FileId) -> &'i str {
        self.index.project.path(file)
    }

    /// The path of a file after the move.
    fn new_path(&self, file: FileId) -> &str {
        self.new_paths.get(&file).map_or_else(|| self.path(file), String::as_str)
    }

    fn is_moved(&self, file: FileId) -> bool {
        self.new_paths.contains_key(&file)
    }

    /// The new path of a folder that moves as a whole.
    fn new_folder(&self, folder: &str) -> Option<String> {
        new_path_of(self.pairs, folder)
    }

    /// The references to modules in a file that may have to change.
    fn module_references(&self, file: FileId) -> Vec<ModuleReference> {
        let Some(facts) = self.index.facts(file) else { return Vec::new() };
        let named = |r: &&Ref| r.role == ReferenceRole::Root && r.start < r.end;
        let site = |r: &Ref| {
            let (name, up) = facts.module_of_value(r.receiver)?;
            let word = name.rsplit(['/', '.']).next().unwrap_or(name);
            let inner = name.rsplit('/').next().unwrap_or(name);
            let may = self.is_moved(file)
                || [word, stem(inner)].iter().any(|w| self.words.contains(*w))
                || matches!(word, "" | "..")
                || up > 0 && name.is_empty();
            may.then(|| ModuleReference {
                file,
                span: r.start as usize..r.end as usize,
                name: name.to_owned(),
                up,
            })
        };
        facts.references.iter().filter(named).filter_map(site).collect()
    }

    /// The file that a reference currently resolves to.
    fn target(&self, reference: &ModuleReference) -> Option<FileId> {
        match self.module(reference)? {
            Module::File(file) => Some(file).filter(|f| !self.index.is_dependency(*f)),
            _ => None,
        }
    }

    fn module(&self, reference: &ModuleReference) -> Option<Module> {
        let language = self.index.facts(reference.file)?.language().id();
        self.index.project.module(reference.file, language, &reference.name, reference.up)
    }

    /// The references of a name that resolve to a module, in all files that use the name.
    fn uses_of_module(&self, module: &[DefId], name: &str) -> Vec<(FileId, Range<usize>)> {
        let mut files: Vec<FileId> = self.index.files_naming(name).collect();
        files.sort_unstable();
        files.dedup();
        let resolver = Resolver::new(self.index);
        let mut found = Vec::new();
        for file in files {
            let spans = self.uses_of_module_in(&resolver, file, module, name);
            found.extend(spans.into_iter().map(|span| (file, span)));
        }
        found
    }

    /// The same in one file.
    fn uses_of_module_in(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        module: &[DefId],
        name: &str,
    ) -> Vec<Range<usize>> {
        let Some(facts) = self.index.facts(file) else { return Vec::new() };
        let Some(number) = facts.strings.find(name) else { return Vec::new() };
        let mut found = Vec::new();
        for (r, reference) in facts.references.iter().enumerate() {
            let is_name = reference.name == number && reference.start < reference.end;
            if !is_name {
                continue;
            }
            resolver.reset_steps();
            if resolver
                .definitions_of_reference(file, r as u32)
                .iter()
                .any(|f| module.contains(&f.id))
            {
                found.push(reference.start as usize..reference.end as usize);
            }
        }
        found
    }
}

impl Index {
    /// The files whose imports may change when files and folders are moved: those that refer to a
    /// moved module, and the moved ones. O(references).
    #[must_use]
    pub fn files_affected_by_move(&self, pairs: &[(String, String)]) -> Vec<FileId> {
        let moves = Moves::new(self, pairs);
        if moves.new_paths.is_empty() {
            return Vec::new();
        }
        let mut files: Vec<FileId> = moves.new_paths.keys().copied().collect();
        files.extend(moves.words.iter().flat_map(|word| self.files_naming(word)));
        files.extend(
            self.files().map(|(file, ..)| file).filter(|f| !moves.module_references(*f).is_empty()),
        );
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The edits that keep imports working when files and folders are moved. `pairs` are old and
    /// new paths in the index. Uncertain edits need confirmation.
    #[must_use]
    pub fn import_edits_for_move(
        &self,
        pairs: &[(String, String)],
        sources: &RenameSources<'_>,
    ) -> Vec<RenameEdit> {
        let moves = Moves::new(self, pairs);
        let mut edits = Vec::new();
        for &file in sources.files_with_name {
            if sources.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                return Vec::new();
            }
            let Some(facts) = self.facts(file).filter(|_| !self.is_dependency(file)) else {
                continue;
            };
            let Some(text) = (sources.text)(file) else { continue };
            match facts.language().id() {
                "javascript" | "typescript" | "tsx" => {
                    ecma::update_imports(&moves, file, &text, &mut edits)
                }
                "python" => python::update_imports(&moves, file, &text, sources, &mut edits),
                "go" => go::update_imports(&moves, file, &mut edits),
                "c" | "cpp" => c::update_imports(&moves, file, &text, &mut edits),
                "java" => java::update_imports(&moves, file, &text, sources, &mut edits),
                "rust" => rust::update_imports(&moves, file, &text, &mut edits),
                _ => {}
            }
        }
        edits.sort_by_key(|e| (e.file, e.span.start, e.span.end));
        edits.dedup_by(|b, a| a.file == b.file && b.span.start < a.span.end.max(a.span.start + 1));
        edits
    }
}

/// The new path of a file or folder, by the innermost pair that moves it.
fn new_path_of(pairs: &[(String, String)], path: &str) -> Option<String> {
    let rest = |from: &str| {
        let rest = path.strip_prefix(from)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    };
    let of = pairs.iter().filter_map(|(from, to)| Some((from.len(), to, rest(from)?)));
    let (_, to, rest) = of.max_by_key(|(len, ..)| *len)?;
    Some(format!("{to}{rest}"))
}

/// Whether a path is inside a folder.
fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A file's name without its extension; `a` for `a.d.ts`.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".d.ts").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// The relative path from a folder to a path; empty for the folder itself.
pub(crate) fn relative_path(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    let to: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The part of `whole` before `tail`, if `tail` consists of whole path components.
pub(crate) fn without_path_suffix<'w>(whole: &'w str, tail: &str) -> Option<&'w str> {
    let head = whole.strip_suffix(tail)?;
    (head.is_empty() || head.ends_with('/')).then_some(head)
}

fn edit(reference: &ModuleReference, new_text: String, reason: RenameReason) -> RenameEdit {
    RenameEdit { file: reference.file, span: reference.span.clone(), new_text, reason }
}

fn written(text: &Text, span: &Range<usize>) -> String {
    text.slice(span.clone()).into_owned()
}

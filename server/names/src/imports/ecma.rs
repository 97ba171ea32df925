//! JavaScript and TypeScript: relative paths, path aliases and packages, spelled like the other
//! imports of the project.

mod edits;

use super::{ImportForm, ImportPlanner, ImportRoute};
use crate::facts::{Facts, ReferenceRole};
use crate::index::{FileId, Index};
use crate::moves::ecma::{SpecifierForm, path_in_form, specifier_form};
use crate::moves::{relative_path, without_path_suffix};
use crate::project::{Module, is_library, join_normalized, parent};
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::Flags;

/// Import conventions seen in the file or around it.
#[derive(Default)]
pub(super) struct ImportConventions {
    /// The spelling of each relative import.
    spellings: Vec<SpecifierForm>,
    /// The prefix written for a folder, for each aliased import.
    aliases: Vec<(String, String)>,
    /// The number of relative imports that lead upwards.
    upwards: usize,
}

impl ImportPlanner<'_> {
    /// The routes to a JavaScript or TypeScript definition.
    pub(super) fn ecma(&self) -> Vec<ImportRoute> {
        if self.target.def == 0 || is_library(self.target_path()) {
            return Vec::new();
        }
        let conventions = self.shared.conventions.get_or_init(|| self.conventions());
        let mut routes = Vec::new();
        for file in self.exporters() {
            let form = if !self.is_only_default(file)
                && self.resolver.is_exported_by((file, 0), self.name, self.target)
            {
                ImportForm::Named
            } else if self.resolver.is_exported_by((file, 0), "default", self.target) {
                ImportForm::Default
            } else {
                continue;
            };
            for module in self.specifiers(file, conventions) {
                let name = self.name.to_owned();
                routes.push(ImportRoute { module, form, name });
            }
        }
        routes
    }

    /// Whether a file exports the definition only as its default.
    fn is_only_default(&self, file: FileId) -> bool {
        let def = self.resolver.def(self.target);
        let facts = self.resolver.facts(file);
        let listed = |d: &u32| facts.definitions[*d as usize].flags.has(Flags::HIDDEN);
        file == self.target.file
            && def.flags.has(Flags::DEFAULT)
            && !facts.definitions_in_scope(0, def.name).iter().any(listed)
    }

    /// The files to import it from, best first.
    fn exporters(&self) -> Vec<FileId> {
        let mut all: Vec<FileId> = self.usual_modules().into_iter().map(|(file, _)| file).collect();
        let project = self.resolver.project();
        let (own, theirs) =
            (project.named_package(self.path()), project.named_package(self.target_path()));
        if own != theirs
            && let Some((_, name)) = &theirs
            && let Some(Module::File(entry)) = project.module(self.file, "typescript", name, 0)
        {
            all.push(entry);
        }
        all.push(self.target.file);
        all.retain(|file| *file != self.file && !self.index.is_dependency(*file));
        let mut seen = Vec::new();
        all.retain(|file| !seen.contains(file) && (seen.push(*file), true).1);
        all.truncate(3);
        all
    }

    /// The conventions of the file, or of files around it if it has no imports.
    fn conventions(&self) -> ImportConventions {
        let mut conventions = ImportConventions::default();
        self.collect_conventions(self.facts, self.file, &mut conventions);
        let few = |h: &ImportConventions| h.spellings.is_empty() && h.aliases.is_empty();
        if few(&conventions) {
            for other in self.index.beside(self.file) {
                self.collect_conventions(self.resolver.facts(other), other, &mut conventions);
            }
        }
        if few(&conventions) {
            // Fall back to files in the folders above.
            let mut folder = parent(self.path());
            while !folder.is_empty() && few(&conventions) {
                folder = parent(folder);
                for &other in self.resolver.project().in_folder(folder).iter().take(12) {
                    if !self.index.is_unindexed(other) {
                        self.collect_conventions(
                            self.resolver.facts(other),
                            other,
                            &mut conventions,
                        );
                    }
                }
            }
        }
        conventions
    }

    /// Adds the conventions of a file's imports.
    fn collect_conventions(
        &self,
        facts: &Facts,
        file: FileId,
        conventions: &mut ImportConventions,
    ) {
        let from = parent(self.resolver.path(file));
        for r in facts.references.iter().filter(|r| r.role == ReferenceRole::Root) {
            let Some((name, _)) = facts.module_of_value(r.receiver) else { continue };
            let found = self.resolver.project().module(file, "typescript", name, 0);
            let Some(Module::File(to)) = found else { continue };
            let path = self.resolver.path(to);
            if is_library(path) {
                continue;
            }
            if name.starts_with('.') {
                let spelling = join_normalized(from, name).and_then(|at| specifier_form(&at, path));
                conventions.spellings.extend(spelling);
                conventions.upwards += usize::from(name.starts_with(".."));
            } else {
                conventions.aliases.extend(alias(name, path));
            }
        }
    }

    /// The module specifiers for a file, in the prevailing style first.
    fn specifiers(&self, file: FileId, conventions: &ImportConventions) -> Vec<String> {
        let path = self.resolver.path(file);
        let project = self.resolver.project();
        let leads = |name: &String| {
            project.module(self.file, "typescript", name, 0) == Some(Module::File(file))
        };
        let (own, theirs) = (project.named_package(self.path()), project.named_package(path));
        let mut all = Vec::new();
        if let Some((folder, name)) = theirs.as_ref().filter(|_| own != theirs) {
            // Another package of the workspace.
            let inner = path.strip_prefix(&**folder).unwrap_or(path).trim_start_matches('/');
            let bare = path_in_form(SpecifierForm::WithoutExtension, inner).unwrap_or_default();
            let source = bare.strip_prefix("src/").unwrap_or(&bare).to_owned();
            all.extend([name.clone(), format!("{name}/{source}"), format!("{name}/{bare}")]);
        } else {
            let relative = self.relative(path, conventions);
            let near = relative.as_ref().is_some_and(|r| r.starts_with("./"));
            let mut aliased: Vec<String> = conventions
                .aliases
                .iter()
                .filter_map(|(alias, folder)| {
                    let spelling = SpecifierForm::WithoutExtension;
                    let kept = conventions.spellings.iter().find(|s| **s == SpecifierForm::Whole);
                    let whole = path_in_form(*kept.unwrap_or(&spelling), path)?;
                    let whole = path_in_form(SpecifierForm::Folder, path)
                        .filter(|_| crate::project::last(&whole) == "index")
                        .unwrap_or(whole);
                    Some(format!("{alias}{}", whole.strip_prefix(&**folder)?))
                })
                .collect();
            aliased.sort_by_key(String::len);
            aliased.dedup();
            let upwards = conventions.aliases.len() < conventions.upwards;
            if near || upwards {
                all.extend(relative);
                all.extend(aliased);
            } else {
                all.extend(aliased);
                all.extend(relative);
            }
        }
        all.retain(leads);
        all.truncate(2);
        all
    }

    /// A relative specifier, spelled like the others.
    fn relative(&self, path: &str, conventions: &ImportConventions) -> Option<String> {
        let whole = path_in_form(conventions.spelling_of(path)?, path)?;
        let way = relative_path(parent(self.path()), &whole);
        Some(if way.starts_with("..") {
            way
        } else if way.is_empty() {
            ".".to_owned()
        } else {
            format!("./{way}")
        })
    }
}

impl ImportConventions {
    /// The spelling for a file, consistent with other imports.
    fn spelling_of(&self, path: &str) -> Option<SpecifierForm> {
        let count = |s: SpecifierForm| self.spellings.iter().filter(|o| **o == s).count();
        let index = path_in_form(SpecifierForm::WithoutExtension, path)?;
        let is_index = crate::project::last(&index) == "index";
        let mut best = self.spellings.iter().copied().max_by_key(|s| count(*s));
        if is_index {
            // An index file is imported by its folder, unless imports spell files out.
            let whole = matches!(best, Some(SpecifierForm::Whole | SpecifierForm::Compiled(_)));
            best = Some(if whole { best? } else { SpecifierForm::Folder });
        } else if best == Some(SpecifierForm::Folder) {
            best = None;
        }
        let typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|e| path.ends_with(e));
        Some(match best {
            Some(SpecifierForm::Compiled(_)) if !typed => SpecifierForm::Whole,
            Some(SpecifierForm::Compiled(_)) if path.ends_with(".mts") => {
                SpecifierForm::Compiled(".mjs")
            }
            Some(SpecifierForm::Compiled(_)) if path.ends_with(".cts") => {
                SpecifierForm::Compiled(".cjs")
            }
            Some(SpecifierForm::Compiled(ending)) if !path.ends_with(".d.ts") => {
                SpecifierForm::Compiled(if ending == ".jsx" && path.ends_with(".ts") {
                    ".js"
                } else {
                    ending
                })
            }
            Some(SpecifierForm::Whole) if typed && count(SpecifierForm::Compiled(".js")) > 0 => {
                SpecifierForm::Compiled(".js")
            }
            Some(known) => known,
            None if path.ends_with(".mjs") || path.ends_with(".cjs") => SpecifierForm::Whole,
            None => SpecifierForm::WithoutExtension,
        })
    }
}

/// The import conventions of a file; see [`Index::import_spelling`].
pub struct EcmaImportStyle(ImportConventions);

impl EcmaImportStyle {
    /// A file name in the last part of an import, with the extension that other imports have.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        let spelling = match self.0.spelling_of(name) {
            // JSON files are found only by their full name.
            _ if name.ends_with(".json") => SpecifierForm::Whole,
            Some(SpecifierForm::WithoutExtension) if name.ends_with(".mjs") => SpecifierForm::Whole,
            Some(SpecifierForm::WithoutExtension) if name.ends_with(".cjs") => SpecifierForm::Whole,
            Some(SpecifierForm::Folder) | None => SpecifierForm::WithoutExtension,
            Some(known) => known,
        };
        path_in_form(spelling, name).unwrap_or_else(|| name.to_owned())
    }

    /// The folder that a prefix of an import stands for, and the rest of the import: `src` and
    /// `a/b` for `@/a/b`.
    #[must_use]
    pub fn folder<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let all = self.0.aliases.iter().filter(|(alias, _)| alias.ends_with('/'));
        all.filter_map(|(alias, folder)| {
            Some((folder.trim_end_matches('/'), name.strip_prefix(&**alias)?))
        })
        .min_by_key(|(_, rest)| rest.len())
    }
}

impl Index {
    /// The import conventions of a JavaScript or TypeScript file, from its own imports or those of
    /// files around it. O(imports of the file).
    #[must_use]
    pub fn import_spelling(&self, file: FileId, facts: &Facts) -> EcmaImportStyle {
        let resolver = &Resolver::with_facts(self, file, facts);
        let (shared, target) = (&super::ImportCache::default(), DefId { file, def: 0 });
        let (at, name, quick) = (0, "", true);
        let planner =
            ImportPlanner { index: self, resolver, shared, file, facts, at, name, target, quick };
        EcmaImportStyle(planner.conventions())
    }
}

/// The path alias in an import and its folder: `@/` for `src/` in `@/a/b`.
fn alias(name: &str, path: &str) -> Option<(String, String)> {
    let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    for tail in tails.filter(|t| !t.is_empty()) {
        for form in [SpecifierForm::Whole, SpecifierForm::WithoutExtension, SpecifierForm::Folder] {
            let Some(whole) = path_in_form(form, path) else { continue };
            if let Some(folder) = without_path_suffix(&whole, tail) {
                let alias = &name[..name.len() - tail.len()];
                return Some((alias.to_owned(), folder.to_owned()));
            }
        }
    }
    None
}

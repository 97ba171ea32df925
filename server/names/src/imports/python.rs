//! Python: absolute or relative like the file's other imports, from the package that others import
//! from.

use std::ops::Range;

use tree_sitter::Node;

use super::lines::{self, ImportLine};
use super::{ImportForm, ImportPlanner, ImportRoute, ImportWriter, list};
use crate::facts::{Facts, ReferenceRole};
use crate::index::FileId;
use crate::project::{Module, is_library, last, parent};

/// Import groups, in order.
const FUTURE: u8 = 0;
const OUTSIDE: u8 = 1;
const OWN: u8 = 2;
const RELATIVE: u8 = 3;

impl ImportPlanner<'_> {
    pub(super) fn python(&self) -> Vec<ImportRoute> {
        let name = self.name.to_owned();
        if self.target.def == 0 {
            return self.python_module();
        }
        let mut routes = Vec::new();
        for file in self.python_modules() {
            for module in self.python_spellings(file) {
                routes.push(ImportRoute { module, form: ImportForm::Named, name: name.clone() });
            }
        }
        routes
    }

    /// `from package import module`, or `import module` for a top-level module.
    fn python_module(&self) -> Vec<ImportRoute> {
        let mut routes = Vec::new();
        for whole in self.python_spellings(self.target.file) {
            let name = self.name.to_owned();
            let dots = whole.len() - whole.trim_start_matches('.').len();
            match whole.rfind('.') {
                _ if whole == name => {
                    routes.push(ImportRoute { module: whole, form: ImportForm::Whole, name });
                }
                Some(dot) if whole[dot + 1..] == name => {
                    let module = if dot < dots { &whole[..dots] } else { &whole[..dot] };
                    routes.push(ImportRoute {
                        module: module.to_owned(),
                        form: ImportForm::Named,
                        name,
                    });
                }
                _ => {}
            }
        }
        routes
    }

    /// The files to import it from, best first.
    fn python_modules(&self) -> Vec<FileId> {
        let usual = self.usual_modules();
        let mut all: Vec<FileId> = usual.first().map(|(file, _)| *file).into_iter().collect();
        let package = |path: &str| path.split('/').next().unwrap_or("").to_owned();
        let inside = package(self.path()) == package(self.target_path());
        let mut public = Vec::new();
        // Packages above that re-export it.
        let mut folder = parent(self.target_path());
        while !folder.is_empty() && folder != parent(self.path()) {
            let init = self.resolver.file_at(&format!("{folder}/__init__.py"));
            let Some(init) = init else { break };
            if init != self.target.file
                && self.resolver.is_exported_by((init, 0), self.name, self.target)
            {
                public.push(init);
            }
            folder = parent(folder);
        }
        public.reverse();
        let hidden = self
            .target_path()
            .split('/')
            .any(|part| part.starts_with('_') && !part.starts_with("__init__"));
        let own = self.target.file;
        if inside && !hidden {
            all.push(own);
            all.extend(public);
        } else {
            all.extend(public);
            all.push(own);
        }
        all.retain(|file| *file != self.file);
        let mut seen = Vec::new();
        all.retain(|file| !seen.contains(file) && (seen.push(*file), true).1);
        all.truncate(3);
        all
    }

    /// The names of a module, in the prevailing style first.
    pub(super) fn python_spellings(&self, module: FileId) -> Vec<String> {
        let absolute = self.python_absolute(module);
        let relative = self.python_relative(module);
        let mut all: Vec<String> = Vec::new();
        if relative.is_some() && *self.shared.relative.get_or_init(|| self.is_relative_here()) {
            all.extend(relative);
            all.extend(absolute);
        } else {
            all.extend(absolute);
            all.extend(relative);
        }
        all
    }

    /// The absolute name of a module.
    fn python_absolute(&self, module: FileId) -> Option<String> {
        let project = self.resolver.project();
        let path = self.resolver.path(module);
        let bare = bare(path);
        let known = |tail: &str| {
            let name = tail.replace('/', ".");
            let leads = project.module(self.file, "python", &name, 0);
            (!tail.is_empty() && leads == Some(Module::File(module))).then_some(name)
        };
        // Absolute names start at the folder above the outermost package.
        let mut folder = parent(bare);
        let is_package =
            |folder: &str| self.resolver.file_at(&format!("{folder}/__init__.py")).is_some();
        if path.ends_with("__init__.py") {
            folder = parent(bare);
        }
        while !folder.is_empty() && is_package(folder) {
            folder = parent(folder);
        }
        let tail = bare.strip_prefix(folder)?.trim_start_matches('/');
        if let Some(name) = known(tail) {
            return Some(name);
        }
        if is_library(path) {
            return None;
        }
        // Namespace packages: the longest suffix of the path that resolves.
        let starts = bare.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        let mut tails: Vec<&str> = starts.map(|at| &bare[at..]).collect();
        tails.sort_by_key(|t| std::cmp::Reverse(t.len()));
        tails.into_iter().find_map(known)
    }

    /// The relative name of a module in the same package.
    fn python_relative(&self, module: FileId) -> Option<String> {
        let from = parent(self.path());
        let path = self.resolver.path(module);
        if is_library(path) {
            return None;
        }
        let to = bare(path);
        // Both must be in one package.
        self.resolver.file_at(format!("{from}/__init__.py").trim_start_matches('/'))?;
        let here: Vec<&str> = from.split('/').filter(|p| !p.is_empty()).collect();
        let there: Vec<&str> = to.split('/').collect();
        let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
        let common = here[..shared].join("/");
        let package = self.resolver.file_at(&format!("{common}/__init__.py"));
        if shared == 0 || package.is_none() {
            return None;
        }
        let up = ".".repeat(here.len() - shared + 1);
        Some(format!("{up}{}", there[shared..].join(".")))
    }

    /// Whether project imports are relative here: in the file's own imports, else in those of files
    /// next to it.
    fn is_relative_here(&self) -> bool {
        let count = |facts: &Facts, file: FileId| {
            let (mut relative, mut absolute) = (0, 0);
            for r in facts.references.iter().filter(|r| r.role == ReferenceRole::Root) {
                let Some((name, up)) = facts.module_of_value(r.receiver) else { continue };
                if up > 0 {
                    relative += 1;
                } else if let Some(Module::File(to)) =
                    self.resolver.project().module(file, "python", name, 0)
                    && !self.index.is_dependency(to)
                    && name.contains('.')
                {
                    absolute += 1;
                }
            }
            (relative, absolute)
        };
        let (mut relative, mut absolute) = count(self.facts, self.file);
        if relative + absolute == 0 {
            for other in self.index.beside(self.file) {
                let (r, a) = count(self.resolver.facts(other), other);
                // A script may need another style than its neighbours, so each file counts once.
                relative += i32::from(r > a);
                absolute += i32::from(a > r);
            }
        }
        relative > absolute
    }
}

impl ImportWriter<'_> {
    /// The edits of a Python import.
    pub(super) fn python_edits(&self, route: &ImportRoute) -> Option<Vec<(Range<usize>, String)>> {
        let syntax = self.syntax;
        let text = syntax.text();
        let top = lines::children(syntax.root());
        if route.form == ImportForm::Named {
            let same = |n: &&Node<'_>| {
                n.kind() == "import_from_statement"
                    && n.end_byte() <= self.span.start
                    && n.child_by_field_name("module_name")
                        .is_some_and(|m| lines::of(text, m) == route.module)
            };
            let names = top.iter().filter(same).map(|n| lines::fields(*n, "name"));
            if let Some(names) = names.into_iter().find(|n| !n.is_empty()) {
                return Some(vec![list::insert(text, &names, self.name)?]);
            }
        }
        let statement = match route.form {
            ImportForm::Whole => format!("import {}", route.module),
            _ => format!("from {} import {}", route.module, self.name),
        };
        let key = |n: Node<'_>| {
            let module = n.child_by_field_name("module_name").or_else(|| n.named_child(0))?;
            Some(lines::of(text, module))
        };
        let imports: Vec<ImportLine<'_>> = top
            .iter()
            .take_while(|n| n.start_byte() < self.span.start)
            .filter_map(|&node| match node.kind() {
                "future_import_statement" => {
                    Some(ImportLine { node, key: "__future__".to_owned(), class: FUTURE })
                }
                "import_statement" | "import_from_statement" => {
                    let key = key(node)?;
                    let class = self.python_class(&key);
                    Some(ImportLine { node, key, class })
                }
                _ => None,
            })
            .collect();
        let class = self.python_class(&route.module);
        if imports.is_empty() {
            // After the module docstring and leading comments.
            let doc = |n: &&Node<'_>| {
                n.kind() == "comment"
                    || n.kind() == "expression_statement"
                        && n.named_child(0).is_some_and(|c| c.kind() == "string")
            };
            let said = top.iter().take_while(doc).count();
            let before = said.checked_sub(1).and_then(|n| top.get(n)).copied();
            let after = top.get(said).copied();
            let blanks = match after.map(|n| n.kind()) {
                Some("function_definition" | "class_definition" | "decorated_definition") => 2,
                _ => 1,
            };
            return Some(vec![lines::first(text, before, after, &statement, blanks)]);
        }
        // `import x` and `from x import y` are sorted separately if they are kept separate.
        Some(vec![lines::insert(text, &imports, &route.module, class, &statement, true)?])
    }

    fn python_class(&self, module: &str) -> u8 {
        if module.starts_with('.') {
            return RELATIVE;
        }
        if module == "__future__" {
            return FUTURE;
        }
        match self.resolver.project().module(self.file, "python", module, 0) {
            Some(Module::File(file)) if !self.index.is_dependency(file) => OWN,
            Some(Module::Folder(folder)) if !is_library(&folder) => OWN,
            _ => OUTSIDE,
        }
    }
}

/// A module's path without its extension, and without `__init__`.
fn bare(path: &str) -> &str {
    let bare = path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py")).unwrap_or(path);
    if last(bare) == "__init__" { parent(bare) } else { bare }
}

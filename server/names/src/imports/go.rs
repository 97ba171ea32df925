//! Go: a package by its import path; members are qualified with the package.

use std::ops::Range;

use tree_sitter::Node;

use super::lines::{self, ImportLine};
use super::{ImportForm, ImportPlanner, ImportRoute, ImportWriter};
use crate::project::{is_go_test, is_library, parent};
use crate::vocabulary::DefinitionKind;

/// Import groups, in order.
const STANDARD: u8 = 0;
const OUTSIDE: u8 = 1;

impl ImportPlanner<'_> {
    /// The route to a Go package or its member.
    pub(super) fn go(&self) -> Vec<ImportRoute> {
        let path = self.target_path();
        let (from, folder) = (parent(self.path()), parent(path));
        let package = self.resolver.facts(self.target.file).package_name();
        let test = is_go_test(path) && package.ends_with("_test");
        if from == folder || package.is_empty() || package == "main" || test || is_go_test(path) {
            return Vec::new();
        }
        let Some(module) = self.resolver.project().go_path(self.file, folder) else {
            return Vec::new();
        };
        // Internal packages are visible only below their parent folder.
        let parts: Vec<&str> = folder.split('/').collect();
        if let Some(at) = parts.iter().rposition(|p| *p == "internal") {
            let around = parts[..at].join("/");
            let inside = around.is_empty()
                || from.strip_prefix(&*around).is_some_and(|r| r.is_empty() || r.starts_with('/'));
            if !inside && !is_library(path) {
                return Vec::new();
            }
        }
        let name = match self.target.def {
            0 => self.name.to_owned(),
            _ => format!("{}.{}", self.qualifier(&module, package), self.name),
        };
        let form = if self.target.def == 0 { ImportForm::Whole } else { ImportForm::Named };
        vec![ImportRoute { module, form, name }]
    }

    /// The name of the package in the file.
    fn qualifier(&self, module: &str, package: &str) -> String {
        let facts = self.facts;
        let mut imports = facts.definitions.iter().filter(|d| {
            d.kind == DefinitionKind::Import
                && facts.module_of_value(d.value).is_some_and(|(name, _)| name == module)
        });
        let alias = imports.next().map(|d| facts.strings.text(d.name).to_owned());
        alias.unwrap_or_else(|| package.to_owned())
    }
}

impl ImportWriter<'_> {
    fn declarations(&self) -> Vec<Node<'_>> {
        let top = lines::children(self.syntax.root());
        top.into_iter().filter(|n| n.kind() == "import_declaration").collect()
    }

    fn specs(&self) -> Vec<Node<'_>> {
        let inner = self.declarations().into_iter().flat_map(lines::children);
        let lists = inner.flat_map(|n| match n.kind() {
            "import_spec_list" => lines::children(n),
            _ => vec![n],
        });
        lists.filter(|n| n.kind() == "import_spec").collect()
    }

    fn spec_path(&self, spec: Node<'_>) -> Option<String> {
        let path = spec.child_by_field_name("path")?;
        let path = lines::of(self.syntax.text(), path);
        Some(path.trim_matches(['"', '`']).to_owned())
    }

    /// The edits of a Go import.
    pub(super) fn go_edits(&self, route: &ImportRoute) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let imported = |spec: &Node<'_>| {
            let plain = spec
                .child_by_field_name("name")
                .is_none_or(|n| !matches!(&*lines::of(text, n), "_" | "."));
            plain && self.spec_path(*spec).as_deref() == Some(&*route.module)
        };
        if self.specs().iter().any(imported) {
            return Some(Vec::new());
        }
        let quoted = format!("\"{}\"", route.module);
        let package = self.resolver.facts(self.target.file).package_name();
        // The package name is written only if it differs from the path's last part.
        let tells = crate::project::last(&route.module) == package;
        let spec = if tells { quoted } else { format!("{package} {quoted}") };
        let declarations = self.declarations();
        let listed = declarations
            .iter()
            .find_map(|d| lines::children(*d).into_iter().find(|n| n.kind() == "import_spec_list"));
        let class = |path: &str| {
            let first = path.split('/').next().unwrap_or("");
            if first.contains('.') || self.is_own(path) { OUTSIDE } else { STANDARD }
        };
        let Some(listed) = listed else {
            let before = declarations.last().copied();
            let top = lines::children(self.syntax.root());
            let clause = top.into_iter().find(|n| n.kind() == "package_clause");
            let statement = format!("import {spec}");
            return match before {
                Some(before) => {
                    let all = [ImportLine { node: before, key: String::new(), class: 0 }];
                    Some(vec![lines::insert(text, &all, "~", 0, &statement, true)?])
                }
                None => Some(vec![lines::first(text, Some(clause?), None, &statement, 1)]),
            };
        };
        let specs = lines::children(listed).into_iter().filter(|n| n.kind() == "import_spec");
        let lines: Vec<ImportLine<'_>> = specs
            .filter_map(|node| {
                let key = self.spec_path(node)?;
                let class = class(&key);
                Some(ImportLine { node, key, class })
            })
            .collect();
        if lines.is_empty() {
            let at = listed.start_byte() + 1;
            let end = lines::ending(text);
            return Some(vec![(at..at, format!("{end}\t{spec}{end}"))]);
        }
        // If the file groups its own module's packages, keep the group.
        let own = self.is_own(&route.module);
        let mine = lines.iter().any(|l| self.is_own(&l.key));
        let lines = lines.into_iter().map(|l| {
            let own = mine && own && self.is_own(&l.key);
            ImportLine { class: if own { OUTSIDE + 1 } else { l.class }, ..l }
        });
        let lines: Vec<ImportLine<'_>> = lines.collect();
        let class = if mine && own { OUTSIDE + 1 } else { class(&route.module) };
        Some(vec![lines::insert(text, &lines, &route.module, class, &spec, true)?])
    }

    fn is_own(&self, path: &str) -> bool {
        use crate::project::Module;
        let found = self.resolver.project().module(self.file, "go", path, 0);
        matches!(found, Some(Module::Folder(folder)) if !is_library(&folder))
    }
}

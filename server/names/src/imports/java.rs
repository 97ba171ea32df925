//! Java: a type by its qualified name.

use std::ops::Range;

use super::lines::{self, ImportLine};
use super::{ImportForm, ImportPlanner, ImportRoute, ImportWriter};

impl ImportPlanner<'_> {
    pub(super) fn java(&self) -> Vec<ImportRoute> {
        let theirs = self.resolver.facts(self.target.file);
        let package = theirs.package_name();
        let def = self.resolver.def(self.target);
        let same = package == self.facts.package_name();
        if package.is_empty() || same || def.scope != 0 || !def.kind.is_type() {
            return Vec::new();
        }
        let module = format!("{package}.{}", self.name);
        vec![ImportRoute { module, form: ImportForm::Named, name: self.name.to_owned() }]
    }
}

impl ImportWriter<'_> {
    /// The edits of a Java import.
    pub(super) fn java_edits(&self, route: &ImportRoute) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let top = lines::children(self.syntax.root());
        let imports: Vec<ImportLine<'_>> = top
            .iter()
            .filter(|n| n.kind() == "import_declaration")
            .map(|&node| {
                let said = lines::of(text, node);
                let words = said.trim_start_matches("import").trim_end_matches(';').trim();
                let fixed = words.starts_with("static ");
                let key = words.trim_start_matches("static ").trim().to_owned();
                ImportLine { node, key, class: u8::from(!fixed) }
            })
            .collect();
        let statement = format!("import {};", route.module);
        if imports.is_empty() {
            let package = top.iter().rfind(|n| n.kind() == "package_declaration").copied();
            let after = top.iter().find(|n| package.is_none() && !n.kind().contains("comment"));
            return Some(vec![lines::first(text, package, after.copied(), &statement, 1)]);
        }
        // Custom groups are kept: the import goes next to those with the longest common prefix.
        let shared = |l: &ImportLine<'_>| {
            l.key.split('.').zip(route.module.split('.')).take_while(|(a, b)| a == b).count()
        };
        let most = imports.iter().filter(|l| l.class == 1).map(shared).max().unwrap_or(0);
        let near = |l: &ImportLine<'_>| l.class == 1 && shared(l) == most && most > 0;
        let lines: Vec<ImportLine<'_>> = imports
            .iter()
            .map(|l| ImportLine {
                node: l.node,
                key: l.key.clone(),
                class: if near(l) { 2 } else { l.class },
            })
            .collect();
        let class = if most > 0 { 2 } else { 1 };
        Some(vec![lines::insert(text, &lines, &route.module, class, &statement, false)?])
    }
}

//! C and C++: the header that declares a definition, by the path that others include it by.

use std::ops::Range;

use tree_sitter::Node;

use super::lines::{self, ImportLine};
use super::{ImportForm, ImportPlanner, ImportRoute, ImportWriter};
use crate::index::FileId;
use crate::project::{Module, parent};
use crate::resolve::DefId;

/// Extensions of headers.
const HEADERS: [&str; 7] = [".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp"];

/// Whether a path is a header's.
fn is_header(path: &str) -> bool {
    HEADERS.iter().any(|ending| path.ends_with(ending))
}

impl ImportPlanner<'_> {
    pub(super) fn include(&self) -> Vec<ImportRoute> {
        let Some(header) = self.header() else { return Vec::new() };
        let Some(module) = self.include_path(header) else { return Vec::new() };
        vec![ImportRoute { module, form: ImportForm::Whole, name: self.name.to_owned() }]
    }

    /// The header that declares the definition.
    fn header(&self) -> Option<FileId> {
        if is_header(self.target_path()) {
            return Some(self.target.file);
        }
        let kind = self.resolver.def(self.target).kind;
        let declares = |id: &DefId| {
            let facts = self.resolver.facts(id.file);
            is_header(self.resolver.path(id.file))
                && self.resolver.def(*id).kind == kind
                && super::is_importable_definition(facts, id.def)
        };
        let mut all: Vec<FileId> = self
            .resolver
            .definitions_if_few(self.name)?
            .filter(declares)
            .map(|id| id.file)
            .collect();
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The include path that most files use, among those that resolve from here.
    fn include_path(&self, header: FileId) -> Option<String> {
        let path = self.resolver.path(header);
        let project = self.resolver.project();
        let language = self.facts.language.id();
        let leads =
            |name: &str| project.module(self.file, language, name, 0) == Some(Module::File(header));
        let starts = path.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        let tails = starts.map(|at| &path[at..]).filter(|t| leads(t));
        let count = |name: &str| self.index.files_naming(name).count();
        let mut tails: Vec<(usize, &str)> = tails.map(|t| (count(t), t)).collect();
        tails.sort_by_key(|(count, name)| (std::cmp::Reverse(*count), name.len()));
        if let Some((_, name)) = tails.first().filter(|(count, _)| *count > 0) {
            return Some((*name).to_owned());
        }
        let beside = parent(path) == parent(self.path());
        let own = crate::project::last(path);
        if beside && leads(own) {
            return Some(own.to_owned());
        }
        // Relative to a public include folder, else the shortest path.
        let public = path.rsplit_once("include/").map(|(_, rest)| rest).filter(|r| leads(r));
        let shortest = tails.iter().min_by_key(|(_, name)| name.len()).map(|(_, name)| *name);
        public.or(shortest).map(str::to_owned)
    }
}

impl ImportWriter<'_> {
    /// The includes before the name, in order.
    fn includes(&self) -> Vec<Node<'_>> {
        let mut all = Vec::new();
        let mut open = vec![(self.syntax.root(), 0)];
        while let Some((node, depth)) = open.pop() {
            for child in lines::children(node) {
                match child.kind() {
                    "preproc_include" => all.push(child),
                    // Include guards, and `extern "C"`.
                    "preproc_ifdef" | "linkage_specification" | "declaration_list"
                        if depth < 3 && all.is_empty() =>
                    {
                        open.push((child, depth + 1));
                    }
                    _ => {}
                }
            }
        }
        all.retain(|n| n.start_byte() < self.span.start);
        all.sort_by_key(Node::start_byte);
        all
    }

    /// The edits of an include.
    pub(super) fn include_edits(&self, route: &ImportRoute) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let includes = self.includes();
        let path = |n: &Node<'_>| Some(lines::of(text, n.child_by_field_name("path")?));
        let name = |quoted: &str| quoted.trim_matches(['"', '<', '>']).to_owned();
        let language = self.syntax.language().id();
        let own = |quoted: &str| {
            let found = self.resolver.project().module(self.file, language, &name(quoted), 0);
            matches!(found, Some(Module::File(file)) if !self.index.is_dependency(file))
        };
        let said: Vec<(Node<'_>, String)> =
            includes.iter().filter_map(|n| Some((*n, path(n)?))).collect();
        if said.iter().any(|(_, p)| name(p) == route.module) {
            return Some(Vec::new());
        }
        let angled = said.iter().filter(|(_, p)| own(p) && p.starts_with('<')).count();
        let quoted = said.iter().filter(|(_, p)| own(p) && p.starts_with('"')).count();
        let spelled = match angled > quoted {
            true => format!("<{}>", route.module),
            false => format!("\"{}\"", route.module),
        };
        let statement = format!("#include {spelled}");
        // System headers form a group of their own; the existing order of groups is kept.
        let class = |p: &str| if p.starts_with('<') && !own(p) { 0 } else { 1 };
        let mut lines: Vec<ImportLine<'_>> = said
            .iter()
            .map(|(node, p)| ImportLine { node: *node, key: name(p), class: class(p) })
            .collect();
        if lines.is_empty() {
            return self.first_include(&statement);
        }
        // A file's own header comes first and is not sorted.
        let own_stem = stem(crate::project::last(self.path())).to_owned();
        if lines.len() > 1 && lines[0].class == 1 {
            let first = stem(crate::project::last(&lines[0].key)).to_owned();
            if first == own_stem && lines[1..].iter().any(|l| l.class == 1) {
                lines.remove(0);
            }
        }
        Some(vec![lines::insert(text, &lines, &route.module, 1, &statement, true)?])
    }

    /// The position of the first include: after the include guard, else after the first comment.
    fn first_include(&self, statement: &str) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let top = lines::children(self.syntax.root());
        let guard = top.iter().find(|n| n.kind() == "preproc_ifdef").filter(|n| {
            let said = lines::of(text, **n);
            said.starts_with("#ifndef") && n.end_byte() > self.span.start
        });
        let within = guard.map_or(top.clone(), |g| lines::children(*g));
        let opening = |n: &&Node<'_>| {
            matches!(n.kind(), "comment" | "preproc_def" | "preproc_call" | "identifier")
                && n.end_byte() < self.span.start
        };
        let said = within.iter().take_while(opening).count();
        let before = said.checked_sub(1).and_then(|n| within.get(n)).copied();
        let after = within.get(said).copied().filter(|n| n.start_byte() <= self.span.start);
        Some(vec![lines::first(text, before, after, statement, 1)])
    }
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

//! Who names the module that something leaves.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

use super::{Subject, words};
use crate::actions::import_list::removed;
use crate::actions::site::Site;
use crate::actions::unused_import::statement;
use crate::actions::{ActionEdit, ActionPlace, ActionRefusal, RefusalReason as Why, refusal};
use crate::facts::{Facts, Role};
use crate::index::FileId;
use crate::project::{Module, last};
use crate::resolve::same_family;

/// Who names the module that something leaves.
#[derive(Default)]
pub(super) struct Users {
    /// What follows it.
    pub(super) edits: Vec<ActionEdit>,
    /// Whether some still take it from where it was.
    pub(super) remain: bool,
    /// The words of statements that name the module, and whether one takes it as a whole.
    said: String,
    whole: bool,
}

impl Users {
    /// Whether others may see a name of the file.
    pub(super) fn see(&self, name: &str) -> bool {
        self.whole || words(&self.said, name).next().is_some()
    }

    /// Looks through all files. `spelled` gives the name of the new module for the name of the old
    /// one, in a statement; none where that is not certain. Where the move `follows_all`, it is refused
    /// once one user remains, so nobody looks further than the first of them.
    pub(super) fn of(
        site: &Site<'_>,
        subject: &Subject<'_>,
        follows_all: bool,
        spelled: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ActionRefusal> {
        let mut users = Self::default();
        let mut waiting = false;
        let own = site.resolver.path(site.file);
        let stem = last(own).split('.').next().unwrap_or("").to_owned();
        let folder = last(site.resolver.folder(site.file)).to_owned();
        let named = site.index.files_naming(subject.name).collect::<Vec<_>>();
        for (file, ..) in site.index.files() {
            let facts = site.resolver.facts(file);
            if file == site.file || !same_family(facts.language().id(), site.language) {
                continue;
            }
            let places = roots(site, file, facts, &[&stem, &folder]);
            let mentions = named.contains(&file);
            if places.is_empty() && !mentions {
                continue;
            }
            let Some(source) = (site.place.text)(file) else {
                waiting = true;
                continue;
            };
            // As a member of the module, however that came here and is called.
            let whole = source.slice(0..source.len());
            let is_member = |at: usize| whole[..at].ends_with('.');
            users.remain |= mentions && words(&whole, subject.name).any(is_member);
            if follows_all && users.remain {
                return Ok(users);
            }
            if places.is_empty() {
                // Nothing in it changes, so it need not be parsed.
                continue;
            }
            let syntax = Syntax::parse(facts.language(), &source, None, site.place.interrupt);
            let Some(syntax) = syntax else {
                return Err(refusal(Why::Interrupted, "nobody waits for it"));
            };
            let range = 0..0;
            let place = ActionPlace {
                file,
                facts,
                syntax: &syntax,
                range,
                name: None,
                to: None,
                ..*site.place
            };
            let theirs = Site::new(site.index, &place);
            users.file(&theirs, subject, &places, spelled)?;
        }
        match waiting {
            true => Err(refusal(Why::Interrupted, "texts of other files are needed")),
            false => Ok(users),
        }
    }

    fn file(
        &mut self,
        theirs: &Site<'_>,
        subject: &Subject<'_>,
        places: &[Range<usize>],
        spelled: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ActionRefusal> {
        let root = theirs.place.syntax.root();
        let mut done = Vec::new();
        for place in places {
            let Some(node) = root.descendant_for_byte_range(place.start, place.end) else {
                continue;
            };
            let exports = |n: &Node<'_>| n.kind() == "export_statement";
            let around = statement(node)
                .or_else(|| std::iter::successors(Some(node), Node::parent).find(exports));
            let Some(around) = around else {
                if words(&theirs.source, subject.name).next().is_some() {
                    let path = theirs.resolver.path(theirs.file);
                    let why = format!("`{path}` loads the module in another way than by an import");
                    return Err(refusal(Why::Used, why));
                }
                self.whole = true;
                continue;
            };
            if done.contains(&around.id()) {
                continue;
            }
            done.push(around.id());
            let text = theirs.text(around);
            self.said.push_str(text);
            self.said.push('\n');
            let items = items(theirs, around, subject.name);
            let Some(items) = items else {
                self.whole = true;
                self.remain |= exports(&around)
                    || text.contains("import *")
                    || words(&theirs.source, subject.name).next().is_some();
                continue;
            };
            let [item] = items[..] else {
                self.remain |= !items.is_empty();
                continue;
            };
            match repointed(theirs, around, item, spelled) {
                Some(edits) => {
                    let file = theirs.file;
                    let edit = |(span, new_text)| ActionEdit { file, span, new_text };
                    self.edits.extend(edits.into_iter().map(edit));
                }
                None => self.remain = true,
            }
        }
        Ok(())
    }
}

/// The places where a file names a module that is the one of the site.
fn roots(site: &Site<'_>, file: FileId, facts: &Facts, stems: &[&str]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    for r in facts.references.iter().filter(|r| r.role == Role::Root && r.start < r.end) {
        let Some((name, up)) = facts.module_named(r.receiver) else { continue };
        let word = name.rsplit(['/', '.']).next().unwrap_or(name);
        let inner = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or("");
        let short = name.is_empty() || matches!(word, "" | "..");
        if !short && !stems.contains(&word) && !stems.contains(&inner) {
            continue;
        }
        let language = facts.language().id();
        let found = site.resolver.project().module(file, language, name, up);
        if found == Some(Module::File(site.file)) {
            all.push(r.start as usize..r.end as usize);
        }
    }
    all
}

/// The parts of a statement that name it; none where the statement takes the module as a whole.
fn items<'a>(theirs: &Site<'a>, around: Node<'a>, name: &str) -> Option<Vec<Node<'a>>> {
    let mut listed = Vec::new();
    let mut whole = around.kind() == "import_statement" && theirs.language == "python";
    let mut stack = vec![around];
    let mut lists = false;
    while let Some(node) = stack.pop() {
        match node.kind() {
            "namespace_import" | "wildcard_import" | "namespace_export" => whole = true,
            "import_specifier" | "export_specifier" => {
                lists = true;
                listed.push(node);
                continue;
            }
            "import_clause" | "named_imports" | "export_clause" => lists = true,
            _ => {}
        }
        let mut cursor = node.walk();
        stack.extend(node.children(&mut cursor));
    }
    if around.kind() == "import_from_statement" {
        let mut cursor = around.walk();
        listed.extend(around.children_by_field_name("name", &mut cursor));
        lists = !listed.is_empty();
    }
    // `import './x'` takes nothing of it; `export * from './x'` all.
    if whole || !lists && around.kind() == "export_statement" {
        return None;
    }
    let called = |n: &Node<'_>| {
        let own = n.child_by_field_name("name").unwrap_or(*n);
        theirs.text(own) == name
    };
    listed.retain(called);
    Some(listed)
}

/// The edits that make a statement take it from the new module.
fn repointed(
    theirs: &Site<'_>,
    around: Node<'_>,
    item: Node<'_>,
    spelled: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<(Range<usize>, String)>> {
    let module = around
        .child_by_field_name("module_name")
        .or_else(|| around.child_by_field_name("source"))?;
    let span = match theirs.language {
        "python" => module.byte_range(),
        _ => module.start_byte() + 1..module.end_byte() - 1,
    };
    let new = spelled(theirs.source.get(span.clone())?)?;
    let mut cursor = around.walk();
    let count = match around.kind() {
        "import_from_statement" => around.children_by_field_name("name", &mut cursor).count(),
        _ => {
            let clause = around.named_child(0)?;
            let list = match clause.kind() {
                "import_clause" if clause.named_child_count() == 1 => clause.named_child(0)?,
                "export_clause" => clause,
                _ => return several(theirs, around, item, &new, module),
            };
            list.named_child_count()
        }
    };
    if count == 1 {
        return Some(vec![(span, new)]);
    }
    several(theirs, around, item, &new, module)
}

fn several(
    theirs: &Site<'_>,
    around: Node<'_>,
    item: Node<'_>,
    new: &str,
    module: Node<'_>,
) -> Option<Vec<(Range<usize>, String)>> {
    if around.kind() == "export_statement" || !theirs.begins_line(around.start_byte()) {
        return None;
    }
    let part = theirs.text(item);
    let line = match theirs.language {
        "python" => format!("from {new} import {part}"),
        _ => {
            let word = match around.child(1).is_some_and(|n| n.kind() == "type") {
                true => "import type",
                false => "import",
            };
            let quote = theirs.text(module).chars().next()?;
            let end = if theirs.text(around).ends_with(';') { ";" } else { "" };
            format!("{word} {{ {part} }} from {quote}{new}{quote}{end}")
        }
    };
    let name = item.child_by_field_name("alias").or_else(|| item.child_by_field_name("name"));
    let mut edits = removed(theirs, &[name.unwrap_or(item).byte_range()]).ok()?;
    let at = theirs.line_start(around.start_byte());
    let indent = theirs.indent_at(around.start_byte());
    edits.push((at..at, format!("{indent}{line}{}", theirs.line_end())));
    Some(edits)
}

//! The files that import the moved definition.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

use super::{MovedItem, word_offsets};
use crate::actions::context::ActionContext;
use crate::actions::import_list::removal_edits;
use crate::actions::unused_import::import_statement;
use crate::actions::{ActionEdit, ActionPlace, ActionRefusal, RefusalReason as Reason, refusal};
use crate::facts::{Facts, ReferenceRole};
use crate::index::FileId;
use crate::project::{Module, last};
use crate::resolve::languages::is_same_language_family;

/// The files that import the moved definition.
#[derive(Default)]
pub(super) struct Users {
    /// The edits that make them import it from the new module.
    pub(super) edits: Vec<ActionEdit>,
    /// Whether some still take it from the old module.
    pub(super) remain: bool,
    /// The text of all import statements of the old module, and whether one imports the whole
    /// module.
    statements: String,
    whole: bool,
}

impl Users {
    /// Whether other files may import a name from the old module.
    pub(super) fn may_see(&self, name: &str) -> bool {
        self.whole || word_offsets(&self.statements, name).next().is_some()
    }

    /// Searches all files. `new_module_path` maps the written path of the old module to that of the
    /// new one; `None` if that is uncertain. If `follows_all`, the move is refused once a user
    /// remains, so the search stops at the first.
    pub(super) fn find(
        ctx: &ActionContext<'_>,
        moved: &MovedItem<'_>,
        follows_all: bool,
        new_module_path: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ActionRefusal> {
        let mut users = Self::default();
        let mut is_incomplete = false;
        let own = ctx.resolver.path(ctx.file);
        let stem = last(own).split('.').next().unwrap_or("").to_owned();
        let folder = last(ctx.resolver.folder(ctx.file)).to_owned();
        let named = ctx.index.files_naming(moved.name).collect::<Vec<_>>();
        for (file, ..) in ctx.index.files() {
            let facts = ctx.resolver.facts(file);
            if file == ctx.file || !is_same_language_family(facts.language().id(), ctx.language) {
                continue;
            }
            let places = module_references(ctx, file, facts, &[&stem, &folder]);
            let mentions = named.contains(&file);
            if places.is_empty() && !mentions {
                continue;
            }
            let Some(source) = (ctx.request.text)(file) else {
                is_incomplete = true;
                continue;
            };
            // `x.name` may be a member access on the module under any alias.
            let whole = source.slice(0..source.len());
            let is_member = |at: usize| whole[..at].ends_with('.');
            users.remain |= mentions && word_offsets(&whole, moved.name).any(is_member);
            if follows_all && users.remain {
                return Ok(users);
            }
            if places.is_empty() {
                // Nothing in this file changes, so it need not be parsed.
                continue;
            }
            let syntax = Syntax::parse(facts.language(), &source, None, ctx.request.interrupt);
            let Some(syntax) = syntax else {
                return Err(refusal(Reason::Interrupted, "the request was cancelled"));
            };
            let range = 0..0;
            let request = ActionPlace {
                file,
                facts,
                syntax: &syntax,
                range,
                name: None,
                destination: None,
                ..*ctx.request
            };
            let theirs = ActionContext::new(ctx.index, &request);
            users.add_file(&theirs, moved, &places, new_module_path)?;
        }
        match is_incomplete {
            true => Err(refusal(Reason::Interrupted, "texts of other files are not loaded yet")),
            false => Ok(users),
        }
    }

    /// Adds the edits of one file's import statements.
    fn add_file(
        &mut self,
        theirs: &ActionContext<'_>,
        moved: &MovedItem<'_>,
        places: &[Range<usize>],
        new_module_path: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ActionRefusal> {
        let root = theirs.request.syntax.root();
        let mut done = Vec::new();
        for place in places {
            let Some(node) = root.descendant_for_byte_range(place.start, place.end) else {
                continue;
            };
            let exports = |n: &Node<'_>| n.kind() == "export_statement";
            let around = import_statement(node)
                .or_else(|| std::iter::successors(Some(node), Node::parent).find(exports));
            let Some(around) = around else {
                if word_offsets(&theirs.source, moved.name).next().is_some() {
                    let path = theirs.resolver.path(theirs.file);
                    let why = format!("`{path}` loads the module without an import statement");
                    return Err(refusal(Reason::Used, why));
                }
                self.whole = true;
                continue;
            };
            if done.contains(&around.id()) {
                continue;
            }
            done.push(around.id());
            let text = theirs.text(around);
            self.statements.push_str(text);
            self.statements.push('\n');
            let items = importing_items(theirs, around, moved.name);
            let Some(items) = items else {
                self.whole = true;
                self.remain |= exports(&around)
                    || text.contains("import *")
                    || word_offsets(&theirs.source, moved.name).next().is_some();
                continue;
            };
            let [item] = items[..] else {
                self.remain |= !items.is_empty();
                continue;
            };
            match repoint(theirs, around, item, new_module_path) {
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

/// The places where a file names the old module.
fn module_references(
    ctx: &ActionContext<'_>,
    file: FileId,
    facts: &Facts,
    stems: &[&str],
) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    for r in facts.references.iter().filter(|r| r.role == ReferenceRole::Root && r.start < r.end) {
        let Some((name, up)) = facts.module_of_value(r.receiver) else { continue };
        let word = name.rsplit(['/', '.']).next().unwrap_or(name);
        let inner = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or("");
        let short = name.is_empty() || matches!(word, "" | "..");
        if !short && !stems.contains(&word) && !stems.contains(&inner) {
            continue;
        }
        let language = facts.language().id();
        let found = ctx.resolver.project().module(file, language, name, up);
        if found == Some(Module::File(ctx.file)) {
            all.push(r.start as usize..r.end as usize);
        }
    }
    all
}

/// The items of a statement that import the definition; `None` if it imports the whole module.
fn importing_items<'a>(
    theirs: &ActionContext<'a>,
    around: Node<'a>,
    name: &str,
) -> Option<Vec<Node<'a>>> {
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
    // `import './x'` imports no name; `export * from './x'` all of them.
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

/// The edits that make a statement import the definition from the new module.
fn repoint(
    theirs: &ActionContext<'_>,
    around: Node<'_>,
    item: Node<'_>,
    new_module_path: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<(Range<usize>, String)>> {
    let module = around
        .child_by_field_name("module_name")
        .or_else(|| around.child_by_field_name("source"))?;
    let span = match theirs.language {
        "python" => module.byte_range(),
        _ => module.start_byte() + 1..module.end_byte() - 1,
    };
    let new = new_module_path(theirs.source.get(span.clone())?)?;
    let mut cursor = around.walk();
    let count = match around.kind() {
        "import_from_statement" => around.children_by_field_name("name", &mut cursor).count(),
        _ => {
            let clause = around.named_child(0)?;
            let list = match clause.kind() {
                "import_clause" if clause.named_child_count() == 1 => clause.named_child(0)?,
                "export_clause" => clause,
                _ => return split_off(theirs, around, item, &new, module),
            };
            list.named_child_count()
        }
    };
    if count == 1 {
        return Some(vec![(span, new)]);
    }
    split_off(theirs, around, item, &new, module)
}

/// The edits that remove one item from a statement and import it by a statement of its own.
fn split_off(
    theirs: &ActionContext<'_>,
    around: Node<'_>,
    item: Node<'_>,
    new: &str,
    module: Node<'_>,
) -> Option<Vec<(Range<usize>, String)>> {
    if around.kind() == "export_statement" || !theirs.is_first_on_line(around.start_byte()) {
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
    let mut edits = removal_edits(theirs, &[name.unwrap_or(item).byte_range()]).ok()?;
    let at = theirs.line_start(around.start_byte());
    let indent = theirs.indentation_at(around.start_byte());
    edits.push((at..at, format!("{indent}{line}{}", theirs.line_end())));
    Some(edits)
}

//! What the moved code depends on in its file.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::MovedItem;
use crate::actions::context::{ActionContext, visit_leaves};
use crate::actions::unused_import::import_statement;
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::facts::{NONE, ReferenceRole};
use crate::vocabulary::{DefinitionKind, Flags};

/// What the moved code depends on in its file.
pub(super) struct Dependencies {
    /// Imports that it uses.
    pub(super) imports: BTreeSet<u32>,
    /// The ranges of these imports' statements.
    pub(super) statements: Vec<Range<usize>>,
    /// Other top-level definitions of the file that it uses.
    pub(super) own: BTreeSet<u32>,
    /// Names that the file does not define.
    pub(super) outside: BTreeSet<String>,
}

impl Dependencies {
    pub(super) fn of_item(
        ctx: &ActionContext<'_>,
        item: &MovedItem<'_>,
    ) -> Result<Self, ActionRefusal> {
        let mut names: BTreeSet<u32> = BTreeSet::new();
        let mut outside = BTreeSet::new();
        let mut known: BTreeSet<usize> = BTreeSet::new();
        let facts = ctx.facts;
        for def in &facts.definitions {
            known.insert(def.name_start as usize);
        }
        for reference in &facts.references {
            let (start, end) = (reference.start as usize, reference.end as usize);
            if start >= end || !item.span.contains(&start) {
                continue;
            }
            known.insert(start);
            if reference.role != ReferenceRole::Plain {
                continue;
            }
            let name = facts.strings.text(reference.name);
            let found = ctx.resolver.resolve_in_scopes(
                ctx.file,
                reference.scope,
                reference.start,
                reference.name,
                name,
                reference.namespace,
            );
            let mut local = found.iter().filter(|f| f.id.file == ctx.file && f.id.def != 0);
            match local.next() {
                Some(f) if ctx.def(f.id.def).scope == 0 => {
                    names.insert(reference.name);
                }
                Some(_) => {}
                None => {
                    let top = facts.definitions_in_scope(0, reference.name).iter();
                    let seen = top.filter(|d| !ctx.def(**d).flags.has(Flags::HIDDEN));
                    match seen.count() {
                        0 => _ = outside.insert(name.to_owned()),
                        _ => _ = names.insert(reference.name),
                    }
                }
            }
        }
        // Names without a reference in the facts: in macros and in quoted types.
        visit_leaves(item.node, &mut |leaf| {
            let text = ctx.text(leaf);
            let mut words: Vec<(usize, &str)> = Vec::new();
            match leaf.kind() {
                "identifier" | "type_identifier" | "shorthand_property_identifier" => {
                    let member = leaf.parent().is_some_and(|p| {
                        p.child_by_field_name("attribute").is_some_and(|a| a.id() == leaf.id())
                            || p.kind() == "keyword_argument"
                                && p.child_by_field_name("name")
                                    .is_some_and(|a| a.id() == leaf.id())
                    });
                    let after = &ctx.source[leaf.end_byte()..];
                    if !member && (ctx.language != "go" || after.starts_with('.')) {
                        words.push((leaf.start_byte(), text));
                    }
                }
                "string_content" if ctx.language == "python" && in_type(leaf) => {
                    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                    words.extend(parts.map(|p| (leaf.start_byte(), p)));
                }
                _ => {}
            }
            for (at, word) in words {
                let Some(number) = facts.strings.find(word).filter(|n| *n != NONE) else {
                    continue;
                };
                if !known.contains(&at) && !facts.definitions_in_scope(0, number).is_empty() {
                    names.insert(number);
                }
            }
        });
        let mut dependencies = Self {
            imports: BTreeSet::new(),
            statements: Vec::new(),
            own: BTreeSet::new(),
            outside,
        };
        for name in names {
            for &d in facts.definitions_in_scope(0, name) {
                let def = ctx.def(d);
                if d == item.def || d == 0 || item.span.contains(&(def.name_start as usize)) {
                    continue;
                }
                if def.kind == DefinitionKind::Import {
                    dependencies.imports.insert(d);
                } else if !def.flags.has(Flags::HIDDEN) {
                    dependencies.own.insert(d);
                }
            }
        }
        for &d in &dependencies.imports {
            dependencies.statements.push(import_of(ctx, d)?.byte_range());
        }
        Ok(dependencies)
    }

    /// The names of the top-level definitions that it uses.
    pub(super) fn own_names<'s>(&self, ctx: &'s ActionContext<'_>) -> BTreeSet<&'s str> {
        self.own.iter().map(|d| ctx.name_of(*d)).collect()
    }
}

/// Whether a node is in a type annotation.
pub(super) fn in_type(node: Node<'_>) -> bool {
    std::iter::successors(Some(node), Node::parent).take(12).any(|n| n.kind() == "type")
}

/// The statement of an import.
pub(super) fn import_of<'a>(ctx: &ActionContext<'a>, d: u32) -> Result<Node<'a>, ActionRefusal> {
    let at = ctx.def(d).name_start as usize;
    let node = ctx.request.syntax.root().descendant_for_byte_range(at, at);
    node.and_then(import_statement).ok_or_else(|| {
        let why = format!("it is uncertain how the file imports `{}`", ctx.name_of(d));
        refusal(Reason::Unsupported, why)
    })
}

/// The outermost node of these kinds that names an import in its statement.
pub(super) fn import_item<'a>(ctx: &ActionContext<'a>, d: u32, kinds: &[&str]) -> Option<Node<'a>> {
    let at = ctx.def(d).name_start as usize;
    let node = ctx.request.syntax.root().descendant_for_byte_range(at, at)?;
    let mut found = None;
    let mut next = Some(node);
    while let Some(node) = next {
        if import_statement(node).is_some_and(|s| s.id() == node.id()) {
            break;
        }
        if kinds.contains(&node.kind()) {
            found = Some(node);
        }
        next = node.parent();
    }
    found
}

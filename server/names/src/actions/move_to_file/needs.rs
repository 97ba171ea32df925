//! What a piece of a file needs of the rest of it.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::Subject;
use crate::actions::site::{Site, leaves};
use crate::actions::unused_import::statement;
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::facts::{NONE, Role};
use crate::vocabulary::{DefinitionKind, Flags};

/// What a piece of a file needs of the rest of it.
pub(super) struct Needs {
    /// Imports of the file.
    pub(super) imports: BTreeSet<u32>,
    /// The statements of these.
    pub(super) statements: Vec<Range<usize>>,
    /// Its other definitions.
    pub(super) own: BTreeSet<u32>,
    /// Names that the file does not define.
    pub(super) outside: BTreeSet<String>,
}

impl Needs {
    pub(super) fn of(site: &Site<'_>, subject: &Subject<'_>) -> Result<Self, ActionRefusal> {
        let mut names: BTreeSet<u32> = BTreeSet::new();
        let mut outside = BTreeSet::new();
        let mut known: BTreeSet<usize> = BTreeSet::new();
        let facts = site.facts;
        for def in &facts.definitions {
            known.insert(def.name_start as usize);
        }
        for reference in &facts.references {
            let (start, end) = (reference.start as usize, reference.end as usize);
            if start >= end || !subject.span.contains(&start) {
                continue;
            }
            known.insert(start);
            if reference.role != Role::Plain {
                continue;
            }
            let name = facts.strings.text(reference.name);
            let found = site.resolver.lexical(
                site.file,
                reference.scope,
                reference.start,
                reference.name,
                name,
                reference.namespace,
            );
            let mut local = found.iter().filter(|f| f.id.file == site.file && f.id.def != 0);
            match local.next() {
                Some(f) if site.def(f.id.def).scope == 0 => {
                    names.insert(reference.name);
                }
                Some(_) => {}
                None => {
                    let top = facts.in_scope(0, reference.name).iter();
                    let seen = top.filter(|d| !site.def(**d).flags.has(Flags::HIDDEN));
                    match seen.count() {
                        0 => _ = outside.insert(name.to_owned()),
                        _ => _ = names.insert(reference.name),
                    }
                }
            }
        }
        // What is written where no name was seen: in macros, in types in quotes.
        leaves(subject.item, &mut |leaf| {
            let text = site.text(leaf);
            let mut said: Vec<(usize, &str)> = Vec::new();
            match leaf.kind() {
                "identifier" | "type_identifier" | "shorthand_property_identifier" => {
                    let member = leaf.parent().is_some_and(|p| {
                        p.child_by_field_name("attribute").is_some_and(|a| a.id() == leaf.id())
                            || p.kind() == "keyword_argument"
                                && p.child_by_field_name("name")
                                    .is_some_and(|a| a.id() == leaf.id())
                    });
                    let after = &site.source[leaf.end_byte()..];
                    if !member && (site.language != "go" || after.starts_with('.')) {
                        said.push((leaf.start_byte(), text));
                    }
                }
                "string_content" if site.language == "python" && in_type(leaf) => {
                    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                    said.extend(parts.map(|p| (leaf.start_byte(), p)));
                }
                _ => {}
            }
            for (at, word) in said {
                let Some(number) = facts.strings.find(word).filter(|n| *n != NONE) else {
                    continue;
                };
                if !known.contains(&at) && !facts.in_scope(0, number).is_empty() {
                    names.insert(number);
                }
            }
        });
        let mut needs = Self {
            imports: BTreeSet::new(),
            statements: Vec::new(),
            own: BTreeSet::new(),
            outside,
        };
        for name in names {
            for &d in facts.in_scope(0, name) {
                let def = site.def(d);
                if d == subject.def || d == 0 || subject.span.contains(&(def.name_start as usize)) {
                    continue;
                }
                if def.kind == DefinitionKind::Import {
                    needs.imports.insert(d);
                } else if !def.flags.has(Flags::HIDDEN) {
                    needs.own.insert(d);
                }
            }
        }
        for &d in &needs.imports {
            needs.statements.push(import_of(site, d)?.byte_range());
        }
        Ok(needs)
    }

    /// The names of what it needs of the file itself.
    pub(super) fn own_names<'s>(&self, site: &'s Site<'_>) -> BTreeSet<&'s str> {
        self.own.iter().map(|d| site.name_of(*d)).collect()
    }
}

/// Whether it is written in a type.
pub(super) fn in_type(node: Node<'_>) -> bool {
    std::iter::successors(Some(node), Node::parent).take(12).any(|n| n.kind() == "type")
}

/// The statement of an import.
pub(super) fn import_of<'a>(site: &Site<'a>, d: u32) -> Result<Node<'a>, ActionRefusal> {
    let at = site.def(d).name_start as usize;
    let node = site.place.syntax.root().descendant_for_byte_range(at, at);
    node.and_then(statement).ok_or_else(|| {
        let why = format!("it is not certain how the file comes by `{}`", site.name_of(d));
        refusal(Why::Shape, why)
    })
}

/// The part of an import's list that names it.
pub(super) fn item_of<'a>(site: &Site<'a>, d: u32, kinds: &[&str]) -> Option<Node<'a>> {
    let at = site.def(d).name_start as usize;
    let node = site.place.syntax.root().descendant_for_byte_range(at, at)?;
    let mut found = None;
    let mut next = Some(node);
    while let Some(node) = next {
        if statement(node).is_some_and(|s| s.id() == node.id()) {
            break;
        }
        if kinds.contains(&node.kind()) {
            found = Some(node);
        }
        next = node.parent();
    }
    found
}

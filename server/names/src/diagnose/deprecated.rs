//! Uses of what its definition says is deprecated.
//!
//! As compilers have it: not where the using code is deprecated itself, not in imports, and not where
//! the text says that it is meant. Definitions of dependencies count as far as they have been read.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::ground::Kind;
use super::{Finding, FindingKind, Subject};
use crate::facts::{Ref, Role, Site};
use crate::origin::Origin;
use crate::project::parent;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Most findings of one file.
const MOST: usize = 200;

/// How sure the meaning of a use must be.
const SURE: f32 = 0.9;

/// Longest chain of Rust modules above a file.
const ABOVE: usize = 12;

pub(super) fn find(subject: &Subject<'_>, found: &mut Vec<Finding>, interrupt: &AtomicBool) {
    let facts = subject.facts;
    let mut known: FxHashMap<u32, bool> = FxHashMap::default();
    let own: Vec<&str> = facts.deprecated_names().collect();
    let mut is_known = |number: u32| {
        *known.entry(number).or_insert_with(|| {
            let name = subject.name(number);
            subject.index.names.is_deprecated(name) || own.contains(&name)
        })
    };
    let suspects: Vec<u32> = (0..facts.references.len() as u32)
        .filter(|&r| {
            let reference = &facts.references[r as usize];
            matches!(reference.role, Role::Plain | Role::Member)
                && reference.start < reference.end
                && is_known(reference.name)
                && is_written(subject, reference)
        })
        .collect();
    if suspects.is_empty() || is_meant_everywhere(subject) {
        return;
    }
    // Code that is deprecated itself.
    let old =
        facts.definitions.iter().filter(|def| facts.is_deprecated_at(def.name_start as usize));
    let old: Vec<(u32, u32)> = old.map(|def| (def.start, def.end)).collect();
    let (mut resolver, before) = (subject.resolver(), found.len());
    for r in suspects {
        if interrupt.load(Ordering::Relaxed) || found.len() - before >= MOST {
            return;
        }
        let reference = &facts.references[r as usize];
        if old.iter().any(|span| span.0 <= reference.start && reference.start < span.1)
            || is_meant(subject, reference)
        {
            continue;
        }
        if resolver.is_spent() {
            resolver = subject.resolver();
        }
        if is_old(subject, &resolver, r) && !is_of_declaration(subject, reference, &mut is_known) {
            let name = subject.name(reference.name);
            let (start, end) = (reference.start, reference.end);
            found.push(subject.finding(FindingKind::Deprecated, start, end, name));
        }
    }
}

fn is_written(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let span = reference.start as usize..reference.end as usize;
    ground.kind(reference.start) == Kind::Code
        && ground.source.get(span) == Some(subject.name(reference.name))
        && !subject.facts.is_foreign(reference.start)
}

/// Whether all that a use may mean says that it is deprecated.
fn is_old(subject: &Subject<'_>, resolver: &Resolver<'_>, r: u32) -> bool {
    let found = resolver.site(subject.file, Site::Reference(r));
    let is_sure = |origin: Origin| origin != Origin::Outside && origin.confidence() >= SURE;
    if found.is_empty() || !found.iter().all(|f| is_sure(f.origin)) {
        return false;
    }
    for one in found {
        let meant = resolver.follow(one);
        if meant.is_empty() || resolver.is_spent() {
            return false;
        }
        for f in meant {
            let facts = resolver.facts(f.id.file);
            // What a class says of itself.
            let reference = &subject.facts.references[r as usize];
            let scope = resolver.def(f.id).scope;
            let beside = f.id.file == subject.file
                && scope == reference.scope
                && matches!(
                    facts.scopes[scope as usize].kind,
                    ScopeKind::Open | ScopeKind::Body | ScopeKind::Members
                );
            if beside || !facts.is_deprecated(f.id.def) || is_close(subject, resolver, f.id) {
                return false;
            }
        }
    }
    true
}

/// Whether a name of C or C++ declares what is old again, or defines a member of it.
fn is_of_declaration(
    subject: &Subject<'_>,
    reference: &Ref,
    is_known: &mut dyn FnMut(u32) -> bool,
) -> bool {
    if !matches!(subject.language, "c" | "cpp") {
        return false;
    }
    let text = |n: Node<'_>| subject.ground.source.get(n.byte_range()).unwrap_or("");
    subject.ground.around(reference.start, reference.end).any(|node| match node.kind() {
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            let name = node.child_by_field_name("name");
            let own = name.is_some_and(|n| n.start_byte() as u32 == reference.start);
            own && node.child_by_field_name("body").is_none()
                && node.parent().is_some_and(|p| p.kind() != "parameter_declaration")
        }
        "friend_declaration" => true,
        "function_definition" => {
            let mut at = node.child_by_field_name("declarator");
            while let Some(inner) = at.filter(|n| n.kind() != "qualified_identifier") {
                at = inner
                    .child_by_field_name("declarator")
                    .or_else(|| inner.named_child(0).filter(|n| n.kind().contains("declarator")));
            }
            let scope = at.and_then(|n| n.child_by_field_name("scope"));
            let number = scope.and_then(|s| subject.facts.strings.find(text(s)));
            number.is_some_and(&mut *is_known)
        }
        _ => false,
    })
}

/// Whether a definition is not old for this file, or another of its name may be meant.
fn is_close(subject: &Subject<'_>, resolver: &Resolver<'_>, id: DefId) -> bool {
    let (facts, path) = (resolver.facts(id.file), resolver.path(id.file));
    let near = match facts.language.id() {
        "java" => id.file == subject.file,
        "go" => parent(path) == parent(subject.path),
        // It may say of its own library since which version.
        "rust" => subject.index.project.libraries.iter().any(|folder| {
            folder.language == "rust"
                && matches!(&*folder.name, "std" | "core" | "alloc")
                && path.starts_with(&*folder.path)
        }),
        _ => false,
    };
    if near {
        return true;
    }
    let def = resolver.def(id);
    if !matches!(def.kind, DefinitionKind::Method | DefinitionKind::Field) {
        return false;
    }
    let name = facts.strings.text(def.name);
    let Some(owner) = facts.container(id.def) else { return false };
    let above = resolver.supers(DefId { file: id.file, def: owner });
    above.iter().any(|ty| {
        let others = resolver.members(ty, name, Namespace::ANY);
        others.iter().any(|o| !resolver.facts(o.id.file).is_deprecated(o.id.def))
    })
}

/// Whether the file, or one above it, says of all its uses that they are meant.
fn is_meant_everywhere(subject: &Subject<'_>) -> bool {
    let said: &[&str] = match subject.language {
        "c" | "cpp" => &["Wdeprecated", "disable: 4996", "disable:4996"],
        "go" => &["lint:file-ignore"],
        "python" => &["pyright: basic", "reportDeprecated"],
        "typescript" | "tsx" | "javascript" => &["ts-nocheck", "no-deprecated", "deprecation/"],
        "rust" => {
            let project = &subject.index.project;
            let (mut at, mut steps) = (vec![subject.file], 0);
            while let Some(file) = at.pop().filter(|_| steps < ABOVE) {
                if subject.index.facts_of(file).allows_deprecated() {
                    return true;
                }
                at.extend(project.rust_parents(file).0);
                steps += 1;
            }
            &[]
        }
        _ => &[],
    };
    said.iter().any(|word| subject.ground.source.contains(word))
}

/// Whether a use is an import, or is said to be meant.
fn is_meant(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let start = reference.start as usize;
    let before = ground.before(reference.start);
    let above = ground.source[..start - before.len()].trim_end();
    let above = above.rsplit('\n').next().unwrap_or("").trim_start();
    let line = ground.rest_of_line(start);
    let is_comment = above.starts_with(['#', '/', '*', '{', '@']);
    let said = |text: &str| {
        ["nolint", "lint:ignore", "noqa", "type: ignore", "pyright: ignore", "pylint:"]
            .iter()
            .chain(&["ts-ignore", "ts-expect-error", "eslint-disable", "NOLINT", "deprecat"])
            .any(|word| text.contains(word))
    };
    let remark = ["//", "#", "/*"].iter().filter_map(|mark| line.find(mark)).min();
    if is_comment && said(above) || remark.is_some_and(|at| said(&line[at..])) {
        return true;
    }
    ground.around(reference.start, reference.end).any(|node| {
        let kind = node.kind();
        let import = kind.starts_with("import")
            || matches!(kind, "use_declaration" | "export_clause" | "preproc_include");
        import || allows(subject, node)
    })
}

/// Whether an attribute of a piece of code says that what it uses is meant.
fn allows(subject: &Subject<'_>, node: Node<'_>) -> bool {
    let text = |n: Node<'_>| subject.ground.source.get(n.byte_range()).unwrap_or("");
    match subject.language {
        "java" => {
            let mut cursor = node.walk();
            let mut marks = node.named_children(&mut cursor).filter(|c| c.kind() == "modifiers");
            marks.any(|marks| {
                let said = text(marks);
                said.contains("SuppressWarnings")
                    && ["deprecat", "\"all\"", "\"removal\""].iter().any(|w| said.contains(w))
            })
        }
        "rust" => {
            let marked = subject.ground.may_have_attribute(node);
            let mut above = if marked { node.prev_sibling() } else { None };
            while let Some(mark) = above
                .filter(|a| matches!(a.kind(), "attribute_item" | "line_comment" | "block_comment"))
            {
                let said = text(mark);
                if mark.kind() == "attribute_item"
                    && (said.contains("deprecated") || said.contains("warnings"))
                {
                    return true;
                }
                above = mark.prev_sibling();
            }
            false
        }
        _ => false,
    }
}

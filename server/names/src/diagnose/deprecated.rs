//! Diagnostics for uses of deprecated definitions.
//!
//! As compilers do it: not in code that is deprecated itself, not in imports, and not where a
//! comment or attribute allows it. Definitions in dependencies count as far as they are indexed.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::lexical_index::LexicalKind;
use super::{DiagnosticsContext, NameDiagnostic, NameDiagnosticKind};
use crate::facts::{NameSite, Ref, ReferenceRole};
use crate::origin::Origin;
use crate::project::parent;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Limit for the diagnostics of one file.
const MAX_DIAGNOSTICS: usize = 200;

/// Minimum confidence of a use's resolution.
const MIN_CONFIDENCE: f32 = 0.9;

/// Limit for the chain of parent modules of a Rust file.
const MAX_PARENT_MODULES: usize = 12;

/// Adds the diagnostics for uses of deprecated definitions.
pub(super) fn find(
    ctx: &DiagnosticsContext<'_>,
    found: &mut Vec<NameDiagnostic>,
    interrupt: &AtomicBool,
) {
    let facts = ctx.facts;
    let mut known: FxHashMap<u32, bool> = FxHashMap::default();
    let own_names: Vec<&str> = facts.deprecated_names().collect();
    let mut is_deprecated_name = |number: u32| {
        *known.entry(number).or_insert_with(|| {
            let name = ctx.name(number);
            ctx.index.names.is_deprecated(name) || own_names.contains(&name)
        })
    };
    let suspects: Vec<u32> = (0..facts.references.len() as u32)
        .filter(|&r| {
            let reference = &facts.references[r as usize];
            matches!(reference.role, ReferenceRole::Plain | ReferenceRole::Member)
                && reference.start < reference.end
                && is_deprecated_name(reference.name)
                && is_written(ctx, reference)
        })
        .collect();
    if suspects.is_empty() || is_allowed_in_file(ctx) {
        return;
    }
    // Uses within deprecated code are not reported.
    let deprecated_spans =
        facts.definitions.iter().filter(|def| facts.is_deprecated_at(def.name_start as usize));
    let deprecated_spans: Vec<(u32, u32)> =
        deprecated_spans.map(|def| (def.start, def.end)).collect();
    let (mut resolver, before) = (ctx.resolver(), found.len());
    for r in suspects {
        if interrupt.load(Ordering::Relaxed) || found.len() - before >= MAX_DIAGNOSTICS {
            return;
        }
        let reference = &facts.references[r as usize];
        if deprecated_spans.iter().any(|span| span.0 <= reference.start && reference.start < span.1)
            || is_allowed(ctx, reference)
        {
            continue;
        }
        if resolver.is_near_step_limit() {
            resolver = ctx.resolver();
        }
        if is_deprecated_use(ctx, &resolver, r)
            && !is_part_of_declaration(ctx, reference, &mut is_deprecated_name)
        {
            let name = ctx.name(reference.name);
            let (start, end) = (reference.start, reference.end);
            found.push(ctx.diagnostic(NameDiagnosticKind::Deprecated, start, end, name));
        }
    }
}

fn is_written(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let span = reference.start as usize..reference.end as usize;
    lex.kind(reference.start) == LexicalKind::Code
        && lex.source.get(span) == Some(ctx.name(reference.name))
        && !ctx.facts.is_for_other_platform(reference.start)
}

/// Whether all definitions that a use may refer to are deprecated.
fn is_deprecated_use(ctx: &DiagnosticsContext<'_>, resolver: &Resolver<'_>, r: u32) -> bool {
    let found = resolver.definitions_at_site(ctx.file, NameSite::Reference(r));
    let is_certain =
        |origin: Origin| origin != Origin::External && origin.confidence() >= MIN_CONFIDENCE;
    if found.is_empty() || !found.iter().all(|f| is_certain(f.origin)) {
        return false;
    }
    for one in found {
        let targets = resolver.follow_import(one);
        if targets.is_empty() || resolver.is_near_step_limit() {
            return false;
        }
        for f in targets {
            let facts = resolver.facts(f.id.file);
            // A class may use its own deprecated members.
            let reference = &ctx.facts.references[r as usize];
            let scope = resolver.def(f.id).scope;
            let beside = f.id.file == ctx.file
                && scope == reference.scope
                && matches!(
                    facts.scopes[scope as usize].kind,
                    ScopeKind::Open | ScopeKind::Body | ScopeKind::Members
                );
            if beside || !facts.is_deprecated(f.id.def) || is_exempt(ctx, resolver, f.id) {
                return false;
            }
        }
    }
    true
}

/// Whether a C or C++ name declares a deprecated type again, or qualifies a member's definition.
fn is_part_of_declaration(
    ctx: &DiagnosticsContext<'_>,
    reference: &Ref,
    is_deprecated_name: &mut dyn FnMut(u32) -> bool,
) -> bool {
    if !matches!(ctx.language, "c" | "cpp") {
        return false;
    }
    let text = |n: Node<'_>| ctx.lex.source.get(n.byte_range()).unwrap_or("");
    ctx.lex.ancestors(reference.start, reference.end).any(|node| match node.kind() {
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            let name = node.child_by_field_name("name");
            let own_names = name.is_some_and(|n| n.start_byte() as u32 == reference.start);
            own_names
                && node.child_by_field_name("body").is_none()
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
            let number = scope.and_then(|s| ctx.facts.strings.find(text(s)));
            number.is_some_and(&mut *is_deprecated_name)
        }
        _ => false,
    })
}

/// Whether a definition is not deprecated for this file, or an inherited one that is not may be
/// meant.
fn is_exempt(ctx: &DiagnosticsContext<'_>, resolver: &Resolver<'_>, id: DefId) -> bool {
    let (facts, path) = (resolver.facts(id.file), resolver.path(id.file));
    let near = match facts.language.id() {
        "java" => id.file == ctx.file,
        "go" => parent(path) == parent(ctx.path),
        // The standard library's attribute may name a future version.
        "rust" => ctx.index.project.libraries.iter().any(|folder| {
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
    let above = resolver.supertypes(DefId { file: id.file, def: owner });
    above.iter().any(|ty| {
        let others = resolver.members_named(ty, name, Namespace::ANY);
        others.iter().any(|o| !resolver.facts(o.id.file).is_deprecated(o.id.def))
    })
}

/// Whether the file, or a parent module, allows deprecated uses.
fn is_allowed_in_file(ctx: &DiagnosticsContext<'_>) -> bool {
    let allowing: &[&str] = match ctx.language {
        "c" | "cpp" => &["Wdeprecated", "disable: 4996", "disable:4996"],
        "go" => &["lint:file-ignore"],
        "python" => &["pyright: basic", "reportDeprecated"],
        "typescript" | "tsx" | "javascript" => &["ts-nocheck", "no-deprecated", "deprecation/"],
        "rust" => {
            let project = &ctx.index.project;
            let (mut at, mut steps) = (vec![ctx.file], 0);
            while let Some(file) = at.pop().filter(|_| steps < MAX_PARENT_MODULES) {
                if ctx.index.indexed_facts(file).allows_deprecated() {
                    return true;
                }
                at.extend(project.rust_parents(file).0);
                steps += 1;
            }
            &[]
        }
        _ => &[],
    };
    allowing.iter().any(|word| ctx.lex.source.contains(word))
}

/// Whether a use is an import, or a comment or attribute allows it.
fn is_allowed(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let start = reference.start as usize;
    let before = lex.line_before(reference.start);
    let above = lex.source[..start - before.len()].trim_end();
    let above = above.rsplit('\n').next().unwrap_or("").trim_start();
    let line = lex.rest_of_line(start);
    let is_comment = above.starts_with(['#', '/', '*', '{', '@']);
    let allowing = |text: &str| {
        ["nolint", "lint:ignore", "noqa", "type: ignore", "pyright: ignore", "pylint:"]
            .iter()
            .chain(&["ts-ignore", "ts-expect-error", "eslint-disable", "NOLINT", "deprecat"])
            .any(|word| text.contains(word))
    };
    let comment = ["//", "#", "/*"].iter().filter_map(|mark| line.find(mark)).min();
    if is_comment && allowing(above) || comment.is_some_and(|at| allowing(&line[at..])) {
        return true;
    }
    lex.ancestors(reference.start, reference.end).any(|node| {
        let kind = node.kind();
        let import = kind.starts_with("import")
            || matches!(kind, "use_declaration" | "export_clause" | "preproc_include");
        import || has_allowing_attribute(ctx, node)
    })
}

/// Whether an attribute of a node allows deprecated uses.
fn has_allowing_attribute(ctx: &DiagnosticsContext<'_>, node: Node<'_>) -> bool {
    let text = |n: Node<'_>| ctx.lex.source.get(n.byte_range()).unwrap_or("");
    match ctx.language {
        "java" => {
            let mut cursor = node.walk();
            let mut marks = node.named_children(&mut cursor).filter(|c| c.kind() == "modifiers");
            marks.any(|marks| {
                let allowing = text(marks);
                allowing.contains("SuppressWarnings")
                    && ["deprecat", "\"all\"", "\"removal\""].iter().any(|w| allowing.contains(w))
            })
        }
        "rust" => {
            let marked = ctx.lex.may_have_attribute(node);
            let mut above = if marked { node.prev_sibling() } else { None };
            while let Some(mark) = above
                .filter(|a| matches!(a.kind(), "attribute_item" | "line_comment" | "block_comment"))
            {
                let allowing = text(mark);
                if mark.kind() == "attribute_item"
                    && (allowing.contains("deprecated") || allowing.contains("warnings"))
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

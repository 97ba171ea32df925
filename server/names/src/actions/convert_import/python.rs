//! Converts between `import a.b` and `from a import b`.

use tree_sitter::Node;

use super::super::context::ActionContext;
use super::super::unused_import::import_statement;
use super::super::{ActionRefusal, RefusalReason as Reason, refusal};
use super::{Edits, ImportForm, check_unused, import_at, unsupported, uses_of_import};
use crate::diagnose::DiagnosticsContext;
use crate::diagnose::dynamic_names::DynamicNames;
use crate::diagnose::lexical_index::{LexicalIndex, LexicalKind};
use crate::diagnose::unused_imports::is_used_elsewhere;
use crate::vocabulary::DefinitionKind;

pub(super) fn forms(node: Node<'_>, text: &str) -> Vec<ImportForm> {
    let plain = !text.contains([',', '*', '(']) && !text.contains(" as ");
    let top = node.parent().is_some_and(|p| p.kind() == "module");
    match node.kind() {
        "import_statement" if plain && top && text.contains('.') => {
            vec![ImportForm {
                choice: "from",
                title: "Import the module by its name",
                edits: to_from_import,
            }]
        }
        "import_from_statement" if plain && top && !text.starts_with("from .") => {
            vec![ImportForm {
                choice: "module",
                title: "Import the module by its path",
                edits: to_module_import,
            }]
        }
        _ => Vec::new(),
    }
}

/// Whether other files import the name through this one.
fn is_reexported(ctx: &ActionContext<'_>, lex: LexicalIndex<'_>, name: &str) -> bool {
    let diagnostics = DiagnosticsContext {
        index: ctx.index,
        file: ctx.file,
        path: ctx.index.project.path(ctx.file),
        facts: ctx.facts,
        language: ctx.language,
        lex,
        dynamic_names: DynamicNames::default(),
    };
    is_used_elsewhere(&diagnostics, &ctx.resolver, name)
}

/// Checks that a dotted path is a module of the workspace, and that its package defines nothing
/// else of its name.
fn check_is_module(
    ctx: &ActionContext<'_>,
    package: &str,
    name: &str,
) -> Result<(), ActionRefusal> {
    let whole = ctx.resolver.module_by_path(ctx.file, &format!("{package}.{name}"), 0);
    let around = ctx.resolver.module_by_path(ctx.file, package, 0);
    let file = |f: &crate::resolve::Resolution| f.id.def == 0;
    let unknown = || {
        let why = format!("`{package}.{name}` may be something other than a module");
        refusal(Reason::Unknown, why)
    };
    let ([one], [package]) = (&whole[..], &around[..]) else { return Err(unknown()) };
    if !file(one) || !file(package) {
        return Err(unknown());
    }
    let facts = ctx.resolver.facts(package.id.file);
    let named = facts.strings.find(name).map_or(&[][..], |number| facts.definitions_named(number));
    let other = named.iter().any(|&d| {
        let def = &facts.definitions[d as usize];
        def.scope == 0 && def.kind != DefinitionKind::Import
    });
    if other || !facts.globs.is_empty() { Err(unknown()) } else { Ok(()) }
}

/// Converts `import a.b` to `from a import b`.
fn to_from_import(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let path = node.named_child(0).ok_or_else(|| unsupported("it has no module"))?;
    let whole = ctx.text(path);
    let (package, name) =
        whole.rsplit_once('.').ok_or_else(|| unsupported("it is not in a package"))?;
    check_is_module(ctx, package, name)?;
    check_unused(ctx, name)?;
    let d = import_at(ctx, path.start_byte()).ok_or_else(|| unsupported("it has no name"))?;
    let lex = LexicalIndex::new(ctx.request.syntax, &ctx.source);
    let mut edits = vec![(node.byte_range(), format!("from {package} import {name}"))];
    for at in uses_of_import(ctx, &lex, d)? {
        let rest = &ctx.source[at..];
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        match rest.strip_prefix(whole) {
            Some(after) if ends(after) => edits.push((at..at + whole.len(), name.to_owned())),
            _ => return Err(refusal(Reason::Used, "its package is used as well")),
        }
    }
    let root = ctx.name_of(d);
    if is_reexported(ctx, lex, root) {
        return Err(refusal(Reason::Used, "another file imports it through this one"));
    }
    Ok(edits)
}

/// Checks that the file uses a name only within imports, so that it can be bound.
fn check_unbound(
    ctx: &ActionContext<'_>,
    lex: &LexicalIndex<'_>,
    name: &str,
) -> Result<(), ActionRefusal> {
    let defined =
        ctx.facts.strings.find(name).is_some_and(|n| !ctx.facts.definitions_named(n).is_empty());
    let other = |&at: &u32| {
        let within =
            lex.ancestors(at, at + name.len() as u32).any(|n| import_statement(n).is_some());
        lex.kind(at) == LexicalKind::Code && !lex.is_member(at) && !within
    };
    match defined || lex.occurrences(name).iter().any(other) {
        true => check_unused(ctx, name),
        false => Ok(()),
    }
}

/// Converts `from a import b` to `import a.b`.
fn to_module_import(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let field = |name| node.child_by_field_name(name).ok_or_else(|| unsupported("it has no name"));
    let (package, name) = (ctx.text(field("module_name")?), field("name")?);
    let d = import_at(ctx, name.start_byte()).ok_or_else(|| unsupported("it has no name"))?;
    let name = ctx.text(name);
    check_is_module(ctx, package, name)?;
    let root = package.split('.').next().unwrap_or(package);
    let lex = LexicalIndex::new(ctx.request.syntax, &ctx.source);
    check_unbound(ctx, &lex, root)?;
    let mut edits = vec![(node.byte_range(), format!("import {package}.{name}"))];
    for at in uses_of_import(ctx, &lex, d)? {
        edits.push((at..at + name.len(), format!("{package}.{name}")));
    }
    if is_reexported(ctx, lex, name) {
        return Err(refusal(Reason::Used, "another file imports it through this one"));
    }
    Ok(edits)
}

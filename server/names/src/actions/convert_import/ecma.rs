//! Converts between `import * as m from 'm'` and `import { a } from 'm'`.

use tree_sitter::Node;

use super::super::context::ActionContext;
use super::super::{ActionRefusal, RefusalReason as Reason, refusal};
use super::{Edits, ImportForm, check_unused, import_at, unsupported, uses_of_import};
use crate::diagnose::lexical_index::LexicalIndex;
use crate::facts::NameSite as FactSite;
use crate::origin::Origin;
use crate::rename::invalid_name_reason;
use crate::vocabulary::Flags;

pub(super) fn forms(text: &str) -> Vec<ImportForm> {
    let head = text.trim_start_matches("import").trim_start().trim_start_matches("type ").trim();
    if head.starts_with('*') {
        vec![ImportForm { choice: "named", title: "Import the used names", edits: to_named }]
    } else if head.starts_with('{') {
        vec![ImportForm {
            choice: "namespace",
            title: "Import the module as a namespace",
            edits: to_namespace,
        }]
    } else {
        Vec::new()
    }
}

/// The text of an import before and after its list of names.
fn text_around<'a>(
    ctx: &'a ActionContext<'_>,
    node: Node<'_>,
    list: Node<'_>,
) -> (&'a str, &'a str) {
    let source = &ctx.source;
    (&source[node.start_byte()..list.start_byte()], &source[list.end_byte()..node.end_byte()])
}

fn clause_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let clause = node.named_children(&mut cursor).find(|n| n.kind() == "import_clause")?;
    let mut cursor = clause.walk();
    clause.named_children(&mut cursor).find(|n| n.kind() == kind)
}

/// Checks that a name is an export of a module of the workspace.
fn check_exported(ctx: &ActionContext<'_>, at: usize, name: &str) -> Result<(), ActionRefusal> {
    let found = ctx
        .facts
        .site_at(at)
        .map_or(Vec::new(), |s: FactSite| ctx.resolver.definitions_at_site(ctx.file, s));
    let sure = |f: &crate::resolve::Resolution| {
        let def = ctx.resolver.def(f.id);
        f.id.file != ctx.file
            && f.origin != Origin::UniqueName
            && f.id.def != 0
            && def.flags.has(Flags::EXPORTED)
    };
    match !found.is_empty() && found.iter().all(sure) {
        true => Ok(()),
        false => Err(refusal(Reason::Unknown, format!("`{name}` may not be an export"))),
    }
}

/// Converts a namespace import to an import of the used names.
fn to_named(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let list = clause_child(node, "namespace_import")
        .ok_or_else(|| unsupported("it imports something else"))?;
    let name = list.named_child(0).ok_or_else(|| unsupported("it has no name"))?;
    let d = import_at(ctx, name.start_byte()).ok_or_else(|| unsupported("it has no name"))?;
    let name = ctx.text(name).to_owned();
    let lex = LexicalIndex::new(ctx.request.syntax, &ctx.source);
    let mut names: Vec<String> = Vec::new();
    let mut edits = Edits::new();
    for at in uses_of_import(ctx, &lex, d)? {
        let whole = || refusal(Reason::Used, "the module object itself is used");
        let end = at + name.len();
        let rest = ctx.source[end..].strip_prefix('.').ok_or_else(whole)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let member: String = rest.chars().take_while(|c| is_word(*c)).collect();
        let node = lex.node(at as u32, end as u32);
        let jsx = node
            .and_then(|n| n.parent())
            .and_then(|p| p.parent())
            .is_some_and(|p| p.kind().starts_with("jsx"));
        if member.is_empty()
            || invalid_name_reason(&member, ctx.language).is_some()
            || jsx && member.starts_with(char::is_lowercase)
        {
            return Err(whole());
        }
        check_exported(ctx, end + 1, &member)?;
        edits.push((at..end + 1, String::new()));
        names.push(member);
    }
    names.sort_by_key(|n| n.to_lowercase());
    names.dedup();
    if names.is_empty() {
        return Err(refusal(Reason::NotApplicable, "nothing of it is used"));
    }
    for name in &names {
        check_unused(ctx, name)?;
    }
    let (before, after) = text_around(ctx, node, list);
    edits.push((node.byte_range(), format!("{before}{{ {} }}{after}", names.join(", "))));
    Ok(edits)
}

/// Converts an import of names to a namespace import.
fn to_namespace(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let list = clause_child(node, "named_imports")
        .ok_or_else(|| unsupported("it imports something else"))?;
    let mut cursor = node.walk();
    let alone = node.named_children(&mut cursor).find(|n| n.kind() == "import_clause");
    if alone.is_none_or(|clause| clause.named_child_count() != 1) {
        return Err(unsupported("it imports a default as well"));
    }
    let source =
        node.child_by_field_name("source").ok_or_else(|| unsupported("it has no module"))?;
    let path = ctx.text(source).trim_matches(['\'', '"']);
    let last = path.rsplit('/').find(|p| !p.is_empty() && *p != "index" && *p != "index.js");
    let last = last.unwrap_or("module").split('.').next().unwrap_or("module");
    let name = ctx.fresh_name(if last.is_empty() { "module" } else { last })?;
    let lex = LexicalIndex::new(ctx.request.syntax, &ctx.source);
    let mut edits = Edits::new();
    let mut cursor = list.walk();
    for item in list.named_children(&mut cursor) {
        let own = item.child_by_field_name("name").ok_or_else(|| unsupported("it has no name"))?;
        let local_node = item.child_by_field_name("alias").unwrap_or(own);
        let (member, local) = (ctx.text(own), ctx.text(local_node));
        if member == "default" || !member.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(unsupported("it imports a default as well"));
        }
        check_exported(ctx, own.start_byte(), member)?;
        let d =
            import_at(ctx, local_node.start_byte()).ok_or_else(|| unsupported("it has no name"))?;
        for at in uses_of_import(ctx, &lex, d)? {
            let end = at + local.len();
            let found = lex.node(at as u32, end as u32);
            let kind = found.map_or("", |n| n.kind());
            let parent = found.and_then(|n| n.parent()).map_or("", |p| p.kind());
            if parent == "export_specifier" || kind == "shorthand_property_identifier_pattern" {
                return Err(refusal(Reason::Used, format!("`{local}` is re-exported or assigned")));
            }
            let new = match kind {
                "shorthand_property_identifier" => format!("{local}: {name}.{member}"),
                _ => format!("{name}.{member}"),
            };
            edits.push((at..end, new));
        }
    }
    let (before, after) = text_around(ctx, node, list);
    edits.push((node.byte_range(), format!("{before}* as {name}{after}")));
    Ok(edits)
}

//! `import * as m from 'm'`, or `import { a } from 'm'`.

use tree_sitter::Node;

use super::super::site::Site;
use super::super::{ActionRefusal, RefusalReason as Why, refusal};
use super::{Edits, Form, free, imported, shape, uses};
use crate::diagnose::ground::Ground;
use crate::facts::Site as Named;
use crate::origin::Origin;
use crate::rename::name_refused;
use crate::vocabulary::Flags;

pub(super) fn forms(text: &str) -> Vec<Form> {
    let head = text.trim_start_matches("import").trim_start().trim_start_matches("type ").trim();
    if head.starts_with('*') {
        vec![Form { choice: "named", title: "Import what is used by name", edits: named }]
    } else if head.starts_with('{') {
        vec![Form { choice: "namespace", title: "Import the module as a whole", edits: namespace }]
    } else {
        Vec::new()
    }
}

/// The part of an import before what it names, and after it.
fn around<'a>(site: &'a Site<'_>, node: Node<'_>, list: Node<'_>) -> (&'a str, &'a str) {
    let source = &site.source;
    (&source[node.start_byte()..list.start_byte()], &source[list.end_byte()..node.end_byte()])
}

fn below<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let clause = node.named_children(&mut cursor).find(|n| n.kind() == "import_clause")?;
    let mut cursor = clause.walk();
    clause.named_children(&mut cursor).find(|n| n.kind() == kind)
}

/// That a name is exported by a module of the workspace, under that name.
fn is_exported(site: &Site<'_>, at: usize, name: &str) -> Result<(), ActionRefusal> {
    let found = site.facts.site(at).map_or(Vec::new(), |s: Named| site.resolver.site(site.file, s));
    let sure = |f: &crate::resolve::Found| {
        let def = site.resolver.def(f.id);
        f.id.file != site.file
            && f.origin != Origin::UniqueName
            && f.id.def != 0
            && def.flags.has(Flags::EXPORTED)
    };
    match !found.is_empty() && found.iter().all(sure) {
        true => Ok(()),
        false => Err(refusal(Why::Unknown, format!("`{name}` is not known to be exported"))),
    }
}

fn named(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let list = below(node, "namespace_import").ok_or_else(|| shape("it names something else"))?;
    let name = list.named_child(0).ok_or_else(|| shape("it names nothing"))?;
    let d = imported(site, name.start_byte()).ok_or_else(|| shape("it names nothing"))?;
    let name = site.text(name).to_owned();
    let ground = Ground::of(site.place.syntax, &site.source);
    let mut names: Vec<String> = Vec::new();
    let mut edits = Edits::new();
    for at in uses(site, &ground, d)? {
        let whole = || refusal(Why::Used, "the module is used as a whole");
        let end = at + name.len();
        let rest = site.source[end..].strip_prefix('.').ok_or_else(whole)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let member: String = rest.chars().take_while(|c| is_word(*c)).collect();
        let node = ground.node(at as u32, end as u32);
        let jsx = node
            .and_then(|n| n.parent())
            .and_then(|p| p.parent())
            .is_some_and(|p| p.kind().starts_with("jsx"));
        if member.is_empty()
            || name_refused(&member, site.language).is_some()
            || jsx && member.starts_with(char::is_lowercase)
        {
            return Err(whole());
        }
        is_exported(site, end + 1, &member)?;
        edits.push((at..end + 1, String::new()));
        names.push(member);
    }
    names.sort_by_key(|n| n.to_lowercase());
    names.dedup();
    if names.is_empty() {
        return Err(refusal(Why::Nothing, "nothing of it is used"));
    }
    for name in &names {
        free(site, name)?;
    }
    let (before, after) = around(site, node, list);
    edits.push((node.byte_range(), format!("{before}{{ {} }}{after}", names.join(", "))));
    Ok(edits)
}

fn namespace(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let list = below(node, "named_imports").ok_or_else(|| shape("it names something else"))?;
    let mut cursor = node.walk();
    let alone = node.named_children(&mut cursor).find(|n| n.kind() == "import_clause");
    if alone.is_none_or(|clause| clause.named_child_count() != 1) {
        return Err(shape("it imports a default as well"));
    }
    let source = node.child_by_field_name("source").ok_or_else(|| shape("it names no module"))?;
    let path = site.text(source).trim_matches(['\'', '"']);
    let last = path.rsplit('/').find(|p| !p.is_empty() && *p != "index" && *p != "index.js");
    let last = last.unwrap_or("module").split('.').next().unwrap_or("module");
    let name = site.fresh_name(if last.is_empty() { "module" } else { last })?;
    let ground = Ground::of(site.place.syntax, &site.source);
    let mut edits = Edits::new();
    let mut cursor = list.walk();
    for item in list.named_children(&mut cursor) {
        let own = item.child_by_field_name("name").ok_or_else(|| shape("it names nothing"))?;
        let local = item.child_by_field_name("alias").unwrap_or(own);
        let (member, said) = (site.text(own), site.text(local));
        if member == "default" || !member.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(shape("it imports a default as well"));
        }
        is_exported(site, own.start_byte(), member)?;
        let d = imported(site, local.start_byte()).ok_or_else(|| shape("it names nothing"))?;
        for at in uses(site, &ground, d)? {
            let end = at + said.len();
            let found = ground.node(at as u32, end as u32);
            let kind = found.map_or("", |n| n.kind());
            let parent = found.and_then(|n| n.parent()).map_or("", |p| p.kind());
            if parent == "export_specifier" || kind == "shorthand_property_identifier_pattern" {
                return Err(refusal(Why::Used, format!("`{said}` is exported or written to")));
            }
            let new = match kind {
                "shorthand_property_identifier" => format!("{said}: {name}.{member}"),
                _ => format!("{name}.{member}"),
            };
            edits.push((at..end, new));
        }
    }
    let (before, after) = around(site, node, list);
    edits.push((node.byte_range(), format!("{before}* as {name}{after}")));
    Ok(edits)
}

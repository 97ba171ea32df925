//! `import a.b`, or `from a import b`.

use tree_sitter::Node;

use super::super::site::Site;
use super::super::unused_import::statement;
use super::super::{ActionRefusal, RefusalReason as Why, refusal};
use super::{Edits, Form, free, imported, shape, uses};
use crate::diagnose::Subject;
use crate::diagnose::by_text::ByText;
use crate::diagnose::ground::{Ground, Kind};
use crate::diagnose::unused_imports::is_used_elsewhere;
use crate::vocabulary::DefinitionKind;

pub(super) fn forms(node: Node<'_>, text: &str) -> Vec<Form> {
    let plain = !text.contains([',', '*', '(']) && !text.contains(" as ");
    let top = node.parent().is_some_and(|p| p.kind() == "module");
    match node.kind() {
        "import_statement" if plain && top && text.contains('.') => {
            vec![Form { choice: "from", title: "Import the module by its name", edits: from }]
        }
        "import_from_statement" if plain && top && !text.starts_with("from .") => {
            vec![Form { choice: "module", title: "Import the module by its path", edits: module }]
        }
        _ => Vec::new(),
    }
}

/// Whether other files get the name through this one.
fn is_shared(site: &Site<'_>, ground: Ground<'_>, name: &str) -> bool {
    let subject = Subject {
        index: site.index,
        file: site.file,
        path: site.index.project.path(site.file),
        facts: site.facts,
        language: site.language,
        ground,
        by_text: ByText::default(),
    };
    is_used_elsewhere(&subject, &site.resolver, name)
}

/// That a dotted path is a module of the workspace, and its last name nothing else of its package.
fn is_module(site: &Site<'_>, package: &str, name: &str) -> Result<(), ActionRefusal> {
    let whole = site.resolver.module_called(site.file, &format!("{package}.{name}"), 0);
    let around = site.resolver.module_called(site.file, package, 0);
    let file = |f: &crate::resolve::Found| f.id.def == 0;
    let unknown = || {
        let why = format!("`{package}.{name}` is not known to be a module and nothing else");
        refusal(Why::Unknown, why)
    };
    let ([one], [package]) = (&whole[..], &around[..]) else { return Err(unknown()) };
    if !file(one) || !file(package) {
        return Err(unknown());
    }
    let facts = site.resolver.facts(package.id.file);
    let named = facts.strings.find(name).map_or(&[][..], |number| facts.named(number));
    let other = named.iter().any(|&d| {
        let def = &facts.definitions[d as usize];
        def.scope == 0 && def.kind != DefinitionKind::Import
    });
    if other || !facts.globs.is_empty() { Err(unknown()) } else { Ok(()) }
}

fn from(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let path = node.named_child(0).ok_or_else(|| shape("it names no module"))?;
    let whole = site.text(path);
    let (package, name) = whole.rsplit_once('.').ok_or_else(|| shape("it is in no package"))?;
    is_module(site, package, name)?;
    free(site, name)?;
    let d = imported(site, path.start_byte()).ok_or_else(|| shape("it names nothing"))?;
    let ground = Ground::of(site.place.syntax, &site.source);
    let mut edits = vec![(node.byte_range(), format!("from {package} import {name}"))];
    for at in uses(site, &ground, d)? {
        let rest = &site.source[at..];
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        match rest.strip_prefix(whole) {
            Some(after) if ends(after) => edits.push((at..at + whole.len(), name.to_owned())),
            _ => return Err(refusal(Why::Used, "its package is used by itself")),
        }
    }
    let root = site.name_of(d);
    if is_shared(site, ground, root) {
        return Err(refusal(Why::Used, "another file gets it through this one"));
    }
    Ok(edits)
}

/// That a name is nothing in the file but a part of what imports say.
fn is_unnamed(site: &Site<'_>, ground: &Ground<'_>, name: &str) -> Result<(), ActionRefusal> {
    let defined = site.facts.strings.find(name).is_some_and(|n| !site.facts.named(n).is_empty());
    let other = |&at: &u32| {
        let within = ground.around(at, at + name.len() as u32).any(|n| statement(n).is_some());
        ground.kind(at) == Kind::Code && !ground.is_member(at) && !within
    };
    match defined || ground.places(name).iter().any(other) {
        true => free(site, name),
        false => Ok(()),
    }
}

fn module(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let field = |name| node.child_by_field_name(name).ok_or_else(|| shape("it names nothing"));
    let (package, name) = (site.text(field("module_name")?), field("name")?);
    let d = imported(site, name.start_byte()).ok_or_else(|| shape("it names nothing"))?;
    let name = site.text(name);
    is_module(site, package, name)?;
    let root = package.split('.').next().unwrap_or(package);
    let ground = Ground::of(site.place.syntax, &site.source);
    is_unnamed(site, &ground, root)?;
    let mut edits = vec![(node.byte_range(), format!("import {package}.{name}"))];
    for at in uses(site, &ground, d)? {
        edits.push((at..at + name.len(), format!("{package}.{name}")));
    }
    if is_shared(site, ground, name) {
        return Err(refusal(Why::Used, "another file gets it through this one"));
    }
    Ok(edits)
}

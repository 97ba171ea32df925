//! Rust: a module below the one that it leaves, which sees what that keeps to itself.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::needs::import_of;
use super::{Needs, Parts, Subject, line_below_imports, words};
use crate::actions::site::{Site, any, leaves, snake_case};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::origin::Origin;
use crate::project::{last, parent};
use crate::resolve::{DefId, Found};
use crate::vocabulary::DefinitionKind;

pub(super) fn file_name(site: &Site<'_>, subject: &Subject<'_>) -> Result<String, ActionRefusal> {
    let stem = snake_case(subject.name);
    let number = site.facts.strings.find(&stem);
    let taken = number.is_some_and(|n| !site.facts.in_scope(0, n).is_empty());
    if taken && stem != subject.name {
        return Err(refusal(Why::Conflict, format!("`{stem}` means something here already")));
    }
    if stem == subject.name && subject.declared.kind() != "function_item" {
        return Err(refusal(Why::Conflict, format!("the module would be called `{stem}`, too")));
    }
    Ok(format!("{stem}.rs"))
}

/// The folder of the modules below.
pub(super) fn folder(site: &Site<'_>) -> Result<String, ActionRefusal> {
    let own = site.resolver.path(site.file);
    let folder = parent(own);
    if matches!(last(own), "lib.rs" | "main.rs" | "mod.rs") {
        return Ok(folder.to_owned());
    }
    let (parents, _) = site.resolver.project().rust_parents(site.file);
    let stem = last(own).trim_end_matches(".rs");
    if parents.is_empty() {
        return Err(refusal(Why::Shape, "no other module declares this file"));
    }
    for file in parents {
        let facts = site.resolver.facts(file);
        let declares = |d: &crate::facts::Def| {
            d.kind == DefinitionKind::Module && facts.strings.text(d.name) == stem
        };
        if parent(site.resolver.path(file)) != folder
            && last(folder) != last(site.resolver.path(file)).trim_end_matches(".rs")
            || !facts.definitions.iter().any(declares)
            || facts.strings.find("path").is_some()
                && (site.place.text)(file).is_none_or(|t| t.slice(0..t.len()).contains("#[path"))
        {
            return Err(refusal(Why::Shape, "it is not certain where modules below this lie"));
        }
    }
    Ok(format!("{folder}/{stem}"))
}

pub(super) fn parts(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
    path: &str,
) -> Result<Parts, ActionRefusal> {
    let code = subject.code(site);
    for word in ["super", "self::", "$crate", "module_path!", "file!", "include", "macro_rules"] {
        if code.contains(word) {
            return Err(refusal(Why::Scope, format!("`{word}` means this module")));
        }
    }
    if subject.declared.kind() == "function_item" && subject.name == "main" {
        return Err(refusal(Why::Shape, "what a program begins with stays where it is"));
    }
    let attributes = &site.source[subject.span.start..subject.item.start_byte()];
    for word in ["test", "no_mangle", "proc_macro", "cfg", "bench", "panic_handler", "export_name"]
    {
        if attributes.lines().any(|l| l.trim_start().starts_with('#') && l.contains(word)) {
            let why = format!("`{word}` ties it to its place");
            return Err(refusal(Why::Shape, why));
        }
    }
    if site.source.contains("macro_rules!") {
        return Err(refusal(Why::Order, "the file defines macros, which are seen by their order"));
    }
    let (mut clear, mut globs) = (true, Vec::new());
    let root = site.place.syntax.root();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor).filter(|n| n.kind() == "use_declaration") {
        if any(node, &|n| n.kind() == "use_wildcard") {
            let text = site.text(node);
            clear &= !text.contains("self::") && !text.contains("super::");
            globs.push(node);
        }
    }
    if !clear {
        return Err(refusal(Why::Unknown, "the file takes in names without saying which"));
    }
    members_are_seen(site, subject)?;
    let marks = visibility(subject.declared).map(|n| site.text(n)).unwrap_or("");
    if marks.starts_with("pub(") && marks != "pub(crate)" {
        return Err(refusal(Why::Shape, format!("`{marks}` says something of its place")));
    }
    let mut lines: Vec<String> = Vec::new();
    for node in globs {
        lines.push(site.text(node).trim_start_matches("pub").trim().to_owned());
    }
    let traits = called_traits(site, subject);
    let also = traits.iter().filter(|d| !needs.imports.contains(d));
    for &d in needs.imports.iter().chain(also) {
        lines.push(use_of(site, d)?);
    }
    for &d in &needs.own {
        let def = site.def(d);
        if def.kind == DefinitionKind::Macro {
            return Err(refusal(Why::Scope, "it uses a macro of this file"));
        }
        lines.push(format!("use super::{};", site.name_of(d)));
    }
    lines.sort();
    lines.dedup();
    let module = last(path).trim_end_matches(".rs");
    let used = elsewhere(site, subject);
    let at = subject.declared.start_byte() - subject.span.start;
    let (word, code) = match marks {
        "" => ("", format!("{}pub(super) {}", &code[..at], &code[at..])),
        marks => (marks, code.to_owned()),
    };
    let mut added = format!("mod {module};");
    if used || !marks.is_empty() {
        let space = if word.is_empty() { "" } else { " " };
        added.push_str(&format!("{}{word}{space}use {module}::{};", site.line_end(), subject.name));
    }
    let kinds = ["use_declaration", "mod_item", "extern_crate_declaration"];
    let kinds: &[&str] = if attached_mod(site) { &kinds[..1] } else { &kinds };
    let old = vec![line_below_imports(site, kinds, &added)];
    Ok(Parts { head: lines.join("\n"), code, old, others: Vec::new() })
}

/// The imports of traits whose methods may be called there: nothing names them for that.
fn called_traits(site: &Site<'_>, subject: &Subject<'_>) -> Vec<u32> {
    let mut said = FxHashSet::default();
    leaves(subject.item, &mut |leaf| {
        if leaf.kind().ends_with("identifier") {
            said.insert(site.text(leaf));
        }
    });
    let calls = any(subject.item, &|n| {
        n.kind() == "call_expression"
            && n.child_by_field_name("function").is_some_and(|f| f.kind() == "field_expression")
            || n.kind() == "macro_invocation"
    });
    let all = site.facts.definitions.iter().enumerate();
    let imports = all.filter(|(_, def)| {
        def.scope == 0 && def.kind == DefinitionKind::Import && def.name_start < def.name_end
    });
    let is_called = |d: u32| {
        let id = DefId { file: site.file, def: d };
        let found = site.resolver.follow(Found { id, origin: Origin::SameFile });
        let known = found.iter().filter(|f| f.id.def != 0);
        let known: Vec<DefId> = known
            .map(|f| f.id)
            .filter(|id| site.resolver.def(*id).kind != DefinitionKind::Import)
            .collect();
        if known.is_empty() {
            // It may be one where nothing in the code names it.
            let name = site.name_of(d);
            let mut named = 0;
            leaves(site.place.syntax.root(), &mut |leaf| {
                let comment = leaf.kind().ends_with("comment") || leaf.kind().starts_with("doc_");
                named += usize::from(!comment && words(site.text(leaf), name).next().is_some());
            });
            return calls && named < 2;
        }
        known.into_iter().any(|id| {
            let def = site.resolver.def(id);
            let facts = site.resolver.facts(id.file);
            let members = facts.all_in_scope(def.body).iter();
            def.kind == DefinitionKind::Trait
                && members
                    .map(|m| facts.strings.text(facts.definitions[*m as usize].name))
                    .any(|name| said.contains(name))
        })
    };
    imports.map(|(d, _)| d as u32).filter(|d| is_called(*d)).collect()
}

/// Whether a module is written out in this file, among its imports.
fn attached_mod(site: &Site<'_>) -> bool {
    let root = site.place.syntax.root();
    let mut cursor = root.walk();
    let mut all = root.named_children(&mut cursor);
    all.any(|n| n.kind() == "mod_item" && n.child_by_field_name("body").is_some())
}

fn visibility(declared: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = declared.walk();
    declared.named_children(&mut cursor).find(|n| n.kind() == "visibility_modifier")
}

/// Whether anything else names it.
fn elsewhere(site: &Site<'_>, subject: &Subject<'_>) -> bool {
    let own: FxHashSet<DefId> = [DefId { file: site.file, def: subject.def }].into_iter().collect();
    let outside = |t: &crate::origin::Target| {
        t.file != site.file || !subject.span.contains(&t.name_span.start)
    };
    site.resolver.uses(&own).iter().any(outside)
        || words(&site.source, subject.name).any(|at| !subject.span.contains(&at))
}

/// The module above must not need what only the new one sees.
fn members_are_seen(site: &Site<'_>, subject: &Subject<'_>) -> Result<(), ActionRefusal> {
    if !matches!(subject.declared.kind(), "struct_item" | "union_item") {
        return Ok(());
    }
    let mut private = None;
    let mut stack = vec![subject.declared];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "field_declaration" if visibility(node).is_none() => {
                let name = node.child_by_field_name("name").map_or("", |n| site.text(n));
                private = Some(name.to_owned());
            }
            "ordered_field_declaration_list" if !site.text(node).contains("pub") => {
                private = Some("0".to_owned());
            }
            _ => {
                let mut cursor = node.walk();
                stack.extend(node.named_children(&mut cursor));
            }
        }
    }
    match private {
        None => Ok(()),
        Some(name) => {
            let why = format!("its field `{name}` is private to this module");
            Err(refusal(Why::Scope, why))
        }
    }
}

/// The `use` of one name.
fn use_of(site: &Site<'_>, d: u32) -> Result<String, ActionRefusal> {
    let around = import_of(site, d)?;
    let name = site.name_of(d);
    let unsure = |why: &str| refusal(Why::Shape, format!("`{name}`: {why}"));
    let root = site.place.syntax.root();
    if around.parent().is_none_or(|p| p.id() != root.id())
        || around.prev_sibling().is_some_and(|p| p.kind() == "attribute_item")
    {
        return Err(unsure("it is imported only under a condition"));
    }
    let at = site.def(d).name_start as usize;
    let leaf = root.descendant_for_byte_range(at, at).ok_or_else(|| unsure("it is not plain"))?;
    let mut path = String::new();
    let mut node = leaf;
    let mut first = true;
    while node.id() != around.id() {
        let Some(up) = node.parent() else { break };
        match up.kind() {
            "scoped_identifier" | "use_as_clause" => path = site.text(up).to_owned(),
            "scoped_use_list" => {
                let head = up.child_by_field_name("path").map_or("", |p| site.text(p));
                let own = if first && path.is_empty() { site.text(leaf) } else { &path };
                path = match own {
                    "self" => head.to_owned(),
                    own => format!("{head}::{own}"),
                };
            }
            "use_list" if path.is_empty() => path = site.text(node).to_owned(),
            _ => {}
        }
        first = false;
        node = up;
    }
    if path.is_empty() {
        path = site.text(leaf).to_owned();
    }
    let path = path.replace("::self as", " as");
    let root_name = path.split("::").next().unwrap_or("").split(' ').next().unwrap_or("");
    let rest = path.split_once("::").map_or("", |(_, r)| r);
    Ok(match root_name {
        "self" => format!("use super::{rest};"),
        "super" => format!("use super::{path};"),
        "crate" | "std" | "core" | "alloc" => format!("use {path};"),
        word => {
            // A name of this module may be meant, not a crate.
            let number = site.facts.strings.find(word);
            let own = number.map_or(&[][..], |n| site.facts.in_scope(0, n));
            let other = |o: &&u32| site.def(**o).kind != DefinitionKind::Import || **o != d;
            match own.iter().any(|o| other(&o)) {
                true => format!("use super::{path};"),
                false => format!("use {path};"),
            }
        }
    })
}

//! Rust: moves a definition to a child module, which sees the private items of its parent.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::dependencies::import_of;
use super::{Dependencies, MovePlan, MovedItem, line_below_imports, word_offsets};
use crate::actions::context::{ActionContext, any_descendant, snake_case, visit_leaves};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::origin::Origin;
use crate::project::{last, parent};
use crate::resolve::{DefId, Resolution};
use crate::vocabulary::DefinitionKind;

pub(super) fn file_name(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
) -> Result<String, ActionRefusal> {
    let stem = snake_case(item.name);
    let number = ctx.facts.strings.find(&stem);
    let is_defined = number.is_some_and(|n| !ctx.facts.definitions_in_scope(0, n).is_empty());
    if is_defined && stem != item.name {
        return Err(refusal(Reason::Conflict, format!("`{stem}` is already defined here")));
    }
    if stem == item.name && item.declared.kind() != "function_item" {
        return Err(refusal(Reason::Conflict, format!("the module would also be named `{stem}`")));
    }
    Ok(format!("{stem}.rs"))
}

/// The folder of the file's child modules.
pub(super) fn folder(ctx: &ActionContext<'_>) -> Result<String, ActionRefusal> {
    let own = ctx.resolver.path(ctx.file);
    let folder = parent(own);
    if matches!(last(own), "lib.rs" | "main.rs" | "mod.rs") {
        return Ok(folder.to_owned());
    }
    let (parents, _) = ctx.resolver.project().rust_parents(ctx.file);
    let stem = last(own).trim_end_matches(".rs");
    if parents.is_empty() {
        return Err(refusal(Reason::Unsupported, "no module declares this file"));
    }
    for file in parents {
        let facts = ctx.resolver.facts(file);
        let declares = |d: &crate::facts::Def| {
            d.kind == DefinitionKind::Module && facts.strings.text(d.name) == stem
        };
        if parent(ctx.resolver.path(file)) != folder
            && last(folder) != last(ctx.resolver.path(file)).trim_end_matches(".rs")
            || !facts.definitions.iter().any(declares)
            || facts.strings.find("path").is_some()
                && (ctx.request.text)(file).is_none_or(|t| t.slice(0..t.len()).contains("#[path"))
        {
            return Err(refusal(Reason::Unsupported, "the folder of child modules is uncertain"));
        }
    }
    Ok(format!("{folder}/{stem}"))
}

pub(super) fn plan(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
    path: &str,
) -> Result<MovePlan, ActionRefusal> {
    let code = item.code(ctx);
    for word in ["super", "self::", "$crate", "module_path!", "file!", "include", "macro_rules"] {
        if code.contains(word) {
            return Err(refusal(Reason::Scope, format!("`{word}` refers to this module")));
        }
    }
    if item.declared.kind() == "function_item" && item.name == "main" {
        return Err(refusal(Reason::Unsupported, "an entry point cannot be moved"));
    }
    let attributes = &ctx.source[item.span.start..item.node.start_byte()];
    for word in ["test", "no_mangle", "proc_macro", "cfg", "bench", "panic_handler", "export_name"]
    {
        if attributes.lines().any(|l| l.trim_start().starts_with('#') && l.contains(word)) {
            let why = format!("its attribute `{word}` depends on its place");
            return Err(refusal(Reason::Unsupported, why));
        }
    }
    if ctx.source.contains("macro_rules!") {
        return Err(refusal(
            Reason::Order,
            "the file defines macros, whose scope depends on their order",
        ));
    }
    let (mut clear, mut globs) = (true, Vec::new());
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor).filter(|n| n.kind() == "use_declaration") {
        if any_descendant(node, &|n| n.kind() == "use_wildcard") {
            let text = ctx.text(node);
            clear &= !text.contains("self::") && !text.contains("super::");
            globs.push(node);
        }
    }
    if !clear {
        return Err(refusal(
            Reason::Unknown,
            "the file has a glob import of a module of this crate",
        ));
    }
    check_fields_visible(ctx, item)?;
    let visibility_text = visibility(item.declared).map(|n| ctx.text(n)).unwrap_or("");
    if visibility_text.starts_with("pub(") && visibility_text != "pub(crate)" {
        return Err(refusal(
            Reason::Unsupported,
            format!("the visibility `{visibility_text}` depends on its place"),
        ));
    }
    let mut lines: Vec<String> = Vec::new();
    for node in globs {
        lines.push(ctx.text(node).trim_start_matches("pub").trim().to_owned());
    }
    let traits = called_traits(ctx, item);
    let also = traits.iter().filter(|d| !dependencies.imports.contains(d));
    for &d in dependencies.imports.iter().chain(also) {
        lines.push(use_declaration(ctx, d)?);
    }
    for &d in &dependencies.own {
        let def = ctx.def(d);
        if def.kind == DefinitionKind::Macro {
            return Err(refusal(Reason::Scope, "it uses a macro of this file"));
        }
        lines.push(format!("use super::{};", ctx.name_of(d)));
    }
    lines.sort();
    lines.dedup();
    let module = last(path).trim_end_matches(".rs");
    let used = is_named_elsewhere(ctx, item);
    let at = item.declared.start_byte() - item.span.start;
    let (word, code) = match visibility_text {
        "" => ("", format!("{}pub(super) {}", &code[..at], &code[at..])),
        visibility_text => (visibility_text, code.to_owned()),
    };
    let mut added = format!("mod {module};");
    if used || !visibility_text.is_empty() {
        let space = if word.is_empty() { "" } else { " " };
        added.push_str(&format!("{}{word}{space}use {module}::{};", ctx.line_end(), item.name));
    }
    let kinds = ["use_declaration", "mod_item", "extern_crate_declaration"];
    let kinds: &[&str] = if has_inline_module(ctx) { &kinds[..1] } else { &kinds };
    let old = vec![line_below_imports(ctx, kinds, &added)];
    Ok(MovePlan { head: lines.join("\n"), code, old, others: Vec::new() })
}

/// The imports of traits whose methods the code may call; no name in the code refers to them.
fn called_traits(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> Vec<u32> {
    let mut mentioned = FxHashSet::default();
    visit_leaves(item.node, &mut |leaf| {
        if leaf.kind().ends_with("identifier") {
            mentioned.insert(ctx.text(leaf));
        }
    });
    let calls = any_descendant(item.node, &|n| {
        n.kind() == "call_expression"
            && n.child_by_field_name("function").is_some_and(|f| f.kind() == "field_expression")
            || n.kind() == "macro_invocation"
    });
    let all = ctx.facts.definitions.iter().enumerate();
    let imports = all.filter(|(_, def)| {
        def.scope == 0 && def.kind == DefinitionKind::Import && def.name_start < def.name_end
    });
    let is_called = |d: u32| {
        let id = DefId { file: ctx.file, def: d };
        let found = ctx.resolver.follow_import(Resolution { id, origin: Origin::SameFile });
        let known = found.iter().filter(|f| f.id.def != 0);
        let known: Vec<DefId> = known
            .map(|f| f.id)
            .filter(|id| ctx.resolver.def(*id).kind != DefinitionKind::Import)
            .collect();
        if known.is_empty() {
            // The trait is unknown. Assume that it is used for its methods if nothing else names
            // it.
            let name = ctx.name_of(d);
            let mut named = 0;
            visit_leaves(ctx.request.syntax.root(), &mut |leaf| {
                let comment = leaf.kind().ends_with("comment") || leaf.kind().starts_with("doc_");
                named +=
                    usize::from(!comment && word_offsets(ctx.text(leaf), name).next().is_some());
            });
            return calls && named < 2;
        }
        known.into_iter().any(|id| {
            let def = ctx.resolver.def(id);
            let facts = ctx.resolver.facts(id.file);
            let members = facts.all_in_scope(def.body).iter();
            def.kind == DefinitionKind::Trait
                && members
                    .map(|m| facts.strings.text(facts.definitions[*m as usize].name))
                    .any(|name| mentioned.contains(name))
        })
    };
    imports.map(|(d, _)| d as u32).filter(|d| is_called(*d)).collect()
}

/// Whether the file contains an inline module among its imports.
fn has_inline_module(ctx: &ActionContext<'_>) -> bool {
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    let mut all = root.named_children(&mut cursor);
    all.any(|n| n.kind() == "mod_item" && n.child_by_field_name("body").is_some())
}

fn visibility(declared: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = declared.walk();
    declared.named_children(&mut cursor).find(|n| n.kind() == "visibility_modifier")
}

/// Whether anything else names it.
fn is_named_elsewhere(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> bool {
    let own: FxHashSet<DefId> = [DefId { file: ctx.file, def: item.def }].into_iter().collect();
    let outside =
        |t: &crate::origin::Target| t.file != ctx.file || !item.span.contains(&t.name_span.start);
    ctx.resolver.find_uses(&own).iter().any(outside)
        || word_offsets(&ctx.source, item.name).any(|at| !item.span.contains(&at))
}

/// Checks that the parent module does not lose access to private fields.
fn check_fields_visible(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
) -> Result<(), ActionRefusal> {
    if !matches!(item.declared.kind(), "struct_item" | "union_item") {
        return Ok(());
    }
    let mut private = None;
    let mut stack = vec![item.declared];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "field_declaration" if visibility(node).is_none() => {
                let name = node.child_by_field_name("name").map_or("", |n| ctx.text(n));
                private = Some(name.to_owned());
            }
            "ordered_field_declaration_list" if !ctx.text(node).contains("pub") => {
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
            Err(refusal(Reason::Scope, why))
        }
    }
}

/// The `use` declaration of one imported name, as seen from the child module.
fn use_declaration(ctx: &ActionContext<'_>, d: u32) -> Result<String, ActionRefusal> {
    let around = import_of(ctx, d)?;
    let name = ctx.name_of(d);
    let unsure = |why: &str| refusal(Reason::Unsupported, format!("`{name}`: {why}"));
    let root = ctx.request.syntax.root();
    if around.parent().is_none_or(|p| p.id() != root.id())
        || around.prev_sibling().is_some_and(|p| p.kind() == "attribute_item")
    {
        return Err(unsure("it is imported conditionally"));
    }
    let at = ctx.def(d).name_start as usize;
    let leaf = root.descendant_for_byte_range(at, at).ok_or_else(|| unsure("it is not plain"))?;
    let mut path = String::new();
    let mut node = leaf;
    let mut first = true;
    while node.id() != around.id() {
        let Some(up) = node.parent() else { break };
        match up.kind() {
            "scoped_identifier" | "use_as_clause" => path = ctx.text(up).to_owned(),
            "scoped_use_list" => {
                let head = up.child_by_field_name("path").map_or("", |p| ctx.text(p));
                let own = if first && path.is_empty() { ctx.text(leaf) } else { &path };
                path = match own {
                    "self" => head.to_owned(),
                    own => format!("{head}::{own}"),
                };
            }
            "use_list" if path.is_empty() => path = ctx.text(node).to_owned(),
            _ => {}
        }
        first = false;
        node = up;
    }
    if path.is_empty() {
        path = ctx.text(leaf).to_owned();
    }
    let path = path.replace("::self as", " as");
    let root_name = path.split("::").next().unwrap_or("").split(' ').next().unwrap_or("");
    let rest = path.split_once("::").map_or("", |(_, r)| r);
    Ok(match root_name {
        "self" => format!("use super::{rest};"),
        "super" => format!("use super::{path};"),
        "crate" | "std" | "core" | "alloc" => format!("use {path};"),
        word => {
            // The first component may be a name of this module instead of a crate.
            let number = ctx.facts.strings.find(word);
            let own = number.map_or(&[][..], |n| ctx.facts.definitions_in_scope(0, n));
            let other = |o: &&u32| ctx.def(**o).kind != DefinitionKind::Import || **o != d;
            match own.iter().any(|o| other(&o)) {
                true => format!("use super::{path};"),
                false => format!("use {path};"),
            }
        }
    })
}

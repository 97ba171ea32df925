//! JavaScript and TypeScript: moves a definition to a new module in the same folder.

use super::dependencies::{import_item, import_of};
use super::users::Users;
use super::{
    Dependencies, MovePlan, MovedItem, line_below_imports, remove_unused_imports, word_offsets,
};
use crate::actions::context::{ActionContext, any_descendant, visit_leaves, words as parts_of};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::facts::ReferenceRole;
use crate::project::last;
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Flags};

/// The name of the new file, in the naming style of the folder.
pub(super) fn file_name(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
) -> Result<String, ActionRefusal> {
    let own = last(ctx.resolver.path(ctx.file));
    if own.ends_with(".d.ts") || own.contains(".d.") {
        return Err(refusal(Reason::Unsupported, "declaration files are not supported"));
    }
    let Some((_, ending)) = own.rsplit_once('.') else {
        return Err(refusal(Reason::Unsupported, "the file has no extension"));
    };
    if !matches!(ending, "ts" | "tsx" | "js" | "jsx" | "mts" | "mjs") {
        return Err(refusal(Reason::Unsupported, format!("`.{ending}` files are not supported")));
    }
    let folder = ctx.resolver.folder(ctx.file);
    let beside = ctx.resolver.project().in_folder(folder).iter();
    let stems: Vec<&str> = beside
        .map(|f| last(ctx.resolver.path(*f)).split('.').next().unwrap_or(""))
        .filter(|s| *s != "index")
        .collect();
    let count = |holds: &dyn Fn(&str) -> bool| stems.iter().filter(|s| holds(s)).count();
    let kebab = count(&|s| s.contains('-'));
    let snake = count(&|s| s.trim_start_matches('_').contains('_'));
    let camel = count(&|s| s.chars().any(char::is_uppercase));
    let upper = count(&|s| s.starts_with(char::is_uppercase));
    let all = parts_of(item.name);
    let first_upper = item.name.starts_with(char::is_uppercase);
    let stem = if kebab > camel.max(snake) {
        all.join("-")
    } else if snake > camel {
        all.join("_")
    } else if first_upper && upper == 0 && !item.name.contains('_') {
        let mut chars = item.name.chars();
        chars.next().map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
    } else {
        item.name.to_owned()
    };
    if stem.is_empty() || matches!(&*stem, "index") {
        return Err(refusal(Reason::Conflict, "its file name would be the folder's index file"));
    }
    Ok(format!("{stem}.{ending}"))
}

pub(super) fn plan(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
    path: &str,
) -> Result<MovePlan, ActionRefusal> {
    let root = ctx.request.syntax.root();
    let shape = |why: String| refusal(Reason::Unsupported, why);
    let mut cursor = root.walk();
    let modular = root
        .named_children(&mut cursor)
        .any(|n| matches!(n.kind(), "import_statement" | "export_statement"));
    let loads = |word: &str| word_offsets(&ctx.source, word).next().is_some();
    if !modular || loads("module") && ctx.source.contains("module.exports") {
        return Err(shape("the file is not an ES module".into()));
    }
    let exported = item.node.kind() == "export_statement";
    if exported && ctx.text(item.node).starts_with("export default")
        || any_descendant(item.node, &|n| n.kind() == "decorator")
    {
        return Err(shape("default exports and decorated definitions are not supported".into()));
    }
    for word in ["__dirname", "__filename", "import.meta", "require", "arguments.callee"] {
        if item.code(ctx).contains(word) {
            return Err(refusal(Reason::Scope, format!("`{word}` refers to this module")));
        }
    }
    let is_type =
        matches!(item.declared.kind(), "interface_declaration" | "type_alias_declaration");
    if item.declared.kind() == "lexical_declaration" {
        let text = ctx.text(item.declared);
        if !text.starts_with("const") {
            return Err(refusal(Reason::Assigned, "it may be reassigned is_named_elsewhere"));
        }
        let value = item.declared.named_child(0).and_then(|n| n.child_by_field_name("value"));
        let lazy =
            value.is_some_and(|v| matches!(v.kind(), "arrow_function" | "function_expression"));
        if !lazy && value.is_none_or(|v| ctx.has_effects(v)) {
            let why = "its value is computed when the module is loaded";
            return Err(refusal(Reason::Order, why));
        }
    }
    let typed =
        |d: u32| matches!(ctx.def(d).kind, DefinitionKind::Interface | DefinitionKind::TypeAlias);
    let grammar = ctx.grammar;
    for &d in &dependencies.own {
        let (name, def) = (ctx.name_of(d), ctx.def(d));
        let id = DefId { file: ctx.file, def: d };
        let visible =
            def.flags.has(Flags::EXPORTED) && ctx.resolver.is_exported_by((ctx.file, 0), name, id);
        if !visible || is_default(ctx, d) {
            let why = format!("it needs `{name}`, which this file does not export under that name");
            return Err(refusal(Reason::Scope, why));
        }
        if grammar.is_some() && !ctx.write_positions(item.node, name).is_empty() {
            return Err(refusal(Reason::Assigned, format!("it assigns `{name}` of this file")));
        }
    }
    let extension = import_extension(ctx);
    let own = ctx.resolver.path(ctx.file);
    let new_module_path = |name: &str| {
        let (before, end) = name.rsplit_once('/')?;
        let own_stem = stem(own);
        let ending = end.strip_prefix(own_stem)?;
        let plain = ending.is_empty() || ending.starts_with('.');
        (name.starts_with('.') && plain).then(|| format!("{before}/{}{ending}", stem(path)))
    };
    let cycle = || {
        let why = format!(
            "this file still dependencies `{}`, which dependencies `{}` from it: an import cycle",
            item.name,
            dependencies.own.iter().next().map_or("", |d| ctx.name_of(*d)),
        );
        refusal(Reason::Order, why)
    };
    let here = is_named_elsewhere(ctx, item);
    let erased = is_type || dependencies.own.iter().all(|d| typed(*d));
    if here && !erased {
        return Err(cycle());
    }
    let users = Users::find(ctx, item, !erased, &new_module_path)?;
    if users.remain && !erased {
        return Err(cycle());
    }
    let style = ImportStyle::of_file(ctx);
    let new = format!("./{}{extension}", stem(path));
    let word = if is_type && ctx.language != "javascript" { "type " } else { "" };
    let mut old = remove_unused_imports(ctx, item, dependencies, &|name| users.may_see(name))
        .unwrap_or_default();
    let mut lines = Vec::new();
    if here {
        lines.push(style.line(&format!("import {word}"), item.name, &new));
    }
    if users.remain {
        lines.push(style.line(&format!("export {word}"), item.name, &new));
    }
    if !lines.is_empty() {
        let line = lines.join(ctx.line_end());
        old.push(line_below_imports(ctx, &["import_statement"], &line));
    }
    let mut head = imports(ctx, dependencies, &style)?;
    let module = format!("./{}{extension}", stem(own));
    for only_types in [false, true] {
        let names: std::collections::BTreeSet<&str> = dependencies
            .own
            .iter()
            .filter(|d| typed(**d) == only_types)
            .map(|d| ctx.name_of(*d))
            .collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let word = if only_types { "import type " } else { "import " };
            head.push_str(&format!("{}\n", style.line(word, &names, &module)));
        }
    }
    let code = item.code(ctx);
    let at = item.node.start_byte() - item.span.start;
    let code = match exported {
        true => code.to_owned(),
        false => format!("{}export {}", &code[..at], &code[at..]),
    };
    Ok(MovePlan { head, code, old, others: users.edits })
}

fn stem(path: &str) -> &str {
    last(path).rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Whether a definition is the default export.
fn is_default(ctx: &ActionContext<'_>, d: u32) -> bool {
    let at = ctx.def(d).name_start as usize;
    let node = ctx.request.syntax.root().descendant_for_byte_range(at, at);
    let around = std::iter::successors(node, tree_sitter::Node::parent)
        .find(|n| n.kind() == "export_statement");
    around.is_some_and(|n| ctx.text(n).starts_with("export default"))
}

/// Whether the rest of the file's code names it.
fn is_named_elsewhere(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> bool {
    let mut found = false;
    visit_leaves(ctx.request.syntax.root(), &mut |leaf| {
        let outside = !item.span.contains(&leaf.start_byte());
        let name = leaf.kind().ends_with("identifier") && leaf.kind() != "property_identifier";
        found |= outside && name && ctx.text(leaf) == item.name;
    });
    found
}

/// The extension that imports of neighbouring modules are written with; empty if none.
fn import_extension(ctx: &ActionContext<'_>) -> String {
    let folder = ctx.resolver.folder(ctx.file);
    let own = std::iter::once(&ctx.file);
    for file in own.chain(ctx.resolver.project().in_folder(folder)) {
        let facts = match *file == ctx.file {
            true => ctx.facts,
            false => ctx.resolver.facts(*file),
        };
        for r in facts.references.iter().filter(|r| r.role == ReferenceRole::Root) {
            let Some((name, _)) = facts.module_of_value(r.receiver) else { continue };
            if !name.starts_with("./") && !name.starts_with("../") {
                continue;
            }
            let endings = [".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts"];
            let own = last(ctx.resolver.path(ctx.file)).rsplit('.').next().unwrap_or("");
            return match endings.iter().find(|e| name.ends_with(**e)) {
                Some(&(".ts" | ".tsx" | ".mts")) => format!(".{own}"),
                Some(&".mjs") => ".mjs".to_owned(),
                Some(_) => if own == "jsx" { ".jsx" } else { ".js" }.to_owned(),
                None => String::new(),
            };
        }
    }
    String::new()
}

/// The style of import statements in the file.
struct ImportStyle {
    quote: char,
    end: &'static str,
    brace_padding: &'static str,
}

impl ImportStyle {
    fn of_file(ctx: &ActionContext<'_>) -> Self {
        let root = ctx.request.syntax.root();
        let mut cursor = root.walk();
        let all: Vec<_> = root.named_children(&mut cursor).collect();
        let import = all.iter().find(|n| n.kind() == "import_statement").map(|n| ctx.text(*n));
        let single = match import {
            Some(import) => import.contains('\''),
            None => ctx.source.matches('\'').count() > ctx.source.matches('"').count(),
        };
        let ends = match import {
            Some(import) => import.ends_with(';'),
            None => ctx.source.contains(";\n") || ctx.source.contains(";\r"),
        };
        let tight =
            import.is_some_and(|i| i.contains('{') && !i.contains("{ ") && !i.contains("{\n"));
        Self {
            quote: if single { '\'' } else { '"' },
            end: if ends { ";" } else { "" },
            brace_padding: if tight { "" } else { " " },
        }
    }

    fn line(&self, word: &str, names: &str, module: &str) -> String {
        let Self { quote, end, brace_padding } = self;
        format!("{word}{{{brace_padding}{names}{brace_padding}}} from {quote}{module}{quote}{end}")
    }
}

/// The imports that it needs, in the form that the file uses.
fn imports(
    ctx: &ActionContext<'_>,
    dependencies: &Dependencies,
    style: &ImportStyle,
) -> Result<String, ActionRefusal> {
    let mut all: Vec<(usize, Vec<String>, Vec<String>)> = Vec::new();
    for &d in &dependencies.imports {
        let around = import_of(ctx, d)?;
        let name = ctx.name_of(d);
        let unsure = || {
            let why = format!("the import of `{name}` is not supported");
            refusal(Reason::Unsupported, why)
        };
        let root = ctx.request.syntax.root();
        around.child_by_field_name("source").ok_or_else(unsure)?;
        if around.parent().is_none_or(|p| p.id() != root.id()) {
            return Err(unsure());
        }
        let named = import_item(ctx, d, &["import_specifier"]);
        let other = import_item(ctx, d, &["namespace_import"]);
        let entry = match all.iter_mut().position(|(at, ..)| *at == around.start_byte()) {
            Some(at) => &mut all[at],
            None => {
                all.push((around.start_byte(), Vec::new(), Vec::new()));
                let last = all.len() - 1;
                &mut all[last]
            }
        };
        match (named, other) {
            (Some(item), _) => entry.2.push(ctx.text(item).to_owned()),
            (None, Some(item)) => entry.1.push(ctx.text(item).to_owned()),
            (None, None) => entry.1.insert(0, name.to_owned()),
        }
    }
    all.sort();
    let mut head = String::new();
    for (at, others, mut named) in all {
        let root = ctx.request.syntax.root();
        let node = root.descendant_for_byte_range(at, at);
        let around = node.and_then(crate::actions::unused_import::import_statement);
        let around =
            around.ok_or_else(|| refusal(Reason::Unsupported, "an import is not supported"))?;
        let word = match around.child(1).is_some_and(|n| n.kind() == "type") {
            true => "import type ",
            false => "import ",
        };
        let source = around.child_by_field_name("source");
        let rest = source.map_or("", |s| &ctx.source[s.start_byte()..around.end_byte()]);
        named.sort();
        let mut clause = others;
        if !named.is_empty() {
            let brace_padding = style.brace_padding;
            clause.push(format!("{{{brace_padding}{}{brace_padding}}}", named.join(", ")));
        }
        head.push_str(&format!("{word}{} from {rest}\n", clause.join(", ")));
    }
    Ok(head)
}

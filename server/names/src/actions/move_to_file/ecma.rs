//! JavaScript and TypeScript: a module of its own beside the old one.

use super::needs::{import_of, item_of};
use super::users::Users;
use super::{Needs, Parts, Subject, dropped, line_below_imports, words};
use crate::actions::site::{Site, any, leaves, words as parts_of};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::facts::Role;
use crate::project::last;
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Flags};

/// The name of the new file, as those beside it are written.
pub(super) fn file_name(site: &Site<'_>, subject: &Subject<'_>) -> Result<String, ActionRefusal> {
    let own = last(site.resolver.path(site.file));
    if own.ends_with(".d.ts") || own.contains(".d.") {
        return Err(refusal(Why::Shape, "declarations without code are not moved"));
    }
    let Some((_, ending)) = own.rsplit_once('.') else {
        return Err(refusal(Why::Shape, "the file has no ending"));
    };
    if !matches!(ending, "ts" | "tsx" | "js" | "jsx" | "mts" | "mjs") {
        return Err(refusal(Why::Shape, format!("`.{ending}` is not a plain module")));
    }
    let folder = site.resolver.folder(site.file);
    let beside = site.resolver.project().in_folder(folder).iter();
    let stems: Vec<&str> = beside
        .map(|f| last(site.resolver.path(*f)).split('.').next().unwrap_or(""))
        .filter(|s| *s != "index")
        .collect();
    let count = |holds: &dyn Fn(&str) -> bool| stems.iter().filter(|s| holds(s)).count();
    let kebab = count(&|s| s.contains('-'));
    let snake = count(&|s| s.trim_start_matches('_').contains('_'));
    let camel = count(&|s| s.chars().any(char::is_uppercase));
    let upper = count(&|s| s.starts_with(char::is_uppercase));
    let all = parts_of(subject.name);
    let first_upper = subject.name.starts_with(char::is_uppercase);
    let stem = if kebab > camel.max(snake) {
        all.join("-")
    } else if snake > camel {
        all.join("_")
    } else if first_upper && upper == 0 && !subject.name.contains('_') {
        let mut chars = subject.name.chars();
        chars.next().map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
    } else {
        subject.name.to_owned()
    };
    if stem.is_empty() || matches!(&*stem, "index") {
        return Err(refusal(Why::Conflict, "a file of its name would stand for the folder"));
    }
    Ok(format!("{stem}.{ending}"))
}

pub(super) fn parts(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
    path: &str,
) -> Result<Parts, ActionRefusal> {
    let root = site.place.syntax.root();
    let shape = |why: String| refusal(Why::Shape, why);
    let mut cursor = root.walk();
    let modular = root
        .named_children(&mut cursor)
        .any(|n| matches!(n.kind(), "import_statement" | "export_statement"));
    let loads = |word: &str| words(&site.source, word).next().is_some();
    if !modular || loads("module") && site.source.contains("module.exports") {
        return Err(shape("the file is not a module that imports and exports".into()));
    }
    let exported = subject.item.kind() == "export_statement";
    if exported && site.text(subject.item).starts_with("export default")
        || any(subject.item, &|n| n.kind() == "decorator")
    {
        return Err(shape("a default export, or what is decorated, is not moved".into()));
    }
    for word in ["__dirname", "__filename", "import.meta", "require", "arguments.callee"] {
        if subject.code(site).contains(word) {
            return Err(refusal(Why::Scope, format!("`{word}` means this module")));
        }
    }
    let is_type =
        matches!(subject.declared.kind(), "interface_declaration" | "type_alias_declaration");
    if subject.declared.kind() == "lexical_declaration" {
        let text = site.text(subject.declared);
        if !text.starts_with("const") {
            return Err(refusal(Why::Assigned, "it may be written to from outside"));
        }
        let value = subject.declared.named_child(0).and_then(|n| n.child_by_field_name("value"));
        let lazy =
            value.is_some_and(|v| matches!(v.kind(), "arrow_function" | "function_expression"));
        if !lazy && value.is_none_or(|v| site.has_effects(v)) {
            let why = "what it is set to is worked out when the module is loaded";
            return Err(refusal(Why::Order, why));
        }
    }
    let typed =
        |d: u32| matches!(site.def(d).kind, DefinitionKind::Interface | DefinitionKind::TypeAlias);
    let grammar = site.grammar;
    for &d in &needs.own {
        let (name, def) = (site.name_of(d), site.def(d));
        let id = DefId { file: site.file, def: d };
        let visible = def.flags.has(Flags::EXPORTED)
            && site.resolver.is_exported_by((site.file, 0), name, id);
        if !visible || is_default(site, d) {
            let why = format!("it needs `{name}`, which this file does not export by its name");
            return Err(refusal(Why::Scope, why));
        }
        if grammar.is_some() && !site.writes(subject.item, name).is_empty() {
            return Err(refusal(Why::Assigned, format!("it writes to `{name}` of this file")));
        }
    }
    let habit = ending_habit(site);
    let own = site.resolver.path(site.file);
    let spelled = |name: &str| {
        let (before, end) = name.rsplit_once('/')?;
        let own_stem = stem(own);
        let ending = end.strip_prefix(own_stem)?;
        let plain = ending.is_empty() || ending.starts_with('.');
        (name.starts_with('.') && plain).then(|| format!("{before}/{}{ending}", stem(path)))
    };
    let cycle = || {
        let why = format!(
            "this file goes on needing `{}`, which needs `{}` of it: each would load the other",
            subject.name,
            needs.own.iter().next().map_or("", |d| site.name_of(*d)),
        );
        refusal(Why::Order, why)
    };
    let here = elsewhere(site, subject);
    let erased = is_type || needs.own.iter().all(|d| typed(*d));
    if here && !erased {
        return Err(cycle());
    }
    let users = Users::of(site, subject, !erased, &spelled)?;
    if users.remain && !erased {
        return Err(cycle());
    }
    let signs = Signs::of(site);
    let new = format!("./{}{habit}", stem(path));
    let word = if is_type && site.language != "javascript" { "type " } else { "" };
    let mut old = dropped(site, subject, needs, &|name| users.see(name)).unwrap_or_default();
    let mut lines = Vec::new();
    if here {
        lines.push(signs.line(&format!("import {word}"), subject.name, &new));
    }
    if users.remain {
        lines.push(signs.line(&format!("export {word}"), subject.name, &new));
    }
    if !lines.is_empty() {
        let line = lines.join(site.line_end());
        old.push(line_below_imports(site, &["import_statement"], &line));
    }
    let mut head = imports(site, needs, &signs)?;
    let module = format!("./{}{habit}", stem(own));
    for only_types in [false, true] {
        let names: std::collections::BTreeSet<&str> = needs
            .own
            .iter()
            .filter(|d| typed(**d) == only_types)
            .map(|d| site.name_of(*d))
            .collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let word = if only_types { "import type " } else { "import " };
            head.push_str(&format!("{}\n", signs.line(word, &names, &module)));
        }
    }
    let code = subject.code(site);
    let at = subject.item.start_byte() - subject.span.start;
    let code = match exported {
        true => code.to_owned(),
        false => format!("{}export {}", &code[..at], &code[at..]),
    };
    Ok(Parts { head, code, old, others: users.edits })
}

fn stem(path: &str) -> &str {
    last(path).rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Whether it is what the file exports without a name.
fn is_default(site: &Site<'_>, d: u32) -> bool {
    let at = site.def(d).name_start as usize;
    let node = site.place.syntax.root().descendant_for_byte_range(at, at);
    let around = std::iter::successors(node, tree_sitter::Node::parent)
        .find(|n| n.kind() == "export_statement");
    around.is_some_and(|n| site.text(n).starts_with("export default"))
}

/// Whether the rest of the file's code names it.
fn elsewhere(site: &Site<'_>, subject: &Subject<'_>) -> bool {
    let mut found = false;
    leaves(site.place.syntax.root(), &mut |leaf| {
        let outside = !subject.span.contains(&leaf.start_byte());
        let name = leaf.kind().ends_with("identifier") && leaf.kind() != "property_identifier";
        found |= outside && name && site.text(leaf) == subject.name;
    });
    found
}

/// What the modules beside are named with at their end, where that is told.
fn ending_habit(site: &Site<'_>) -> String {
    let folder = site.resolver.folder(site.file);
    let own = std::iter::once(&site.file);
    for file in own.chain(site.resolver.project().in_folder(folder)) {
        let facts = match *file == site.file {
            true => site.facts,
            false => site.resolver.facts(*file),
        };
        for r in facts.references.iter().filter(|r| r.role == Role::Root) {
            let Some((name, _)) = facts.module_named(r.receiver) else { continue };
            if !name.starts_with("./") && !name.starts_with("../") {
                continue;
            }
            let endings = [".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts"];
            let own = last(site.resolver.path(site.file)).rsplit('.').next().unwrap_or("");
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

/// The quote and the end of statements, as the file has them.
struct Signs {
    quote: char,
    end: &'static str,
    room: &'static str,
}

impl Signs {
    fn of(site: &Site<'_>) -> Self {
        let root = site.place.syntax.root();
        let mut cursor = root.walk();
        let all: Vec<_> = root.named_children(&mut cursor).collect();
        let import = all.iter().find(|n| n.kind() == "import_statement").map(|n| site.text(*n));
        let single = match import {
            Some(import) => import.contains('\''),
            None => site.source.matches('\'').count() > site.source.matches('"').count(),
        };
        let ends = match import {
            Some(import) => import.ends_with(';'),
            None => site.source.contains(";\n") || site.source.contains(";\r"),
        };
        let tight =
            import.is_some_and(|i| i.contains('{') && !i.contains("{ ") && !i.contains("{\n"));
        Self {
            quote: if single { '\'' } else { '"' },
            end: if ends { ";" } else { "" },
            room: if tight { "" } else { " " },
        }
    }

    fn line(&self, word: &str, names: &str, module: &str) -> String {
        let Self { quote, end, room } = self;
        format!("{word}{{{room}{names}{room}}} from {quote}{module}{quote}{end}")
    }
}

/// The imports that it needs, as the file has them.
fn imports(site: &Site<'_>, needs: &Needs, signs: &Signs) -> Result<String, ActionRefusal> {
    let mut all: Vec<(usize, Vec<String>, Vec<String>)> = Vec::new();
    for &d in &needs.imports {
        let around = import_of(site, d)?;
        let name = site.name_of(d);
        let unsure = || {
            let why = format!("`{name}` is not imported in a plain way");
            refusal(Why::Shape, why)
        };
        let root = site.place.syntax.root();
        around.child_by_field_name("source").ok_or_else(unsure)?;
        if around.parent().is_none_or(|p| p.id() != root.id()) {
            return Err(unsure());
        }
        let named = item_of(site, d, &["import_specifier"]);
        let other = item_of(site, d, &["namespace_import"]);
        let entry = match all.iter_mut().position(|(at, ..)| *at == around.start_byte()) {
            Some(at) => &mut all[at],
            None => {
                all.push((around.start_byte(), Vec::new(), Vec::new()));
                let last = all.len() - 1;
                &mut all[last]
            }
        };
        match (named, other) {
            (Some(item), _) => entry.2.push(site.text(item).to_owned()),
            (None, Some(item)) => entry.1.push(site.text(item).to_owned()),
            (None, None) => entry.1.insert(0, name.to_owned()),
        }
    }
    all.sort();
    let mut head = String::new();
    for (at, others, mut named) in all {
        let root = site.place.syntax.root();
        let node = root.descendant_for_byte_range(at, at);
        let around = node.and_then(crate::actions::unused_import::statement);
        let around = around.ok_or_else(|| refusal(Why::Shape, "an import is not plain"))?;
        let word = match around.child(1).is_some_and(|n| n.kind() == "type") {
            true => "import type ",
            false => "import ",
        };
        let source = around.child_by_field_name("source");
        let rest = source.map_or("", |s| &site.source[s.start_byte()..around.end_byte()]);
        named.sort();
        let mut clause = others;
        if !named.is_empty() {
            let room = signs.room;
            clause.push(format!("{{{room}{}{room}}}", named.join(", ")));
        }
        head.push_str(&format!("{word}{} from {rest}\n", clause.join(", ")));
    }
    Ok(head)
}

//! `organise_imports` and `sort_imports`: imports that nothing uses go, and the others are put in order, as the
//! language's own tool has it: the names of each, and the imports within each group that blank lines
//! set apart, so that grouping stays the author's.
//!
//! What may matter by its order stands where it is, and what stands around it is put in order on
//! either side of it: imports for their effect, wildcard imports, imports with a comment or an
//! attribute above them.

mod list;
mod order;

use std::ops::Range;

use syntax::Syntax;
use text::Text;
use tree_sitter::Node;

use super::import_list::{ImportList, removed};
use super::site::Site;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};
use crate::diagnose::FindingKind;
use list::names_in_order;
use order::{Part, natural};
pub(super) use order::{split as split_list, use_path};

pub(super) const IMPORTS: Planner =
    Planner { id: "organise_imports", kind: "source.organizeImports", wide: true, offers, plan };

/// The same, and no import goes: that needs no other file.
pub(super) const SORT: Planner = Planner {
    id: "sort_imports",
    kind: "source.sortImports",
    wide: false,
    offers: offers_order,
    plan: plan_order,
};

fn offers_order(site: &Site<'_>) -> Vec<Offer> {
    match site.explicit && can(site) && plan_order(site, "").is_ok() {
        true => Offer::one("Sort imports"),
        false => Vec::new(),
    }
}

fn plan_order(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    plan_without(site, &[])
}

fn can(site: &Site<'_>) -> bool {
    !matches!(site.language, "c" | "cpp") && !site.source.is_empty()
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    // Where nothing would change, nothing is offered. The whole file is looked at only for who asks
    // about imports: at one of them, at the file's start, or about the whole file.
    let at = site.place.range.start;
    let import = |at: usize| ImportList::around(site, at).is_some();
    let asked = site.explicit || at == 0 || import(at) || import(at - 1);
    match can(site) && asked && plan(site, "").is_ok() {
        true => Offer::one("Organise imports"),
        false => Vec::new(),
    }
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let unused = site.findings().iter().filter(|f| f.kind == FindingKind::UnusedImport);
    let unused: Vec<Range<usize>> = unused.map(|f| f.span.clone()).collect();
    plan_without(site, &unused)
}

/// The imports in order, without those that nothing uses.
fn plan_without(site: &Site<'_>, unused: &[Range<usize>]) -> Result<ActionPlan, ActionRefusal> {
    if site.place.syntax.root().has_error() {
        return Err(refusal(Why::Syntax, "the file has syntax errors"));
    }
    // What cannot be taken out cleanly stays.
    let mut edits = removed(site, unused).unwrap_or_default();
    edits.sort_by_key(|e| e.0.start);
    let mut text = site.source.clone();
    for (span, new) in edits.iter().rev() {
        text.replace_range(span.clone(), new);
    }
    let language = site.place.syntax.language();
    let syntax = Syntax::parse(language, &Text::new(&text), None, site.place.interrupt)
        .ok_or_else(|| refusal(Why::Interrupted, "nobody waits for it"))?;
    let new = site.index.project.is_edition_2024(site.file);
    let text = names_in_order(site.language, syntax.root(), &text, new);
    let syntax = Syntax::parse(language, &Text::new(&text), None, site.place.interrupt)
        .ok_or_else(|| refusal(Why::Interrupted, "nobody waits for it"))?;
    let organised = ordered(site.language, &syntax, &text, new);
    let Some((span, new)) = difference(&site.source, &organised) else {
        return Err(refusal(Why::Nothing, "the imports are in order"));
    };
    Ok(ActionPlan::of(site.file, vec![(span, new)]))
}

/// An import that stands on lines of its own.
struct Line {
    span: Range<usize>,
    key: Key,
}

/// By what imports are put in order.
type Key = (u8, u8, String, String, Vec<Part>);

/// The text with each group of imports in order.
fn ordered(language: &str, syntax: &Syntax, source: &str, new: bool) -> String {
    let mut groups: Vec<Vec<Line>> = vec![Vec::new()];
    let mut containers = vec![syntax.root()];
    if language == "go" {
        let mut cursor = syntax.root().walk();
        let declared = syntax.root().named_children(&mut cursor);
        let lists = declared.filter(|n| n.kind() == "import_declaration");
        containers = lists.filter_map(|n| n.named_child(0)).collect();
    }
    for container in containers {
        let mut cursor = container.walk();
        for node in container.named_children(&mut cursor) {
            if node.kind() == "attribute_item" {
                continue;
            }
            let line = line_of(language, node, source, new);
            let last = groups.last().and_then(|g| g.last()).map(|l| l.span.end);
            match line {
                Some(line) if last.is_none_or(|end| end == line.span.start) => {
                    if let Some(group) = groups.last_mut() {
                        group.push(line);
                    }
                }
                Some(line) => groups.push(vec![line]),
                None => groups.push(Vec::new()),
            }
        }
        groups.push(Vec::new());
    }
    let mut text = source.to_owned();
    for group in groups.iter().rev().filter(|g| g.len() > 1) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let mut lines: Vec<&Line> = group.iter().collect();
        lines.sort_by(|a, b| a.key.cmp(&b.key));
        let whole: String = lines.iter().map(|l| &source[l.span.clone()]).collect();
        text.replace_range(first.span.start..last.span.end, &whole);
    }
    text
}

/// An import whose place among its neighbours does not matter, with its lines.
fn line_of(language: &str, node: Node<'_>, source: &str, new: bool) -> Option<Line> {
    let kinds: &[&str] = match language {
        "python" => &["import_statement", "import_from_statement"],
        "rust" => &["use_declaration"],
        "go" => &["import_spec"],
        "java" => &["import_declaration"],
        _ => &["import_statement"],
    };
    if !kinds.contains(&node.kind()) {
        return None;
    }
    // Attributes belong to what they stand above.
    let above = std::iter::successors(node.prev_sibling(), Node::prev_sibling);
    let top = above.take_while(|p| p.kind() == "attribute_item").last().unwrap_or(node);
    let start = source[..top.start_byte()].rfind('\n').map_or(0, |n| n + 1);
    let end = source[node.end_byte()..].find('\n').map(|n| node.end_byte() + n + 1)?;
    let before = &source[start..top.start_byte()];
    let after = source[node.end_byte()..end].trim().trim_start_matches(';').trim();
    let comment = after.starts_with("//") || after.starts_with('#');
    let kept = ["noqa", "isort", "nolint", "eslint", "ts-ignore", "rustfmt", "type:"];
    let attached = top.prev_sibling().is_some_and(|p| {
        // A comment may hold the end of its line.
        let end = p.start_byte() + source[p.byte_range()].trim_end().len();
        p.kind().ends_with("comment")
            && source[end..top.start_byte()].matches('\n').count() <= 1
            && !is_notice(&source[p.byte_range()])
            && source[..p.start_byte()].rsplit('\n').next().is_some_and(|l| l.trim().is_empty())
    });
    let alone = before.trim().is_empty()
        && (after.is_empty() || comment && !kept.iter().any(|w| after.contains(w)))
        && !attached;
    let key = key_of(language, node, source, new).filter(|_| alone)?;
    Some(Line { span: start..end, key })
}

/// Whether a comment is about the file, whatever stands below it.
fn is_notice(comment: &str) -> bool {
    ["opyright", "icense", "SPDX"].iter().any(|w| comment.contains(w))
}

/// By what an import is put in order; none where its order may matter.
fn key_of(language: &str, node: Node<'_>, source: &str, new: bool) -> Option<Key> {
    let text = |n: Node<'_>| source[n.byte_range()].to_owned();
    match language {
        "python" => {
            if node.kind() == "import_statement" {
                let name = text(node.named_child(0)?);
                return Some((0, 0, natural(&name.to_lowercase()), natural(&name), Vec::new()));
            }
            let mut cursor = node.walk();
            if node.named_children(&mut cursor).any(|n| n.kind() == "wildcard_import") {
                return None;
            }
            let module = text(node.child_by_field_name("module_name")?);
            let dots = module.len() - module.trim_start_matches('.').len();
            // Those from furthest above come first, after what is not relative.
            let relative = if dots == 0 { 0 } else { 255 - u8::try_from(dots).ok()? };
            let lower = natural(&module.to_lowercase());
            Some((1, relative, lower, natural(&module), Vec::new()))
        }
        "java" => {
            // What is static stands apart.
            let all = text(node);
            let name = all.trim_start_matches("import").trim();
            let is_static = name.starts_with("static ");
            let name = name.trim_start_matches("static").trim().trim_end_matches(';').trim();
            Some((u8::from(!is_static), 0, name.to_owned(), String::new(), Vec::new()))
        }
        "go" => Some((0, 0, text(node.child_by_field_name("path")?), text(node), Vec::new())),
        "rust" => {
            let all = text(node);
            if all.contains("/*") || all.contains("//") {
                return None;
            }
            let path = text(node.child_by_field_name("argument")?);
            // One that is exported stands where its author put it.
            (!all.starts_with("pub"))
                .then(|| (0, 0, String::new(), String::new(), use_path(&path, new)))
        }
        _ => {
            let module = text(node.child_by_field_name("source")?);
            let mut cursor = node.walk();
            let names = node.named_children(&mut cursor).any(|n| n.kind() == "import_clause");
            let path = module.trim_matches(['"', '\'', '`']).to_owned();
            let relative = u8::from(path.starts_with('.'));
            // A whole module comes before what is named of it.
            let whole = u8::from(!text(node).contains("* as "));
            names.then(|| (relative, 0, path.to_lowercase(), format!("{path} {whole}"), Vec::new()))
        }
    }
}

/// The one stretch in which two texts differ, by whole lines.
fn difference(old: &str, new: &str) -> Option<(Range<usize>, String)> {
    if old == new {
        return None;
    }
    let lines = |text: &str| {
        let mut at = 0;
        let starts = text.split_inclusive('\n').map(move |l| {
            at += l.len();
            at
        });
        starts.collect::<Vec<usize>>()
    };
    let same = |pair: &(&str, &str)| pair.0 == pair.1;
    let ahead = old.split_inclusive('\n').zip(new.split_inclusive('\n')).take_while(same).count();
    let start = if ahead == 0 { 0 } else { lines(old)[ahead - 1] };
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let behind = rest_old
        .split_inclusive('\n')
        .rev()
        .zip(rest_new.split_inclusive('\n').rev())
        .take_while(same)
        .map(|(line, _)| line.len())
        .sum::<usize>();
    let behind = behind.min(rest_old.len()).min(rest_new.len());
    Some((start..old.len() - behind, rest_new[..rest_new.len() - behind].to_owned()))
}

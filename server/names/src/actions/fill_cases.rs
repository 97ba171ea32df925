//! `fill_cases`: the members of an enum that a match or switch says nothing of get arms of their
//! own.

use tree_sitter::Node;

use super::site::{Site, any};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Namespace};

pub(super) const CASES: Planner =
    Planner { id: "fill_cases", kind: "quickfix", wide: true, offers, plan };

/// Most arms that are added.
const MOST: usize = 300;

/// What is known of a match.
struct Matched<'a> {
    /// The arms, in order.
    arms: Vec<Node<'a>>,
    /// What stands before a member's name in the patterns, as it is written.
    prefix: String,
    owner: DefId,
    mentioned: Vec<String>,
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match around(site).map(|node| arms(site, node)) {
        // Whoever covers the rest lacks nothing.
        Some(arms) if !arms.is_empty() && !arms.iter().any(|a| is_rest(site, *a)) => {
            Offer::one("Add the missing cases")
        }
        _ => Vec::new(),
    }
}

/// The match whose head, or an arm's head, the cursor is in.
fn around<'a>(site: &Site<'a>) -> Option<Node<'a>> {
    let kinds = match site.language {
        "rust" => "match_expression",
        "java" => "switch_expression",
        "typescript" | "tsx" => "switch_statement",
        "python" => "match_statement",
        _ => return None,
    };
    let at = site.range.start;
    let mut node = site.place.syntax.root().descendant_for_byte_range(at, at)?;
    loop {
        if node.kind() == kinds {
            return Some(node);
        }
        if site.grammar?.blocks.contains(&node.kind()) && node.kind() != "switch_body" {
            // Within the code of an arm.
            let arm = node.parent().is_some_and(|p| p.kind() == kinds);
            if !arm {
                return None;
            }
        }
        node = node.parent()?;
    }
}

fn arms<'a>(site: &Site<'a>, node: Node<'a>) -> Vec<Node<'a>> {
    let body = node.child_by_field_name("body");
    let Some(body) = body else { return Vec::new() };
    let kinds: &[&str] = match site.language {
        "rust" => &["match_arm"],
        "java" => &["switch_block_statement_group", "switch_rule"],
        "python" => &["case_clause"],
        _ => &["switch_case", "switch_default"],
    };
    let mut cursor = body.walk();
    body.named_children(&mut cursor).filter(|c| kinds.contains(&c.kind())).collect()
}

/// Whether an arm takes whatever is left.
fn is_rest(site: &Site<'_>, arm: Node<'_>) -> bool {
    let text = |n: Node<'_>| site.text(n).trim().to_owned();
    match site.language {
        "rust" => arm.child_by_field_name("pattern").is_some_and(|p| {
            let inner = p.named_child(0).or_else(|| p.child(0));
            inner.is_none_or(|n| {
                let name =
                    n.kind() == "identifier" && text(n).starts_with(|c: char| c.is_lowercase());
                text(p).starts_with('_') || name || n.kind() == "captured_pattern"
            })
        }),
        "java" => {
            let mut cursor = arm.walk();
            let mut labels = arm.named_children(&mut cursor).filter(|c| c.kind() == "switch_label");
            labels.any(|l| text(l).starts_with("default") || text(l).contains("default"))
        }
        "python" => {
            let mut cursor = arm.walk();
            let mut patterns =
                arm.named_children(&mut cursor).filter(|c| c.kind() == "case_pattern");
            patterns.any(|p| text(p) == "_" || !text(p).contains('.'))
        }
        _ => arm.kind() == "switch_default",
    }
}

/// The paths of the members that an arm is about.
fn paths<'a>(site: &Site<'a>, arm: Node<'a>) -> Option<Vec<Node<'a>>> {
    let mut all = Vec::new();
    match site.language {
        "rust" => rust_paths(arm.child_by_field_name("pattern")?.named_child(0)?, &mut all)?,
        "java" => {
            let mut cursor = arm.walk();
            for label in arm.named_children(&mut cursor).filter(|c| c.kind() == "switch_label") {
                let mut inner = label.walk();
                for value in label.named_children(&mut inner) {
                    all.push(Some(value).filter(|v| v.kind() == "identifier")?);
                }
            }
        }
        "python" => {
            let mut cursor = arm.walk();
            for pattern in arm.named_children(&mut cursor).filter(|c| c.kind() == "case_pattern") {
                python_paths(pattern.named_child(0)?, &mut all)?;
            }
        }
        _ => {
            let value = arm.child_by_field_name("value")?;
            all.push(Some(value).filter(|v| v.kind() == "member_expression")?);
        }
    }
    Some(all)
}

fn rust_paths<'a>(pattern: Node<'a>, all: &mut Vec<Node<'a>>) -> Option<()> {
    match pattern.kind() {
        "or_pattern" => {
            let mut cursor = pattern.walk();
            let inner: Vec<_> = pattern.named_children(&mut cursor).collect();
            inner.into_iter().try_for_each(|p| rust_paths(p, all))
        }
        "scoped_identifier" => {
            all.push(pattern);
            Some(())
        }
        "tuple_struct_pattern" | "struct_pattern" => {
            let path = pattern.child_by_field_name("type")?;
            let scoped = matches!(path.kind(), "scoped_identifier" | "scoped_type_identifier");
            all.push(Some(path).filter(|_| scoped)?);
            Some(())
        }
        _ => None,
    }
}

fn python_paths<'a>(pattern: Node<'a>, all: &mut Vec<Node<'a>>) -> Option<()> {
    match pattern.kind() {
        "union_pattern" => {
            let mut cursor = pattern.walk();
            let inner: Vec<_> = pattern.named_children(&mut cursor).collect();
            inner.into_iter().try_for_each(|p| python_paths(p, all))
        }
        "dotted_name" => {
            all.push(pattern);
            Some(())
        }
        _ => None,
    }
}

fn matched<'a>(site: &Site<'a>, node: Node<'a>) -> Result<Matched<'a>, ActionRefusal> {
    let arms = arms(site, node);
    let unknown = || refusal(Why::Unknown, "it is not known which enum it is about");
    let (mut owner, mut prefix, mut mentioned) = (None, None, Vec::new());
    for arm in &arms {
        for path in paths(site, *arm).ok_or_else(unknown)? {
            let written = site.text(path);
            let cut = written.rfind(['.', ':']).map_or(0, |at| at + 1);
            let (before, name) = written.split_at(cut);
            let own = owner_of(site, path, cut, name).ok_or_else(unknown)?;
            if *owner.get_or_insert(own) != own {
                return Err(refusal(Why::Shape, "its patterns are of several enums"));
            }
            prefix.get_or_insert_with(|| before.to_owned());
            mentioned.push(name.to_owned());
        }
    }
    let (owner, prefix) = (owner.ok_or_else(unknown)?, prefix.ok_or_else(unknown)?);
    Ok(Matched { arms, prefix, owner, mentioned })
}

/// The enum that a path leads into.
fn owner_of(site: &Site<'_>, path: Node<'_>, cut: usize, name: &str) -> Option<DefId> {
    if site.language != "python" {
        let at = site.facts.site(path.start_byte() + cut)?;
        let found = site.resolver.site(site.file, at);
        let [one] = &found[..] else { return None };
        return container(site, one.id);
    }
    // Names in patterns are no references of their own.
    if path.named_child_count() != 2 {
        return None;
    }
    let found = site.named_here(site.text(path.named_child(0)?), Namespace::ANY);
    let [one] = &found[..] else { return None };
    let member = site.resolver.own_member(one.id, name);
    (!member.is_empty() && is_python_enum(site, one.id)).then_some(one.id)
}

/// The enum that a definition is a member of.
fn container(site: &Site<'_>, id: DefId) -> Option<DefId> {
    let facts = site.resolver.facts(id.file);
    let def = &facts.definitions[id.def as usize];
    let owner = facts.container(id.def)?;
    let holder = &facts.definitions[owner as usize];
    let is_enum = holder.kind == DefinitionKind::Enum && def.kind == DefinitionKind::EnumMember
        || site.language == "python" && is_python_enum(site, DefId { file: id.file, def: owner });
    is_enum.then_some(DefId { file: id.file, def: owner })
}

/// Whether a class names one of `enum`'s classes as its base.
fn is_python_enum(site: &Site<'_>, class: DefId) -> bool {
    let def = site.resolver.def(class);
    let Some(text) = site.text_of(class.file) else { return false };
    let head = text.get(def.name_end as usize..def.end as usize).unwrap_or("");
    let head = head.split(':').next().unwrap_or("");
    let bases = head.trim().trim_start_matches('(').trim_end_matches(')');
    bases.split(',').any(|b| {
        matches!(
            b.trim(),
            "Enum" | "IntEnum" | "StrEnum" | "enum.Enum" | "enum.IntEnum" | "enum.StrEnum"
        )
    })
}

/// The members of an enum, with what stands behind each name.
fn members(site: &Site<'_>, owner: DefId) -> Result<Vec<(String, char)>, ActionRefusal> {
    let unknown = |why: &str| refusal(Why::Unknown, why);
    let facts = site.resolver.facts(owner.file);
    let def = &facts.definitions[owner.def as usize];
    let text = site
        .text_of(owner.file)
        .ok_or_else(|| refusal(Why::Interrupted, "a file is to be read"))?;
    let whole = text.get(def.start as usize..def.end as usize).unwrap_or("");
    let above = &text[..def.start as usize];
    let above = above.rsplit("\n\n").next().unwrap_or("");
    if whole.contains("#[cfg") || above.contains("non_exhaustive") && site.file != owner.file {
        return Err(unknown("the enum may have other members elsewhere"));
    }
    let mut all: Vec<(u32, String, char)> = Vec::new();
    for &d in facts.all_in_scope(def.body) {
        let member = &facts.definitions[d as usize];
        let is_member = match site.language {
            "python" => matches!(
                member.kind,
                DefinitionKind::Field
                    | DefinitionKind::Variable
                    | DefinitionKind::EnumMember
                    | DefinitionKind::Constant
            ),
            _ => member.kind == DefinitionKind::EnumMember,
        };
        let name = facts.strings.text(member.name).to_owned();
        let hidden = site.language == "python" && name.starts_with('_');
        if is_member && !hidden && !all.iter().any(|(_, n, _)| *n == name) {
            let next = text[member.name_end as usize..].trim_start().chars().next().unwrap_or(' ');
            let value = site.language == "python" && next != '=';
            if !value {
                all.push((member.name_start, name, next));
            }
        }
    }
    all.sort();
    if all.is_empty() || all.len() > MOST {
        return Err(unknown("its members are not known"));
    }
    Ok(all.into_iter().map(|(_, name, next)| (name, next)).collect())
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "no match that lacks something is here");
    let node = around(site).ok_or_else(none)?;
    if site.is_broken(node) {
        return Err(refusal(Why::Syntax, "the code has a syntax error"));
    }
    if any(node, &|n| n.kind().starts_with("preproc")) {
        return Err(refusal(Why::Shape, "it is written in a way that is not covered"));
    }
    let own = arms(site, node);
    if own.iter().any(|a| is_rest(site, *a)) {
        return Err(none());
    }
    let found = matched(site, node)?;
    let missing: Vec<_> = members(site, found.owner)?
        .into_iter()
        .filter(|(name, _)| !found.mentioned.contains(name))
        .collect();
    if missing.is_empty() {
        return Err(none());
    }
    let last = *found.arms.last().ok_or_else(none)?;
    if !site.begins_line(last.start_byte()) {
        return Err(refusal(Why::Shape, "its arms share lines"));
    }
    let (indent, line_end) = (site.indent_at(last.start_byte()), site.line_end());
    let step = step(site, last);
    let mut code = String::new();
    // The comma after the last arm may be missing.
    let text = site.text(last).trim_end();
    let mut at = last.start_byte() + text.len();
    if site.language == "rust" && !text.ends_with([',', '}']) {
        code.push(',');
    }
    let rest = &site.source[at..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    let comment = ["//", "#", "/*"].iter().any(|c| line.trim_start().starts_with(c));
    if comment && code.is_empty() {
        at += line.len();
    } else if !line.trim().is_empty() && site.language != "python" {
        return Err(refusal(Why::Shape, "something stands behind its last arm"));
    }
    let statement = node.parent().is_some_and(|p| {
        p.kind() == "expression_statement"
            || site.grammar.is_some_and(|g| g.blocks.contains(&p.kind()))
            || p.kind() == "switch_block_statement_group"
    });
    for (name, next) in missing {
        let path = format!("{}{name}", found.prefix);
        let arm = match site.language {
            "rust" => match next {
                '(' => format!("{path}(..) => todo!(),"),
                '{' => format!("{path} {{ .. }} => todo!(),"),
                _ => format!("{path} => todo!(),"),
            },
            "java" if last.kind() == "switch_rule" && statement => format!("case {path} -> {{ }}"),
            "java" if last.kind() == "switch_rule" => {
                format!("case {path} -> throw new IllegalStateException();")
            }
            "java" => format!("case {path}:{line_end}{indent}{step}break;"),
            "python" => format!("case {path}:{line_end}{indent}{step}pass"),
            _ => format!("case {path}:{line_end}{indent}{step}break;"),
        };
        code.push_str(line_end);
        code.push_str(indent);
        code.push_str(&arm);
    }
    Ok(ActionPlan::of(site.file, vec![(at..at, code)]))
}

/// How much further in the code of an arm stands.
fn step(site: &Site<'_>, arm: Node<'_>) -> String {
    let own = site.indent_at(arm.start_byte());
    let mut cursor = arm.walk();
    let mut inner = arm.named_children(&mut cursor).filter(|n| site.begins_line(n.start_byte()));
    let step = inner.find_map(|n| site.indent_at(n.start_byte()).strip_prefix(own));
    match step.filter(|s| !s.is_empty()) {
        Some(step) => step.to_owned(),
        None => super::extract_function::unit(site),
    }
}

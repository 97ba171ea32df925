//! `fill_cases`: adds the arms that a match or switch over an enum lacks.

use tree_sitter::Node;

use super::context::{ActionContext, any_descendant};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Namespace};

pub(super) const FILL_CASES: Planner =
    Planner { id: "fill_cases", kind: "quickfix", wide: true, offers, plan };

/// Limit for the members of an enum.
const MAX_MEMBERS: usize = 300;

/// A match over an enum.
struct EnumMatch<'a> {
    /// The arms, in order.
    arms: Vec<Node<'a>>,
    /// The qualifier before the members' names in the patterns, as written.
    prefix: String,
    owner: DefId,
    covered: Vec<String>,
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match match_at(ctx).map(|node| arms(ctx, node)) {
        // A default arm covers the missing cases.
        Some(arms) if !arms.is_empty() && !arms.iter().any(|a| is_default_arm(ctx, *a)) => {
            Offer::single("Add the missing cases")
        }
        _ => Vec::new(),
    }
}

/// The match whose head, or an arm's head, contains the cursor.
fn match_at<'a>(ctx: &ActionContext<'a>) -> Option<Node<'a>> {
    let kinds = match ctx.language {
        "rust" => "match_expression",
        "java" => "switch_expression",
        "typescript" | "tsx" => "switch_statement",
        "python" => "match_statement",
        _ => return None,
    };
    let at = ctx.range.start;
    let mut node = ctx.request.syntax.root().descendant_for_byte_range(at, at)?;
    loop {
        if node.kind() == kinds {
            return Some(node);
        }
        if ctx.grammar?.blocks.contains(&node.kind()) && node.kind() != "switch_body" {
            // The body of an arm does not count.
            let arm = node.parent().is_some_and(|p| p.kind() == kinds);
            if !arm {
                return None;
            }
        }
        node = node.parent()?;
    }
}

fn arms<'a>(ctx: &ActionContext<'a>, node: Node<'a>) -> Vec<Node<'a>> {
    let body = node.child_by_field_name("body");
    let Some(body) = body else { return Vec::new() };
    let kinds: &[&str] = match ctx.language {
        "rust" => &["match_arm"],
        "java" => &["switch_block_statement_group", "switch_rule"],
        "python" => &["case_clause"],
        _ => &["switch_case", "switch_default"],
    };
    let mut cursor = body.walk();
    body.named_children(&mut cursor).filter(|c| kinds.contains(&c.kind())).collect()
}

/// Whether an arm is a default arm.
fn is_default_arm(ctx: &ActionContext<'_>, arm: Node<'_>) -> bool {
    let text = |n: Node<'_>| ctx.text(n).trim().to_owned();
    match ctx.language {
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

/// The paths of the enum members in an arm's patterns; `None` if a pattern is not supported.
fn member_paths<'a>(ctx: &ActionContext<'a>, arm: Node<'a>) -> Option<Vec<Node<'a>>> {
    let mut all = Vec::new();
    match ctx.language {
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

/// The enum that the patterns of a match belong to, and the members that they cover.
fn enum_match<'a>(ctx: &ActionContext<'a>, node: Node<'a>) -> Result<EnumMatch<'a>, ActionRefusal> {
    let arms = arms(ctx, node);
    let unknown = || refusal(Reason::Unknown, "its enum is unknown");
    let (mut owner, mut prefix, mut covered) = (None, None, Vec::new());
    for arm in &arms {
        for path in member_paths(ctx, *arm).ok_or_else(unknown)? {
            let written = ctx.text(path);
            let cut = written.rfind(['.', ':']).map_or(0, |at| at + 1);
            let (before, name) = written.split_at(cut);
            let own = enum_of_path(ctx, path, cut, name).ok_or_else(unknown)?;
            if *owner.get_or_insert(own) != own {
                return Err(refusal(Reason::Unsupported, "its patterns belong to several enums"));
            }
            prefix.get_or_insert_with(|| before.to_owned());
            covered.push(name.to_owned());
        }
    }
    let (owner, prefix) = (owner.ok_or_else(unknown)?, prefix.ok_or_else(unknown)?);
    Ok(EnumMatch { arms, prefix, owner, covered })
}

/// The enum that a path in a pattern belongs to.
fn enum_of_path(ctx: &ActionContext<'_>, path: Node<'_>, cut: usize, name: &str) -> Option<DefId> {
    if ctx.language != "python" {
        let at = ctx.facts.site_at(path.start_byte() + cut)?;
        let found = ctx.resolver.definitions_at_site(ctx.file, at);
        let [one] = &found[..] else { return None };
        return containing_enum(ctx, one.id);
    }
    // Names in Python patterns have no references in the facts.
    if path.named_child_count() != 2 {
        return None;
    }
    let found = ctx.top_level_definitions(ctx.text(path.named_child(0)?), Namespace::ANY);
    let [one] = &found[..] else { return None };
    let member = ctx.resolver.own_members(one.id, name);
    (!member.is_empty() && is_python_enum(ctx, one.id)).then_some(one.id)
}

/// The enum that contains a definition.
fn containing_enum(ctx: &ActionContext<'_>, id: DefId) -> Option<DefId> {
    let facts = ctx.resolver.facts(id.file);
    let def = &facts.definitions[id.def as usize];
    let owner = facts.container(id.def)?;
    let owner_def = &facts.definitions[owner as usize];
    let is_enum = owner_def.kind == DefinitionKind::Enum && def.kind == DefinitionKind::EnumMember
        || ctx.language == "python" && is_python_enum(ctx, DefId { file: id.file, def: owner });
    is_enum.then_some(DefId { file: id.file, def: owner })
}

/// Whether a class has one of the classes of Python's `enum` module as a base.
fn is_python_enum(ctx: &ActionContext<'_>, class: DefId) -> bool {
    let def = ctx.resolver.def(class);
    let Some(text) = ctx.text_of(class.file) else { return false };
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

/// The members of an enum, with the character after each name.
fn enum_members(
    ctx: &ActionContext<'_>,
    owner: DefId,
) -> Result<Vec<(String, char)>, ActionRefusal> {
    let unknown = |why: &str| refusal(Reason::Unknown, why);
    let facts = ctx.resolver.facts(owner.file);
    let def = &facts.definitions[owner.def as usize];
    let text = ctx
        .text_of(owner.file)
        .ok_or_else(|| refusal(Reason::Interrupted, "a file is not loaded yet"))?;
    let whole = text.get(def.start as usize..def.end as usize).unwrap_or("");
    let above = &text[..def.start as usize];
    let above = above.rsplit("\n\n").next().unwrap_or("");
    if whole.contains("#[cfg") || above.contains("non_exhaustive") && ctx.file != owner.file {
        return Err(unknown("the enum may have other enum_members"));
    }
    let mut all: Vec<(u32, String, char)> = Vec::new();
    for &d in facts.all_in_scope(def.body) {
        let member = &facts.definitions[d as usize];
        let is_member = match ctx.language {
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
        let hidden = ctx.language == "python" && name.starts_with('_');
        if is_member && !hidden && !all.iter().any(|(_, n, _)| *n == name) {
            let next = text[member.name_end as usize..].trim_start().chars().next().unwrap_or(' ');
            let value = ctx.language == "python" && next != '=';
            if !value {
                all.push((member.name_start, name, next));
            }
        }
    }
    all.sort();
    if all.is_empty() || all.len() > MAX_MEMBERS {
        return Err(unknown("its enum_members are unknown"));
    }
    Ok(all.into_iter().map(|(_, name, next)| (name, next)).collect())
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Reason::NotApplicable, "no match with missing cases is here");
    let node = match_at(ctx).ok_or_else(none)?;
    if ctx.has_syntax_error(node) {
        return Err(refusal(Reason::Syntax, "the code has a syntax error"));
    }
    if any_descendant(node, &|n| n.kind().starts_with("preproc")) {
        return Err(refusal(Reason::Unsupported, "preprocessor directives are not supported"));
    }
    let own = arms(ctx, node);
    if own.iter().any(|a| is_default_arm(ctx, *a)) {
        return Err(none());
    }
    let found = enum_match(ctx, node)?;
    let missing: Vec<_> = enum_members(ctx, found.owner)?
        .into_iter()
        .filter(|(name, _)| !found.covered.contains(name))
        .collect();
    if missing.is_empty() {
        return Err(none());
    }
    let last = *found.arms.last().ok_or_else(none)?;
    if !ctx.is_first_on_line(last.start_byte()) {
        return Err(refusal(Reason::Unsupported, "its arms share a line"));
    }
    let (indent, line_end) = (ctx.indentation_at(last.start_byte()), ctx.line_end());
    let body_indentation = body_indentation(ctx, last);
    let mut code = String::new();
    // rustfmt omits the comma after an arm with a block; add it where needed.
    let text = ctx.text(last).trim_end();
    let mut at = last.start_byte() + text.len();
    if ctx.language == "rust" && !text.ends_with([',', '}']) {
        code.push(',');
    }
    let rest = &ctx.source[at..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    let comment = ["//", "#", "/*"].iter().any(|c| line.trim_start().starts_with(c));
    if comment && code.is_empty() {
        at += line.len();
    } else if !line.trim().is_empty() && ctx.language != "python" {
        return Err(refusal(Reason::Unsupported, "other code follows its last arm"));
    }
    let statement = node.parent().is_some_and(|p| {
        p.kind() == "expression_statement"
            || ctx.grammar.is_some_and(|g| g.blocks.contains(&p.kind()))
            || p.kind() == "switch_block_statement_group"
    });
    for (name, next) in missing {
        let path = format!("{}{name}", found.prefix);
        let arm = match ctx.language {
            "rust" => match next {
                '(' => format!("{path}(..) => todo!(),"),
                '{' => format!("{path} {{ .. }} => todo!(),"),
                _ => format!("{path} => todo!(),"),
            },
            "java" if last.kind() == "switch_rule" && statement => format!("case {path} -> {{ }}"),
            "java" if last.kind() == "switch_rule" => {
                format!("case {path} -> throw new IllegalStateException();")
            }
            "java" => format!("case {path}:{line_end}{indent}{body_indentation}break;"),
            "python" => format!("case {path}:{line_end}{indent}{body_indentation}pass"),
            _ => format!("case {path}:{line_end}{indent}{body_indentation}break;"),
        };
        code.push_str(line_end);
        code.push_str(indent);
        code.push_str(&arm);
    }
    Ok(ActionPlan::from_edits(ctx.file, vec![(at..at, code)]))
}

/// The indentation of an arm's body relative to the arm.
fn body_indentation(ctx: &ActionContext<'_>, arm: Node<'_>) -> String {
    let own = ctx.indentation_at(arm.start_byte());
    let mut cursor = arm.walk();
    let mut inner =
        arm.named_children(&mut cursor).filter(|n| ctx.is_first_on_line(n.start_byte()));
    let body_indentation = inner.find_map(|n| ctx.indentation_at(n.start_byte()).strip_prefix(own));
    match body_indentation.filter(|s| !s.is_empty()) {
        Some(body_indentation) => body_indentation.to_owned(),
        None => super::extract_function::indentation_unit(ctx),
    }
}

//! Data flow of the extracted code: its parameters and results.

use tree_sitter::Node;

use super::{Selection, name_occurrences};
use crate::actions::context::{ActionContext, is_written};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::vocabulary::DefinitionKind;

/// The local variables that the extracted code reads and assigns.
pub(super) struct DataFlow {
    /// The names that it reads with their definitions, in order of first use.
    pub(super) parameters: Vec<(String, u32)>,
    /// The names assigned in it and read after it, with their definitions, and whether the code
    /// declares them.
    pub(super) results: Vec<(String, u32, bool)>,
}

impl DataFlow {
    pub(super) fn analyze<'a>(
        ctx: &ActionContext<'a>,
        selection: &Selection<'a>,
        function: Node<'a>,
    ) -> Result<Self, ActionRefusal> {
        let Some(grammar) = ctx.grammar else {
            return Err(refusal(Reason::NotApplicable, "this language is not supported"));
        };
        let range = selection.range();
        let mut names: Vec<(String, u32)> = Vec::new();
        let imports = |name: &str| {
            let number = ctx.facts.strings.find(name);
            let all = number.map_or(&[][..], |n| ctx.facts.definitions_named(n));
            all.iter().any(|d| ctx.def(*d).kind == DefinitionKind::Import && ctx.is_local(*d))
        };
        for read in ctx.names_read_in(range.clone()) {
            let written = ctx.source.get(read.span.clone()).unwrap_or("");
            if imports(written) {
                return Err(refusal(
                    Reason::Scope,
                    format!("`{written}` is imported inside the function"),
                ));
            }
            let local: Vec<u32> =
                read.definitions.iter().copied().filter(|d| ctx.is_local(*d)).collect();
            let Some(&def) = local.first() else { continue };
            let scope = ctx.facts.scopes.get(ctx.def(def).scope as usize);
            if scope.is_some_and(|s| range.start <= s.start as usize && s.end as usize <= range.end)
            {
                continue;
            }
            let name = ctx.name_of(def).to_owned();
            if ctx.source.get(read.span.clone()) != Some(&*name) {
                return Err(refusal(Reason::Unknown, format!("`{name}` does not resolve")));
            }
            let kind = ctx.def(def).kind;
            use DefinitionKind as K;
            if !matches!(kind, K::Variable | K::Parameter | K::Constant | K::Function) {
                return Err(refusal(
                    Reason::Scope,
                    format!("`{name}` is visible only inside the function"),
                ));
            }
            if !names.iter().any(|(n, _)| *n == name) {
                names.push((name, def));
            }
        }
        // Names that the code defines.
        for (d, def) in ctx.facts.definitions.iter().enumerate() {
            let at = def.name_start as usize;
            let empty = def.name_start >= def.name_end;
            if range.contains(&at) && !empty && ctx.is_local(d as u32) {
                let name = ctx.name_of(d as u32).to_owned();
                let scope = ctx.facts.scopes.get(def.scope as usize);
                let inner = scope.is_some_and(|s| {
                    range.start <= s.start as usize && s.end as usize <= range.end
                });
                if !inner && !names.iter().any(|(n, _)| *n == name) {
                    names.push((name, d as u32));
                }
            }
        }
        let mut flow = Self { parameters: Vec::new(), results: Vec::new() };
        let around_loop = is_in_loop(selection.first(), function);
        for (name, def) in names {
            let all = name_occurrences(ctx, function, &name);
            let inside = |n: &&Node<'_>| range.start <= n.start_byte() && n.end_byte() <= range.end;
            let written_inside = all
                .iter()
                .filter(inside)
                .any(|n| is_written(grammar, *n) || is_definition_name(ctx, *n));
            let before = |n: &Node<'_>| n.end_byte() <= range.start;
            let outside: Vec<_> = all.iter().filter(|n| !inside(n)).collect();
            let def_outside = outer_definition(ctx, &name, &range, def);
            let expression = matches!(selection, Selection::Expression(_));
            if written_inside && expression {
                return Err(refusal(Reason::Assigned, format!("it assigns `{name}`")));
            }
            if written_inside && outside.iter().any(|n| is_in_inner_function(ctx, **n, function)) {
                let why = format!("`{name}` is captured by a nested function");
                return Err(refusal(Reason::Assigned, why));
            }
            // In a loop, code before the selection runs after it, in the next iteration.
            let read_after =
                outside.iter().any(|n| !before(n)) || around_loop && !outside.is_empty();
            let Some(outer) = def_outside else {
                // The name is declared by the code.
                if outside.is_empty() {
                    continue;
                }
                if !is_surely_assigned_in(ctx, selection, &name) {
                    let why = format!("`{name}` may be unassigned after it");
                    return Err(refusal(Reason::Assigned, why));
                }
                if around_loop && outside.iter().any(|n| before(n)) {
                    return Err(refusal(
                        Reason::Assigned,
                        format!("`{name}` is carried over between loop iterations"),
                    ));
                }
                flow.results.push((name, def, true));
                continue;
            };
            if !is_surely_assigned_before(ctx, &name, outer, selection, function) {
                let why = format!("`{name}` may be unassigned before it");
                return Err(refusal(Reason::Assigned, why));
            }
            let kind = ctx.def(outer).kind;
            if kind == DefinitionKind::Function && written_inside {
                return Err(refusal(Reason::Assigned, format!("it reassigns `{name}`")));
            }
            if written_inside && !is_defined_in(ctx, outer, function) {
                let why = format!("`{name}` belongs to another function");
                return Err(refusal(Reason::Assigned, why));
            }
            flow.parameters.push((name.clone(), outer));
            if written_inside && read_after {
                flow.results.push((name, outer, false));
            }
        }
        Ok(flow)
    }
}

/// The definition outside a range of a name that the range redefines.
fn outer_definition(
    ctx: &ActionContext<'_>,
    name: &str,
    range: &std::ops::Range<usize>,
    def: u32,
) -> Option<u32> {
    let outside = |d: u32| !range.contains(&(ctx.def(d).name_start as usize));
    if outside(def) {
        return Some(def);
    }
    let definitions = ctx.def(def);
    let number = ctx.facts.strings.find(name)?;
    let same = ctx.facts.definitions_in_scope(definitions.scope, number);
    same.iter().copied().find(|d| outside(*d) && (ctx.def(*d).name_start as usize) < range.start)
}

fn is_definition_name(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let at = node.start_byte() as u32;
    let end = node.end_byte() as u32;
    let facts = ctx.facts;
    let next = facts.by_place.partition_point(|&d| facts.definitions[d as usize].name_start < at);
    facts.by_place[next..]
        .iter()
        .map(|&d| &facts.definitions[d as usize])
        .take_while(|d| d.name_start == at)
        .any(|d| d.name_end == end)
}

fn is_in_loop(node: Node<'_>, function: Node<'_>) -> bool {
    crate::actions::context::any_ancestor(node, function, &|n| {
        let kind = n.kind();
        kind.contains("while")
            || kind.starts_with("for_")
            || kind.contains("loop")
            || kind.starts_with("do_")
            || kind.starts_with("enhanced_for")
    })
}

fn is_in_inner_function(ctx: &ActionContext<'_>, node: Node<'_>, function: Node<'_>) -> bool {
    let functions = ctx.grammar.map_or(&[][..], |g| g.functions);
    crate::actions::context::any_ancestor(node, function, &|n| functions.contains(&n.kind()))
}

/// Whether a definition is in this function.
fn is_defined_in(ctx: &ActionContext<'_>, def: u32, function: Node<'_>) -> bool {
    let at = ctx.def(def).name_start as usize;
    function.start_byte() <= at && at < function.end_byte()
}

/// Whether the code surely assigns a name: one of its statements does so unconditionally.
fn is_surely_assigned_in(ctx: &ActionContext<'_>, selection: &Selection<'_>, name: &str) -> bool {
    let Some(grammar) = ctx.grammar else { return false };
    selection.nodes().iter().any(|statement| {
        let plain = [
            "expression_statement",
            "lexical_declaration",
            "short_var_declaration",
            "local_variable_declaration",
            "let_declaration",
            "declaration",
            "var_declaration",
            "assignment_statement",
        ];
        plain.contains(&statement.kind())
            && name_occurrences(ctx, *statement, name).into_iter().any(|n| {
                let declared = n
                    .parent()
                    .filter(|p| matches!(p.kind(), "variable_declarator" | "let_declaration"));
                let valued = declared.is_none_or(|p| p.child_by_field_name("value").is_some());
                let plain = n.parent().is_none_or(|p| p.kind() != "declaration");
                valued && plain && (is_written(grammar, n) || is_definition_name(ctx, n))
            })
    })
}

/// Whether a name surely has a value before the code.
fn is_surely_assigned_before<'a>(
    ctx: &ActionContext<'a>,
    name: &str,
    def: u32,
    selection: &Selection<'a>,
    function: Node<'a>,
) -> bool {
    let definitions = ctx.def(def);
    if definitions.kind == DefinitionKind::Parameter || !is_defined_in(ctx, def, function) {
        return true;
    }
    let Some(grammar) = ctx.grammar else { return false };
    // A statement before the code, or before an ancestor of it, assigns the name.
    let mut at = selection.first();
    while at.id() != function.id() {
        let mut before = at.prev_named_sibling();
        while let Some(node) = before {
            let kind = node.kind();
            let plain = kind.ends_with("declaration")
                || kind == "expression_statement"
                || kind == "assignment_statement";
            let assigns = plain
                && name_occurrences(ctx, node, name).into_iter().any(|n| {
                    let valued = n.parent().is_none_or(|p| {
                        !matches!(p.kind(), "variable_declarator" | "let_declaration")
                            || p.child_by_field_name("value").is_some()
                    }) && !matches!(kind, "declaration")
                        || n.parent().is_some_and(|p| p.kind() == "init_declarator");
                    valued && (is_written(grammar, n) || is_definition_name(ctx, n))
                });
            if assigns {
                return true;
            }
            before = node.prev_named_sibling();
        }
        let Some(parent) = at.parent() else { return false };
        // The code is in the body of a loop, `with` or `except … as` that binds the name.
        let head = ["left", "alias", "initializer", "name"]
            .iter()
            .filter_map(|f| parent.child_by_field_name(f));
        let mut named = head.filter(|h| h.end_byte() <= at.start_byte());
        let kind = parent.kind();
        let binds = kind.starts_with("for")
            || kind.starts_with("enhanced_for")
            || kind.starts_with("with")
            || kind.starts_with("except")
            || kind == "catch_clause"
            || kind == "if_statement" && ctx.language == "go";
        if binds
            && named.any(|h| {
                name_occurrences(ctx, h, name)
                    .into_iter()
                    .any(|n| is_definition_name(ctx, n) || is_written(grammar, n))
            })
        {
            return true;
        }
        at = parent;
    }
    false
}

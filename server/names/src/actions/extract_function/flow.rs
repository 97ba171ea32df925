//! What goes into a stretch of code, and what comes out of it.

use tree_sitter::Node;

use super::{Stretch, mentions};
use crate::actions::site::{Site, is_written};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::vocabulary::DefinitionKind;

/// What goes in and out.
pub(super) struct Flow {
    /// The names that it reads, with a definition of each, in order of their first use.
    pub(super) parameters: Vec<(String, u32)>,
    /// The names that are read after it, and whether they are there only because of it.
    pub(super) results: Vec<(String, u32, bool)>,
}

impl Flow {
    pub(super) fn of<'a>(
        site: &Site<'a>,
        stretch: &Stretch<'a>,
        function: Node<'a>,
    ) -> Result<Self, ActionRefusal> {
        let Some(grammar) = site.grammar else {
            return Err(refusal(Why::Nothing, "nothing is known of the language"));
        };
        let range = stretch.range();
        let mut names: Vec<(String, u32)> = Vec::new();
        let imports = |name: &str| {
            let number = site.facts.strings.find(name);
            let all = number.map_or(&[][..], |n| site.facts.named(n));
            all.iter().any(|d| site.def(*d).kind == DefinitionKind::Import && site.is_local(*d))
        };
        for read in site.names_in(range.clone()) {
            let written = site.source.get(read.span.clone()).unwrap_or("");
            if imports(written) {
                return Err(refusal(
                    Why::Scope,
                    format!("`{written}` is imported in the function"),
                ));
            }
            let local: Vec<u32> = read.own.iter().copied().filter(|d| site.is_local(*d)).collect();
            let Some(&def) = local.first() else { continue };
            let scope = site.facts.scopes.get(site.def(def).scope as usize);
            if scope.is_some_and(|s| range.start <= s.start as usize && s.end as usize <= range.end)
            {
                continue;
            }
            let name = site.name_of(def).to_owned();
            if site.source.get(read.span.clone()) != Some(&*name) {
                return Err(refusal(Why::Unknown, format!("it is not clear what `{name}` means")));
            }
            let kind = site.def(def).kind;
            use DefinitionKind as K;
            if !matches!(kind, K::Variable | K::Parameter | K::Constant | K::Function) {
                return Err(refusal(Why::Scope, format!("`{name}` is known only in the function")));
            }
            if !names.iter().any(|(n, _)| *n == name) {
                names.push((name, def));
            }
        }
        // What is defined in it.
        for (d, def) in site.facts.definitions.iter().enumerate() {
            let at = def.name_start as usize;
            let empty = def.name_start >= def.name_end;
            if range.contains(&at) && !empty && site.is_local(d as u32) {
                let name = site.name_of(d as u32).to_owned();
                let scope = site.facts.scopes.get(def.scope as usize);
                let inner = scope.is_some_and(|s| {
                    range.start <= s.start as usize && s.end as usize <= range.end
                });
                if !inner && !names.iter().any(|(n, _)| *n == name) {
                    names.push((name, d as u32));
                }
            }
        }
        let mut flow = Self { parameters: Vec::new(), results: Vec::new() };
        let around_loop = is_in_loop(stretch.first(), function);
        for (name, def) in names {
            let all = mentions(site, function, &name);
            let inside = |n: &&Node<'_>| range.start <= n.start_byte() && n.end_byte() <= range.end;
            let written_inside = all
                .iter()
                .filter(inside)
                .any(|n| is_written(grammar, *n) || is_own_definition(site, *n));
            let before = |n: &Node<'_>| n.end_byte() <= range.start;
            let outside: Vec<_> = all.iter().filter(|n| !inside(n)).collect();
            let def_outside = outer_definition(site, &name, &range, def);
            let expression = matches!(stretch, Stretch::Expression(_));
            if written_inside && expression {
                return Err(refusal(Why::Assigned, format!("it gives `{name}` a value")));
            }
            if written_inside && outside.iter().any(|n| is_in_inner_function(site, **n, function)) {
                let why = format!("`{name}` is seen by a function inside");
                return Err(refusal(Why::Assigned, why));
            }
            let read_after =
                outside.iter().any(|n| !before(n)) || around_loop && !outside.is_empty();
            let Some(outer) = def_outside else {
                // It is there only because of the stretch.
                if outside.is_empty() {
                    continue;
                }
                if !is_certain(site, stretch, &name) {
                    let why = format!("`{name}` may be without a value after it");
                    return Err(refusal(Why::Assigned, why));
                }
                if around_loop && outside.iter().any(|n| before(n)) {
                    return Err(refusal(
                        Why::Assigned,
                        format!("`{name}` is kept from turn to turn"),
                    ));
                }
                flow.results.push((name, def, true));
                continue;
            };
            if !is_there_before(site, &name, outer, stretch, function) {
                let why = format!("`{name}` may be without a value before it");
                return Err(refusal(Why::Assigned, why));
            }
            let kind = site.def(outer).kind;
            if kind == DefinitionKind::Function && written_inside {
                return Err(refusal(Why::Assigned, format!("it changes `{name}`")));
            }
            if written_inside && !belongs_to(site, outer, function) {
                let why = format!("`{name}` belongs to another function");
                return Err(refusal(Why::Assigned, why));
            }
            flow.parameters.push((name.clone(), outer));
            if written_inside && read_after {
                flow.results.push((name, outer, false));
            }
        }
        Ok(flow)
    }
}

/// A definition of a name outside of a range that what the range means may be.
fn outer_definition(
    site: &Site<'_>,
    name: &str,
    range: &std::ops::Range<usize>,
    def: u32,
) -> Option<u32> {
    let outside = |d: u32| !range.contains(&(site.def(d).name_start as usize));
    if outside(def) {
        return Some(def);
    }
    let own = site.def(def);
    let number = site.facts.strings.find(name)?;
    let same = site.facts.in_scope(own.scope, number);
    same.iter().copied().find(|d| outside(*d) && (site.def(*d).name_start as usize) < range.start)
}

fn is_own_definition(site: &Site<'_>, node: Node<'_>) -> bool {
    let at = node.start_byte() as u32;
    let end = node.end_byte() as u32;
    let facts = site.facts;
    let next = facts.by_place.partition_point(|&d| facts.definitions[d as usize].name_start < at);
    facts.by_place[next..]
        .iter()
        .map(|&d| &facts.definitions[d as usize])
        .take_while(|d| d.name_start == at)
        .any(|d| d.name_end == end)
}

fn is_in_loop(node: Node<'_>, function: Node<'_>) -> bool {
    crate::actions::site::any_above(node, function, &|n| {
        let kind = n.kind();
        kind.contains("while")
            || kind.starts_with("for_")
            || kind.contains("loop")
            || kind.starts_with("do_")
            || kind.starts_with("enhanced_for")
    })
}

fn is_in_inner_function(site: &Site<'_>, node: Node<'_>, function: Node<'_>) -> bool {
    let functions = site.grammar.map_or(&[][..], |g| g.functions);
    crate::actions::site::any_above(node, function, &|n| functions.contains(&n.kind()))
}

/// Whether a definition is one of this function itself.
fn belongs_to(site: &Site<'_>, def: u32, function: Node<'_>) -> bool {
    let at = site.def(def).name_start as usize;
    function.start_byte() <= at && at < function.end_byte()
}

/// Whether a name surely has a value after the stretch: one of its statements gives it one.
fn is_certain(site: &Site<'_>, stretch: &Stretch<'_>, name: &str) -> bool {
    let Some(grammar) = site.grammar else { return false };
    stretch.nodes().iter().any(|statement| {
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
            && mentions(site, *statement, name).into_iter().any(|n| {
                let declared = n
                    .parent()
                    .filter(|p| matches!(p.kind(), "variable_declarator" | "let_declaration"));
                let valued = declared.is_none_or(|p| p.child_by_field_name("value").is_some());
                let plain = n.parent().is_none_or(|p| p.kind() != "declaration");
                valued && plain && (is_written(grammar, n) || is_own_definition(site, n))
            })
    })
}

/// Whether a name surely has a value before the stretch.
fn is_there_before<'a>(
    site: &Site<'a>,
    name: &str,
    def: u32,
    stretch: &Stretch<'a>,
    function: Node<'a>,
) -> bool {
    let own = site.def(def);
    if own.kind == DefinitionKind::Parameter || !belongs_to(site, def, function) {
        return true;
    }
    let Some(grammar) = site.grammar else { return false };
    // Something that comes before the stretch, or before what it is in, gives it one.
    let mut at = stretch.first();
    while at.id() != function.id() {
        let mut before = at.prev_named_sibling();
        while let Some(node) = before {
            let kind = node.kind();
            let plain = kind.ends_with("declaration")
                || kind == "expression_statement"
                || kind == "assignment_statement";
            let gives = plain
                && mentions(site, node, name).into_iter().any(|n| {
                    let valued = n.parent().is_none_or(|p| {
                        !matches!(p.kind(), "variable_declarator" | "let_declaration")
                            || p.child_by_field_name("value").is_some()
                    }) && !matches!(kind, "declaration")
                        || n.parent().is_some_and(|p| p.kind() == "init_declarator");
                    valued && (is_written(grammar, n) || is_own_definition(site, n))
                });
            if gives {
                return true;
            }
            before = node.prev_named_sibling();
        }
        let Some(parent) = at.parent() else { return false };
        // The head of a loop, of `with`, of `except … as`.
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
            || kind == "if_statement" && site.language == "go";
        if binds
            && named.any(|h| {
                mentions(site, h, name)
                    .into_iter()
                    .any(|n| is_own_definition(site, n) || is_written(grammar, n))
            })
        {
            return true;
        }
        at = parent;
    }
    false
}

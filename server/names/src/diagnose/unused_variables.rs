//! Diagnostics for local variables that nothing reads.

use tree_sitter::Node;

use super::dynamic_names::reads_locals;
use super::lexical_index::{LexicalIndex, LexicalKind};
use super::name_lists::is_suppressed;
use super::undefined::rust_macro_names::is_plain_attribute;
use super::{DiagnosticsContext, NameDiagnostic, NameDiagnosticKind};
use crate::facts::{Def, NONE};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Adds the diagnostics for unused variables.
pub(super) fn find(ctx: &DiagnosticsContext<'_>, found: &mut Vec<NameDiagnostic>) {
    if !is_checked(ctx) {
        return;
    }
    for def in &ctx.facts.definitions[1..] {
        let name = ctx.name(def.name);
        if def.kind == DefinitionKind::Variable
            && def.name_start < def.name_end
            && !name.starts_with('_')
            && !def.flags.has(Flags::EXPORTED | Flags::HIDDEN | Flags::LISTED | Flags::INSTANCE)
            && is_unused(ctx, def, name)
        {
            let (start, end) = (def.name_start, def.name_end);
            found.push(ctx.diagnostic(NameDiagnosticKind::UnusedVariable, start, end, name));
        }
    }
}

fn is_checked(ctx: &DiagnosticsContext<'_>) -> bool {
    let lex = &ctx.lex;
    if ctx.language == "python" && super::name_lists::is_rule_off(lex.source, "F841") {
        return false;
    }
    let off: &[&str] = match ctx.language {
        "rust" => &["unused_variables", "allow(unused)", "allow(warnings)", "clippy::all"],
        "typescript" | "tsx" | "javascript" => &["ts-nocheck", "eslint-disable no-unused"],
        _ => &[],
    };
    !off.iter().any(|w| lex.source.contains(w))
}

fn is_unused(ctx: &DiagnosticsContext<'_>, def: &Def, name: &str) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    let around = lex.ancestors(def.name_start, def.name_end);
    if !is_single_declaration(ctx.language, around.as_slice(), lex)
        || ctx.language == "rust" && may_be_read_by_macro(lex, around.as_slice())
    {
        return false;
    }
    // Find the function that contains the variable.
    let (mut at, mut function) = (def.scope, None);
    while let Some(scope) = facts.scopes.get(at as usize) {
        match scope.kind {
            ScopeKind::Function | ScopeKind::Lambda => {
                function = Some(scope);
                break;
            }
            ScopeKind::Block | ScopeKind::Comprehension => at = scope.parent,
            _ => break,
        }
    }
    let Some(function) = function.filter(|_| at != NONE) else { return false };
    let node_of_function =
        around.into_iter().find(|n| is_function(n.kind())).map(|n| n.byte_range());
    let span =
        node_of_function.map_or(function.start..function.end, |n| n.start as u32..n.end as u32);
    let body = &lex.source[span.start as usize..span.end as usize];
    if reads_dynamically(ctx.language, body) || reads_locals(ctx, &span) || is_intentional(ctx, def)
    {
        return false;
    }
    // Words of the text do not contain the mark of a raw identifier.
    let word = if ctx.language == "rust" { name.trim_start_matches("r#") } else { name };
    let own = def.name_start + (name.len() - word.len()) as u32;
    // The width or precision in a format: `{:0width$}`.
    if ctx.language == "rust" && body.contains(&format!("{word}$")) {
        return false;
    }
    for &place in lex.occurrences(word) {
        if !span.contains(&place) || place == own {
            continue;
        }
        match lex.kind(place) {
            LexicalKind::Comment => {
                if ctx.language == "python" && lex.comment_at(place).contains("type:") {
                    return false;
                }
                continue;
            }
            LexicalKind::String if !matches!(ctx.language, "python" | "rust") => continue,
            _ => {}
        }
        if lex.is_member(place) {
            continue;
        }
        return false;
    }
    true
}

/// Whether an attribute of an item around rewrites its code, which may then read any variable.
fn may_be_read_by_macro(lex: &LexicalIndex<'_>, around: &[Node<'_>]) -> bool {
    let items = around.iter().filter(|node| node.kind().ends_with("_item"));
    items.filter(|item| lex.may_have_attribute(**item)).any(|item| {
        let mut above = item.prev_named_sibling();
        while let Some(attribute) = above.filter(|node| node.kind() == "attribute_item") {
            if !is_plain_attribute(&lex.source[attribute.byte_range()]) {
                return true;
            }
            above = attribute.prev_named_sibling();
        }
        false
    })
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_definition"
            | "function_declaration"
            | "method_declaration"
            | "method_definition"
            | "function_item"
            | "func_literal"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "arrow_function"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "closure_expression"
            | "lambda_expression"
    )
}

/// Whether a function may read its variables dynamically.
fn reads_dynamically(language: &str, body: &str) -> bool {
    match language {
        "typescript" | "tsx" | "javascript" => body.contains("eval(") || body.contains("with ("),
        _ => false,
    }
}

fn is_intentional(ctx: &DiagnosticsContext<'_>, def: &Def) -> bool {
    let lex = &ctx.lex;
    let line =
        lex.line_before(def.name_start).to_owned() + lex.rest_of_line(def.name_start as usize);
    let words = [
        "noqa",
        "unused",
        "pylint",
        "pyright:",
        "ts-ignore",
        "ts-expect-error",
        "eslint",
        "nolint",
        "NOSONAR",
        "type: ignore",
    ];
    if is_suppressed(&line, &words) {
        return true;
    }
    let start = def.name_start as usize - lex.line_before(def.name_start).len();
    let above = lex.source[..start].trim_end_matches(['\n', '\r']).rsplit('\n').next();
    above.is_some_and(|l| {
        let l = l.trim_start();
        l.starts_with(['#', '/', '*', '@'])
            && (is_suppressed(l, &words) || l.contains("Suppress") || l.starts_with("#["))
    })
}

/// Whether a declaration declares just this name and gives it a value. `around` are the nodes
/// around the name, the innermost first.
fn is_single_declaration(language: &str, around: &[Node<'_>], lex: &LexicalIndex<'_>) -> bool {
    let &[node, parent, outer, ..] = around else { return false };
    let is_field = |n: Node<'_>, field: &str| {
        parent.child_by_field_name(field).is_some_and(|c| c.id() == n.id())
    };
    match language {
        "python" => match parent.kind() {
            "assignment" => {
                is_field(node, "left")
                    && parent.child_by_field_name("right").is_some()
                    && outer.kind() == "expression_statement"
            }
            "as_pattern_target" => {
                let clause = around.iter().skip(1).find(|n| {
                    n.kind().ends_with("_clause")
                        || n.kind() == "with_item"
                        || n.kind() == "case_clause"
                });
                clause.is_some_and(|c| c.kind() == "except_clause" || c.kind() == "with_item")
            }
            _ => false,
        },
        "typescript" | "tsx" | "javascript" => {
            let statement = around.get(3).map_or("", |n| n.kind());
            parent.kind() == "variable_declarator"
                && is_field(node, "name")
                && !lex.source[outer.byte_range()].starts_with("using")
                && !matches!(
                    statement,
                    "for_in_statement" | "export_statement" | "ambient_declaration"
                )
        }
        "rust" => {
            let (outer, name) =
                if parent.kind() == "mut_pattern" { (outer, parent) } else { (parent, node) };
            outer.kind() == "let_declaration"
                && outer.child_by_field_name("pattern").is_some_and(|p| p.id() == name.id())
                && !(lex.may_have_attribute(outer)
                    && outer.prev_named_sibling().is_some_and(|p| p.kind() == "attribute_item"))
        }
        "go" => {
            let list = parent.kind() == "expression_list"
                && outer.kind() == "short_var_declaration"
                && outer.child_by_field_name("left").is_some_and(|l| l.id() == parent.id());
            list || parent.kind() == "var_spec"
        }
        "java" => {
            parent.kind() == "variable_declarator"
                && is_field(node, "name")
                && outer.kind() == "local_variable_declaration"
        }
        "c" | "cpp" => is_plain_c_variable(around, lex.source),
        _ => false,
    }
}

/// Whether a C or C++ variable has a plain type: no constructor or destructor runs.
fn is_plain_c_variable(around: &[Node<'_>], source: &str) -> bool {
    for (at, outer) in around.windows(2).enumerate() {
        let &[node, parent] = outer else { return false };
        match parent.kind() {
            "init_declarator" => {
                if parent.child_by_field_name("declarator").is_none_or(|d| d.id() != node.id()) {
                    return false;
                }
            }
            "pointer_declarator" => {}
            "declaration" => {
                let plain = parent
                    .child_by_field_name("type")
                    .is_some_and(|t| matches!(t.kind(), "primitive_type" | "sized_type_specifier"));
                let text = &source[parent.byte_range()];
                let block = around.get(at + 2).is_some_and(|p| p.kind() == "compound_statement");
                return plain
                    && block
                    && !["static", "extern", "volatile", "[[", "__attribute__", "register"]
                        .iter()
                        .any(|w| text.contains(w))
                    && !may_use_macros(around, source);
            }
            _ => return false,
        }
    }
    false
}

/// Whether the function around a name may contain a macro that reads its variables, or a
/// preprocessor condition.
fn may_use_macros(around: &[Node<'_>], source: &str) -> bool {
    let function =
        around.iter().find(|n| matches!(n.kind(), "function_definition" | "lambda_expression"));
    let Some(function) = function else { return true };
    let text = &source[function.byte_range()];
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let capital = |w: &str| {
        w.len() > 1
            && w.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && !w.chars().any(|c| c.is_ascii_lowercase())
    };
    words.any(capital) || text.lines().any(|l| l.trim_start().starts_with('#'))
}

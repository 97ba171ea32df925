//! Keys of object literals that are contextually typed.
//!
//! `define({ run() {} })` compiles because the parameter's type has a member `run`. If that type is
//! not understood (mapped, inferred through generics, from a package that is not indexed), the key
//! looks like an independent name, and renaming it breaks the build. Such keys are reported as
//! uncertain.

use syntax::Syntax;
use tree_sitter::Node;

use super::symbol::RenamedSymbol;
use super::{RenameProblem, RenameSources};
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::ScopeKind;

/// Limit for the definitions of one symbol that are examined.
const MAX_DEFINITIONS: usize = 64;

/// Reports keys whose literal stands where a type is expected, unless the symbol is also a member
/// of a known type. Parses the files that define it. TypeScript only: no other language types
/// literals by context.
pub(super) fn report_contextual_keys(
    resolver: &Resolver<'_>,
    symbol: &RenamedSymbol,
    sources: &RenameSources<'_>,
    problems: &mut Vec<RenameProblem>,
) {
    let language = resolver.facts(symbol.selected.file).language();
    if !matches!(language.id(), "typescript" | "tsx") {
        return;
    }
    let is_key = |id: &DefId| {
        let scope = resolver.def(*id).scope as usize;
        resolver.facts(id.file).scopes.get(scope).map(|s| s.kind) == Some(ScopeKind::Object)
    };
    if !symbol.definitions.iter().all(is_key) {
        return;
    }
    let mut keys: Vec<DefId> = symbol.definitions.iter().copied().collect();
    keys.sort_unstable();
    for id in keys.into_iter().take(MAX_DEFINITIONS) {
        let Some(text) = (sources.text)(id.file) else { continue };
        let language = resolver.facts(id.file).language();
        let Some(syntax) = Syntax::parse(language, &text, None, sources.interrupt) else { return };
        let def = resolver.def(id);
        let span = def.name_start as usize..def.name_end as usize;
        if expects_type(&syntax.nodes_around(span.clone())) {
            let why = "may be a member of the type that is expected here";
            problems.push(RenameProblem::new(id.file, span, why));
        }
    }
}

/// Whether the literals around a key are an argument or have a type annotation. `ancestors` are the
/// nodes around the key, the innermost first.
fn expects_type(ancestors: &[Node<'_>]) -> bool {
    for node in ancestors.iter().skip(1) {
        match node.kind() {
            "arguments" | "satisfies_expression" => return true,
            "variable_declarator"
            | "public_field_definition"
            | "required_parameter"
            | "optional_parameter" => return node.child_by_field_name("type").is_some(),
            "object"
            | "pair"
            | "array"
            | "parenthesized_expression"
            | "method_definition"
            | "ternary_expression" => {}
            _ => return false,
        }
    }
    false
}

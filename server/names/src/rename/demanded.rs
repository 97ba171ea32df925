//! Keys of object literals that a type from elsewhere may demand.
//!
//! `define({ run() {} })` compiles because the parameter's type has a member `run`. Where that type is not
//! understood (mapped, inferred through generics, of a package that is not here), the key looks like a name of
//! its own, and renaming it breaks the build. So it is asked about.

use syntax::Syntax;
use tree_sitter::Node;

use super::subject::Subject;
use super::{RenameProblem, RenameSources};
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::ScopeKind;

/// Most definitions of one symbol that are looked at.
const DEFINITIONS: usize = 64;

/// Reports keys whose literal stands where a type is expected, unless the symbol is known to be a member of a
/// type as well. Parses the files that define it. TypeScript only: elsewhere nothing demands a type.
pub(super) fn demanded(
    resolver: &Resolver<'_>,
    subject: &Subject,
    sources: &RenameSources<'_>,
    problems: &mut Vec<RenameProblem>,
) {
    let language = resolver.facts(subject.first.file).language();
    if !matches!(language.id(), "typescript" | "tsx") {
        return;
    }
    let is_key = |id: &DefId| {
        let scope = resolver.def(*id).scope as usize;
        resolver.facts(id.file).scopes.get(scope).map(|s| s.kind) == Some(ScopeKind::Object)
    };
    if !subject.group.iter().all(is_key) {
        return;
    }
    let mut keys: Vec<DefId> = subject.group.iter().copied().collect();
    keys.sort_unstable();
    for id in keys.into_iter().take(DEFINITIONS) {
        let Some(text) = (sources.text)(id.file) else { continue };
        let language = resolver.facts(id.file).language();
        let Some(syntax) = Syntax::parse(language, &text, None, sources.interrupt) else { return };
        let def = resolver.def(id);
        let span = def.name_start as usize..def.name_end as usize;
        if expects_type(&syntax.nodes_around(span.clone())) {
            let why = "may be a member of the type that is expected of this object";
            problems.push(RenameProblem::new(id.file, span, why));
        }
    }
}

/// Whether the literals around a key are an argument, or of a type that is written beside them. `around` are the
/// nodes around the key, the innermost first.
fn expects_type(around: &[Node<'_>]) -> bool {
    for node in around.iter().skip(1) {
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

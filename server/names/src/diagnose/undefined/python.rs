//! Python: no wildcard import of unknown modules, no dynamically created names.

use crate::diagnose::DiagnosticsContext;
use crate::diagnose::dynamic_names::may_define_more_names;
use crate::diagnose::name_lists::{is_rule_off, is_suppressed};
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{Resolver, Ty};

/// Limit for the modules reached through wildcard imports.
const MAX_WILDCARD_IMPORTS: usize = 16;

pub(super) fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    ctx.path.ends_with(".py")
        && !is_rule_off(ctx.lex.source, "F821")
        && wildcard_names_known(&ctx.resolver(), ctx.file, &mut Vec::new())
}

/// Whether all names that a file's wildcard imports bring are known.
fn wildcard_names_known(resolver: &Resolver<'_>, file: FileId, seen: &mut Vec<FileId>) -> bool {
    if seen.contains(&file) {
        return true;
    }
    seen.push(file);
    if seen.len() > MAX_WILDCARD_IMPORTS {
        return false;
    }
    let facts = resolver.facts(file);
    facts.globs.iter().all(|glob| match resolver.type_of_value(file, glob.module) {
        Ty::Module(other, 0) => {
            let other_facts = resolver.facts(other);
            if resolver.is_library(other) {
                // The names of a dependency depend on its version.
                return false;
            }
            !may_define_more_names(other_facts) && wildcard_names_known(resolver, other, seen)
        }
        _ => false,
    })
}

pub(super) fn is_undefined(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let (lex, name) = (&ctx.lex, ctx.name(reference.name));
    // Code that catches `NameError` expects it.
    let caught = lex.ancestors(reference.start, reference.end).any(|n| {
        n.kind() == "try_statement" && {
            let mut cursor = n.walk();
            let tried = n
                .child_by_field_name("body")
                .is_some_and(|body| body.byte_range().contains(&(reference.start as usize)));
            n.children(&mut cursor).any(|c| {
                let line = lex.rest_of_line(c.start_byte());
                let all = line.split(':').next().is_some_and(|l| l.trim() == "except");
                c.kind() == "except_clause" && (line.contains("NameError") || tried && all)
            })
        }
    });
    let deleted = lex.ancestors(reference.start, reference.end).any(|n| {
        // `global x` and `del x` do not read a name.
        matches!(n.kind(), "delete_statement" | "global_statement" | "nonlocal_statement")
    });
    let line = lex.rest_of_line(reference.start as usize);
    let suppressed = is_suppressed(line, &["noqa", "type: ignore", "pyright:", "pylint"]);
    let built_in = ["builtins.", "__builtin__.", "__builtins__."];
    let built_in = lex.occurrences(name).iter().any(|&at| {
        let before = &lex.source[..at as usize];
        built_in.iter().any(|w| before.ends_with(w))
    });
    let is_dynamic = built_in || ctx.dynamic_names.may_write(name, reference.start);
    let special = name.starts_with("__") && name.ends_with("__");
    !(caught || deleted || suppressed || special || is_dynamic)
}

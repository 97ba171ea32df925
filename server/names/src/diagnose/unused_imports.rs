//! Diagnostics for imports that nothing uses.

use super::lexical_index::LexicalKind;
use super::{DiagnosticsContext, NameDiagnostic, NameDiagnosticKind};
use crate::facts::{Def, NameSite, ReferenceRole};
use crate::resolve::languages::rules;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Words in a comment near an import that mark it as intentional.
const INTENTIONAL_MARKERS: &[&str] = &[
    "noqa",
    "unused",
    "F401",
    "side effect",
    "side-effect",
    "re-export",
    "reexport",
    "pylint",
    "eslint-disable",
    "ts-ignore",
    "ts-expect-error",
    "keep",
    "NOSONAR",
    "pyright:",
    "flake8",
    "backwards",
    "compat",
    "IWYU",
    "nolint",
];
/// Limit for other files that are checked for importing a name through this one.
const MAX_OTHER_FILES: usize = 64;

/// Adds the diagnostics for unused imports.
pub(super) fn find(ctx: &DiagnosticsContext<'_>, found: &mut Vec<NameDiagnostic>) {
    if !is_checked(ctx) {
        return;
    }
    let resolver = ctx.resolver();
    for d in 1..ctx.facts.definitions.len() as u32 {
        let def = &ctx.facts.definitions[d as usize];
        if def.kind == DefinitionKind::Import
            && def.name_start < def.name_end
            && !def.flags.has(Flags::EXPORTED | Flags::HIDDEN | Flags::LISTED)
            // An import in a class body is a member of the class.
            && ctx.facts.scopes[def.scope as usize].kind != ScopeKind::Body
            && is_unused(ctx, &resolver, d, def)
        {
            let name = ctx.name(def.name);
            found.push(ctx.diagnostic(
                NameDiagnosticKind::UnusedImport,
                def.name_start,
                def.name_end,
                name,
            ));
        }
    }
}

/// Whether imports of the file are used only by the file itself.
fn is_checked(ctx: &DiagnosticsContext<'_>) -> bool {
    let (path, lex) = (ctx.path, &ctx.lex);
    let file = path.rsplit('/').next().unwrap_or(path);
    match ctx.language {
        "python" => {
            // Code that reads a module's names dynamically may use any import.
            file.ends_with(".py")
                && !matches!(file, "__init__.py" | "conftest.py" | "conf.py")
                && !ctx.dynamic_names.reads_module
                && !super::name_lists::is_rule_off(lex.source, "F401")
        }
        "typescript" | "tsx" | "javascript" => {
            let off = ["ts-nocheck", "eslint-disable no-unused", "@jsx"];
            !file.contains(".d.")
                && !lex.contains_word("eval")
                && !off.iter().any(|w| lex.source.contains(w))
        }
        "rust" => {
            let off = ["unused_imports", "allow(unused)", "allow(warnings)", "clippy::all"];
            !off.iter().any(|w| lex.source.contains(w)) && !calls_unknown_macros(ctx)
        }
        "go" | "java" | "php" | "kotlin" => true,
        _ => false,
    }
}

/// Whether the file calls a macro defined elsewhere, whose expansion may use the imports.
fn calls_unknown_macros(ctx: &DiagnosticsContext<'_>) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    let own = |name: u32| {
        let all = facts.definitions_named(name).iter();
        all.copied().any(|d| facts.definitions[d as usize].kind == DefinitionKind::Macro)
    };
    facts.references.iter().any(|r| {
        let called = r.namespace == Namespace::MACRO
            || lex.source[r.end as usize..].starts_with('!')
                && !lex.source[r.end as usize..].starts_with("!=");
        called && !super::name_lists::is_plain_macro(ctx.name(r.name)) && !own(r.name)
    })
}

fn is_unused(ctx: &DiagnosticsContext<'_>, resolver: &Resolver<'_>, d: u32, def: &Def) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    let name = ctx.name(def.name);
    let Some(statement) = lex.ancestors(def.name_start, def.name_end).find(|n| is_import(n.kind()))
    else {
        return false;
    };
    let whole = statement.start_byte() as u32..statement.end_byte() as u32;
    let text = &lex.source[whole.start as usize..whole.end as usize];
    let after = lex.rest_of_line(whole.end as usize);
    let line_above = lex.source[..whole.start as usize].trim_end_matches([' ', '\t']);
    let line_above = line_above.trim_end_matches(['\n', '\r']).rsplit('\n').next().unwrap_or("");
    let above = line_above.trim_start().starts_with(['#', '/', '*', '@']);
    // In Python, only the part after `#` is a comment; the rest may be the imported name.
    let comment_range = |line: &'_ str| match ctx.language {
        "python" => line.find('#').map_or(0, |at| at)..line.len(),
        _ => 0..line.len(),
    };
    let is_intentional = |line: &str| {
        let comment = &line[comment_range(line)];
        let any = ctx.language != "python" || comment.starts_with('#');
        any && super::name_lists::is_suppressed(comment, INTENTIONAL_MARKERS)
    };
    if text.lines().any(is_intentional)
        || is_intentional(after)
        || above && is_intentional(line_above)
    {
        return false;
    }
    if ctx.dynamic_names.may_read_local(def.name_start) {
        return false;
    }
    if !only_binds_name(ctx, resolver, def, text, statement.kind()) {
        return false;
    }
    // Two definitions of a name in one scope may be alternatives.
    let same = facts.definitions_in_scope(def.scope, def.name).len() > 1;
    if same {
        return false;
    }
    for &at in lex.occurrences(name) {
        if whole.contains(&at) {
            if ctx.language == "go" || at == def.name_start {
                continue;
            }
            if is_path_component(ctx, at) {
                continue;
            }
        }
        if is_use(ctx, resolver, d, def, name, at) {
            return false;
        }
    }
    !is_used_elsewhere(ctx, resolver, name)
}

fn is_import(kind: &str) -> bool {
    matches!(
        kind,
        "import_statement"
            | "import_from_statement"
            | "use_declaration"
            | "extern_crate_declaration"
            | "import_declaration"
            | "import"
            | "import_spec"
            | "namespace_use_declaration"
    )
}

/// Whether a word inside the import is a part of the imported path: `a` of `import a.b`, `x` of
/// `import {x}` or of `from x import x`.
fn is_path_component(ctx: &DiagnosticsContext<'_>, at: u32) -> bool {
    match ctx.facts.site_at(at as usize) {
        Some(NameSite::Definition(_)) | None => true,
        // Names inside an import refer to what is imported.
        Some(NameSite::Reference(r)) => {
            ctx.facts.references[r as usize].role != ReferenceRole::Keyword
        }
    }
}

/// Whether an import of this form does nothing but bind a name.
fn only_binds_name(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    def: &Def,
    text: &str,
    statement: &str,
) -> bool {
    let (facts, name, lex) = (ctx.facts, ctx.name(def.name), &ctx.lex);
    match ctx.language {
        "python" => {
            let again = [format!("{name} as {name}"), format!("* as {name}")];
            let in_try =
                lex.ancestors(def.name_start, def.name_end).any(|n| n.kind() == "try_statement");
            // A pytest parameter may refer to an imported fixture by name.
            let file = crate::project::last(ctx.path);
            let tests = file.starts_with("test")
                || file.ends_with("_test.py")
                || ctx.path.split('/').any(|p| matches!(p, "test" | "tests" | "testing"))
                || lex.contains_word("pytest");
            let parameter =
                |&d: &u32| facts.definitions[d as usize].kind == DefinitionKind::Parameter;
            let is_fixture_parameter = |d: &u32| tests && parameter(d);
            !again.iter().any(|w| text.contains(w))
                && !in_try
                && !facts.definitions_named(def.name).iter().any(is_fixture_parameter)
                && name != "__all__"
        }
        "typescript" | "tsx" | "javascript" => {
            let jsx = ctx.path.ends_with('x') || ctx.language == "javascript";
            !(jsx && matches!(name, "React" | "h" | "jsx" | "Fragment" | "preact"))
        }
        "rust" => {
            if statement != "use_declaration"
                || text.starts_with("pub")
                || name.starts_with('_')
                // A derive macro names the crate that its trait is in.
                || text.starts_with("use crate as ")
                || has_attribute(lex.source, lex.node(def.name_start, def.name_end))
            {
                return false;
            }
            // A trait is used through its methods. An unresolved import may be a trait.
            let id = DefId { file: ctx.file, def: definition_number(ctx, def) };
            let targets = resolver.value_targets(ctx.file, def.value);
            let plain = |kind: DefinitionKind| {
                !matches!(
                    kind,
                    DefinitionKind::Trait | DefinitionKind::Import | DefinitionKind::Macro
                )
            };
            targets.iter().any(|f| f.id != id)
                && targets.iter().all(|f| plain(resolver.def(f.id).kind))
        }
        "go" => {
            // Only the package itself knows its name.
            if name == "_" || name == "." || name == "C" {
                return false;
            }
            let aliased = !text.trim_start().starts_with(['"', '`']);
            aliased || has_suggested_name(resolver, ctx, def, name)
        }
        "java" => !text.contains('*'),
        "kotlin" => {
            // Operators and delegates are called without their names.
            let path = text.trim_end().rsplit(['.', ' ']).next().unwrap_or("");
            let is_called_otherwise = |name| rules(ctx.language).fixes_name(name, true);
            !text.contains('*') && !is_called_otherwise(name) && !is_called_otherwise(path)
        }
        "php" => {
            let is_mention =
                |&at: &u32| at != def.name_start && !lex.source[..at as usize].ends_with('\\');
            // Names of types have no case, and annotations in comments use them.
            let (start, end) = (def.name_start as usize, def.name_end as usize);
            let around = [&lex.source[..start], &lex.source[end..]];
            statement == "namespace_use_declaration"
                && !lex.occurrences(name).iter().any(is_mention)
                && !around.iter().any(|text| mentions(text, name))
        }
        _ => false,
    }
}

/// Whether a word is in a text, in any case and not as the end of a path. O(text).
fn mentions(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(in_word) && !before.ends_with('\\') && !after.starts_with(in_word)
    })
}

fn definition_number(ctx: &DiagnosticsContext<'_>, def: &Def) -> u32 {
    let all = ctx.facts.definitions_in_scope(def.scope, def.name);
    let this =
        all.iter().find(|&&d| ctx.facts.definitions[d as usize].name_start == def.name_start);
    this.copied().unwrap_or(0)
}

/// Whether the statement around a node, or an outer item, has an attribute.
fn has_attribute(source: &str, node: Option<tree_sitter::Node<'_>>) -> bool {
    let around = std::iter::successors(node, tree_sitter::Node::parent);
    around.filter(|n| n.kind().ends_with("_declaration") || n.kind().ends_with("_item")).any(|n| {
        let before = n.prev_named_sibling();
        before.is_some_and(|b| {
            b.kind() == "attribute_item"
                && (n.kind() == "use_declaration" || source[b.byte_range()].contains("cfg"))
        })
    })
}

/// Whether a Go package has the name that its path suggests.
fn has_suggested_name(
    resolver: &Resolver<'_>,
    ctx: &DiagnosticsContext<'_>,
    def: &Def,
    name: &str,
) -> bool {
    match resolver.type_of_value(ctx.file, def.value) {
        Ty::Folder(module) => {
            let crate::project::Module::Folder(folder) = &*module else { return false };
            let files = ctx.index.project.in_folder(folder);
            let is = |f: &crate::index::FileId| {
                let package = resolver.facts(*f).package_name();
                package == name || package.strip_suffix("_test") == Some(name)
            };
            !files.is_empty() && files.iter().all(is)
        }
        _ => {
            // Standard library packages are named after the last component of their path.
            ctx.facts.module_of_value(def.value).is_some_and(|(path, _)| {
                !path.split('/').next().unwrap_or("").contains('.')
                    && path.split('/').next_back() == Some(name)
            })
        }
    }
}

/// Whether an occurrence of the name may refer to the import `d`. It may unless it is known to be
/// something else.
fn is_use(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    d: u32,
    def: &Def,
    name: &str,
    at: u32,
) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    if ctx.language == "kotlin" && lex.kind(at) != LexicalKind::Comment {
        // Members may be imported functions, and texts may have names in them.
        return true;
    }
    match lex.kind(at) {
        LexicalKind::Comment => return is_used_in_comment(ctx, at),
        LexicalKind::String if ctx.language == "python" => return !is_docstring(ctx, at),
        LexicalKind::String => return ctx.language == "rust",
        LexicalKind::Code => {}
    }
    if lex.is_member(at) {
        return false;
    }
    match facts.site_at(at as usize) {
        None => true,
        Some(NameSite::Definition(other)) => {
            let other_def = &facts.definitions[other as usize];
            if other == d {
                return false;
            }
            // A name may both refer and define: shorthand `{x}`, `export {x}`.
            other_def.name_start != at
                || other_def.kind == DefinitionKind::Import
                || other_def.scope == def.scope
                || has_reference(ctx, at)
        }
        Some(NameSite::Reference(r)) => {
            let reference = &facts.references[r as usize];
            match reference.role {
                ReferenceRole::Keyword => false,
                ReferenceRole::Plain => {
                    let targets = resolver.resolve_in_scopes(
                        ctx.file,
                        reference.scope,
                        reference.start,
                        reference.name,
                        name,
                        reference.namespace,
                    );
                    // Only a local definition of a function is certain to shadow the import.
                    let hidden = |f: &crate::resolve::Resolution| {
                        let other = resolver.def(f.id);
                        f.id.file == ctx.file
                            && f.id.def != d
                            && other.kind != DefinitionKind::Import
                            && matches!(
                                facts.scopes[other.scope as usize].kind,
                                ScopeKind::Function
                                    | ScopeKind::Lambda
                                    | ScopeKind::Block
                                    | ScopeKind::Comprehension
                            )
                    };
                    targets.is_empty() || !targets.iter().all(hidden)
                }
                _ => true,
            }
        }
    }
}

/// Whether an offset is in a docstring without examples.
fn is_docstring(ctx: &DiagnosticsContext<'_>, at: u32) -> bool {
    let lex = &ctx.lex;
    let mut around = lex.ancestors(at, at + 1);
    let Some(text) = around.find(|n| n.kind() == "string") else { return false };
    let alone = text.parent().is_some_and(|p| p.kind() == "expression_statement");
    alone && !lex.source[text.byte_range()].contains(">>>")
}

fn has_reference(ctx: &DiagnosticsContext<'_>, at: u32) -> bool {
    let all = &ctx.facts.references;
    all.iter().any(|r| r.start == at && r.role == ReferenceRole::Plain)
}

fn is_used_in_comment(ctx: &DiagnosticsContext<'_>, at: u32) -> bool {
    let comment = ctx.lex.comment_at(at);
    match ctx.language {
        "python" => comment.contains("type:") || comment.contains(">>>"),
        "go" => false,
        // Doc comments may link to it, and may contain types.
        "rust" => {
            comment.starts_with("///") || comment.starts_with("//!") || comment.starts_with("/*")
        }
        _ => comment.starts_with("/**") || comment.contains('@'),
    }
}

/// Whether another file may import a name through this one.
pub(crate) fn is_used_elsewhere(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    name: &str,
) -> bool {
    if !matches!(ctx.language, "python" | "rust") {
        return false;
    }
    let Some(postings) = ctx.index.names.get(name) else { return false };
    let others = || postings.used.iter().chain(&postings.defined).filter(|f| **f != ctx.file);
    if ctx.language == "rust" {
        // Child modules see the imports of their parent.
        let folder = crate::project::parent(ctx.path);
        let stem = ctx.path.trim_end_matches(".rs");
        let root =
            ["lib", "main", "mod"].iter().any(|n| stem == *n || stem.ends_with(&format!("/{n}")));
        let below = |f: &&crate::index::FileId| {
            let path = ctx.index.project.path(**f);
            let within = if root { folder } else { stem };
            within.is_empty() || path.strip_prefix(within).is_some_and(|r| r.starts_with('/'))
        };
        return others().any(|f| below(&f));
    }
    if others().count() > MAX_OTHER_FILES {
        return true;
    }
    others().any(|&other| {
        let facts = resolver.facts(other);
        if facts.language.id() != "python" {
            return false;
        }
        let is_this =
            |value| matches!(resolver.type_of_value(other, value), Ty::Module(f, 0) if f == ctx.file);
        let number = facts.strings.find(name);
        let member = facts
            .references
            .iter()
            .any(|r| Some(r.name) == number && r.role == ReferenceRole::Member && is_this(r.receiver));
        member || facts.globs.iter().any(|g| is_this(g.module))
    })
}

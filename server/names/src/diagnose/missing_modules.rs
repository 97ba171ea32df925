//! Diagnostics for modules that are neither part of the project nor installed.
//!
//! The index knows the project and the dependencies that were read. Whether a module is installed
//! all the same, compiled or under another name, only the disk can tell: the caller decides.

use std::sync::atomic::AtomicBool;

use syntax::Syntax;

use super::dynamic_names::DynamicNames;
use super::lexical_index::LexicalIndex;
use super::unresolved_imports::is_unconditional_import;
use super::{DiagnosticsContext, MissingModule, NameDiagnostic, NameDiagnosticKind, name_lists};
use crate::expression::Expression;
use crate::facts::ReferenceRole;
use crate::index::{FileId, Index};
use crate::library::is_python_module;
use crate::resolve::{Resolver, Ty};

impl Index {
    /// The modules that a file imports and that neither the project nor its known dependencies
    /// contain; one per import statement. Imports that may fail (in `try` or under a condition) are
    /// left out. Imports that must succeed are `Undeclared`, with an environment that the caller
    /// fills in. `syntax` must be of the text that the index holds the facts of.
    #[must_use]
    pub fn missing_modules(
        &self,
        file: FileId,
        syntax: &Syntax,
        interrupt: &AtomicBool,
    ) -> Vec<NameDiagnostic> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let language = facts.language.id();
        if !matches!(language, "python" | "typescript" | "tsx" | "javascript") {
            return Vec::new();
        }
        let source = syntax.text().slice(0..syntax.text().len());
        let path = self.project.path(file);
        if facts.text_len() != source.len() || name_lists::is_generated(path, &source) {
            return Vec::new();
        }
        let lex = LexicalIndex::new(syntax, &source);
        let dynamic_names = DynamicNames::default();
        let ctx =
            DiagnosticsContext { index: self, file, path, facts, language, lex, dynamic_names };
        let resolver = ctx.resolver();
        let (mut found, mut last) = (Vec::new(), 0);
        for reference in &facts.references {
            if reference.role != ReferenceRole::Root || (reference.start as usize) < last {
                continue;
            }
            if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let Some(expression) = reference.receiver.as_expression() else { continue };
            let Expression::Module(name, 0) = facts.expressions[expression as usize] else {
                continue;
            };
            let name = ctx.name(name);
            let outside = || {
                matches!(
                    resolver.type_of_value(file, reference.receiver),
                    Ty::External | Ty::Unknown
                ) && is_unconditional_import(&ctx, reference)
            };
            let may_be = match language {
                "python" => python(&ctx, &resolver, name),
                _ => npm_package_of(name).is_some_and(|package| ecma(&ctx, package, name)),
            };
            if may_be && outside() {
                let (start, end) = (reference.start, reference.end);
                let mut finding =
                    ctx.diagnostic(NameDiagnosticKind::MissingModule, start, end, name);
                let around: Vec<_> = ctx.lex.ancestors(start, end).collect();
                let statement = around.iter().find(|n| is_statement_kind(n.kind()));
                last = statement.map_or(end as usize, |n| n.end_byte());
                // A function-level import may be optional.
                let late = around.iter().any(|n| n.kind() == "function_definition");
                finding.module = Some(match late {
                    true => MissingModule::NotInstalled { environment: None },
                    false => MissingModule::Undeclared { environment: String::new() },
                });
                found.push(finding);
            }
        }
        found
    }
}

fn is_statement_kind(kind: &str) -> bool {
    kind.starts_with("import_") || kind == "export_statement"
}

/// The npm package of a module specifier, if it can be one.
#[must_use]
pub fn npm_package_of(name: &str) -> Option<&str> {
    let parts = if name.starts_with('@') { 2 } else { 1 };
    let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
    let package = &name[..end];
    let plain = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let valid = match package.strip_prefix('@') {
        Some(scoped) => {
            scoped.split_once('/').is_some_and(|(scope, name)| plain(scope) && plain(name))
        }
        None => plain(package),
    };
    (valid && !name.contains(['?', '!', '*', '#', ':'])).then_some(package)
}

/// Node's modules, and modules that hosts provide to the programs that they run.
const HOST_MODULES: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "bun",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "electron",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "k6",
    "meteor",
    "module",
    "net",
    "original-fs",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "sea",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "test",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "vscode",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Whether an ECMAScript module may have to be installed.
fn ecma(ctx: &DiagnosticsContext<'_>, package: &str, name: &str) -> bool {
    let (index, project) = (ctx.index, &ctx.index.project);
    let declared = |name: &str| {
        let quoted = [format!("'{name}'"), format!("\"{name}\"")];
        index.defined(name).chain(quoted.iter().flat_map(|q| index.defined(q))).any(|id| {
            let def = &index.indexed_facts(id.file).definitions[id.def as usize];
            def.kind == crate::vocabulary::DefinitionKind::Namespace
        })
    };
    let file = crate::project::last(ctx.path);
    !HOST_MODULES.contains(&name)
        && !HOST_MODULES.contains(&package)
        && !file.contains(".d.")
        && !ctx.path.split('/').any(|part| part == "template")
        && !project.mentions_package(package)
        && !project.has_folder(package)
        && !declared(name)
        && !declared(package)
}

/// Whether a Python module may have to be installed.
fn python(ctx: &DiagnosticsContext<'_>, resolver: &Resolver<'_>, name: &str) -> bool {
    let project = resolver.project();
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && !name.contains('.')
        && name.chars().all(letters)
        && !name.starts_with('_')
        && !is_python_module(name)
        && project.modules_named("python", name).is_empty()
        && !project.has_folder(name)
        && ctx.path.ends_with(".py")
}

//! Modules from outside that are nowhere to be found.
//!
//! The index knows the project and what was read of its dependencies. Whether a module is installed
//! all the same, compiled or under another name, only the disk says: whoever knows it decides.

use std::sync::atomic::AtomicBool;

use syntax::Syntax;

use super::by_text::ByText;
use super::ground::Ground;
use super::unresolved::is_statement;
use super::{Finding, FindingKind, MissingModule, Subject, known};
use crate::expression::Expression;
use crate::facts::Role;
use crate::index::{FileId, Index};
use crate::library::is_python_module;
use crate::resolve::{Resolver, Ty};

impl Index {
    /// The modules that a file imports and that neither the project nor what is known of its
    /// dependencies holds, one an import statement. Imports that may fail, in `try` or under a
    /// condition, are left out; those that have to work are `Undeclared`, of an environment that is
    /// for the caller to fill in. `syntax` is of the text that the index holds the facts of.
    #[must_use]
    pub fn missing_modules(
        &self,
        file: FileId,
        syntax: &Syntax,
        interrupt: &AtomicBool,
    ) -> Vec<Finding> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let language = facts.language.id();
        if !matches!(language, "python" | "typescript" | "tsx" | "javascript") {
            return Vec::new();
        }
        let source = syntax.text().slice(0..syntax.text().len());
        let path = self.project.path(file);
        if facts.text_len() != source.len() || known::is_generated(path, &source) {
            return Vec::new();
        }
        let ground = Ground::of(syntax, &source);
        let by_text = ByText::default();
        let subject = Subject { index: self, file, path, facts, language, ground, by_text };
        let resolver = subject.resolver();
        let (mut found, mut last) = (Vec::new(), 0);
        for reference in &facts.references {
            if reference.role != Role::Root || (reference.start as usize) < last {
                continue;
            }
            if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let Some(expression) = reference.receiver.as_expression() else { continue };
            let Expression::Module(name, 0) = facts.expressions[expression as usize] else {
                continue;
            };
            let name = subject.name(name);
            let outside = || {
                matches!(resolver.eval(file, reference.receiver), Ty::Outside | Ty::Unknown)
                    && is_statement(&subject, reference)
            };
            let may_be = match language {
                "python" => python(&subject, &resolver, name),
                _ => package_of(name).is_some_and(|package| ecma(&subject, package, name)),
            };
            if may_be && outside() {
                let (start, end) = (reference.start, reference.end);
                let mut finding = subject.finding(FindingKind::MissingModule, start, end, name);
                let around: Vec<_> = subject.ground.around(start, end).collect();
                let statement = around.iter().find(|n| is_statement_kind(n.kind()));
                last = statement.map_or(end as usize, |n| n.end_byte());
                // What a function imports for itself may be something that it can do without.
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

/// The package that the name of an ECMAScript module begins with, if it can be one's.
#[must_use]
pub fn package_of(name: &str) -> Option<&str> {
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

/// Modules of Node, and what hosts give to the programs that they run.
const HOSTED: &[&str] = &[
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

/// Whether a module of ECMAScript may be one that has to be installed.
fn ecma(subject: &Subject<'_>, package: &str, name: &str) -> bool {
    let (index, project) = (subject.index, &subject.index.project);
    let declared = |name: &str| {
        let quoted = [format!("'{name}'"), format!("\"{name}\"")];
        index.defined(name).chain(quoted.iter().flat_map(|q| index.defined(q))).any(|id| {
            let def = &index.facts_of(id.file).definitions[id.def as usize];
            def.kind == crate::vocabulary::DefinitionKind::Namespace
        })
    };
    let file = crate::project::last(subject.path);
    !HOSTED.contains(&name)
        && !HOSTED.contains(&package)
        && !file.contains(".d.")
        && !subject.path.split('/').any(|part| part == "template")
        && !project.mentions_package(package)
        && !project.has_folder(package)
        && !declared(name)
        && !declared(package)
}

/// Whether a Python module may be one that has to be installed.
fn python(subject: &Subject<'_>, resolver: &Resolver<'_>, name: &str) -> bool {
    let project = resolver.project();
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && !name.contains('.')
        && name.chars().all(letters)
        && !name.starts_with('_')
        && !is_python_module(name)
        && project.modules_named("python", name).is_empty()
        && !project.has_folder(name)
        && subject.path.ends_with(".py")
}

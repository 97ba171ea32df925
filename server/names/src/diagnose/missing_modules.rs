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
        if !matches!(language, "python") {
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
            if python(&subject, &resolver, name) && outside() {
                let (start, end) = (reference.start, reference.end);
                let mut finding = subject.finding(FindingKind::MissingModule, start, end, name);
                let around: Vec<_> = subject.ground.around(start, end).collect();
                let statement = around.iter().find(|n| n.kind().starts_with("import_"));
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

//! `cargo xtask tidy`: the project's own rules, which no compiler checks, each in a file of its own.
//!
//! A check reads the tree as text and returns findings; none changes anything.

mod arrows;
mod crate_docs;
mod file_access;
mod file_length;
mod forbidden_calls;
mod layering;
mod licences;
mod links;
mod module_cycles;
mod readme_commands;
mod registry_hosts;
mod rust_source;
mod sync_handlers;
mod tree;
mod whitespace;
mod words;

use crate::Failure;
use crate::workspace::Workspace;
use std::fmt;
use tree::Tree;

/// A violation of a rule, or a warning about one.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// 1-based; 0 for the file as a whole.
    line: usize,
    what: String,
    /// A warning is shown and fails nothing.
    is_warning: bool,
}

impl Finding {
    fn error(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), is_warning: false }
    }

    fn warning(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { is_warning: true, ..Self::error(path, line, what) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.is_warning { "warning: " } else { "error: " })?;
        out.write_str(&self.path)?;
        if self.line > 0 {
            write!(out, ":{}", self.line)?;
        }
        write!(out, ": {}", self.what)
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

const CHECKS: &[Check] = &[
    crate_docs::check,
    file_access::check,
    file_length::check,
    forbidden_calls::check,
    licences::check,
    links::check,
    module_cycles::check,
    readme_commands::check,
    registry_hosts::check,
    layering::check,
    sync_handlers::check,
    whitespace::check,
    words::check,
];

/// Runs every check on the workspace.
///
/// # Errors
/// How many errors there are, or that the sources could not be read. Warnings are only shown.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let tree = Tree::read(&workspace.root)?;
    let mut findings: Vec<_> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.extend(arrows::check(&workspace.crates));
    findings.sort_by(|a, b| (&a.path, a.line, &a.what).cmp(&(&b.path, b.line, &b.what)));
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| !finding.is_warning).count();
    println!("tidy: {} files, {errors} errors, {} warnings", tree.len(), findings.len() - errors);
    if errors == 0 { Ok(()) } else { Err(format!("{errors} places are not tidy")) }
}

//! The registry with the tools that every binary has: what holds for each of them, and what other agents'
//! names and dialects make of them.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::sync::Once;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tools::{Context, Session};
use workspace::{Headless, Workspace};

mod dialects;
mod discovery;
mod edit_diagnostics;
mod guesses;
mod profiles;
mod texts;

/// Adds the families, which must be there before a test reads the registry.
fn add_families() {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| {
        tools::add_families(vec![
            code_tools::family(),
            search_tools::family(),
            security_tools::family(),
            git_tools::family(),
            debug_tools::family(),
            process_tools::family(),
            records::family(),
        ]);
    });
}

/// The tools of one workspace, without an editor.
struct Tools<'w> {
    workspace: &'w Workspace,
    session: Session,
}

impl<'w> Tools<'w> {
    fn new(workspace: &'w Workspace) -> Self {
        add_families();
        Self { workspace, session: Session::new(&workspace.snapshot()) }
    }

    fn call(&self, tool: &str, params: Value) -> Value {
        let interrupt = AtomicBool::new(false);
        let editor = Headless { approve_all: true };
        let snapshot = self.workspace.snapshot();
        let context = Context::new(self.workspace, snapshot, &editor, &interrupt, &self.session);
        tools::call(&context, tool, params).unwrap()
    }
}

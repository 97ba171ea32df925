//! Questions of other user interfaces, passed on as they are.

use serde_json::Value;

use super::{Phase, Session};
use crate::{DebugError, Patience};

/// What only looks, and what looks where its expression does.
const LOOKS: &[&str] = &[
    "disassemble",
    "evaluate",
    "exceptionInfo",
    "loadedSources",
    "modules",
    "readMemory",
    "scopes",
    "source",
    "stackTrace",
    "threads",
    "variables",
];

pub(super) const SEVERAL_LINES: &str = "take an expression of several lines";

impl Session {
    /// Asks the adapter what somebody else wants to know, and gives its answer's body back as it is.
    /// `evaluate` is for expressions that only look: the caller sees to that.
    ///
    /// # Errors
    /// When it is over, the adapter refuses, or the request is none that looks.
    pub fn forward(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<Value, DebugError> {
        if !LOOKS.contains(&command) {
            return Err(DebugError::Unsupported {
                adapter: self.adapter.name.clone(),
                what: format!("be asked for `{command:.60}` by others"),
            });
        }
        self.runtime.block_on(async {
            if command == "evaluate" {
                let expression = arguments["expression"].as_str().unwrap_or_default();
                let context = arguments["context"].as_str().unwrap_or_default();
                let told = self.adapter.expressions.told(expression, context);
                let told = told.ok_or_else(|| self.unable(SEVERAL_LINES))?;
                let mut arguments = arguments.clone();
                arguments["expression"] = told.into();
                return self.ask_at_length(command, &arguments, patience).await;
            }
            match (command, self.phase()) {
                ("stackTrace" | "scopes" | "variables", Phase::Stopped(_)) => {
                    self.ask_once(command, arguments, patience).await
                }
                _ => self.ask(command, arguments, patience).await,
            }
        })
    }
}

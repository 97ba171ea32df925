//! Forwards read-only requests of other debugger UIs to the adapter.

use serde_json::Value;

use super::Session;

use crate::phase::SessionPhase;
use crate::{DebugError, WaitLimits};

/// Requests without side effects; `evaluate` depends on its expression.
const FORWARDED: &[&str] = &[
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

pub(super) const MULTI_LINE_EXPRESSION: &str = "evaluate an expression of several lines";

impl Session {
    /// Forwards a request and returns the response's body unchanged. For `evaluate`, the caller
    /// must check that the expression has no side effects.
    ///
    /// # Errors
    /// When the session has ended, the adapter refuses, or the request may have side effects.
    pub fn forward(
        &self,
        command: &str,
        arguments: &Value,
        patience: WaitLimits<'_>,
    ) -> Result<Value, DebugError> {
        if !FORWARDED.contains(&command) {
            return Err(DebugError::Unsupported {
                adapter: self.adapter.name.clone(),
                what: format!("forward `{command:.60}` requests"),
            });
        }
        self.runtime.block_on(async {
            if command == "evaluate" {
                let expression = arguments["expression"].as_str().unwrap_or_default();
                let context = arguments["context"].as_str().unwrap_or_default();
                let adapted = self.adapter.expressions.for_adapter(expression, context);
                let adapted = adapted.ok_or_else(|| self.unsupported(MULTI_LINE_EXPRESSION))?;
                let mut arguments = arguments.clone();
                arguments["expression"] = adapted.into();
                return self.long_request(command, &arguments, patience).await;
            }
            match (command, self.phase()) {
                ("stackTrace" | "scopes" | "variables", SessionPhase::Stopped(_)) => {
                    self.cached_request(command, arguments, patience).await
                }
                _ => self.request(command, arguments, patience).await,
            }
        })
    }
}

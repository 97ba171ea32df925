//! From which size on a document gets less.

use serde_json::Value;

/// Sizes in bytes, set by `initializationOptions.syntax`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxLimits {
    /// Up to here, code of other languages inside is highlighted.
    pub(crate) injections: usize,
    /// Up to here, all of it is; beyond, what a client asks for by range.
    pub(crate) tokens: usize,
}

impl Default for SyntaxLimits {
    fn default() -> Self {
        Self { injections: 1 << 20, tokens: 8 << 20 }
    }
}

impl SyntaxLimits {
    pub(crate) fn of(options: Option<&Value>) -> Self {
        let said = |name: &str| {
            let limit = options?.get("syntax")?.get(name)?.as_u64()?;
            usize::try_from(limit).ok()
        };
        let default = Self::default();
        Self {
            injections: said("injections").unwrap_or(default.injections),
            tokens: said("tokens").unwrap_or(default.tokens),
        }
    }
}

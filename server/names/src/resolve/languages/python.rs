//! Python.

use super::LanguageRules;

pub(super) struct Python;

impl LanguageRules for Python {
    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    fn fixes_name(&self, name: &str, _is_member: bool) -> bool {
        name.starts_with("__") && name.ends_with("__") && name.len() > 4
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    False None True and as assert async await break class continue def del elif else except \
    finally for from global if import in is lambda nonlocal not or pass raise return try while \
    with yield";

//! Python definitions under a condition: which of them are for this platform, and which are
//! conditional.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, span};
use crate::vocabulary::Flags;

/// Length limit of the conditions examined.
const MAX_LENGTH: usize = 200;

/// The outcome of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConditionOutcome {
    /// Holds, or does not, in every supported environment.
    Sure(bool),
    /// Holds, or does not, on platforms like this one.
    Here(bool),
    Unknown,
}

impl Lowerer<'_> {
    /// Lowers the consequence of a condition; its alternative follows.
    pub(super) fn lower_consequence(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        if !self.rules.one_namespace {
            return self.lower_narrowed_branch(child, ctx);
        }
        let condition = self.parent().and_then(|p| p.child_by_field_name("condition"));
        let (start, end) = condition.map_or((0, 0), span);
        let (own, other) = match condition_outcome(self.slice(start, end)) {
            ConditionOutcome::Sure(true) => (Flags::default(), Flags::INACTIVE),
            ConditionOutcome::Sure(false) => (Flags::INACTIVE, Flags::default()),
            ConditionOutcome::Here(true) => (Flags::OPTIONAL, Flags::OPTIONAL | Flags::INACTIVE),
            ConditionOutcome::Here(false) => (Flags::OPTIONAL | Flags::INACTIVE, Flags::OPTIONAL),
            ConditionOutcome::Unknown => (Flags::OPTIONAL, Flags::OPTIONAL),
        };
        let scope = self.scope;
        let outer =
            if self.pending_flags.1 == scope { self.pending_flags.0 } else { Flags::default() };
        self.pending_flags = (outer | own, scope);
        self.lower_narrowed_branch(child, ctx);
        self.pending_flags = (outer | other, scope);
    }
}

/// The outcome of a condition on a platform like this, for a current version of the language.
fn condition_outcome(condition: &str) -> ConditionOutcome {
    if condition.len() > MAX_LENGTH || condition.contains(" and ") || condition.contains(" or ") {
        return ConditionOutcome::Unknown;
    }
    let text: String = condition.chars().filter(|c| !c.is_whitespace() && *c != '\'').collect();
    let text = text.replace('"', "");
    if let Some(rest) = condition.trim().strip_prefix("not ") {
        return match condition_outcome(rest) {
            ConditionOutcome::Sure(is) => ConditionOutcome::Sure(!is),
            ConditionOutcome::Here(is) => ConditionOutcome::Here(!is),
            ConditionOutcome::Unknown => ConditionOutcome::Unknown,
        };
    }
    if text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING") {
        return ConditionOutcome::Sure(true);
    }
    if let Some(compared) = text.strip_prefix("sys.version_info") {
        let major = |rest: &str| rest.trim_start_matches('(').starts_with(['0', '1', '2', '3']);
        let old = compared.strip_prefix(">=").or_else(|| compared.strip_prefix('>'));
        let new = compared.strip_prefix("<=").or_else(|| compared.strip_prefix('<'));
        return match (old, new) {
            (Some(rest), _) if major(rest) => ConditionOutcome::Sure(true),
            (_, Some(rest)) if major(rest) => ConditionOutcome::Sure(false),
            _ => ConditionOutcome::Unknown,
        };
    }
    if let Some((system, "_names")) = text.split_once("in") {
        return ConditionOutcome::Here(system == "posix");
    }
    if let Some(system) = text.strip_prefix("sys.platform.startswith(") {
        return ConditionOutcome::Here(is_this_platform_name(system.trim_end_matches(')')));
    }
    for name in ["os.name", "sys.platform", "platform.system()"] {
        if let Some(rest) = text.strip_prefix(name) {
            if let Some(system) = rest.strip_prefix("==") {
                return ConditionOutcome::Here(is_this_platform_name(system));
            }
            if let Some(system) = rest.strip_prefix("!=") {
                return ConditionOutcome::Here(!is_this_platform_name(system));
            }
        }
    }
    ConditionOutcome::Unknown
}

/// Whether a platform name means one like this.
fn is_this_platform_name(system: &str) -> bool {
    let system = system.to_ascii_lowercase();
    if system == "posix" { cfg!(unix) } else { system == std::env::consts::OS }
}

#[cfg(test)]
mod tests {
    use super::{ConditionOutcome, condition_outcome};

    #[test]
    fn evaluates_python_conditions() {
        for (condition, wanted) in [
            ("TYPE_CHECKING", ConditionOutcome::Sure(true)),
            ("not typing.TYPE_CHECKING", ConditionOutcome::Sure(false)),
            ("sys.version_info >= (3, 8)", ConditionOutcome::Sure(true)),
            ("sys.version_info < (3, 8)", ConditionOutcome::Sure(false)),
            ("sys.version_info[0] == 2", ConditionOutcome::Unknown),
            ("'posix' in _names", ConditionOutcome::Here(true)),
            ("'nt' in _names", ConditionOutcome::Here(false)),
            ("sys.platform == \"win32\"", ConditionOutcome::Here(false)),
            ("os.name != 'nt'", ConditionOutcome::Here(true)),
            ("sys.platform.startswith('win')", ConditionOutcome::Here(false)),
            ("x in y", ConditionOutcome::Unknown),
            ("a and TYPE_CHECKING", ConditionOutcome::Unknown),
        ] {
            assert_eq!(condition_outcome(condition), wanted, "{condition}");
        }
    }
}

//! Python definitions under a condition: which of them are for this platform, and which are
//! conditional.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, span};
use crate::vocabulary::Flags;

/// Length limit of the conditions examined.
const LONGEST: usize = 200;

/// The outcome of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
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
        let (own, other) = match verdict(self.slice(start, end)) {
            Verdict::Sure(true) => (Flags::default(), Flags::INACTIVE),
            Verdict::Sure(false) => (Flags::INACTIVE, Flags::default()),
            Verdict::Here(true) => (Flags::OPTIONAL, Flags::OPTIONAL | Flags::INACTIVE),
            Verdict::Here(false) => (Flags::OPTIONAL | Flags::INACTIVE, Flags::OPTIONAL),
            Verdict::Unknown => (Flags::OPTIONAL, Flags::OPTIONAL),
        };
        let scope = self.scope;
        let outer = if self.ambient.1 == scope { self.ambient.0 } else { Flags::default() };
        self.ambient = (outer | own, scope);
        self.lower_narrowed_branch(child, ctx);
        self.ambient = (outer | other, scope);
    }
}

/// The outcome of a condition on a platform like this, for a current version of the language.
fn verdict(condition: &str) -> Verdict {
    if condition.len() > LONGEST || condition.contains(" and ") || condition.contains(" or ") {
        return Verdict::Unknown;
    }
    let text: String = condition.chars().filter(|c| !c.is_whitespace() && *c != '\'').collect();
    let text = text.replace('"', "");
    if let Some(rest) = condition.trim().strip_prefix("not ") {
        return match verdict(rest) {
            Verdict::Sure(is) => Verdict::Sure(!is),
            Verdict::Here(is) => Verdict::Here(!is),
            Verdict::Unknown => Verdict::Unknown,
        };
    }
    if text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING") {
        return Verdict::Sure(true);
    }
    if let Some(compared) = text.strip_prefix("sys.version_info") {
        let major = |rest: &str| rest.trim_start_matches('(').starts_with(['0', '1', '2', '3']);
        let old = compared.strip_prefix(">=").or_else(|| compared.strip_prefix('>'));
        let new = compared.strip_prefix("<=").or_else(|| compared.strip_prefix('<'));
        return match (old, new) {
            (Some(rest), _) if major(rest) => Verdict::Sure(true),
            (_, Some(rest)) if major(rest) => Verdict::Sure(false),
            _ => Verdict::Unknown,
        };
    }
    if let Some((system, "_names")) = text.split_once("in") {
        return Verdict::Here(system == "posix");
    }
    if let Some(system) = text.strip_prefix("sys.platform.startswith(") {
        return Verdict::Here(is_like_this(system.trim_end_matches(')')));
    }
    for name in ["os.name", "sys.platform", "platform.system()"] {
        if let Some(rest) = text.strip_prefix(name) {
            if let Some(system) = rest.strip_prefix("==") {
                return Verdict::Here(is_like_this(system));
            }
            if let Some(system) = rest.strip_prefix("!=") {
                return Verdict::Here(!is_like_this(system));
            }
        }
    }
    Verdict::Unknown
}

/// Whether a platform name means one like this.
fn is_like_this(system: &str) -> bool {
    let system = system.to_ascii_lowercase();
    if system == "posix" { cfg!(unix) } else { system == std::env::consts::OS }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, verdict};

    #[test]
    fn conditions() {
        for (condition, wanted) in [
            ("TYPE_CHECKING", Verdict::Sure(true)),
            ("not typing.TYPE_CHECKING", Verdict::Sure(false)),
            ("sys.version_info >= (3, 8)", Verdict::Sure(true)),
            ("sys.version_info < (3, 8)", Verdict::Sure(false)),
            ("sys.version_info[0] == 2", Verdict::Unknown),
            ("'posix' in _names", Verdict::Here(true)),
            ("'nt' in _names", Verdict::Here(false)),
            ("sys.platform == \"win32\"", Verdict::Here(false)),
            ("os.name != 'nt'", Verdict::Here(true)),
            ("sys.platform.startswith('win')", Verdict::Here(false)),
            ("x in y", Verdict::Unknown),
            ("a and TYPE_CHECKING", Verdict::Unknown),
        ] {
            assert_eq!(verdict(condition), wanted, "{condition}");
        }
    }
}

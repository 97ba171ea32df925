//! Finds secrets in text: keys of providers, private keys, passwords in connection strings, random values assigned to
//! names such as `token`.
//!
//! Start with [`Scanner::scan`]: bytes in, [`Finding`]s out. The rules are data (`rules.toml`). An automaton finds their
//! keywords in one pass; a rule's pattern runs only near its keywords. Findings are redacted when they are made: nothing
//! that leaves this crate holds a secret.
//!
//! It knows nothing of files, git, tools or protocols.

mod checksum;
mod entropy;
mod finding;
mod placeholder;
mod rule;
mod sarif;
mod scan;

pub use finding::{Confidence, Finding};
pub use rule::{BadPattern, Rule};
pub use sarif::{SarifPlace, sarif};
pub use scan::{MAX_FINDINGS_PER_TEXT, Scanner};

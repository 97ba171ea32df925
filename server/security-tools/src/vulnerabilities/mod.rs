//! Packages that a project depends on: which are vulnerable, and a list for other programs.

mod advisories;
mod imports;
mod lock_files;
mod sbom;
mod vuln_scan;

use search_tools::PatternOptions;
use tools::Entry;

/// How the patterns of this family are read.
const REGEX: PatternOptions =
    PatternOptions { case_sensitive: true, whole_word: false, literal: false, multiline: false };

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<vuln_scan::VulnScan>(), Entry::new::<sbom::Sbom>()]
}

//! Unified diffs in results and approvals.

use similar::TextDiff;

use crate::budget;

/// How long two texts are compared; after that the diff is correct but longer than necessary.
const DIFF_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(500);

/// The unified diff of two texts with the paths `from` and `to`, cut to the output budget.
pub fn diff(from: &str, to: &str, before: &str, after: &str) -> String {
    let side = |mark: &str, path: &str| match path {
        "/dev/null" => path.to_owned(),
        path => format!("{mark}/{path}"),
    };
    let diff = TextDiff::configure()
        .timeout(DIFF_TIMEOUT)
        .diff_lines(before, after)
        .unified_diff()
        .header(&side("a", from), &side("b", to))
        .to_string();
    budget::cut(&diff).map_or(diff, |cut| cut.text)
}

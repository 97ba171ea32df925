//! How a runner is given the tests that a change affects.

use serde::Deserialize;

/// How a runner is given the tests to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Selects {
    /// `FILE::CLASS::TEST`, as `only`.
    Pytest,
    /// `MODULE.CLASS.TEST`, as `only`.
    Unittest,
    /// `MODULE::TEST` as a part of names, as `affected`.
    Libtest,
    /// A pattern of names as `only`, folders as `path`.
    Go,
    /// Test files of JavaScript, as `path`.
    Files,
}

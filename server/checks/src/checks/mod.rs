//! The tools that check a project.

mod build;
mod coverage_output;
mod format;
mod lint;
mod planned;
mod request;
mod test;
mod test_output;
mod typecheck;

pub(crate) use self::build::Build;
pub(crate) use self::format::Format;
pub(crate) use self::lint::Lint;
pub(crate) use self::test::Test;
pub(crate) use self::typecheck::Typecheck;

/// Other names of the parameters that all checks have.
const ALIASES: &[(&str, &str)] =
    &[("file", "path"), ("file_path", "path"), ("timeout", "timeout_ms"), ("tool", "runner")];

//! Tests of real programs: a failed test is retried once, alone, and reported (decision 13).

use crate::{Failure, process};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// More failing tests than this are not retried: they are no accident of the machine.
const MAX_RETRIED_TESTS: usize = 3;

/// Runs a `cargo test` command; a few that fail are run a second time with nothing beside them.
/// Gives the names of those that passed only then.
///
/// # Errors
/// What failed twice, too many that failed, and whatever is no failing test.
pub(crate) fn run(mut first: impl FnMut() -> Command) -> Result<Vec<String>, Failure> {
    let mut all = first();
    all.arg("--no-fail-fast");
    let (status, failed) = run_and_collect_failures(all)?;
    if status.success() {
        return Ok(Vec::new());
    }
    if failed.is_empty() || failed.len() > MAX_RETRIED_TESTS {
        return Err(format!("{status}; {} tests failed", failed.len()));
    }
    let mut alone = first();
    alone.args(["--", "--exact", "--test-threads=1"]).args(&failed);
    println!("\nONCE MORE, alone, what failed: {}", process::show(&alone));
    let (status, _) = run_and_collect_failures(alone)?;
    if !status.success() {
        return Err(format!("{status}; failed twice, or one of: {}", failed.join(", ")));
    }
    Ok(failed)
}

/// Runs the command, passes its output on, and returns the names of the failed tests.
fn run_and_collect_failures(
    mut command: Command,
) -> Result<(std::process::ExitStatus, Vec<String>), Failure> {
    let failure = |error: std::io::Error| format!("could not be run: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failure)?;
    let mut failed = FailureParser::default();
    let mut printed = BufReader::new(child.stdout.take().ok_or("it has no output")?);
    let mut line = Vec::new();
    while printed.read_until(b'\n', &mut line).map_err(failure)? > 0 {
        std::io::stdout().write_all(&line).map_err(failure)?;
        failed.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok((child.wait().map_err(failure)?, failed.names))
}

/// Parses the lists of failed tests in the output of `cargo test`.
#[derive(Default)]
struct FailureParser {
    names: Vec<String>,
    is_list: bool,
}

impl FailureParser {
    /// The list comes after its heading, a name a line, indented; so do the outputs, not indented.
    fn line(&mut self, line: &str) {
        let line = line.trim_end();
        let name = line.strip_prefix("    ").filter(|name| {
            let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
            !name.is_empty() && name.chars().all(is_word)
        });
        match name {
            Some(name) if self.is_list => self.names.push(name.to_owned()),
            _ => self.is_list = line == "failures:",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text, "sh"]);
        command
    }

    const LIST: &str = "printf 'test a::one ... FAILED\\n\\nfailures:\\n\\n---- a::one stdout ----\\n\
                        \\x20   left: 1\\n\\n\\nfailures:\\n    a::one\\n    two\\n\\ntest result\\n'";

    #[test]
    fn a_test_that_fails_once_is_named_and_twice_fails_the_run() {
        let first = "[ $1 = --no-fail-fast ] && ";
        assert_eq!(run(|| script("true")), Ok(vec![]));
        let flaky =
            run(|| script(&format!("{first}{{ {LIST}; exit 101; }} || [ \"$4\" = a::one ]")));
        assert_eq!(flaky, Ok(vec!["a::one".to_owned(), "two".to_owned()]));
        let twice = run(|| script(&format!("{LIST}; exit 101"))).unwrap_err();
        assert!(twice.contains("a::one, two"), "{twice}");
    }

    #[test]
    fn many_failures_or_none_are_not_retried() {
        let many = "printf 'failures:\\n    a\\n    b\\n    c\\n    d\\n'; exit 101";
        let error = run(|| script(many)).unwrap_err();
        assert!(error.contains("4 tests failed"), "{error}");
        let error = run(|| script("exit 101")).unwrap_err();
        assert!(error.contains("0 tests failed"), "{error}");
        assert!(run(|| Command::new("/no/such/program")).is_err());
    }
}

//! Steps run one after the other, announced, timed and summed up; the first failure ends them.

use crate::{Failure, process, retry};
use std::process::Command;
use std::time::{Duration, Instant};

/// An action with the name that the output shows.
pub(crate) struct Step<'a> {
    name: String,
    action: Action<'a>,
}

enum Action<'a> {
    Command(Box<Command>),
    Call(Box<dyn FnOnce() -> Result<(), Failure> + 'a>),
    /// Tests, a few of which may pass only when retried.
    Tests(Box<dyn Fn() -> Command + 'a>),
    /// Not done, for this reason.
    Skip(String),
    /// Decided when it is reached, from the results of earlier steps.
    Decide(Box<dyn FnOnce() -> Step<'a> + 'a>),
}

impl<'a> Step<'a> {
    /// A command; it fails with its exit status.
    pub(crate) fn command(name: &str, command: Command) -> Self {
        Self { name: name.to_owned(), action: Action::Command(Box::new(command)) }
    }

    /// A function of this program.
    pub(crate) fn call(name: &str, call: impl FnOnce() -> Result<(), Failure> + 'a) -> Self {
        Self { name: name.to_owned(), action: Action::Call(Box::new(call)) }
    }

    /// A `cargo test` of real programs, made anew for each try ([`retry::run`]).
    pub(crate) fn tests(name: &str, command: impl Fn() -> Command + 'a) -> Self {
        Self { name: name.to_owned(), action: Action::Tests(Box::new(command)) }
    }

    /// A step that depends on what the steps before it found.
    pub(crate) fn decide(name: &str, decide: impl FnOnce() -> Self + 'a) -> Self {
        Self { name: name.to_owned(), action: Action::Decide(Box::new(decide)) }
    }

    /// A skipped step, with the reason for the summary.
    pub(crate) fn skip(name: &str, reason: String) -> Self {
        Self { name: name.to_owned(), action: Action::Skip(reason) }
    }
}

enum Outcome {
    Passed(Duration),
    /// Passed, with these tests only when retried.
    Unsteady(Duration, Vec<String>),
    Failed(Duration, Failure),
    Skipped(String),
    NotRun,
}

/// Runs the steps and prints the summary.
///
/// # Errors
/// The name of the step that failed.
pub(crate) fn run(steps: Vec<Step>) -> Result<(), Failure> {
    let count = steps.len();
    let start = Instant::now();
    let mut failed = None;
    let mut outcomes = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        let outcome = if failed.is_some() {
            Outcome::NotRun
        } else {
            let action = step.action.decided();
            println!("\n[{}/{count}] {}{}", index + 1, step.name, action.typed());
            action.done()
        };
        match &outcome {
            Outcome::Passed(took) => println!("[{}/{count}] passed in {took:.1?}", index + 1),
            Outcome::Unsteady(took, tests) => {
                println!("[{}/{count}] passed in {took:.1?}, {}", index + 1, unsteady(tests));
            }
            Outcome::Skipped(reason) => println!("[{}/{count}] SKIPPED: {reason}", index + 1),
            Outcome::Failed(_, reason) => {
                println!("[{}/{count}] FAILED: {reason}", index + 1);
                failed = Some(step.name.clone());
            }
            Outcome::NotRun => {}
        }
        outcomes.push((step.name, outcome));
    }
    println!("\n{}in all {:.1?}", summary(&outcomes), start.elapsed());
    failed.map_or(Ok(()), |name| Err(format!("step `{name}` failed")))
}

impl<'a> Action<'a> {
    fn decided(self) -> Self {
        match self {
            Action::Decide(decide) => decide().action.decided(),
            action => action,
        }
    }

    /// The command as one would type it, after a colon.
    fn typed(&self) -> String {
        match self {
            Action::Command(command) => format!(": {}", process::show(command)),
            Action::Tests(command) => format!(": {}", process::show(&command())),
            Action::Call(_) | Action::Skip(_) | Action::Decide(_) => String::new(),
        }
    }

    fn done(self) -> Outcome {
        let start = Instant::now();
        let result = match self {
            Action::Skip(reason) => return Outcome::Skipped(reason),
            Action::Decide(decide) => return decide().action.done(),
            Action::Call(call) => call(),
            Action::Tests(command) => match retry::run(command) {
                Ok(tests) if !tests.is_empty() => {
                    return Outcome::Unsteady(start.elapsed(), tests);
                }
                result => result.map(drop),
            },
            Action::Command(mut command) => match command.status() {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(status.to_string()),
                Err(error) => Err(format!("could not be started: {error}")),
            },
        };
        match result {
            Ok(()) => Outcome::Passed(start.elapsed()),
            Err(reason) => Outcome::Failed(start.elapsed(), reason),
        }
    }
}

fn unsteady(tests: &[String]) -> String {
    format!("UNSTEADY, at the second try only: {}", tests.join(", "))
}

fn summary(outcomes: &[(String, Outcome)]) -> String {
    let width = outcomes.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    outcomes.iter().fold(String::new(), |text, (name, outcome)| {
        let told = match outcome {
            Outcome::Passed(took) => format!("passed   {took:.1?}"),
            Outcome::Unsteady(took, tests) => format!("passed   {took:.1?}, {}", unsteady(tests)),
            Outcome::Failed(took, _) => format!("FAILED   {took:.1?}"),
            Outcome::Skipped(reason) => format!("SKIPPED  {reason}"),
            Outcome::NotRun => "not run".to_owned(),
        };
        text + &format!("{name:width$}  {told}\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_first_failure_ends_the_run_and_is_named() {
        let ran = Cell::new(0);
        let count = |result: Result<(), Failure>| {
            let ran = &ran;
            move || {
                ran.set(ran.get() + 1);
                result
            }
        };
        let error = run(vec![
            Step::call("one", count(Ok(()))),
            Step::decide("two", || Step::skip("two", "no need".into())),
            Step::call("three", count(Err("broken".into()))),
            Step::call("four", count(Ok(()))),
        ])
        .unwrap_err();
        assert_eq!(ran.get(), 2);
        assert!(error.contains("three"), "{error}");
    }

    #[test]
    fn a_failing_command_fails_its_step() {
        assert!(run(vec![Step::command("ok", Command::new("true"))]).is_ok());
        assert!(run(vec![Step::command("not ok", Command::new("false"))]).is_err());
        assert!(run(vec![Step::command("absent", Command::new("/no/such/program"))]).is_err());
    }

    #[test]
    fn the_summary_lists_every_step() {
        let second = Duration::from_secs(1);
        let told = summary(&[
            ("a".into(), Outcome::Passed(second)),
            ("long".into(), Outcome::Failed(second, "why".into())),
            ("two".into(), Outcome::Unsteady(second, vec!["a::one".into(), "b".into()])),
            ("b".into(), Outcome::Skipped("no editor".into())),
            ("c".into(), Outcome::NotRun),
        ]);
        let expected = "\
a     passed   1.0s
long  FAILED   1.0s
two   passed   1.0s, UNSTEADY, at the second try only: a::one, b
b     SKIPPED  no editor
c     not run
";
        assert_eq!(told, expected);
    }
}

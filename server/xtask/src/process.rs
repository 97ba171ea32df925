//! Child processes with a time limit, their output kept in a file so that a failure can show it.

use crate::Failure;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Lines of a failed command's output that are shown.
const TAIL: usize = 15;

/// Runs a command to its end, or kills it at `limit`. Its output goes to `log`, which is replaced.
///
/// # Errors
/// What could not be started, the exit status and the end of the output, or the limit passed.
pub(crate) fn run(command: &mut Command, limit: Duration, log: &Path) -> Result<String, Failure> {
    let shown = format!("`{}`", show(command));
    let mut child = output_into(command, log)
        .and_then(|command| command.stdin(Stdio::null()).spawn())
        .map_err(|error| format!("{shown} could not be started: {error}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| format!("{shown}: {error}"))? {
            break status;
        }
        if start.elapsed() > limit {
            // Both fail only if it ended by itself meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{shown} took more than {} s{}", limit.as_secs(), tail(log)));
        }
        sleep(Duration::from_millis(20));
    };
    if !status.success() {
        return Err(format!("{shown} failed ({status}){}", tail(log)));
    }
    fs::read(log)
        .map(|output| String::from_utf8_lossy(&output).into_owned())
        .map_err(|error| format!("{}: {error}", log.display()))
}

fn output_into<'a>(command: &'a mut Command, log: &Path) -> io::Result<&'a mut Command> {
    let file = File::create(log)?;
    Ok(command.stdout(file.try_clone()?).stderr(file))
}

/// A command as one would type it.
pub(crate) fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn tail(log: &Path) -> String {
    let output = fs::read(log).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    let lines: Vec<_> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(TAIL)..];
    last.iter().fold(String::new(), |text, line| text + "\n    " + line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<String, Failure> {
        let log = std::env::temp_dir().join(format!(
            "xtask-process-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let result = run(Command::new("sh").args(["-c", script]), limit, &log);
        let _ = fs::remove_file(log);
        result
    }

    #[test]
    fn output_and_failure_are_reported() {
        let limit = Duration::from_secs(20);
        assert_eq!(shell("echo out; echo err >&2", limit).unwrap(), "out\nerr\n");
        let error = shell("echo because >&2; exit 3", limit).unwrap_err();
        assert!(error.contains("because") && error.contains('3'), "{error}");
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let start = Instant::now();
        let error = shell("sleep 60", Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("took more than"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

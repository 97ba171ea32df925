//! Inspects a running process before attaching to it or signalling it.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;

use crate::audit::redact;
use crate::foreign_text::clip;
use crate::{Code, ToolError};

/// Longest displayed command line, in characters.
const MAX_COMMAND_LINE_CHARS: usize = 300;
/// Limit for the ancestors checked.
const MAX_ANCESTORS: usize = 1_000;

/// A process that can be attached to.
#[derive(Debug)]
pub struct RunningProcess {
    /// The file name of its program.
    pub program: String,
    /// Command line and start time in ticks, for display; the start time distinguishes it from a
    /// later process with the same id.
    pub description: String,
    /// Whether it has capabilities, which the debugger then needs, too.
    pub has_rights: bool,
}

/// Checks that a process may be stopped.
///
/// # Errors
/// If it does not exist or must not be stopped: process 1, another user's process, this server and
/// its ancestors.
fn stoppable_process(tool: &str, pid: u32) -> Result<ProcessStatus, ToolError> {
    let refused = |code, why: &str| refused(tool, pid, code, why);
    let status = ProcessStatus::read(pid).ok_or_else(|| {
        refused(Code::NoMatch, "is not there").hint("`ps -u $USER -o pid,args` lists yours")
    })?;
    if pid == 1 {
        let why = "is the first one of the system and must not be stopped";
        return Err(refused(Code::Permission, why));
    }
    if matches!(status.text("State"), Some(state) if state.starts_with(['Z', 'X'])) {
        return Err(refused(Code::NoMatch, "has ended"));
    }
    if status.number("Tgid") != Some(u64::from(pid)) {
        let group = status.text("Tgid").unwrap_or_default();
        return Err(refused(Code::InvalidParams, &format!("is a thread of process {group}")));
    }
    let user = u64::from(workspace::effective_user_id());
    if status.numbers("Uid").any(|own| own != user) {
        return Err(refused(Code::Permission, "is another user's"));
    }
    if is_same_program(pid) {
        return Err(refused(Code::Permission, "is a Tandem server"));
    }
    if ancestors().any(|one| one == u64::from(pid)) {
        return Err(refused(Code::Permission, "started this server and must not be stopped"));
    }
    Ok(status)
}

fn refused(tool: &str, pid: u32, code: Code, why: &str) -> ToolError {
    ToolError::new(code, format!("{tool}: process {pid} {why}"))
}

/// Command line and start time of a process, for display; the start time distinguishes it from a
/// later process with the same id.
///
/// # Errors
/// If it does not exist or must not be stopped.
pub fn describe_process(tool: &str, pid: u32) -> Result<String, ToolError> {
    stoppable_process(tool, pid)?;
    Ok(description(pid, ""))
}

fn description(pid: u32, note: &str) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let line = redact(&clip(line.trim_end(), MAX_COMMAND_LINE_CHARS));
    format!("{line} (since {}{note})", start_time(pid).unwrap_or_default())
}

/// Inspects a process to attach to.
///
/// # Errors
/// If it must not be stopped, or has a debugger.
pub fn running_process(tool: &str, pid: u32) -> Result<RunningProcess, ToolError> {
    let status = stoppable_process(tool, pid)?;
    let refused = |code, why: &str| refused(tool, pid, code, why);
    if let Some(debugger) = status.number("TracerPid").filter(|tracer| *tracer != 0) {
        let why = format!("already has a debugger, process {debugger}");
        return Err(refused(Code::Conflict, &why));
    }
    // Kernel threads have no program.
    let program = fs::read_link(format!("/proc/{pid}/exe"))
        .map_err(|_| refused(Code::Permission, "has no readable program"))?;
    let permitted = status.text("CapPrm").and_then(|set| u64::from_str_radix(set, 16).ok());
    let has_rights = permitted.is_some_and(|set| set != 0);
    let rights =
        if has_rights { "; it has capabilities, which the debugger gets, too" } else { "" };
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(RunningProcess {
        program: name.unwrap_or_default(),
        description: description(pid, rights),
        has_rights,
    })
}

/// The lines of `/proc/N/status`.
struct ProcessStatus(String);

impl ProcessStatus {
    fn read(pid: u32) -> Option<Self> {
        fs::read_to_string(format!("/proc/{pid}/status")).ok().map(Self)
    }

    fn text(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(own, _)| *own == name).map(|(_, value)| value.trim())
    }

    fn numbers(&self, name: &str) -> impl Iterator<Item = u64> {
        let words = self.text(name).unwrap_or_default().split_whitespace();
        words.filter_map(|word| word.parse().ok())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.numbers(name).next()
    }
}

/// Its start time; parsed after the name, which may contain anything.
fn start_time(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19).map(str::to_owned)
}

fn is_same_program(pid: u32) -> bool {
    let program = |who: &str| -> Option<Metadata> { fs::metadata(format!("/proc/{who}/exe")).ok() };
    matches!((program("self"), program(&pid.to_string())),
        (Some(ours), Some(its)) if (ours.dev(), ours.ino()) == (its.dev(), its.ino()))
}

/// The process ids of this server's ancestors.
fn ancestors() -> impl Iterator<Item = u64> {
    let parent = |pid: u64| {
        let status = ProcessStatus::read(u32::try_from(pid).ok()?)?;
        status.number("PPid").filter(|parent| *parent != 0)
    };
    std::iter::successors(parent(std::process::id().into()), move |pid| parent(*pid))
        .take(MAX_ANCESTORS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_processes_that_must_not_be_stopped() {
        let code = |pid: u32| running_process("t", pid).unwrap_err().code;
        assert_eq!(code(1), Code::Permission);
        assert_eq!(code(u32::MAX), Code::NoMatch);
        assert_eq!(code(std::process::id()), Code::Permission);
        assert_eq!(code(std::os::unix::process::parent_id()), Code::Permission);
        let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        // The command line appears a moment after the process.
        let mut found = running_process("t", child.id());
        let shown = |found: &RunningProcess| found.description.starts_with("sleep 100 (since ");
        for _ in 0..500 {
            if found.as_ref().is_ok_and(shown) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            found = running_process("t", child.id());
        }
        child.kill().unwrap();
        // It has ended and is a zombie.
        let ended = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            running_process("t", child.id()).is_err_and(|error| error.message.contains("has ended"))
        });
        child.wait().unwrap();
        let found = found.unwrap();
        assert!(ended && shown(&found), "{found:?}");
    }
}

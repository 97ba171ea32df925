//! Finds the inspector of a running process.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::launch::inspector_url;

/// How long a process may take to open its inspector.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit of open files that are searched.
const MAX_FILES: usize = 100_000;

/// The inspector of a process.
pub(crate) struct FoundInspector {
    pub(crate) url: String,
    /// Whether it was opened for this.
    pub(crate) is_opened: bool,
}

/// The inspector of a Node process, which is opened if it is not.
pub(crate) fn inspector_of(pid: u32) -> Result<FoundInspector, String> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let program = std::fs::read_link(folder.join("exe"))
        .map_err(|error| format!("process {pid} cannot be inspected: {error}"))?;
    if let Some(url) = find(&folder) {
        return Ok(FoundInspector { url, is_opened: false });
    }
    // The signal ends a program that is not Node.
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with("node") {
        return Err(format!("process {pid} runs {}, which is not Node", program.display()));
    }
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| format!("{pid} is no process"))?;
    kill_process(id, Signal::USR1)
        .map_err(|error| format!("process {pid} gets no signal: {error}"))?;
    let deadline = Instant::now() + OPEN_TIMEOUT;
    while Instant::now() < deadline {
        if let Some(url) = find(&folder) {
            return Ok(FoundInspector { url, is_opened: true });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!(
        "process {pid} opened no inspector; its port, 9229 by default, may be taken by another process"
    ))
}

fn find(folder: &Path) -> Option<String> {
    listening_ports(folder)
        .ok()?
        .into_iter()
        .find_map(|port| inspector_url("127.0.0.1", port, false).ok())
}

/// The loopback ports that a process listens on.
fn listening_ports(folder: &Path) -> io::Result<Vec<u16>> {
    let mut sockets = HashSet::new();
    for entry in std::fs::read_dir(folder.join("fd"))?.take(MAX_FILES).flatten() {
        if let Ok(target) = std::fs::read_link(entry.path())
            && let Some(inode) = target.to_string_lossy().strip_prefix("socket:[")
        {
            sockets.insert(inode.trim_end_matches(']').to_owned());
        }
    }
    let table = std::fs::read_to_string(folder.join("net/tcp"))?;
    Ok(table.lines().skip(1).filter_map(|line| listening_port(line, &sockets)).collect())
}

/// The port of a line of `/proc/PID/net/tcp`, if one of the sockets listens there on 127.0.0.1.
fn listening_port(line: &str, sockets: &HashSet<String>) -> Option<u16> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    let listens = fields.get(3) == Some(&"0A") && matches!(address, "0100007F" | "00000000");
    (listens && sockets.contains(*fields.get(9)?)).then(|| u16::from_str_radix(port, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ports_of_the_process_on_the_loopback_count() {
        let sockets = HashSet::from(["77".to_owned()]);
        let line = |address: &str, state: &str, inode: &str| {
            format!("  0: {address}:240D 00000000:0000 {state} 0:0 00:0 0 0 0 {inode} 1 x")
        };
        let port = |line: String| listening_port(&line, &sockets);
        assert_eq!(port(line("0100007F", "0A", "77")), Some(9229));
        assert_eq!(port(line("0100007F", "0A", "78")), None);
        assert_eq!(port(line("0100007F", "01", "77")), None);
        assert_eq!(port(line("0200000A", "0A", "77")), None);
        assert_eq!(port("x".to_owned()), None);
    }
}

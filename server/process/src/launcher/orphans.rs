//! Kills all processes that a command leaves behind, if there is no PID namespace.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// Time limit: a process that does not die hangs in the kernel.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Kills every descendant of this process, which must be their subreaper, until it has no child
/// left. Each descendant is below a child.
pub(super) fn kill_all() {
    let started = Instant::now();
    loop {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) if started.elapsed() < TIME_LIMIT => break,
                _ => return,
            }
        }
        let descendants = descendants();
        // Stop all first, so that none forks while others are killed.
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &descendants {
                let _ = kill_process(*pid, signal);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// All living descendants of this process, according to `/proc`.
fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // `pid (name) state parent …`; the name may contain anything.
        let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
        let mut fields = rest.split(' ');
        let (Some(state), Some(parent)) = (fields.next(), fields.next()) else { continue };
        if let (false, Ok(parent)) = (matches!(state, "Z" | "X"), parent.parse()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut pending = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = pending.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            pending.push(child);
            found.extend(Pid::from_raw(child));
        }
    }
    found
}

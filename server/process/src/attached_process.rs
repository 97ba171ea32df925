//! A process that a debugger attaches to.

use std::fs;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The bit of `SIGSTOP` in `/proc`'s signal masks.
const SIGSTOP_BIT: u64 = 1 << (Signal::STOP.as_raw() - 1);

/// How often a process that seems to run is checked again, and the delay between.
const CHECKS: u32 = 5;
const CHECK_DELAY: Duration = Duration::from_millis(4);

/// A process, identified by a pidfd: its number may be reused.
#[derive(Debug)]
pub struct AttachedProcess {
    pid: u32,
    process: OwnedFd,
    was_stopped: bool,
}

impl AttachedProcess {
    /// Records the state of a process before a debugger attaches; `None` if it does not exist.
    #[must_use]
    pub fn before_attach(pid: u32) -> Option<Self> {
        let number = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let process = pidfd_open(number, PidfdFlags::empty()).ok()?;
        Some(Self { pid, process, was_stopped: is_stopped(pid) })
    }

    /// Continues the process if its debugger has left it stopped and it was not stopped before.
    /// That happens when the debugger ends between stopping and detaching.
    pub fn continue_if_left_stopped(&self) {
        if self.was_stopped {
            return;
        }
        // A process that has received the signal may shortly show neither as stopped nor as
        // pending.
        for _ in 0..CHECKS {
            if is_stopped(self.pid) {
                // It may have ended.
                let _ = pidfd_send_signal(&self.process, Signal::CONT);
                return;
            }
            std::thread::sleep(CHECK_DELAY);
        }
    }
}

/// Whether any of its threads is stopped, or has a stop signal pending.
fn is_stopped(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok()).any(
        |status| {
            status.lines().filter_map(|line| line.split_once(':')).any(|(name, value)| {
                let value = value.trim();
                match name {
                    "State" => value.starts_with('T'),
                    "SigPnd" | "ShdPnd" => u64::from_str_radix(value, 16)
                        .is_ok_and(|pending| pending & SIGSTOP_BIT != 0),
                    _ => false,
                }
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use rustix::process::kill_process;

    use super::*;

    fn state(pid: u32) -> String {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("State:")).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    }

    fn wait_for_state(pid: u32, wanted: &str) {
        let begun = Instant::now();
        while state(pid) != wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", state(pid));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn only_a_process_that_its_debugger_left_stopped_is_continued() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let number = Pid::from_child(&child);
        wait_for_state(child.id(), "S");
        let process = AttachedProcess::before_attach(child.id()).unwrap();
        kill_process(number, Signal::STOP).unwrap();
        // Whether it is stopped by now or about to be.
        process.continue_if_left_stopped();
        wait_for_state(child.id(), "S");
        kill_process(number, Signal::STOP).unwrap();
        wait_for_state(child.id(), "T");
        let stopped = AttachedProcess::before_attach(child.id()).unwrap();
        stopped.continue_if_left_stopped();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(state(child.id()), "T", "its person has stopped it");
        process.continue_if_left_stopped();
        wait_for_state(child.id(), "S");
        child.kill().unwrap();
        child.wait().unwrap();
        process.continue_if_left_stopped();
        assert!(AttachedProcess::before_attach(child.id()).is_none());
    }
}

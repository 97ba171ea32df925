//! A process of somebody's that a debugger takes hold of.

use std::fs;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The bit of `SIGSTOP` in the sets of signals that the system shows.
const STOP: u64 = 1 << (Signal::STOP.as_raw() - 1);

/// How often a process is looked at that seems to run, and how long between.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(4);

/// A process, whatever becomes of its number.
#[derive(Debug)]
pub struct Held {
    pid: u32,
    process: OwnedFd,
    was_stopped: bool,
}

impl Held {
    /// Looks at a process before it is taken hold of; `None` where there is none.
    #[must_use]
    pub fn before(pid: u32) -> Option<Self> {
        let number = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let process = pidfd_open(number, PidfdFlags::empty()).ok()?;
        Some(Self { pid, process, was_stopped: is_stopped(pid) })
    }

    /// Lets it go on where its debugger has gone and left it stopped, which it was not before: one
    /// that ends between the signal that stops a process and the detaching leaves it so.
    pub fn go_on(&self) {
        if self.was_stopped {
            return;
        }
        // For a moment a process has taken the signal and is not stopped yet: neither state shows then.
        for _ in 0..LOOKS {
            if is_stopped(self.pid) {
                // It may have ended.
                let _ = pidfd_send_signal(&self.process, Signal::CONT);
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Whether it is stopped, or about to be, by its first thread or any other.
fn is_stopped(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok()).any(
        |status| {
            status.lines().filter_map(|line| line.split_once(':')).any(|(name, value)| {
                let value = value.trim();
                match name {
                    "State" => value.starts_with('T'),
                    "SigPnd" | "ShdPnd" => {
                        u64::from_str_radix(value, 16).is_ok_and(|pending| pending & STOP != 0)
                    }
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

    fn becomes(pid: u32, wanted: &str) {
        let begun = Instant::now();
        while state(pid) != wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", state(pid));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn what_a_debugger_left_stopped_goes_on_and_nothing_else() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let number = Pid::from_child(&child);
        becomes(child.id(), "S");
        let held = Held::before(child.id()).unwrap();
        kill_process(number, Signal::STOP).unwrap();
        // Whether it is stopped by now or about to be.
        held.go_on();
        becomes(child.id(), "S");
        kill_process(number, Signal::STOP).unwrap();
        becomes(child.id(), "T");
        let stopped = Held::before(child.id()).unwrap();
        stopped.go_on();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(state(child.id()), "T", "its person has stopped it");
        held.go_on();
        becomes(child.id(), "S");
        child.kill().unwrap();
        child.wait().unwrap();
        held.go_on();
        assert!(Held::before(child.id()).is_none());
    }
}

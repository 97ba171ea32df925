//! All processes of the machine.

use std::io;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use sysinfo::{
    MINIMUM_CPU_UPDATE_INTERVAL, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind,
};

/// A process of the machine.
#[derive(Debug, Clone)]
pub struct MachineProcess {
    /// Its id.
    pub pid: u32,
    /// That of its parent.
    pub parent: Option<u32>,
    /// Its name, which it may have chosen.
    pub name: String,
    /// Its program and arguments; empty if the system does not reveal them.
    pub command: String,
    /// Use of one processor now, in percent: more than 100 on several.
    pub cpu_percent: f32,
    /// Its part of the machine's memory, in percent.
    pub memory_percent: f64,
    /// Its resident memory, in bytes.
    pub memory_bytes: u64,
}

/// All processes. Takes a fifth of a second, in which their use of processors is measured.
#[must_use]
pub fn machine_processes() -> Vec<MachineProcess> {
    let mut system = System::new();
    system.refresh_memory();
    let cpu = ProcessRefreshKind::nothing().with_cpu().without_tasks();
    let all = cpu.with_memory().with_cmd(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, all);
    std::thread::sleep(MINIMUM_CPU_UPDATE_INTERVAL);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, cpu);
    let total = system.total_memory().max(1) as f64;
    let processes = system.processes().values().filter(|process| process.thread_kind().is_none());
    let mut processes: Vec<_> = processes
        .map(|process| MachineProcess {
            pid: process.pid().as_u32(),
            parent: process.parent().map(sysinfo::Pid::as_u32),
            name: process.name().to_string_lossy().into_owned(),
            command: process
                .cmd()
                .iter()
                .map(|word| word.to_string_lossy())
                .collect::<Vec<_>>()
                .join(" "),
            cpu_percent: process.cpu_usage(),
            memory_percent: process.memory() as f64 / total * 100.0,
            memory_bytes: process.memory(),
        })
        .collect();
    processes.sort_by_key(|process| process.pid);
    processes
}

/// Sends a signal to a process, if `is_meant` confirms, once its id cannot be reused any more, that
/// it is the one that is meant. False if it is another one.
///
/// # Errors
/// When it has ended, or is another user's.
pub fn signal_process(pid: u32, signal: i32, is_meant: impl FnOnce() -> bool) -> io::Result<bool> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let signal = Signal::from_named_raw(signal).ok_or_else(invalid)?;
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(invalid)?;
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    if !is_meant() {
        return Ok(false);
    }
    pidfd_send_signal(&process, signal)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn processes_are_listed_and_signalled() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        assert!(!signal_process(pid, 15, || false).unwrap());
        let found = (0..50).find_map(|_| {
            let all = machine_processes();
            all.into_iter().find(|one| one.pid == pid && one.command == "sleep 1000")
        });
        let found = found.unwrap();
        assert_eq!((found.parent, found.name.as_str()), (Some(std::process::id()), "sleep"));
        assert!(found.memory_bytes > 0 && found.memory_percent > 0.0 && found.cpu_percent < 50.0);
        assert!(signal_process(pid, 15, || true).unwrap());
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        assert!(signal_process(pid, 15, || true).is_err());
        assert!(
            signal_process(pid, 0, || true).is_err() && signal_process(pid, 99, || true).is_err()
        );
    }
}
